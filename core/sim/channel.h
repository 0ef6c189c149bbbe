// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"
#include "sim/probe.h"
#include "sim/server.h"
#include "trace/death.h"

#include <algorithm>
#include <expected>
#include <vector>

namespace lockscope::sim {

/// Why a question has no answer.
enum class Unanswered : std::uint8_t {
    TimedOut, ///< nothing came in time: whether it was done is unknown
    Reset,    ///< the connection ended after sending: whether it was done is unknown
    Refused,  ///< nobody was there: it was not done
};

/// One connection of a party to a server of kind S: numbered questions over a link, answers that may be late, lost or
/// never come, messages that the server sends unasked, and the connection's end. Writes the rows of messages into the
/// trace. A message sent before the asking party died still arrives.
template <class S, class Answer>
class Channel {
public:
    using Result = std::expected<Answer, Unanswered>;
    using Answered = std::function<void(Answer)>;
    using Done = std::function<void(Result)>;

    /// Everything outlives it. `look` sees each result first, and may change it. `text` of the functions below is the
    /// trace's Text for the row; 0: no rows, and no loss by chance, for messages among servers.
    Channel(Grounds grounds, Network::Link& link, Party asker, S& server, std::function<void(Result&)> look = nullptr)
        : m_state(std::make_shared<State>(State{grounds, link, asker, server, std::move(look), {}, 0})) {}
    ~Channel() {
        m_state->pending.clear();
        m_state->look = nullptr;
    }
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// Sends a question. `work` is the server's when the question arrives, bool(S&, Answered): it calls the function at
    /// once, later or never, and returns false if nobody is there. `done` is called once, unless the channel goes or
    /// forget() is called before. A question that is lost on its way is never done.
    template <typename Work>
    std::uint64_t send(std::uint32_t text, Work work, Done done) {
        State& s = *m_state;
        const std::uint64_t number = ++s.last;
        const auto arrival = s.transmit(s.asker, text, Network::Message::Plain);
        if (text != 0) s.emit(trace::EventKind::Request, s.asker, s.server.entity(), arrival, text);
        if (!arrival) return number;
        const bool twice = text != 0 && std::exchange(s.link.repeatNextRequest, false);
        if (twice) s.emit(trace::EventKind::Request, s.asker, s.server.entity(), arrival, text, trace::kFault);
        s.pending.push_back({number, std::move(done)});
        auto question = std::make_shared<Asked<Work>>(
            Question{std::weak_ptr(m_state), s.server, s.base(), number, text, twice, {}}, std::move(work));
        s.grounds.scheduler.at(*arrival, [question = std::move(question)] { arrived(question); });
        return number;
    }
    /// Whether the question left, and has no answer yet.
    bool waitsFor(std::uint64_t number) const { return m_state->at(number) != m_state->pending.end(); }
    /// An answer that comes after all is dropped.
    void forget(std::uint64_t number) { m_state->take(number); }

    /// The server sends a message; `landed` is called when it arrives.
    void push(std::uint32_t text, std::function<void()> landed) {
        State& s = *m_state;
        const auto landing = s.transmit(s.server.entity(), text, Network::Message::Push);
        if (text != 0) s.emit(trace::EventKind::Push, s.server.entity(), s.asker, landing, text);
        if (!landing) return;
        s.grounds.scheduler.at(*landing, [weak = std::weak_ptr(m_state), landed = std::move(landed)] {
            if (weak.lock()) landed();
        });
    }

    /// The server's machine ends the connection. That is known after a flight: then what was asked before has no
    /// answer, and `known` is called. Over a severed link nothing comes; the end is known when one of the asker's
    /// probes gets through, each `probe` later.
    void breakOff(Nanos probe, std::function<void()> known) {
        tellEnd(m_state, m_state->last, probe, std::move(known));
    }
    /// The asking end closes the connection: whatever is open has no answer.
    void abandon() {
        while (!m_state->pending.empty())
            m_state->complete(m_state->pending.front().number, std::unexpected(Unanswered::Reset));
    }
    Network::Link& link() const { return m_state->link; }
    S& server() const { return m_state->server; }
    Party asker() const { return m_state->asker; }

private:
    struct State;

public:
    /// As send(), for a coroutine, in whose frame it lives: `co_await asking.end()`, then answer(). The channel may go
    /// meanwhile.
    class Asking {
    public:
        template <typename Work>
        Asking(Channel& channel, Runtime& runtime, std::uint32_t text, Work work, Nanos timeout, std::stop_token stop)
            : m_state(channel.m_state),
              m_waiter(runtime, timeout, std::move(stop)),
              m_number(channel.send(text, std::move(work), [this](Result result) {
                  m_result.emplace(std::move(result));
                  m_waiter.wake();
              })) {}
        ~Asking() { m_state->take(m_number); }
        Asking(const Asking&) = delete;
        Asking& operator=(const Asking&) = delete;
        /// Throws Cancelled.
        Waiter::End end() { return m_waiter.end(); }
        Result answer() {
            if (m_result) return *std::exchange(m_result, std::nullopt);
            return std::unexpected(Unanswered::TimedOut);
        }

