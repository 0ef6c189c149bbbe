// SPDX-License-Identifier: Apache-2.0
// The simulated ZooKeeper against a real one: the same random requests of several clients, the same answers and events
// in the same order, zxids included. SEED=n begins with another seed, OPERATIONS=n sends that many
// requests.
#include "campaign.h"
#include "random_nodes.h"
#include "sandbox/zookeeper_server.h"
#include "support/live.h"
#include "zookeeper_sides.h"

using namespace lockscope;
using namespace lockscope::differential;
using Kind = sim::ZkRequest::Kind;

namespace {

constexpr int kOperations = 21'000, kInSeed = 2100, kClients = 3;
constexpr std::int64_t kSession = 60'000; ///< ms
constexpr std::size_t kHistory = 25;

/// One client on both servers.
struct Both {
    std::unique_ptr<RealSide> real;
    std::unique_ptr<SimulatedSide> simulated;
    sim::ZkRewatch watched; ///< what it may still watch, for when it connects again
};

class Pair {
public:
    Pair(std::uint16_t port, SimulatedServer& server, SessionNames& real, SessionNames& simulated, std::uint64_t seed)
        : m_random(seed, "/s" + QByteArray::number(quint64(seed))) {
        for (int i = 0; i < kClients; ++i) {
            m_clients.push_back({std::make_unique<RealSide>(real, port),
                                 std::make_unique<SimulatedSide>(simulated, server, QByteArray(1, char('A' + i))),
                                 {}});
        }
        m_base = "/s" + QByteArray::number(quint64(seed));
    }
    /// Everybody connects, and the base is there.
    bool begin() {
        for (int i = 0; i < kClients; ++i)
            if (!greet(i, 0)) return false;
        sim::ZkRequest request;
        request.kind = Kind::Create;
        request.ops.emplace_back();
        request.ops.front().kind = zookeeper::Op::Kind::Create;
        request.ops.front().path = m_base;
        return batch(0, {request});
    }
    /// One client does something; false at the first difference.
    bool turn() {
        const int client = int(m_random.below(kClients));
        const std::uint64_t what = m_random.below(60);
        if (what == 0) return end(client);
        if (what == 1) return reconnect(client);
        if (what == 2) return login(client);
        std::vector<sim::ZkRequest> requests;
        for (std::uint64_t size = 1 + m_random.below(8); size > 0; --size)
            requests.push_back(m_random.next());
        return batch(client, requests);
    }
    bool endAll() {
        for (int i = 0; i < kClients; ++i) {
            sim::ZkRequest farewell;
            farewell.kind = Kind::EndSession;
            if (!batch(i, {farewell})) return false;
        }
        return true;
    }
    int operations() const { return m_operations; }
    int events() const { return m_events; }
    int refusals() const { return m_refusals; }
    int reconnections() const { return m_reconnections; }
    QByteArray history() const { return m_history.text(); }

private:
    Both& at(int client) { return m_clients[std::size_t(client)]; }
    bool same(int client, const QByteArray& what, const QByteArray& real, const QByteArray& simulated) {
        m_history.note(QByteArray(1, char('A' + client)) + ' ' + what +
                       (real == simulated ? ": " + real : QByteArray()));
        if (real == simulated) return true;
        m_history.note("     real      " + real);
        m_history.note("     simulated " + simulated);
        return false;
    }
    bool greet(int client, sim::ZkTransaction seen) {
        sim::ZkGreeting greeting;
        greeting.seen = seen;
        greeting.timeoutMs = kSession;
        const QByteArray real = at(client).real->greet(greeting);
        return same(client, "connects", real, at(client).simulated->greet(greeting));
    }
    /// Compares what came up to that answer. `ends`: of a session's end, whose nodes go in no order.
    bool compare(int client, qint32 number, const QByteArray& what, bool unordered) {
        std::vector<Heard> real = at(client).real->until(number), simulated = at(client).simulated->until(number);
        if (unordered) {
            const auto less = [](const Heard& a, const Heard& b) { return a.text < b.text; };
            std::ranges::sort(real, less);
            std::ranges::sort(simulated, less);
        }
        const std::size_t count = std::max(real.size(), simulated.size());
        for (std::size_t i = 0; i < count; ++i) {
            const Heard nothing{"(nothing)", false};
            const Heard& a = i < real.size() ? real[i] : nothing;
            const Heard& b = i < simulated.size() ? simulated[i] : nothing;
            if (!same(client, i + 1 == count ? what : QByteArray("hears"), a.text, b.text)) return false;
            m_events += a.event ? 1 : 0;
            m_refusals += a.text.startsWith("code -") ? 1 : 0;
        }
        return true;
    }
    bool batch(int client, const std::vector<sim::ZkRequest>& requests) {
        std::vector<qint32> numbers;
        for (const sim::ZkRequest& request : requests) {
            numbers.push_back(jute::numberOf(++m_lastNumber, request));
            at(client).real->send(m_lastNumber, request);
            at(client).simulated->send(m_lastNumber, request);
            if (request.kind == Kind::Ping || request.kind == Kind::Rewatch) break; // they have no number of their own
        }
        bool ends = false;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            ends = ends || requests[i].kind == Kind::EndSession;
            if (!compare(client, numbers[i], requests[i].text(), ends)) return false;
            ++m_operations;
            remember(client, requests[i]);
        }
        // Compares what the other clients have heard of it.
        for (int other = 0; other < kClients; ++other) {
            if (other == client && ends) continue;
            if (!at(other).real->session()) continue;
            sim::ZkRequest look;
            look.kind = Kind::Exists;
            look.path = "/";
            const qint32 number = ++m_lastNumber;
            at(other).real->send(number, look);
            at(other).simulated->send(number, look);
            if (!compare(other, number, "looks", ends)) return false;
        }
        return true;
    }
    void remember(int client, const sim::ZkRequest& request) {
        if (request.kind == Kind::Create && request.ops.front().path.endsWith('-')) {
            // Whichever number it got; some of them exist.
            m_random.made(request.ops.front().path +
                          QByteArray::number(quint64(m_random.below(40))).rightJustified(10, '0'));
        }
        if (!request.watch) return;
        sim::ZkRewatch& watched = at(client).watched;
        auto& list = request.kind == Kind::Children ? watched.children : watched.data;
        if (request.kind == Kind::Exists && m_random.chance(2))
            watched.existence.push_back(request.path);
        else
            list.push_back(request.path);
    }
    bool end(int client) {
        sim::ZkRequest farewell;
        farewell.kind = Kind::EndSession;
        if (!batch(client, {farewell})) return false;
        at(client).real->disconnect();
        at(client).simulated->disconnect();
        at(client).real->forgetSession();
        at(client).simulated->forgetSession();
        at(client).watched = {};
        return greet(client, at(client).real->seen());
    }
    bool reconnect(int client) {
        ++m_reconnections;
        const sim::ZkTransaction seen = at(client).real->seen();
        at(client).real->disconnect();
        at(client).simulated->disconnect();
        if (m_random.chance(3)) { // from the future: refused
            if (!greet(client, seen + 1000)) return false;
            at(client).real->disconnect();
            at(client).simulated->disconnect();
        }
        if (!greet(client, seen)) return false;
        sim::ZkRequest again;
        again.kind = Kind::Rewatch;
        again.rewatch = std::exchange(at(client).watched, {});
        again.rewatch.seen = std::max<sim::ZkTransaction>(0, seen - std::int64_t(m_random.below(20)));
        return batch(client, {again});
    }
    bool login(int client) {
        sim::ZkRequest login;
        login.kind = Kind::Login;
        login.path = m_random.chance(2) ? "ann:a" : "bob:b";
        at(client).real->send(0, login);
        at(client).simulated->send(0, login);
        return batch(client, {});
    }

