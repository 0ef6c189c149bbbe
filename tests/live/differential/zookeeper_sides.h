// SPDX-License-Identifier: Apache-2.0
// A connection to a real ZooKeeper and one to a simulated one, used alike: what came over each, in its order, as text.
#pragma once
#include "jute.h"
#include "runtime/virtual_scheduler.h"
#include "sim/zookeeper/service.h"

#include <QByteArrayList>
#include <QTcpSocket>
#include <deque>

namespace lockscope::differential {

/// A message that came over a connection.
struct Heard {
    QByteArray text;
    bool event = false;
    friend bool operator==(const Heard&, const Heard&) = default;
};

/// Numbers sessions by their first appearance.
class SessionNames {
public:
    int of(std::int64_t session) {
        if (session == 0) return 0;
        return m_numbers.try_emplace(session, int(m_numbers.size()) + 1).first->second;
    }

private:
    std::map<std::int64_t, int> m_numbers;
};

/// Everything that both servers must agree on: not their clocks, and not the order of children.
inline QByteArray shown(const zookeeper::NodeStat& stat, SessionNames& sessions) {
    const auto n = [](auto value) { return ' ' + QByteArray::number(qint64(value)); };
    return "stat" + n(stat.czxid) + n(stat.mzxid) + n(stat.pzxid) + " v" + n(stat.version) + n(stat.cversion) +
           n(stat.aversion) + " owner" + n(sessions.of(stat.ephemeralOwner)) + " size" + n(stat.dataLength) +
           n(stat.children);
}

inline QByteArray shown(const sim::ZkRequest& request, sim::ZkReply reply, SessionNames& sessions) {
    QByteArray text = "code " + QByteArray::number(reply.code) + " zxid " + QByteArray::number(reply.zxid);
    for (sim::ZkOpResult& result : reply.results) {
        // Transactions do not tell the stats of what they create.
        const bool silent = request.kind == sim::ZkRequest::Kind::Multi && !result.path.isEmpty();
        if (silent) result.stat = {};
        text += " [" + QByteArray::number(result.code) + ' ' + result.path + ' ' + shown(result.stat, sessions) + ']';
    }
    using Kind = sim::ZkRequest::Kind;
    const bool looks = request.kind == Kind::Get || request.kind == Kind::Exists || request.kind == Kind::Children;
    if (reply.code != 0 || !looks) return text;
    std::ranges::sort(reply.names);
    return text + " data " + reply.data + " names " + reply.names.join(',') + ' ' + shown(reply.stat, sessions);
}

/// A connection to either server. After disconnect() it may greet again.
class Side {
public:
    virtual ~Side() = default;
    /// Connects, and gives the session's name, "session 3 of 60000 ms"; "hung up" without an answer.
    virtual QByteArray greet(sim::ZkGreeting greeting) = 0;
    virtual void send(qint32 number, const sim::ZkRequest& request) = 0;
    /// Everything up to the answer with that number, it included, or to the connection's end.
    virtual std::vector<Heard> until(qint32 number) = 0;
    virtual void disconnect() = 0;
    std::int64_t session() const { return m_session; }
    sim::ZkTransaction seen() const { return m_seen; }
    void forgetSession() { m_session = 0; }

protected:
    explicit Side(SessionNames& sessions) : m_sessions(sessions) {}
    QByteArray welcomed(std::int64_t session, std::int64_t timeoutMs) {
        m_session = session;
        return "session " + QByteArray::number(m_sessions.of(session)) + " of " + QByteArray::number(timeoutMs) + " ms";
    }
    /// The requests whose answers are expected; they say how to read the answers.
    std::map<qint32, sim::ZkRequest> m_asked;
    SessionNames& m_sessions;
    std::int64_t m_session = 0;
    sim::ZkTransaction m_seen = 0;
};

class RealSide final : public Side {
public:
    RealSide(SessionNames& sessions, std::uint16_t port) : Side(sessions), m_port(port) {}

