// SPDX-License-Identifier: Apache-2.0
// The simulated Redis against a real one: the same random commands, the same replies.
// SEED=n begins with another seed, OPERATIONS=n sends that many commands.
#include "campaign.h"
#include "random_commands.h"
#include "real_redis.h"
#include "reply_text.h"
#include "sim/redis/engine.h"

#include <QDateTime>
#include <QTest>
#include <deque>

using namespace lockscope;
using namespace lockscope::differential;
using redis::Args;
using redis::Reply;
using sim::RedisEngine;

namespace {

#ifdef __SANITIZE_THREAD__
constexpr int kSeeds = 4; // ThreadSanitizer keeps something of each of Lua's protected calls: twenty seeds fill 22 GB
#else
constexpr int kSeeds = 20;
#endif
constexpr int kSteps = 20000;
constexpr int kSessions = 3;
/// The two servers run a command at different moments; deadlines are hours away from each other.
constexpr std::int64_t kToleranceMs = 5000;

std::int64_t realClockUs() {
    return QDateTime::currentMSecsSinceEpoch() * 1000;
}

bool mentions(const Args& args, std::initializer_list<const char*> words) {
    for (const char* word : words)
        if (args[0].compare(word, Qt::CaseInsensitive) == 0) return true;
    return false;
}

/// Replies that hold the time that is left, or the time.
bool isTimed(const Args& args) {
    if (mentions(args, {"TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME", "EVALSHA"})) return true;
    return mentions(args, {"EVAL", "EVAL_RO"}) && args.size() > 1 &&
           (args[1].contains("ttl") || args[1].contains("time"));
}

/// Replies whose order a server may choose.
bool isUnordered(const Args& args) {
    return mentions(args,
                    {"KEYS", "SCAN", "HGETALL", "HKEYS", "HVALS", "HSCAN", "EVAL", "EVALSHA", "PUBSUB", "EVAL_RO"});
}

/// Cursors, and what one step of a scan finds, are a server's own; only a scan in one step can be compared.
bool isPartOfScan(const Args& args) {
    if (mentions(args, {"HSCAN"})) return args.size() > 2 && args[2] != "0";
    return mentions(args, {"SCAN"}) && !(args.size() > 3 && args[1] == "0" && args[3] == "1000");
}

Reply sorted(Reply reply) {
    for (Reply& item : reply.items)
        item = sorted(std::move(item));
    std::sort(reply.items.begin(), reply.items.end(),
              [](const Reply& a, const Reply& b) { return shown(a) < shown(b); });
    return reply;
}

bool near(const Reply& a, const Reply& b) {
    if (a.type != b.type || a.text != b.text || a.items.size() != b.items.size()) return false;
    if (a.integer != b.integer &&
        (a.integer < 100 || b.integer < 100 || std::abs(a.integer - b.integer) > kToleranceMs))
        return false;
    return std::equal(a.items.begin(), a.items.end(), b.items.begin(), near);
}

struct Step {
    int session;
    Args args;
    Reply real, simulated;
};

/// Both servers, with the same sessions on each.
class Pair {
public:
    Pair(int port, bool exactOrder) : m_engine(realClockUs), m_exactOrder(exactOrder) {
        m_engine.onPush = [this](const RedisEngine::Push& push) { m_pushes.push_back(push); };
        for (int i = 0; i < kSessions; ++i) {
            m_clients.push_back(std::make_unique<RealClient>(port));
            m_sessions.push_back(m_engine.connect());
        }
        // The random numbers of scripts go on from one to the next as long as a server lives.
        const Args seed = {"EVAL", "math.randomseed(1)", "0"};
        client(0).ask(seed);
        simulate(0, seed);
    }
    bool connected() const {
        return std::all_of(m_clients.begin(), m_clients.end(), [](const auto& client) { return client->ok(); });
    }
    RealClient& client(int session) { return *m_clients[std::size_t(session)]; }
    Reply simulate(int session, const Args& args) { return m_engine.execute(m_sessions[std::size_t(session)], args); }
    RedisEngine::SessionId id(int session) const { return m_sessions[std::size_t(session)]; }
    std::vector<RedisEngine::Push> takePushes() { return std::exchange(m_pushes, {}); }