    RandomNodes m_random;
    QByteArray m_base;
    std::vector<Both> m_clients;
    qint32 m_lastNumber = 0;
    int m_operations = 0, m_events = 0, m_refusals = 0, m_reconnections = 0;
    History m_history{kHistory};
};

} // namespace

class TestZooKeeperDifferential : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const auto started = test::run(m_server.start());
        QVERIFY2(started.has_value(), qPrintable(started ? QString() : started.error()));
    }

    void randomRequestsGetTheSameAnswers() {
        Campaign campaign("zookeeper", kOperations);
        qint64 events = 0, refusals = 0, reconnections = 0;
        for (std::uint64_t seed = campaign.firstSeed(); !campaign.isOver(); ++seed) {
            Pair pair(m_server.port(), m_simulated, m_realSessions, m_simulatedSessions, seed);
            bool same = pair.begin();
            while (same && pair.operations() < kInSeed)
                same = pair.turn();
            same = same && pair.endAll();
            if (!same) QFAIL(qPrintable(campaign.difference(seed, pair.operations(), pair.history())));
            campaign.did(pair.operations(), seed);
            events += pair.events();
            refusals += pair.refusals();
            reconnections += pair.reconnections();
        }
        const qint64 done = campaign.done();
        qInfo("%lld requests, %lld refused, %lld events, %lld reconnections in %lld ms", static_cast<long long>(done),
              static_cast<long long>(refusals), static_cast<long long>(events), static_cast<long long>(reconnections),
              static_cast<long long>(campaign.elapsed()));
        if (!campaign.isRepresentative()) return;
        // Enough of each kind must have occurred.
        QVERIFY(events > done / 50);
        QVERIFY(refusals > done / 10);
        QVERIFY(reconnections > 10);
    }

private:
    static sandbox::ZooKeeperServerOptions options() {
        sandbox::ZooKeeperServerOptions options;
        // The simulated server's clock stands almost still: nothing may go by time.
        options.javaOptions = {QStringLiteral("-Dznode.container.checkIntervalMs=86400000")};
        return options;
    }
    static sim::ZkSettings times() {
        sim::ZkSettings times;
        times.tick = 200ms;
        times.longestSession = 60s;
        times.extendedTypes = true;
        return times;
    }
    EventLoopRuntime m_runtime;
    sandbox::ZooKeeperServer m_server{m_runtime, options()};
    SimulatedServer m_simulated{times()};
    SessionNames m_realSessions, m_simulatedSessions;
};

QTEST_GUILESS_MAIN(TestZooKeeperDifferential)
#include "tst_zookeeper_differential.moc"
