// SPDX-License-Identifier: Apache-2.0
#include "drivers/redis/subscription_hub.h"

#include "ports/redis/errors.h"
#include "runtime/waits_here.h"

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
    /// A message that comes both ways arrives twice. A subscriber that has not read the first copy yet gets no second.
    void push(Message message, Way way = Way::Everywhere) {
        const bool again = !m_messages.empty() && m_lastWay && *m_lastWay != way && !m_messages.back().gap &&
                           m_messages.back().payload == message.payload;
        m_lastWay = again ? std::nullopt : std::optional(way);
        if (again) return;
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
        const WaitsHere here(m_waiter, waiter);
        co_return co_await waiter.end();
    }
    void wake() {
        if (m_waiter) m_waiter->wake();
    }

    SubscriptionHub* m_hub;
    Runtime& m_runtime;
    Name m_name;
    std::deque<Message> m_messages;
    std::optional<Way> m_lastWay; ///< of the last message, unless it has come both ways
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

void SubscriptionHub::sendBeside(Sent what, const Name& name) {
    m_unanswered.emplace_back(what, name);
    ++m_sentCount;
    m_line.wire().send({what == Sent::ShardSubscribe ? "SSUBSCRIBE" : "SUNSUBSCRIBE", name.second});
}

void SubscriptionHub::send(Sent what, const Name& name) {
    if (what != Sent::Ping && name.first == By::Channel && m_knowsShards)
        sendBeside(what == Sent::Subscribe ? Sent::ShardSubscribe : Sent::ShardUnsubscribe, name);
    m_unanswered.emplace_back(what, name);
    ++m_sentCount;
    if (what == Sent::Ping)
        m_line.wire().send({"PING"});
    else
        m_line.wire().send({commandOf(name.first, what == Sent::Subscribe), name.second});
}

void SubscriptionHub::onReady() {
    m_knowsShards = m_options.sharded; // another version may run there by now
    for (const auto& [name, topic] : m_topics)
        send(Sent::Subscribe, name);
}

void SubscriptionHub::onReply(Reply&& reply) {
    if (reply.isError()) {
        if (m_unanswered.empty()) return;
        const auto [what, name] = m_unanswered.front();
        m_unanswered.pop_front();
        if (what == Sent::ShardSubscribe) onNoShard(name, reply.text);
        if (what != Sent::Subscribe) return;
        refuse(name, errors::refused(reply.text, m_where));
        if (const auto it = m_topics.find(name); it != m_topics.end()) goneDeaf(it->second);
        return;
    }
    const bool isPlainPong = reply.type == Reply::Type::Status;
    const QByteArray kind = reply.items.empty() ? QByteArray() : reply.items.front().text;
    if (kind == "message" && reply.items.size() == 3) {
        onMessage({By::Channel, reply.items[1].text}, Way::Everywhere, reply.items[2].text);
    } else if (kind == "smessage" && reply.items.size() == 3) {
        onMessage({By::Channel, reply.items[1].text}, Way::Shard, reply.items[2].text);
    } else if (kind == "pmessage" && reply.items.size() == 4) {
        onMessage({By::Pattern, reply.items[1].text}, Way::Everywhere, reply.items[3].text);
    } else if (kind == "sunsubscribe" && onShardGone(reply)) {
        return;
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
        if (!beside(later.first) && later.second == name) return;
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

void SubscriptionHub::onMessage(const Name& name, Way way, const QByteArray& payload) {
    const auto it = m_topics.find(name);
    if (it == m_topics.end()) return;
    for (Member* member : it->second.members)
        member->push({payload, false}, way);
}

// A server that does not know shards has only the messages of SUBSCRIBE. A server that is not the channel's has sharded
// messages still; a new subscriber must look for the right server.
void SubscriptionHub::onNoShard(const Name& name, const QByteArray& answer) {
    if (answer.startsWith("ERR")) m_knowsShards = false;
    if (answer.startsWith("MOVED")) refuse(name, errors::shardElsewhere(answer, m_where));
}

/// The server has ended a shard subscription by itself: its slot has moved. Not when we had asked for it.
bool SubscriptionHub::onShardGone(const Reply& reply) {
    const QByteArray channel = reply.items.size() < 2 ? QByteArray() : reply.items[1].text;
    const Name name{By::Channel, channel};
    if (!m_unanswered.empty() && m_unanswered.front() == std::pair(Sent::ShardUnsubscribe, name)) return false;
    const auto it = m_topics.find(name);
    if (it == m_topics.end()) return true;
    for (Member* member : it->second.members)
        member->gap(); // a member that looks at the key learns where it is now
    return true;
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
    // A try that failed: tell members that wait for their first confirmation. Other members are told when the gap ends.
    if (wasReady && !failed) return;
    for (auto& [name, topic] : m_topics) {
        refuse(name, error);
        if (failed) goneDeaf(topic);
    }
}

// Subscribers that were confirmed once wait for messages that may never come again. At each failed try they get a gap,
// so that they look for themselves.
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
    const auto last = std::find_if(m_unanswered.rbegin(), m_unanswered.rend(),
                                   [&name](const auto& sent) { return !beside(sent.first) && sent.second == name; });
    return last != m_unanswered.rend() && last->first == Sent::Subscribe;
}

} // namespace lockscope::redis