    /// Runs the commands of one session on both; false at the first difference.
    bool run(int session, const std::vector<Args>& batch) {
        for (const Args& args : batch)
            client(session).send(args);
        for (const Args& args : batch) {
            Step step{session, args, {}, simulate(session, args)};
            step.real = client(session).receive();
            const bool same = agree(step);
            m_history.push_back(std::move(step));
            if (m_history.size() > 25) m_history.pop_front();
            if (!same) return false;
        }
        return true;
    }
    QByteArray history() const {
        QByteArray text;
        for (const Step& step : m_history)
            text += "\n  [" + QByteArray::number(step.session) + "] " + shown(step.args) + "\n      real      " +
                    shown(step.real) + "\n      simulated " + shown(step.simulated);
        return text;
    }

private:
    bool agree(const Step& step) {
        auto& timedQueue = m_timedQueue[std::size_t(step.session)];
        auto& freeQueue = m_freeQueue[std::size_t(step.session)];
        bool timed = isTimed(step.args), unordered = !m_exactOrder && isUnordered(step.args);
        if (mentions(step.args, {"KEYS", "SCAN", "PUBSUB"})) unordered = true;
        if (step.real == Reply::status("QUEUED")) {
            timedQueue |= timed || mentions(step.args, {"TIME"});
            freeQueue |= unordered;
            // The answer of RANDOMKEY is chance, even inside EXEC.
            m_randomQueue[std::size_t(step.session)] |=
                mentions(step.args, {"RANDOMKEY", "SCAN", "HSCAN", "HELLO", "DBSIZE"});
        }
        if (mentions(step.args, {"MULTI", "DISCARD"})) clearQueue(step.session, step.real.isError());
        if (mentions(step.args, {"EXEC"})) {
            timed = timedQueue;
            unordered = freeQueue;
            const bool random = m_randomQueue[std::size_t(step.session)];
            clearQueue(step.session, false);
            if (random) return step.real.items.size() == step.simulated.items.size();
        }
        if (isPartOfScan(step.args) && step.real.type == Reply::Type::Array)
            return step.simulated.type == Reply::Type::Array;
        // A real server counts keys that are past their deadline until it comes across them.
        if (!m_exactOrder && mentions(step.args, {"DBSIZE"})) return step.real.type == step.simulated.type;
        if (mentions(step.args, {"RANDOMKEY"})) return step.real.type == step.simulated.type;
        if (mentions(step.args, {"HELLO"}) && step.real.type == Reply::Type::Array)
            return step.simulated.items.size() == step.real.items.size();
        if (unordered) return near(sorted(step.real), sorted(step.simulated));
        return timed ? near(step.real, step.simulated) : step.real == step.simulated;
    }
    void clearQueue(int session, bool refused) {
        if (refused) return;
        m_timedQueue[std::size_t(session)] = m_freeQueue[std::size_t(session)] = m_randomQueue[std::size_t(session)] =
            false;
    }

    RedisEngine m_engine;
    bool m_exactOrder;
    std::vector<std::unique_ptr<RealClient>> m_clients;
    std::vector<RedisEngine::SessionId> m_sessions;
    std::vector<RedisEngine::Push> m_pushes;
    std::deque<Step> m_history;
    std::array<bool, kSessions> m_timedQueue{}, m_freeQueue{}, m_randomQueue{};
};

} // namespace

