// SPDX-License-Identifier: Apache-2.0
// A simulated group of Redis servers and Sentinels against a real one: replication, the master's death, the promotion,
// the old master's return, and client commands meanwhile. Compares what clients are told, not when. SEED=n begins with
// another seed, OPERATIONS=n goes on until so many commands are compared.
#include "campaign.h"
#include "two_groups.h"

using namespace lockscope;
using namespace lockscope::differential;
using redis::Args;
using redis::Reply;

namespace {

constexpr int kDownAfterMs = 1000;
/// Before each outage.
constexpr int kCommands = 5100;
/// Every second seed plays rounds.
constexpr std::uint64_t kRoundsEach = 2;

/// All that clients were told, line by line.
class Protocol {
public:
    explicit Protocol(Group& group) : m_group(group) {}
    void note(const QByteArray& what, const QByteArray& told) { m_lines += what + " -> " + told; }
    void ask(const QByteArray& who, int session, const Args& args) {
        const auto reply = m_group.ask(session, args);
        note(who + ": " + shown(args), reply ? shown(*reply) : QByteArray("(cut off)"));
    }
    void askOnce(const QByteArray& who, int server, const Args& args) { ask(who, m_group.connect(server), args); }
    const QByteArrayList& lines() const { return m_lines; }

private:
    Group& m_group;
    QByteArrayList m_lines;
};

/// Commands of locks on a few names, all in one order for both sides.
std::vector<Args> lockCommands(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&random](auto... options) {
        const std::array all{QByteArray(options)...};
        return all[random() % all.size()];
    };
    std::vector<Args> commands;
    for (int i = 0; i < kCommands; ++i) {
        const QByteArray key = pick("a", "b", "c"), value = pick("x", "y");
        switch (random() % 9) {
        case 0:
        case 1:
            commands.push_back({"SET", key, value, "NX", "PX", "600000"});
            break;
        case 2:
            commands.push_back(
                {"EVAL", "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('DEL',KEYS[1]) end return 0",
                 "1", key, value});
            break;
        case 3:
            commands.push_back({"PEXPIRE", key, "700000"});
            break;
        case 4:
            commands.push_back({"HINCRBY", "h" + key, value, "1"});
            break;
        case 5:
            commands.push_back({"GETSET", key, value});
            break;
        case 6:
            commands.push_back({"DEL", key});
            break;
        case 7:
            commands.push_back({"GETDEL", key});
            break;
        default:
            commands.push_back({"EVAL",
                                "redis.call('SET',KEYS[1],'s'); redis.call('PEXPIRE',KEYS[1],600000); return "
                                "redis.call('HINCRBY','h'..KEYS[1],'f',1)",
                                "1", key});
            break;
        }
    }
    return commands;
}

void readAll(Protocol& protocol, const QByteArray& who, int server) {
    for (const QByteArray& key : {QByteArray("a"), QByteArray("b"), QByteArray("c")}) {
        protocol.askOnce(who, server, {"GET", key});
        protocol.askOnce(who, server, {"TYPE", key});
        protocol.askOnce(who, server, {"HGET", "h" + key, "x"});
        protocol.askOnce(who, server, {"HGET", "h" + key, "f"});
    }
}

/// The whole story on one side; the text of what did not come about, empty when all did.
QString play(WatchedGroup& group, Protocol& protocol, std::uint64_t seed) {
    // In good health.
    const int writer = group.connect(0);
    for (const Args& command : lockCommands(seed))
        protocol.ask("master", writer, command);
    protocol.ask("master", writer, {"SET", "held", "owner", "NX", "PX", "600000"});
    protocol.ask("master", writer, {"SCRIPT", "LOAD", "return 7"});
    protocol.ask("master", writer, {"WAIT", "2", "1000"});
    for (const int replica : {1, 2}) {
        readAll(protocol, "replica", replica);
        const int session = group.connect(replica);
        protocol.ask("replica", session, {"SET", "k", "v"});
        protocol.ask("replica", session, {"DEL", "nokey"});
        protocol.ask("replica", session, {"EVAL", "return redis.call('EXISTS','held')", "0"});
        protocol.ask("replica", session, {"EVAL", "return redis.call('SET','k','v')", "0"});
        protocol.ask("replica", session, {"EVAL", "#!lua\nreturn 1", "0"});
        protocol.ask("replica", session, {"MULTI"});
        protocol.ask("replica", session, {"SET", "k", "v"});
        protocol.ask("replica", session, {"EXEC"});
        protocol.ask("replica", session, {"WAIT", "1", "0"});
        protocol.note("replica: role", group.role(replica));
    }
    // The master dies.
    const int onFirst = group.connect(1), onSecond = group.connect(2);
    protocol.ask("replica", onFirst, {"GET", "held"});
    protocol.ask("replica", onSecond, {"GET", "held"});
    group.kill(0);
    group.advance(100ms);
    protocol.ask("dead master", writer, {"GET", "held"});
    protocol.askOnce("replica meanwhile", 1, {"GET", "held"});
    protocol.askOnce("replica meanwhile", 2, {"SET", "held", "w", "NX"});
    if (!group.waitUntil([&] { return group.masterByWord() != 0; }, 15s)) return QStringLiteral("nobody was promoted");
    const int master = group.masterByWord(), other = 3 - master;
    group.advance(2500ms); // the other one is pointed to it
    protocol.note("promoted: role", group.role(master));
    protocol.note("other: role", group.role(other));
    // Both cut off the clients that they had.
    protocol.ask("session on the promoted", master == 1 ? onFirst : onSecond, {"PING"});
    protocol.ask("session on the other", master == 1 ? onSecond : onFirst, {"PING"});
    readAll(protocol, "promoted", master);
    protocol.askOnce("promoted", master, {"SET", "held", "thief", "NX"});
    protocol.askOnce("promoted", master, {"EVALSHA", "b05ac2efb6f7b4d6ad4a3b4f5e2d4dbb61ae1b62", "0"});
    protocol.askOnce("promoted", master, {"SET", "new", "v"});
    const int waiting = group.connect(master);
    protocol.ask("promoted", waiting, {"SET", "new", "w"});
    protocol.ask("promoted", waiting, {"WAIT", "1", "1000"});
    protocol.askOnce("other", other, {"GET", "new"});
    protocol.askOnce("other", other, {"SET", "new", "x"});
    // The old master returns, empty, and is a master until the Sentinels demote it.
    group.restart(0);
    const int stray = group.connect(0);
    protocol.ask("old master", stray, {"SET", "own", "v"});
    protocol.ask("old master", stray, {"GET", "held"});
    protocol.note("old master: role", group.role(0));
    if (!group.waitUntil([&] { return group.role(0) == "slave"; }, 30s)) return QStringLiteral("nobody demoted it");
    group.advance(2s);
    protocol.ask("session on the old master", stray, {"PING"});
    protocol.askOnce("old master", 0, {"GET", "own"});
    protocol.askOnce("old master", 0, {"GET", "new"});
    protocol.askOnce("old master", 0, {"SET", "own", "v"});
    readAll(protocol, "old master", 0);
    return {};
}

