// SPDX-License-Identifier: Apache-2.0
#include "server_stories.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::torture;

/// The owner of a lock on the server is read from the server's own report; a judge that never finds anybody guilty
/// proves nothing.
class TestServerRecords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void honestLives() {
        Said said = taken(kOne, 0);
        said.script(kOne, 300, "pexpire torture-0 1000");              // renewed
        said.script(kOther, 400, "exists torture-0");                  // in vain
        said.script(kOne, 500, "hincrby torture-0 " + kOne + ":1 1");  // taken again
        said.script(kOne, 600, "hincrby torture-0 " + kOne + ":1 -1"); // half given back
        said.script(kOne, 700, "hincrby torture-0 " + kOne + ":1 -1").inScript(700, "del torture-0");
        said.text += taken(kOther, 800).text;
        said.script(kOther, 900, "del torture-0");
        const Ruling ruling = Case().ruled(Testimony::Kind::RedisKeys, {said.text});
        QVERIFY2(ruling.complaints.isEmpty(), qPrintable(ruling.complaints.join(u'\n')));
        QVERIFY(ownership(ruling) == Outcome::Holds);
        QVERIFY(ruling.occasions.at(Invariant::Ownership) >= 8);
    }
    void releasedJustInTime() {
        Said said = taken(kOne, 0);
        said.script(kOne, 995, "hincrby torture-0 " + kOne + ":1 -1").inScript(995, "del torture-0");
        const Ruling ruling = Case().believes(0, EventKind::Granted).ruled(Testimony::Kind::RedisKeys, {said.text});
        QVERIFY2(ruling.complaints.isEmpty(), qPrintable(ruling.complaints.join(u'\n')));
    }
    void aLeaseThatIsOverIsNobodys() {
        Said said = taken(kOne, 0);
        said.text += taken(kOther, 1500).text;
        said.script(kOther, 1600, "del torture-0");
        QVERIFY(redis(said) == Outcome::Holds);
    }
    void plainStrings() {
        Said said;
        said.by(kOne, 0, "set torture-0 " + kOne + ":1:0123456789abcdef nx px 1000");
        said.by(kOther, 100, "set torture-0 " + kOther + ":1:0123456789abcdef nx px 1000"); // in vain
        said.by(kOne, 200, "del torture-0");
        said.by(kOther, 300, "set torture-0 " + kOther + ":1:0123456789abcdef nx px 1000");
        said.by(kOther, 400, "del torture-0");
        const Ruling ruling = Case().ruled(Testimony::Kind::RedisKeys, {said.text});
        QVERIFY(ownership(ruling) == Outcome::Holds);
        QCOMPARE(ruling.occasions.at(Invariant::Ownership), 4);
    }
    void atTheEndOfALeaseWhoAsksMayHaveIt() {
        const auto ask = [](Said& said, const QByteArray& client, int ms) {
            said.by(client, ms, "set torture-0 " + client + ":1:0123456789abcdef nx px 1000");
        };
        Said doubt;
        ask(doubt, kOne, 0);
        ask(doubt, kOther, 995); // in vain, or not
        ask(doubt, kOne, 1100);
        Said others = doubt, ones = doubt, sure = doubt;
        others.by(kOther, 1200, "del torture-0");
        QVERIFY(redis(others) == Outcome::Holds);
        ones.by(kOne, 1200, "del torture-0");
        QVERIFY(redis(ones) == Outcome::Holds);
        // Seen to be the other's, it is not the one's.
        sure.script(kOther, 1200, "pexpire torture-0 1000").by(kOne, 1300, "del torture-0");
        QVERIFY(redis(sure) == Outcome::Violated);
    }
    void valuesThatNameNobodyAreTheirWriters() {
        const QByteArray value = "0123456789abcdef0123456789abcdef";
        Said said;
        said.by(kOne, 0, "set torture-0 " + value + " nx px 1000");
        said.by(kOne, 100, "eval script 1 torture-0 " + value).inScript(100, "del torture-0");
        QVERIFY(redis(said) == Outcome::Holds);
        said.by(kOne, 200, "set torture-0 " + value + " nx px 1000");
        said.by(kOther, 300, "eval script 1 torture-0 " + value).inScript(300, "del torture-0");
        QVERIFY(redis(said) == Outcome::Violated);
    }
    void crimes_data() {
        QTest::addColumn<QByteArray>("said");
        const auto after = [](Said more) { return taken(kOne, 0).text + more.text; };
        QTest::newRow("freed by another") << after(Said().script(kOther, 500, "del torture-0"));
        QTest::newRow("renewed by another") << after(Said().script(kOther, 500, "pexpire torture-0 9000"));
        QTest::newRow("overwritten by another")
            << after(Said().script(kOther, 500, "set torture-0 " + kOther + ":1:00 px 1000"));
        QTest::newRow("taken from another") << after(taken(kOther, 500));
        QTest::newRow("late release of the one before")
            << Said()
                   .by(kOne, 0, "set torture-0 " + kOne + ":1:0123456789abcdef nx px 1000")
                   .by(kOther, 1100, "set torture-0 " + kOther + ":1:0123456789abcdef nx px 1000")
                   .by(kOne, 1200, "del torture-0")
                   .text;
        // The command names the owner, but its connection is another client's.
        QTest::newRow("in another's name") << after(
            Said().by(kOther, 500, "evalsha c0ffee 1 torture-0 " + kOne + ":1").inScript(500, "del torture-0"));
    }
    void crimes() {
        QFETCH(QByteArray, said);
        const Ruling ruling = Case().ruled(Testimony::Kind::RedisKeys, {said});
        QVERIFY(ownership(ruling) == Outcome::Violated);
        QVERIFY(!ruling.complaints.filter(QStringLiteral("ownership")).isEmpty());
    }

    void readersAndWriters() {
        constexpr auto kind = Testimony::Kind::RedisReadWrite;
        const QByteArray one = kOne + ":1", other = kOther + ":1";
        const QByteArray onesHold = "{torture-0}:" + one + ":rwlock_timeout:1";
        Said both = reading(kOne, 0);
        both.script(kOther, 100, "hincrby torture-0 " + other + " 1");
        both.inScript(100, "set {torture-0}:" + other + ":rwlock_timeout:1 1 PX 1000");
        both.inScript(100, "pexpire torture-0 1000");
        Said honest = both;
        honest.script(kOne, 200, "del " + onesHold).inScript(200, "hdel torture-0 " + one);
        honest.script(kOther, 300, "del {torture-0}:" + other + ":rwlock_timeout:1");
        honest.inScript(300, "hdel torture-0 " + other).inScript(300, "del torture-0");
        honest.script(kOne, 400, "hset torture-0 mode write " + one + ":write 1");
        honest.inScript(400, "pexpire torture-0 1000").script(kOne, 500, "hdel torture-0 " + one + ":write");
        honest.inScript(500, "del torture-0");
        QVERIFY(redis(honest, kind) == Outcome::Holds);

        // A reader whose holds have ended is swept away by whoever comes; while they last, by nobody.
        const auto sweptAt = [&](int ms) {
            Said said = both;
            said.script(kOther, 900, "pexpire {torture-0}:" + other + ":rwlock_timeout:1 1000");
            said.inScript(900, "pexpire torture-0 1000");
            said.script(kOther, ms, "del {torture-0}:" + other + ":rwlock_timeout:1");
            said.inScript(ms, "hdel torture-0 " + other).inScript(ms, "del torture-0");
            return redis(said, kind);
        };
        QVERIFY(sweptAt(1500) == Outcome::Holds);
        QVERIFY(sweptAt(950) == Outcome::Violated);

        Said holdDeleted = both, fieldDeleted = both, writerFreed = both;
        holdDeleted.script(kOther, 200, "del " + onesHold);
        QVERIFY(redis(holdDeleted, kind) == Outcome::Violated);
        fieldDeleted.script(kOther, 200, "hdel torture-0 " + one);
        QVERIFY(redis(fieldDeleted, kind) == Outcome::Violated);
        Said writer;
        writer.script(kOne, 0, "hset torture-0 mode write " + one + ":write 1").inScript(0, "pexpire torture-0 1000");
        writer.script(kOther, 500, "del torture-0");
        QVERIFY(redis(writer, kind) == Outcome::Violated);
    }
    void permits() {
        constexpr auto kind = Testimony::Kind::RedisPermits;
        const QByteArray key = "{torture-0}:timeout", id = "\\x00\\xff\\x0123456789abcde";
        const QByteArray till = QByteArray::number(kStart * 1000 + 1000);
        const QByteArray later = QByteArray::number(kStart * 1000 + 9'000'000);
        Said held;
        held.by(kOne, 0, "evalsha c0ffee 3 torture-0 " + key + " c").inScript(0, "zadd " + key + ' ' + till + ' ' + id);
        const auto then = [&](const QByteArray& client, int ms, const QByteArray& effect) {
            Said said = held;
            said.by(client, ms, "evalsha c0ffee 3 torture-0 " + key + " c").inScript(ms, effect);
            return redis(said, kind);
        };
        QVERIFY(then(kOne, 500, "zrem " + key + ' ' + id) == Outcome::Holds);
        QVERIFY(then(kOther, 500, "zrem " + key + ' ' + id) == Outcome::Violated);
        QVERIFY(then(kOther, 500, "zadd " + key + ' ' + later + ' ' + id) == Outcome::Violated);
        QVERIFY(then(kOther, 500, "del " + key) == Outcome::Violated);
        QVERIFY(then(kOther, 1000, "zrem " + key + ' ' + id) == Outcome::Holds); // it has ended
    }

    void zooKeeper() {
        const auto held = [] {
            ZooKeeperLog log;
            log.create(1, "/torture-0", {}).create(1, "/torture-0/lock-1", nodeOf(kOne));
            return log;
        };
        const auto judged = [](const QByteArrayList& files) {
            return ownership(Case().ruled(Testimony::Kind::ZooKeeper, files));
        };
        QVERIFY(judged({held().remove(1, "/torture-0/lock-1").file}) == Outcome::Holds);
        QVERIFY(judged({held().close(1).file + QByteArray(500, '\0')}) == Outcome::Holds);
        QVERIFY(judged({held().removeInMulti(1, "/torture-0/lock-1").file}) == Outcome::Holds);
        // In the log after a restart, by a session that has a node of its own there.
        QVERIFY(
            judged(
                {held().file,
                 ZooKeeperLog().remove(2, "/torture-0/lock-1").create(2, "/torture-0/lock-2", nodeOf(kOther)).file}) ==
            Outcome::Violated);
        // A session that nobody is known by.
        Case holder, released;
        holder.believes(0, EventKind::Granted);
        released.believes(0, EventKind::Granted).believes(1, EventKind::Lost);
        const QByteArray strange = held().remove(3, "/torture-0/lock-1").file;
        QVERIFY(ownership(holder.ruled(Testimony::Kind::ZooKeeper, {strange})) == Outcome::Violated);
        QVERIFY(ownership(released.ruled(Testimony::Kind::ZooKeeper, {strange})) == Outcome::Holds);
        QVERIFY(
            judged(
                {held().create(2, "/torture-0/lock-2", nodeOf(kOther)).removeInMulti(2, "/torture-0/lock-1").file}) ==
            Outcome::Violated);
        // A client's own next session.
        QVERIFY(judged({held().create(2, "/torture-0/lock-2", nodeOf(kOne)).remove(2, "/torture-0/lock-1").file}) ==
                Outcome::Holds);
        QByteArray torn = held().remove(2, "/torture-0/lock-1").file;
        torn.chop(3);
        QVERIFY(judged({torn}) == Outcome::Holds); // never done
    }

    void etcd() {
        const QByteArray key = "torture-0/7", put = etcdSaw(0, "PUT", key, 5, 5, 7);
        const QByteArray gone = etcdSaw(500, "DELETE", key, 0, 9, 0),
                         later = etcdSaw(600, "PUT", "torture-1/7", 11, 11, 7);
        const auto judged = [](const Case& people, const QByteArrayList& seen) {
            return ownership(people.ruled(Testimony::Kind::Etcd, {seen.join('\n')}));
        };
        Case holder, released, lost, overdue, reentered;
        for (Case* each : {&holder, &released, &lost, &overdue, &reentered})
            each->believes(10, EventKind::Granted, 5);
        released.believes(400, EventKind::ReleaseSent);
        lost.believes(400, EventKind::Lost);
        overdue.believes(20, EventKind::BelievedUntil, ns(400));
        reentered.believes(20, EventKind::Reentered, 5).believes(400, EventKind::ReleaseSent);
        QVERIFY(judged(holder, {put}) == Outcome::Holds);
        QVERIFY(judged(holder, {put, gone}) == Outcome::Holds); // its lease may have ended
        QVERIFY(judged(holder, {put, gone, later}) == Outcome::Violated);
        QVERIFY(judged(reentered, {put, gone, later}) == Outcome::Violated); // that gave back but one of two
        QVERIFY(judged(released, {put, gone, later}) == Outcome::Holds);
        QVERIFY(judged(lost, {put, gone, later}) == Outcome::Holds);
        QVERIFY(judged(overdue, {put, gone, later}) == Outcome::Holds);
        QVERIFY(judged(holder, {put, etcdSaw(500, "PUT", key, 5, 9, 8)}) == Outcome::Violated); // overwritten
        QVERIFY(judged(Case(), {put, gone, later}) == Outcome::Unknown);                        // nobody had it
    }

    void memcached() {
        const auto judged = [](const MemcachedLog& log) {
            return ownership(Case().ruled(Testimony::Kind::Memcached, {log.text}));
        };
        const auto held = [] { return MemcachedLog().add(kOne, 0, true); };
        const QByteArray atOnce = "4294967295";
        QVERIFY(
            judged(held().add(kOther, 100, false).cas(kOne, 400, "3").cas(kOne, 500, atOnce).add(kOther, 600, true)) ==
            Outcome::Holds);
        QVERIFY(judged(held().cas(kOther, 500, atOnce)) == Outcome::Violated);
        QVERIFY(judged(held().cas(kOther, 500, "3")) == Outcome::Violated);
        QVERIFY(judged(held().look(kOther, 500, true).add(kOther, 600, true)) == Outcome::Violated); // a delete between
        QVERIFY(judged(held().look(kOne, 500, true).add(kOther, 600, true)) == Outcome::Holds);      // its own
        QVERIFY(judged(held().look(kOther, 500, true).add(kOther, 600, false)) == Outcome::Holds);   // a look
        QVERIFY(judged(held().look(kOther, 500, true).add(kOther, 2500, true)) == Outcome::Holds);   // it has ended
    }

    void databases() {
        const auto judged = [](const QByteArrayList& rows, const Case& people = {}) {
            return ownership(people.ruled(Testimony::Kind::SqlRows, rows));
        };
        const QByteArray nobody;
        const QByteArray held = audit(0, kOnesPort, nobody, kOne), freed = audit(500, kOnesPort, kOne, nobody);
        QVERIFY(judged({held, audit(300, kOnesPort, kOne, kOne), freed, audit(600, kOthersPort, nobody, kOther)}) ==
                Outcome::Holds);
        QVERIFY(judged({held, audit(500, kOthersPort, kOne, kOther, true)}) == Outcome::Holds); // it had ended
        QVERIFY(judged({held, audit(500, kOthersPort, kOne, kOther)}) == Outcome::Violated);
        QVERIFY(judged({held, audit(500, kOthersPort, kOne, kOne)}) == Outcome::Violated);
        QVERIFY(judged({held, audit(500, kOthersPort, kOne, nobody)}) == Outcome::Violated);
        QVERIFY(judged({held, audit(500, kOthersPort, kOne, nobody, true)}) == Outcome::Violated);

        // SQLite does not say who did it.
        Case holder, released;
        holder.believes(10, EventKind::Granted);
        released.believes(10, EventKind::Granted).believes(400, EventKind::ReleaseSent);
        const QByteArray gone = audit(500, 0, kOne, nobody);
        QVERIFY(judged({audit(0, 0, nobody, kOne), audit(300, 0, kOne, kOne), gone}, released) == Outcome::Holds);
        QVERIFY(judged({audit(0, 0, nobody, kOne), gone}, holder) == Outcome::Violated);
    }

    void connectionsThatHold() {
        const auto log = [](const QByteArray& statement) {
            const QByteArray text = "/usr/sbin/mariadbd, Version: 10.11. started with:\n"
                                    "231114 22:13:30\t     3 Connect\tu@127.0.0.1 on locks using TCP/IP\n"
                                    "\t\t     4 Connect\tu@127.0.0.1 on locks using TCP/IP\n"
                                    "\t\t     4 Query\t" +
                                    statement + "\n";
            return ownership(Case().ruled(Testimony::Kind::MariaDbLog, {text}));
        };
        QVERIFY(log("SELECT 'KILL 3'") == Outcome::Holds);
        QVERIFY(log("KILL QUERY 3") == Outcome::Holds);
        QVERIFY(log("KILL 3") == Outcome::Violated);
        const auto counted = [](const QByteArrayList& parts) {
            return ownership(Case().ruled(Testimony::Kind::KilledSessions, parts));
        };
        QVERIFY(counted({"1700000010000000000 0"}) == Outcome::Holds);
        QVERIFY(counted({"1700000010000000000 0", "1700000011000000000 1"}) == Outcome::Violated);
    }

    void silenceIsNoProof() {
        const Ruling ruling = Case().ruled(Testimony::Kind::RedisKeys, {});
        QVERIFY(ownership(ruling) == Outcome::Unknown);
        QCOMPARE(ruling.complaints.size(), 1);
    }
};

QTEST_GUILESS_MAIN(TestServerRecords)
#include "tst_server_records.moc"