class tst_redis_differential : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY2(m_server.start(), "redis-server did not start"); }

    void init() {
        RealClient client(m_server.port());
        QVERIFY(client.ok());
        QCOMPARE(client.ask({"FLUSHALL"}), Reply::status("OK"));
        QCOMPARE(client.ask({"SCRIPT", "FLUSH"}), Reply::status("OK"));
    }

    void randomCommandsGetTheSameReplies() {
        Campaign campaign("redis", kSeeds * kSteps);
        for (std::uint64_t seed = campaign.firstSeed(); !campaign.isOver(); ++seed) {
            init(); // each seed finds a server without data
            const bool large = seed % 2 == 0;
            RandomCommands random(seed, QDateTime::currentMSecsSinceEpoch(), large);
            QVERIFY(random.lockScripts() > 0);
            Pair pair(m_server.port(), !large);
            QVERIFY(pair.connected());
            int step = 0;
            while (step < kSteps) {
                std::vector<Args> batch;
                for (std::uint64_t size = 1 + random.below(60); size > 0; --size)
                    batch.push_back(random.next());
                step += int(batch.size());
                if (!pair.run(int(random.below(kSessions)), batch))
                    QFAIL(qPrintable(campaign.difference(seed, step, pair.history())));
            }
            QVERIFY(m_server.running());
            campaign.did(step, seed);
        }
        qInfo("%lld commands in %lld ms", static_cast<long long>(campaign.done()),
              static_cast<long long>(campaign.elapsed()));
    }

    /// The whole of the data at the end, key by key: equal replies could hide different contents.
    void randomCommandsLeaveTheSameData() {
        RandomCommands random(4711, QDateTime::currentMSecsSinceEpoch(), false);
        Pair pair(m_server.port(), true);
        for (int round = 0; round < 200; ++round) {
            std::vector<Args> batch;
            for (int i = 0; i < 30; ++i)
                batch.push_back(random.next());
            batch.push_back({"DISCARD"});
            batch.push_back({"SELECT", "0"});
            for (int key = 0; key < 7; ++key) {
                const QByteArray name = "k" + QByteArray::number(key);
                for (const Args& look :
                     {Args{"TYPE", name}, Args{"PTTL", name}, Args{"GET", name}, Args{"HGETALL", name},
                      Args{"ZRANGE", name, "0", "-1", "WITHSCORES"}, Args{"LRANGE", name, "0", "-1"}})
                    batch.push_back(look);
            }
            if (!pair.run(0, batch)) QFAIL(qPrintable(QString::fromLatin1(pair.history())));
        }
    }

    /// Messages and confirmations reach each subscriber in the same order.
    void subscribersHearTheSame_data() {
        QTest::addColumn<quint64>("seed");
        for (quint64 seed = 1; seed <= 5; ++seed)
            QTest::addRow("%d", int(seed)) << seed;
    }

    void subscribersHearTheSame() {
        QFETCH(quint64, seed);
        RandomCommands random(seed, 0, false);
        Pair pair(m_server.port(), true);
        QVERIFY(pair.connected());
        for (int step = 0; step < 2000; ++step) {
            const QByteArray channel = "ch" + QByteArray::number(int(random.below(4)));
            const int session = int(random.below(kSessions));
            Args args;
            switch (random.below(6)) {
            case 0:
                args = {"SUBSCRIBE", channel};
                break;
            case 1:
                args = {"UNSUBSCRIBE", channel};
                break;
            // One pattern only: between patterns a real server's order is that of its hash table.
            case 2:
                args = {"PSUBSCRIBE", "ch[12]"};
                break;
            case 3:
                args = {"PUNSUBSCRIBE", "ch[12]"};
                break;
            case 4:
                args = {"GET", channel};
                break;
            default:
                args = {"PUBLISH", channel, QByteArray::number(step)};
            }
            pair.takePushes();
            const Reply simulated = pair.simulate(session, args);
            QVERIFY2(pair.client(session).ask(args) == simulated, (shown(args) + " " + shown(simulated)).constData());
            for (const RedisEngine::Push& push : pair.takePushes()) {
                const auto bulk = [](const QByteArray& text) { return Reply::bulk(text); };
                const Reply expected =
                    push.pattern.isEmpty()
                        ? Reply::array({bulk("message"), bulk(push.channel), bulk(push.payload)})
                        : Reply::array({bulk("pmessage"), bulk(push.pattern), bulk(push.channel), bulk(push.payload)});
                for (int i = 0; i < kSessions; ++i)
                    if (pair.id(i) == push.to) QCOMPARE(pair.client(i).receive(), expected);
            }
        }
    }

    /// Long sequences and odd words that random commands seldom make.
    void chosenCommandsGetTheSameReplies() {
        Pair pair(m_server.port(), true);
        const QByteArray longWord(300, 'x');
        const std::vector<Args> batch = {
            {"get"},
            {longWord, "a"},
            {"nosuch", longWord},
            {"nosuch", "a\r\nb"},
            {"object", "nosuch\n", "x"},
            {"script", longWord},
            {"client"},
            {"script"},
            {"pubsub"},
            {"object"},
            {"pubsub", "channels", "a", "b"},
            {"script|load", "x"},
            {"eval"},
            {"eval", "return 1"},
            {"eval", "return 1", "x"},
            {"eval", "return 1", "1"},
            {"eval", "return 1", "-1"},
            {"evalsha", "abc", "x"},
            {"evalsha", QByteArray(40, 'a'), "x"},
            {"evalsha", QByteArray(40, 'a'), "0"},
            {"script", "load", "return 1"},
            {"script", "load", "return ("},
            {"evalsha", "E0E1F9FABFC9D4800C877A703B823AC0578FF8DB", "0"},
            {"script", "exists", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "x"},
            {"script", "flush", "x"},
            {"script", "flush", "async"},
            {"evalsha", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0"},
            {"auth", "a"},
            {"auth", "default", "x"},
            {"auth", "a", "b"},
            {"hello", "2", "setname", "a b"},
            {"hello", "9"},
            {"hello", "2", "x"},
            {"client", "setname", "a\nb"},
            {"client", "setname", "me"},
            {"client", "getname"},
            {"wait", "x", "0"},
            {"wait", "0", "x"},
            {"wait", "0", "-1"},
            {"flushdb", "x"},
            {"flushall", "async", "sync"},
            {"select", "16"},
            {"select", "-1"},
            {"select", "99999999999999999999"},
            {"multi"},
            {"nosuch"},
            {"set", "a", "1"},
            {"exec"},
            {"multi"},
            {"set", "a"},
            {"exec"},
            {"multi"},
            {"watch", "a"},
            {"multi"},
            {"set", "a", "1"},
            {"incr", "a"},
            {"lpush", "a", "x"},
            {"eval", "return redis.call('incr', 'a')", "0"},
            {"exec"},
            {"exec"},
            {"discard"},
            {"watch", "a"},
            {"set", "a", "2"},
            {"multi"},
            {"get", "a"},
            {"exec"},
            {"unwatch"},
            {"hset", "h", "a", "1", "b"},
            {"hset", "h"},
            {"mset", "a"},
            {"mset", "a", "1", "b"},
            {"reset"},
            {"get", "a"},
            {"set", "e", "1", "ex", "10", "ex", "20"},
            {"set", "e", "1", "px", "x"},
            {"set", "e", "1", "keepttl", "ex", "1"},
            {"zadd", "z", "1"},
            {"zadd", "z", "nx", "1"},
            {"zadd", "z", "inf", "a"},
            {"zadd", "z", "incr", "-inf", "a"},
            {"zadd", "z", "0.1", "b", "1e17", "c", "-0", "d", "123456789012345678", "e"},
            {"zrange", "z", "0", "-1", "withscores"},
            {"zpopmin", "z", "2"},
            {"zpopmin", "z", "-1"},
            {"zpopmin", "z", "x"},
            {"quit"},
        };
        if (!pair.run(0, batch)) QFAIL(qPrintable(QString::fromLatin1(pair.history())));
    }

private:
    RealRedis m_server;
};

QTEST_GUILESS_MAIN(tst_redis_differential)
#include "tst_redis_differential.moc"