    QByteArray greet(sim::ZkGreeting greeting) override {
        m_socket = std::make_unique<QTcpSocket>();
        m_socket->connectToHost(QStringLiteral("127.0.0.1"), m_port);
        if (!m_socket->waitForConnected(kPatience)) return "not connected";
        m_socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
        greeting.session = m_session;
        m_socket->write(jute::greeting(greeting, m_session ? m_password : QByteArray()));
        const std::optional<QByteArray> answer = packet();
        if (!answer) return "hung up";
        JuteReader in(*answer);
        in.number();
        const qint32 timeout = in.number();
        const qint64 session = in.wide();
        m_password = in.text();
        return welcomed(session, timeout);
    }
    void send(qint32 number, const sim::ZkRequest& request) override {
        m_asked[jute::numberOf(number, request)] = request;
        m_socket->write(jute::request(number, request));
    }
    std::vector<Heard> until(qint32 number) override {
        std::vector<Heard> heard;
        for (;;) {
            const std::optional<QByteArray> bytes = packet();
            if (!bytes) {
                heard.push_back({"end", false});
                return heard;
            }
            JuteReader in(*bytes);
            const qint32 of = in.number();
            sim::ZkReply reply;
            reply.zxid = in.wide();
            reply.code = in.number();
            if (of == jute::kEvent) {
                const auto kind = sim::ZkEvent::Kind(in.number());
                in.number();
                heard.push_back({sim::ZkEvent{kind, in.text()}.text(), true});
                continue;
            }
            if (of == jute::kLogin) continue; // only the real one answers it
            m_seen = std::max(m_seen, reply.zxid);
            const sim::ZkRequest request = m_asked.extract(of).mapped();
            jute::read(in, request, reply);
            heard.push_back({shown(request, reply, m_sessions), false});
            if (of == number) return heard;
        }
    }
    void disconnect() override { m_socket.reset(); }

private:
    static constexpr int kPatience = 20'000; ///< ms
    std::optional<QByteArray> bytes(qsizetype size) {
        while (m_socket->bytesAvailable() < size)
            if (!m_socket->waitForReadyRead(kPatience)) return std::nullopt;
        return m_socket->read(size);
    }
    /// nullopt: the server hung up.
    std::optional<QByteArray> packet() {
        const std::optional<QByteArray> size = bytes(4);
        return size ? bytes(qFromBigEndian<qint32>(size->constData())) : std::nullopt;
    }
    std::uint16_t m_port;
    std::unique_ptr<QTcpSocket> m_socket;
    QByteArray m_password;
};

/// A simulated world with one server.
struct SimulatedServer {
    VirtualScheduler scheduler;
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    trace::Recorder recorder{trace, [this] { return scheduler.now(); }};
    sim::Network network{scheduler, trace, {{50us, 150us}, 0}, 1, sim::Network::Streams::PerLink};
    sim::Grounds grounds{scheduler, recorder, network};
    std::unique_ptr<sim::ZkService> service;
    explicit SimulatedServer(const sim::ZkSettings& times) {
        sim::ZkService::Settings settings;
        settings.ids = {"zk-1"};
        settings.ensemble = times;
        service = std::make_unique<sim::ZkService>(grounds, settings, 1,
                                                   [](const inspect::Party&) { return trace::kNoEntity; });
    }
};

class SimulatedSide final : public Side {
public:
    SimulatedSide(SessionNames& sessions, SimulatedServer& server, const QByteArray& name)
        : Side(sessions), m_server(server), m_client(server.trace->intern(trace::EntityKind::Client, name)) {}
    ~SimulatedSide() override { disconnect(); }

    QByteArray greet(sim::ZkGreeting greeting) override {
        sim::ZkServer& at = m_server.service->server(0);
        m_ended = false;
        m_welcome.reset();
        m_heard.clear();
        m_socket = std::make_shared<sim::ZkSocket>(
            m_server.grounds, m_server.network.between(m_client, at.entity()), m_client, at,
            sim::ZkSocket::ClientEnd{
                [this](const sim::ZkWelcome& welcome) { m_welcome = welcome; },
                [this](std::uint64_t number, const sim::ZkReply& reply) {
                    m_seen = std::max(m_seen, reply.zxid);
                    const sim::ZkRequest request = m_asked.extract(qint32(number)).mapped();
                    m_heard.push_back({qint32(number), {shown(request, reply, m_sessions), false}});
                },
                [this](const sim::ZkEvent& event) {
                    m_heard.push_back({jute::kEvent, {event.text(), true}});
                },
                [this] { m_ended = true; }});
        greeting.session = m_session;
        greeting.password = m_session ? m_password : 0;
        m_socket->greet(greeting);
        while (!m_welcome && !m_ended && m_server.scheduler.runNext(m_server.scheduler.now() + 1s)) {
        }
        if (!m_welcome) return "hung up";
        m_password = m_welcome->password;
        return welcomed(m_welcome->session, m_welcome->timeoutMs);
    }
    void send(qint32 number, const sim::ZkRequest& request) override {
        const qint32 on = jute::numberOf(number, request);
        if (request.kind != sim::ZkRequest::Kind::Login) m_asked[on] = request;
        m_socket->ask(std::uint64_t(std::uint32_t(on)), request);
    }
    std::vector<Heard> until(qint32 number) override {
        std::vector<Heard> heard;
        for (;;) {
            while (m_heard.empty() && !m_ended && m_server.scheduler.runNext(m_server.scheduler.now() + 1s)) {
            }
            if (m_heard.empty()) {
                heard.push_back({"end", false});
                return heard;
            }
            const auto [of, what] = m_heard.front();
            m_heard.pop_front();
            heard.push_back(what);
            if (of == number) return heard;
        }
    }
    void disconnect() override {
        if (m_socket) m_socket->close();
        m_socket.reset();
    }

private:
    SimulatedServer& m_server;
    trace::EntityId m_client;
    std::shared_ptr<sim::ZkSocket> m_socket;
    std::optional<sim::ZkWelcome> m_welcome;
    std::deque<std::pair<qint32, Heard>> m_heard;
    std::uint64_t m_password = 0;
    bool m_ended = false;
};

} // namespace lockscope::differential
