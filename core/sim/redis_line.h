// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/call_list.h"
#include "runtime/completion.h"
#include "sim/redis_wire.h"

namespace lockscope::sim {

/// One subscription of a simulated client: the messages that have arrived and nobody has read yet.
class RedisWire::Inbox final : public redis::Subscription {
public:
    Inbox(Runtime& runtime, QByteArray channel, std::weak_ptr<Line> line)
        : m_runtime(runtime), m_channel(std::move(channel)), m_line(std::move(line)) {}
    ~Inbox() override;

    const QByteArray& channel() const { return m_channel; }
    void put(redis::Message message);
    QCoro::Task<std::optional<redis::Message>> next(Nanos timeout, std::stop_token stop = {}) override;

private:
    Runtime& m_runtime;
    QByteArray m_channel;
    std::weak_ptr<Line> m_line;
    std::deque<redis::Message> m_messages;
    SignalCount m_arrived;
};

/// A connection that is kept up for one purpose. Shared by the wire and the coroutines that use it; the wire ends it by
/// close().
class RedisWire::Line final : public std::enable_shared_from_this<Line> {
public:
    enum class Purpose : std::uint8_t {
        Commands,     ///< made again by itself; commands wait for the next try
        Subscriptions ///< made again by subscribing again, if there is a subscription
    };
    Line(Grounds grounds, RespServer* server, Runtime& runtime, ClientEnd user, QString where, Settings settings,
         Purpose purpose);

    /// Something may have been sent: an answer may be on its way.
    bool hasConnection() const { return m_connection != nullptr; }
    static QCoro::Task<redis::Result> exchange(std::shared_ptr<Line> self, redis::Args args, std::stop_token stop);
    void close();

    Runtime& runtime;
    const Settings settings;
    redis::Status status;
    std::uint32_t number = 0; ///< of the connection; 0: none
    std::function<void(const redis::Status&)> onStatus;
    CallList reconnects;
    std::vector<Inbox*> inboxes;
    bool resubscribing = false;
    bool closed = false;

private:
    void connect();
    void gotThrough();
    void ended(redis::Error error);
    /// Now, or when the process goes on: a stopped one notices nothing.
    void endSoon(redis::Error error);
    void setStatus(redis::Status status);
    static QCoro::Task<> retry(std::shared_ptr<Line> self, Nanos pause);
    /// Looks a few times per limit whether the server still answers.
    class Heartbeat final : public Alarm {
    public:
        explicit Heartbeat(Line& line);
        ~Heartbeat() override;
        void start();
        void stop();

    private:
        void look();
        void ring() override;
        Line& m_line;
        Nanos m_step;
        Runtime::TimerId m_look = 0; ///< the next look; 0: none, or the alarm is set for it
    };
    void listen();
    redis::Error broken(redis::Error::Kind kind, const char* what) const;
    void take(const RedisEngine::Push& push);

    Grounds m_grounds;
    RespServer* m_server;
    ClientEnd m_user;
    QString m_where;
    Purpose m_purpose;
    std::shared_ptr<RespConnection> m_connection; ///< nullptr: there is none
    std::vector<Completion<bool>> m_waiting;      ///< for the next try: did it succeed?
    bool m_wasReady = false;
    int m_failures = 0;
    Nanos m_heard{}; ///< when the server was last known to answer
    Heartbeat m_heartbeat;
};

} // namespace lockscope::sim
