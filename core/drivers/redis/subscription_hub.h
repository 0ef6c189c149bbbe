// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/redis/line.h"

#include <deque>
#include <map>

namespace lockscope::redis {

/// All subscriptions of one client, on one connection of their own, opened with the first subscription. Several
/// subscriptions of a channel are one SUBSCRIBE on the server, so NUMSUB counts client processes. In a cluster it also
/// sends one SSUBSCRIBE, because other clients may publish in either way.
class SubscriptionHub {
public:
    SubscriptionHub(Runtime& runtime, const ConnectionUrl& url, const DriverOptions& options,
                    std::function<void(const Status&)> onStatus);
    ~SubscriptionHub();

    enum class By : std::uint8_t { Channel, Pattern };
    using Answer = std::expected<OwnedSubscription, Error>;
    /// Returns once the server has confirmed the subscription, as Port::subscribe().
    QCoro::Task<Answer> subscribe(By by, QByteArray name, std::stop_token stop);
    std::uint64_t sentCount() const { return m_sentCount; }
    Line& line() { return m_line; }

private:
    class Member;
    enum class Way : std::uint8_t { Everywhere, Shard };
    using Name = std::pair<By, QByteArray>;
    struct Topic {
        std::vector<Member*> members;
        bool confirmed = false;
        bool had = false; ///< was confirmed before: the next confirmation ends a gap
        bool deaf() const { return had && !confirmed; }
    };
    /// Shard messages of a channel come in addition. They are subscribed first, so that the answer to the plain
    /// subscription means that both were answered.
    enum class Sent : std::uint8_t { Subscribe, Unsubscribe, Ping, ShardSubscribe, ShardUnsubscribe };
    static bool beside(Sent what) { return what != Sent::Subscribe && what != Sent::Unsubscribe; }

    void join(Member& member);
    void leave(Member& member);
    void send(Sent what, const Name& name);
    void sendBeside(Sent what, const Name& name);
    void onReady();
    void onReply(Reply&& reply);
    void onLost(const Error& error, bool wasReady);
    void onConfirmed(const Reply& reply);
    void onMessage(const Name& name, Way way, const QByteArray& payload);
    void onNoShard(const Name& name, const QByteArray& answer);
    bool onShardGone(const Reply& reply);
    void refuse(const Name& name, const Error& error);
    void goneDeaf(Topic& topic);
    void listenAgain();
    bool asked(const Name& name) const;

    Runtime& m_runtime;
    DriverOptions m_options;
    QString m_where;
    std::map<Name, Topic> m_topics;
    std::deque<std::pair<Sent, Name>> m_unanswered;
    std::uint64_t m_sentCount = 0;
    bool m_knowsShards = false; ///< or has not denied it yet
    OneShot m_again;            ///< the next try of refused subscriptions
    Line m_line;
};

} // namespace lockscope::redis
