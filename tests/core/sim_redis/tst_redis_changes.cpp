// SPDX-License-Identifier: Apache-2.0
// The engine's reports of changed keys to the world.
#include "engine_on_a_clock.h"

using namespace lockscope::sim_test;
using Texts = std::vector<QByteArray>;

class tst_redis_changes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyChangeIsToldOnceWithItsCommand_data() {
        QTest::addColumn<QByteArray>("prepare");
        QTest::addColumn<QByteArray>("command");
        QTest::addColumn<Texts>("told");
        const auto row = [](const char* prepare, const char* command, Texts told) {
            QTest::newRow(command) << QByteArray(prepare) << QByteArray(command) << told;
        };
        row("", "set k 1", {"0 k 1 SET"});
        row("SET k 1", "SET k 2 NX", {});
        row("SET k 1", "SET k 2 XX GET", {"0 k 1 SET"});
        row("SET k 1", "GET k", {});
        row("SET k 1", "DEL k k other", {"0 k 1 DEL"});
        row("SET k 1", "UNLINK k", {"0 k 1 UNLINK"});
        row("", "MSET a 1 b 2 a 3", {"0 a 1 MSET", "0 b 1 MSET"});
        row("SET k 1", "RENAME k m", {"0 k 1 RENAME", "0 m 1 RENAME"});
        row("SET k 1", "EXPIRE k 10", {"0 k 1 EXPIRE"});
        row("SET k 1", "EXPIRE k 10 XX", {});
        row("SET k 1", "PEXPIREAT k 1", {"0 k 1 PEXPIREAT"});
        row("SET k 1", "PERSIST k", {});
        row("SET k x", "INCR k", {});
        row("SET k 1", "HSET k f 1", {});
        row("HSET k f 1", "HDEL k nothere", {});
        row("HSET k f 1", "HDEL k f", {"0 k 1 HDEL"});
        row("HSET k f 1", "HINCRBY k f 0", {"0 k 1 HINCRBY"});
        row("ZADD k 1 a", "ZADD k 1 a", {});
        row("ZADD k 1 a", "ZADD k 2 a", {"0 k 1 ZADD"});
        row("ZADD k 1 a", "ZREMRANGEBYSCORE k -inf 0", {});
        row("RPUSH k a", "LPOP k", {"0 k 1 LPOP"});
        row("RPUSH k a", "LREM k 0 b", {});
        row("MSET b 1 a 2", "FLUSHALL", {"0 b 1 FLUSHALL", "0 a 1 FLUSHALL"});
        row("", "PUBLISH k 1", {});
    }
    void everyChangeIsToldOnceWithItsCommand() {
        QFETCH(QByteArray, prepare);
        QFETCH(QByteArray, command);
        QFETCH(Texts, told);
        EngineOnAClock t;
        if (!prepare.isEmpty()) QVERIFY(!t.run(prepare).isError());
        t.takeChanges();
        t.run(command);
        QCOMPARE(t.takeChanges(), told);
    }

    void changesOfTransactionsAndScriptsAreToldByTheirCommands() {
        EngineOnAClock t;
        const auto other = t.engine.connect();
        t.runAs(other, "SELECT 2");
        t.runAs(other, "MULTI");
        t.runAs(other, "SET a 1");
        t.runAs(other, "INCR a");
        QVERIFY(t.takeChanges().empty());
        t.runAs(other, "EXEC");
        QCOMPARE(t.takeChanges(), (Texts{"2 a 2 SET", "2 a 2 INCR"}));
        t.eval("redis.call('hset', 'h', 'f', '1') redis.call('select', 5) redis.call('set', 'x', '1') "
               "redis.call('del', 'x')");
        QCOMPARE(t.takeChanges(), (Texts{"0 h 1 HSET", "5 x 1 SET", "5 x 1 DEL"}));
    }

    void anObserverSeesTheChangeAndMayLookAtTheKey() {
        EngineOnAClock t;
        const auto observer = t.engine.connect();
        std::vector<Reply> seen;
        t.engine.onKeyChange = [&](const RedisEngine::KeyChange& change) {
            seen.push_back(t.engine.execute(observer, {"GET", change.key}));
            seen.push_back(t.engine.execute(observer, {"PTTL", change.key}));
        };
        t.eval("redis.call('set', KEYS[1], 'a', 'PX', 50) redis.call('incr', 'n') redis.call('del', KEYS[1])", {"k"});
        QCOMPARE(seen, (std::vector<Reply>{bulk("a"), number(50), bulk("1"), number(-1), Reply::nil(), number(-2)}));
        // A script within a script is refused, and the outer one goes on unharmed.
        t.engine.onKeyChange = [&](const RedisEngine::KeyChange&) {
            QVERIFY(t.engine.execute(observer, {"EVAL", "return 1", "0"}).text.startsWith("BUSY"));
        };
        QCOMPARE(t.eval("redis.call('set', 'k', 'b') return 7"), number(7));
    }

    void equalEnginesDoTheSame() {
        const auto play = [] {
            EngineOnAClock t;
            QByteArray heard;
            for (int i = 0; i < 200; ++i) {
                t.run("SET k" + QByteArray::number(i * 7919 % 50) + " v PX " + QByteArray::number(1 + i % 13));
                t.passMs(1);
                heard += t.run("RANDOMKEY").text + t.run("SCAN 0 COUNT 3").items[0].text + ' ';
                heard += QByteArray::number(t.eval("return math.random(1000)").integer);
            }
            for (const QByteArray& change : t.takeChanges())
                heard += change + '\n';
            return heard;
        };
        const QByteArray once = play();
        QVERIFY(once.size() > 1000);
        QCOMPARE(play(), once);
    }

    void aScanSeesEveryKeyThatStays() {
        EngineOnAClock t;
        for (int i = 0; i < 100; ++i)
            t.run("SET stay" + QByteArray::number(i) + " 1");
        QByteArray cursor = "0";
        QStringList found;
        do {
            const Reply page = t.run("SCAN " + cursor + " MATCH stay* COUNT 7");
            cursor = page.items[0].text;
            for (const Reply& key : page.items[1].items)
                found += QString::fromLatin1(key.text);
            t.run("SET new" + cursor + " 1");
            t.run("DEL new0");
        } while (cursor != "0");
        QCOMPARE(found.size(), 100);
        QCOMPARE(found.removeDuplicates(), 0);
    }
};

QTEST_GUILESS_MAIN(tst_redis_changes)
#include "tst_redis_changes.moc"
