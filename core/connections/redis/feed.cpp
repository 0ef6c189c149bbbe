// SPDX-License-Identifier: Apache-2.0
#include "connections/redis/feed.h"

#include "ports/redis/errors.h"

namespace lockscope::redis {

namespace {
// A subscriber that does not read must not fill the memory: beyond this, messages are dropped and a gap is told.
constexpr std::size_t kMessageLimit = 4096;
constexpr Nanos kBetweenTries = 100ms;

/// Stopped when either of two is.
class EitherStop {
public:
    EitherStop(const std::stop_token& a, const std::stop_token& b)
        : m_onA(a, Forward{&m_source}), m_onB(b, Forward{&m_source}) {}
    std::stop_token token() const { return m_source.get_token(); }

private:
    struct Forward {
        std::stop_source* source;
        void operator()() const { source->request_stop(); }
    };
    std::stop_source m_source;
    std::stop_callback<Forward> m_onA, m_onB;
};
} // namespace

/// The state that the feed and its pump share.
struct Feed::State {
    explicit State(Runtime& r) : runtime(r) {}
    Runtime& runtime;
    std::deque<Message> messages;
    std::optional<Error> error; ///< why it is not confirmed yet
    bool confirmed = false;
    Waiter* waiter = nullptr;
    std::stop_source left; ///< the user is gone

    void wake() {
        if (waiter) waiter->wake();
    }
    void push(Message message) {
        if (messages.size() == kMessageLimit) {
            messages.clear();
            message = {{}, true};
        }
        messages.push_back(std::move(message));
        wake();
    }
    void confirm() {
        if (std::exchange(confirmed, true))
            push({{}, true});
        else
            wake();
    }
};

/// A wait for news of the feed, in the frame of the coroutine that waits.
class Feed::Wait {
public:
    Wait(State& state, Nanos timeout, std::stop_token stop)
        : m_state(state), m_waiter(state.runtime, timeout, std::move(stop)) {
        m_state.waiter = &m_waiter;
    }
    ~Wait() { m_state.waiter = nullptr; }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    Waiter::End end() { return m_waiter.end(); }

private:
    State& m_state; ///< kept by the coroutine
    Waiter m_waiter;
};

QCoro::Task<Feed::Answer> Feed::open(Runtime& runtime, std::shared_ptr<FeedSource> source, QByteArray channel,
                                     Nanos timeout, std::stop_token stop) {
    const auto state = std::make_shared<State>(runtime);
    auto feed = std::unique_ptr<Feed>(new Feed(state)); // when it goes, the pump ends
    runtime.spawn([state, source, channel] { return pump(state, source, channel); });
    Wait wait(*state, timeout, std::move(stop));
    if (state->confirmed || state->error) state->wake();
    co_await wait.end();
    if (state->confirmed) co_return OwnedSubscription(std::move(feed));
    co_return std::unexpected(errors::harmless(state->error ? *state->error : source->silence(channel, timeout)));
}

Feed::~Feed() {
    m_state->left.request_stop();
}

QCoro::Task<std::optional<Message>> Feed::next(Nanos timeout, std::stop_token stop) {
    const auto state = m_state; // the feed may go while its user is stopped
    Wait wait(*state, timeout, std::move(stop));
    if (!state->messages.empty()) state->wake(); // a killed or stopped client gets Cancelled all the same
    co_await wait.end();
    if (state->messages.empty()) co_return std::nullopt;
    Message message = std::move(state->messages.front());
    state->messages.pop_front();
    co_return message;
}

QCoro::Task<> Feed::pump(std::shared_ptr<State> state, std::shared_ptr<FeedSource> source, QByteArray channel) {
    const std::stop_token left = state->left.get_token();
    for (;;) {
        const FeedSource::Place place = co_await source->placeOf(channel, left);
        co_await follow(state, source, channel, place);
        if (left.stop_requested() || !state->runtime.alive()) co_return;
        // The place has moved: go there at once. Otherwise it does not answer: a pause before the next try.
        co_await state->runtime.sleep(place.moved.stop_requested() ? Nanos(0) : kBetweenTries, left);
    }
}

QCoro::Task<> Feed::follow(std::shared_ptr<State> state, std::shared_ptr<FeedSource> source, QByteArray channel,
                           FeedSource::Place place) {
    const EitherStop either(state->left.get_token(), place.moved);
    try {
        const auto subscription = co_await place.server->subscribe(channel, either.token());
        if (!subscription) {
            source->complain(channel, subscription.error());
            // A refusal is final, and open() returns it; a server that is away may come back.
            state->error = subscription.error();
            if (!state->confirmed && subscription.error().kind == Error::Kind::Refused) state->wake();
            co_return;
        }
        state->confirm();
        for (;;) {
            std::optional<Message> message = co_await (*subscription)->next(kNever, either.token());
            if (message) state->push(std::move(*message));
        }
    } catch (const Cancelled&) {
        // Left, moved or killed: pump() sees which. Passing a kill on from frame to frame is slow, and each client has
        // a feed.
    }
}

} // namespace lockscope::redis
