// SPDX-License-Identifier: Apache-2.0
#include "backends/redis/subscription_hub.h"

#include "backends/redis/errors.h"

#include <algorithm>

namespace lockscope::redis {

namespace {

// A subscriber that does not read loses messages rather than memory; it learns of it as of a gap.
constexpr std::size_t kMessageLimit = 4096;

const char* commandOf(SubscriptionHub::By by, bool subscribe) {
    if (by == SubscriptionHub::By::Channel) return subscribe ? "SUBSCRIBE" : "UNSUBSCRIBE";
    return subscribe ? "PSUBSCRIBE" : "PUNSUBSCRIBE";
}

} // namespace

/// One subscription as its user holds it.
class SubscriptionHub::Member final : public Subscription {
public:
    Member(SubscriptionHub& hub, Name name) : m_hub(&hub), m_runtime(hub.m_runtime), m_name(std::move(name)) {}
    ~Member() override {
        if (m_hub) m_hub->leave(*this);
    }
    const Name& name() const { return m_name; }

    QCoro::Task<std::optional<Message>> next(Nanos timeout, std::stop_token stop) override {
        Waiter waiter(m_runtime, timeout, std::move(stop));
        if (!m_messages.empty()) waiter.wake(); // a killed or stopped client gets Cancelled all the same
        co_await wait(waiter);
        if (m_messages.empty()) co_return std::nullopt;
        Message message = std::move(m_messages.front());
        m_messages.pop_front();
        co_return message;
    }

    /// Ends when the server has confirmed, or refused: `error` tells.
    QCoro::Task<bool> answered(Nanos timeout, std::stop_token stop) {
        Waiter waiter(m_runtime, timeout, std::move(stop));
        if (m_confirmed || m_error) waiter.wake();
        co_return co_await wait(waiter);
    }
    const std::optional<Error>& error() const { return m_error; }

    void confirm() {
        m_confirmed = true;
        wake();
    }
    void refuse(const Error& error) {
        m_error = error;
        wake();
    }
    bool waitsForAnswer() const { return !m_confirmed && !m_error; }
    void push(Message message) {
        if (m_messages.size() == kMessageLimit) {
            m_messages.clear();
            message = {{}, true};
        }
        m_messages.push_back(std::move(message));
        wake();
    }
    /// Messages may have been missed; said once until it is read.
    void gap() {
        if (m_messages.empty() || !m_messages.back().gap) push({{}, true});
    }
    void hubGone(const Error& error) {
        m_hub = nullptr;
        if (waitsForAnswer())
            refuse(error);
        else
            gap();
    }

private:
    QCoro::Task<bool> wait(Waiter& waiter) {
        struct Registration {
            Waiter*& place;
            ~Registration() { place = nullptr; }
        };
        m_waiter = &waiter;
        const Registration registration{m_waiter};
        co_return co_await waiter.end();
    }
    void wake() {
        if (m_waiter) m_waiter->wake();
    }