/// Rounds of one kind of outage each, in an order that the seed gives: the master stops and goes on, with all that it
/// knew, when another one has taken over; or a replica dies, and comes back empty, under commands of clients. The text
/// of what did not come about.
QString playRounds(WatchedGroup& group, Protocol& protocol, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    int master = 0;
    for (int round = 0; round < 3; ++round) {
        const std::string name = "round " + std::to_string(round);
        const QByteArray who = QByteArray::fromStdString(name);
        const int writer = group.connect(master);
        for (const Args& command : lockCommands(seed * 10 + std::uint64_t(round)))
            protocol.ask(who, writer, command);
        protocol.ask(who, writer, {"WAIT", "2", "1000"});
        if (random() % 3 == 0) {
            const int replica = (master + 1 + int(random() % 2)) % 3;
            group.kill(replica);
            group.advance(200ms);
            protocol.askOnce(who + ": dead replica", replica, {"PING"});
            protocol.ask(who, writer, {"SET", "meanwhile", QByteArray::number(round)});
            protocol.ask(who, writer, {"WAIT", "1", "1000"});
            group.restart(replica);
            const auto caughtUp = [&] {
                const auto told = group.askOnce(replica, {"GET", "meanwhile"});
                return told && told->text == QByteArray::number(round);
            };
            if (!group.waitUntil(caughtUp, 30s)) return QStringLiteral("the replica did not catch up");
            readAll(protocol, who + ": replica again", replica);
            continue;
        }
        const int old = master;
        const int stray = group.connect(old);
        protocol.ask(who, stray, {"GET", "held"});
        group.pause(old);
        if (!group.waitUntil([&] { return group.masterByWord() != old; }, 20s))
            return QStringLiteral("nobody took over");
        master = group.masterByWord();
        group.advance(2500ms); // the other replica is pointed to it
        protocol.askOnce(who + ": promoted", master, {"SET", "held", who, "PX", "600000"});
        readAll(protocol, who + ": promoted", master);
        group.resume(old);
        // Until the Sentinels demote it, it grants what it knows nothing about.
        protocol.ask(who + ": old master", stray, {"SET", "own", who});
        if (!group.waitUntil([&] { return group.role(old) == "slave"; }, 30s))
            return QStringLiteral("nobody demoted it");
        const auto follows = [&] {
            const auto told = group.askOnce(old, {"GET", "held"});
            return told && told->text == who;
        };
        if (!group.waitUntil(follows, 30s)) return QStringLiteral("the old master does not follow");
        protocol.ask(who + ": session on the old master", stray, {"PING"});
        protocol.askOnce(who + ": old master", old, {"GET", "own"}); // what it granted is gone
        protocol.askOnce(who + ": old master", old, {"SET", "own", "v"});
        readAll(protocol, who + ": old master", old);
    }
    return {};
}

} // namespace

class TestRedisFailoverDifferential : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void clientsAreToldTheSame() {
        Campaign campaign("sentinel", 20'000);
        for (std::uint64_t seed = campaign.firstSeed(); !campaign.isOver(); ++seed) {
            const auto play = seed % kRoundsEach == 0 ? &playRounds : &::play;
            RealGroup real(kDownAfterMs);
            VERIFY_EMPTY(real.start());
            SimulatedSide simulated(kDownAfterMs, seed);
            Protocol told(real), foretold(simulated);
            VERIFY_EMPTY(play(simulated, foretold, seed));
            VERIFY_EMPTY(play(real, told, seed));
            const QByteArray difference = firstDifference(told.lines(), foretold.lines());
            if (!difference.isEmpty()) QFAIL(qPrintable(campaign.difference(seed, told.lines().size(), difference)));
            QVERIFY(told.lines().size() > kCommands);
            campaign.did(told.lines().size(), seed);
        }
        qInfo("%lld commands in %lld ms", static_cast<long long>(campaign.done()),
              static_cast<long long>(campaign.elapsed()));
    }
};

QTEST_GUILESS_MAIN(TestRedisFailoverDifferential)
#include "tst_redis_failover_differential.moc"