    private:
        std::shared_ptr<State> m_state;
        std::optional<Result> m_result;
        Waiter m_waiter;
        std::uint64_t m_number;
    };

private:
    /// The data that a message needs on its way. The asking end is not part of it: it may be gone by then.
    struct Base {
        Grounds grounds;
        Network::Link& link;
        Party asker, server;
        std::optional<Nanos> transmit(Party from, std::uint32_t text, Network::Message message) const {
            const auto way = link.wayFrom(from);
            return text != 0 ? grounds.network.transmit(link, way, message) : grounds.network.carry(link, way);
        }
        void emit(trace::EventKind kind, Party from, Party to, const std::optional<Nanos>& landing, std::uint32_t text,
                  std::uint8_t flags = 0) const {
            const std::int64_t flight = landing ? (*landing - grounds.scheduler.now()).count() : -1;
            grounds.recorder.emit(kind, from, to, flight, text, flags);
        }
    };
    struct Pending {
        std::uint64_t number;
        Done done;
    };
    struct State {
        Grounds grounds;
        Network::Link& link;
        Party asker;
        S& server;
        std::function<void(Result&)> look;
        std::vector<Pending> pending; ///< in the order of their numbers; seldom more than one
        std::uint64_t last;

        Base base() const { return {grounds, link, asker, server.entity()}; }
        std::optional<Nanos> transmit(Party from, std::uint32_t text, Network::Message message) {
            return base().transmit(from, text, message);
        }
        void emit(trace::EventKind kind, Party from, Party to, const std::optional<Nanos>& landing, std::uint32_t text,
                  std::uint8_t flags = 0) {
            base().emit(kind, from, to, landing, text, flags);
        }
        void complete(std::uint64_t number, Result result) {
            const std::optional<Done> waiting = take(number);
            if (const auto first = look) first(result); // a copy: the call may end the channel
            if (waiting) (*waiting)(std::move(result)); // else it timed out meanwhile
        }
        auto at(std::uint64_t number) { return std::ranges::find(pending, number, &Pending::number); }
        std::optional<Done> take(std::uint64_t number) {
            const auto found = at(number);
            if (found == pending.end()) return std::nullopt;
            Done done = std::move(found->done);
            pending.erase(found);
            return done;
        }
    };
    /// A question on its way, then its answer. The asking end may be gone by then.
    struct Question {
        std::weak_ptr<State> asker;
        S& server;
        Base base;
        std::uint64_t number;
        std::uint32_t text;
        bool twice; ///< a driver or proxy sends it again, and drops the second answer
        std::optional<Result> result;
    };
    /// With the work in it: no memory of its own for each part.
    template <typename Work>
    struct Asked : Question {
        Asked(Question question, Work w) : Question(std::move(question)), work(std::move(w)) {}
        std::optional<Work> work; ///< until it arrives
    };
    template <typename Work>
    static void arrived(const std::shared_ptr<Asked<Work>>& question) {
        Work work = *std::exchange(question->work, std::nullopt);
        std::optional<Work> again = question->twice ? std::optional(work) : std::nullopt;
        const auto answered = [question](Answer answer) { back(question, Result(std::move(answer))); };
        if (!work(question->server, answered)) back(question, std::unexpected(Unanswered::Refused));
        if (!again) return;
        reached(Probe::RequestRepeated);
        (*again)(question->server, [](const Answer&) {});
    }
    static void back(const std::shared_ptr<Question>& question, Result result) {
        Q_ASSERT(!question->result); // it is answered once
        const Base& base = question->base;
        const auto landing = base.transmit(base.server, question->text, Network::Message::Reply);
        const bool refused = !result && result.error() == Unanswered::Refused;
        // The asker learns of a machine without power as soon as of a dead process: nothing on the wire tells it.
        const bool silent = refused && question->server.isSilent();
        if (question->text != 0 && !silent)
            base.emit(trace::EventKind::Reply, base.server, base.asker, landing, question->text,
                      refused ? trace::kRefusal : 0);
        if (!landing) return;
        question->result.emplace(std::move(result));
        base.grounds.scheduler.at(*landing, [question] {
            if (const auto alive = question->asker.lock())
                alive->complete(question->number, *std::move(question->result));
        });
    }
    static void tellEnd(const std::shared_ptr<State>& state, std::uint64_t last, Nanos probe,
                        std::function<void()> known) {
        State& s = *state;
        const auto landing = s.grounds.network.carry(s.link, s.link.wayFrom(s.server.entity()));
        const Nanos next = landing ? *landing : laterBy(s.grounds.scheduler.now(), probe);
        s.grounds.scheduler.at(
            next, [weak = std::weak_ptr(state), last, probe, known = std::move(known), heard = landing.has_value()] {
                const auto alive = weak.lock();
                if (!alive) return;
                if (!heard) {
                    tellEnd(alive, last, probe, known);
                    return;
                }
                while (!alive->pending.empty() && alive->pending.front().number <= last)
                    alive->complete(alive->pending.front().number, std::unexpected(Unanswered::Reset));
                known();
            });
    }
    std::shared_ptr<State> m_state;
};

} // namespace lockscope::sim