    SubscriptionHub* m_hub;
    Runtime& m_runtime;
    Name m_name;
    std::deque<Message> m_messages;
    std::optional<Error> m_error;
    Waiter* m_waiter = nullptr;
    bool m_confirmed = false;
};

SubscriptionHub::SubscriptionHub(Runtime& runtime, const ConnectionUrl& url, const DriverOptions& options,
                                 std::function<void(const Status&)> onStatus)
    : m_runtime(runtime),
      m_options(options),
      m_where(url.endpoints.front().display()),
      m_again(runtime),
      m_line(runtime, url, options,
             {[this] { onReady(); }, [this](Reply&& reply) { onReply(std::move(reply)); },
              [this](const Error& error, bool wasReady) { onLost(error, wasReady); }, [this] { send(Sent::Ping, {}); },
              std::move(onStatus)}) {
}

SubscriptionHub::~SubscriptionHub() {
    const Error gone = errors::driverGone(m_where);
    for (auto& [name, topic] : m_topics)
        for (Member* member : topic.members)
            member->hubGone(gone);
}

QCoro::Task<SubscriptionHub::Answer> SubscriptionHub::subscribe(By by, QByteArray name, std::stop_token stop) {
    // The hub may be gone when the answer comes: what is needed then is kept here.
    const Nanos timeout = m_options.commandTimeout;
    const QString where = m_where;
    auto member = std::make_unique<Member>(*this, Name{by, std::move(name)});
    if (m_runtime.alive() && !stop.stop_requested()) join(*member);
    const bool inTime = co_await member->answered(timeout, std::move(stop));
    if (member->error()) co_return std::unexpected(*member->error());
    if (!inTime) co_return std::unexpected(errors::notSubscribed(timeout, where));
    co_return OwnedSubscription(std::move(member));
}

void SubscriptionHub::join(Member& member) {
    Topic& topic = m_topics[member.name()];
    topic.members.push_back(&member);
    if (topic.confirmed) {
        member.confirm();
        return;
    }
    m_line.keep(true);
    if (m_line.ready()) {
        if (topic.members.size() == 1 || !asked(member.name())) send(Sent::Subscribe, member.name());
    } else {
        m_line.start(); // onReady subscribes to everything there is
    }
}

void SubscriptionHub::leave(Member& member) {
    const auto it = m_topics.find(member.name());
    if (it == m_topics.end()) return;
    std::erase(it->second.members, &member);
    if (!it->second.members.empty()) return;
    if (m_line.ready()) send(Sent::Unsubscribe, it->first);
    m_topics.erase(it);
    m_line.keep(!m_topics.empty());
}

void SubscriptionHub::send(Sent what, const Name& name) {
    m_unanswered.emplace_back(what, name);
    ++m_sentCount;
    if (what == Sent::Ping)
        m_line.wire().send({"PING"});
    else
        m_line.wire().send({commandOf(name.first, what == Sent::Subscribe), name.second});
}

void SubscriptionHub::onReady() {
    for (const auto& [name, topic] : m_topics)
        send(Sent::Subscribe, name);
}

void SubscriptionHub::onReply(Reply&& reply) {
    if (reply.isError()) {
        if (m_unanswered.empty()) return;
        const auto [what, name] = m_unanswered.front();
        m_unanswered.pop_front();
        if (what != Sent::Subscribe) return;
        refuse(name, errors::refused(reply.text, m_where));
        if (const auto it = m_topics.find(name); it != m_topics.end()) goneDeaf(it->second);
        return;
    }
    const bool isPlainPong = reply.type == Reply::Type::Status;
    const QByteArray kind = reply.items.empty() ? QByteArray() : reply.items.front().text;
    if (kind == "message" && reply.items.size() == 3) {
        onMessage({By::Channel, reply.items[1].text}, std::move(reply.items[2].text));
    } else if (kind == "pmessage" && reply.items.size() == 4) {
        onMessage({By::Pattern, reply.items[1].text}, std::move(reply.items[3].text));
    } else if (m_unanswered.empty() || !(isPlainPong || reply.items.size() >= 2)) {
        m_line.giveUp(errors::garbage(QStringLiteral("no message and no confirmation"), m_where));
    } else {
        onConfirmed(reply);
    }
}

void SubscriptionHub::onConfirmed(const Reply&) {
    const auto [what, name] = m_unanswered.front();
    m_unanswered.pop_front();
    if (what != Sent::Subscribe) return;
    // Left and joined again meanwhile: only the last answer counts.
    for (const auto& later : m_unanswered)
        if (later.first != Sent::Ping && later.second == name) return;
    const auto it = m_topics.find(name);
    if (it == m_topics.end()) return;
    it->second.confirmed = true;
    const bool gap = std::exchange(it->second.had, true);
    for (Member* member : it->second.members) {
        if (member->waitsForAnswer())
            member->confirm();
        else if (gap)
            member->gap();
    }
}

void SubscriptionHub::onMessage(const Name& name, QByteArray payload) {
    const auto it = m_topics.find(name);
    if (it == m_topics.end()) return;
    for (Member* member : it->second.members)
        member->push({payload, false});
}

void SubscriptionHub::refuse(const Name& name, const Error& error) {
    const auto it = m_topics.find(name);
    if (it == m_topics.end()) return;
    for (Member* member : it->second.members)
        if (member->waitsForAnswer()) member->refuse(error);
}

void SubscriptionHub::onLost(const Error& error, bool wasReady) {
    m_unanswered.clear();
    for (auto& [name, topic] : m_topics)
        topic.confirmed = false;
    const bool failed = m_line.status().state == Status::State::Failed;
    // A try that failed: tell those who wait for their first confirmation. Others are told when the gap ends.
    if (wasReady && !failed) return;
    for (auto& [name, topic] : m_topics) {
        refuse(name, error);
        if (failed) goneDeaf(topic);
    }
}

// Who was confirmed once waits for messages that do not come any more, nobody knows until when: let them look for
// themselves, at each try that fails.
void SubscriptionHub::goneDeaf(Topic& topic) {
    if (!topic.deaf()) return;
    for (Member* member : topic.members)
        if (!member->waitsForAnswer()) member->gap();
    if (!m_again.armed()) m_again.arm(m_runtime.monotonic() + m_options.retryLongest, [this] { listenAgain(); });
}

void SubscriptionHub::listenAgain() {
    if (!m_line.ready()) {
        if (std::ranges::any_of(m_topics, [](const auto& entry) { return entry.second.deaf(); })) m_line.start();
        return;
    }
    for (const auto& [name, topic] : m_topics)
        if (topic.deaf() && !asked(name)) send(Sent::Subscribe, name);
}

/// A SUBSCRIBE is on its way, and no UNSUBSCRIBE behind it.
bool SubscriptionHub::asked(const Name& name) const {
    const auto last = std::find_if(m_unanswered.rbegin(), m_unanswered.rend(), [&name](const auto& sent) {
        return sent.first != Sent::Ping && sent.second == name;
    });
    return last != m_unanswered.rend() && last->first == Sent::Subscribe;
}

} // namespace lockscope::redis
