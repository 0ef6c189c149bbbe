// SPDX-License-Identifier: Apache-2.0
// Behaviours of MariaDB and PostgreSQL, by their numbers, on a simulated server: time-outs, deadlocks and what
// statements see.
#include "sql_dialects.h"
#include "sql_group.h"

using namespace lockscope;
using tests::bothDialects;
using tests::commitsOrNot;
using tests::Dialect;
using tests::SqlGroup;
using Kind = SqlGroup::Kind;
using Pending = SqlGroup::Pending;
using Statement = SqlGroup::Statement;

class TestSimulatedSqlRows : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void Q11_twoThatLookedForAMissingRow() {
        SqlGroup g;
        auto &a = g.client("A"), &b = g.client("B");
        QCOMPARE(g.lock(a, "e"), QByteArray("0"));
        QCOMPARE(g.lock(b, "e"), QByteArray("0")); // a gap is shared by those who look
        const Pending first = g.send(a, SqlGroup::of(Kind::Insert, "e", "A"));
        QCOMPARE(SqlGroup::word(first), QByteArray("waits"));
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::Insert, "e", "B")), QByteArray("1213"));
        g.run(10ms);
        QCOMPARE(SqlGroup::word(first), QByteArray("1"));
        g.commit(a);
        QCOMPARE(g.engine().row("e")->owner, QByteArray("A"));
    }
    void Q11_readCommittedLocksNoGap() {
        auto settings = SqlGroup::settings(Dialect::MySql);
        settings.engine.repeatableRead = false;
        SqlGroup g(settings);
        auto &a = g.client("A"), &b = g.client("B");
        g.lock(a, "e");
        g.lock(b, "e");
        QCOMPARE(g.tell(a, SqlGroup::of(Kind::Insert, "e", "A")), QByteArray("1"));
        const Pending second = g.send(b, SqlGroup::of(Kind::Insert, "e", "B"));
        QCOMPARE(SqlGroup::word(second), QByteArray("waits"));
        g.commit(a);
        g.run(10ms);
        QCOMPARE(SqlGroup::word(second), QByteArray("1062"));
    }
    /// Without an index InnoDB locks all rows that it reads; PostgreSQL locks none but the one.
    void Q9_withoutAnIndexOtherLocksAreLockedToo_data() { bothDialects(); }
    void Q9_withoutAnIndexOtherLocksAreLockedToo() {
        QFETCH(int, dialect);
        auto settings = SqlGroup::settings(Dialect(dialect));
        settings.engine.uniqueIndex = false;
        SqlGroup g(settings);
        g.makeRows({"a", "b", "c"});
        auto &a = g.client("A"), &b = g.client("B");
        QCOMPARE(g.lock(a, "b"), QByteArray("1"));
        const bool mySql = Dialect(dialect) == Dialect::MySql;
        const QByteArray other = mySql ? "1205" : "1";
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::LockRowNow, "a")), other);
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::LockRowNow, "c")), other);
        g.commit(a);
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::LockRowNow, "a")), QByteArray("1"));
    }
    void Q9_postgreSqlLocksNoMissingRow() {
        SqlGroup g(Dialect::PostgreSql);
        auto &a = g.client("A"), &b = g.client("B");
        QCOMPARE(g.lock(a, "e"), QByteArray("0"));
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::Insert, "e", "B")), QByteArray("1"));
    }

    void postgreSqlKeepsNoLockOfARowThatWasDeleted() {
        SqlGroup g(Dialect::PostgreSql);
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B"), &c = g.client("C");
        g.tell(a, SqlGroup::begun(SqlGroup::of(Kind::Erase, "a")));
        const Pending waits = g.send(b, SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a")));
        QCOMPARE(SqlGroup::word(waits), QByteArray("waits"));
        g.commit(a);
        g.run(20ms);
        QCOMPARE(SqlGroup::word(waits), QByteArray("0"));
        QCOMPARE(g.tell(c, SqlGroup::of(Kind::Insert, "a", "C")), QByteArray("1")); // B's transaction is still open
    }

    void Q12_innoDbsTimeOutCostsTheStatementOnly() {
        SqlGroup g;
        g.makeRows({"a", "b"});
        auto &a = g.client("A"), &b = g.client("B"), &c = g.client("C");
        g.lock(a, "a");
        g.tell(b, SqlGroup::begun(SqlGroup::of(Kind::Raise, "b")));
        const Pending waits = g.send(b, SqlGroup::limited(SqlGroup::of(Kind::Raise, "a"), 1s));
        g.run(1s);
        QCOMPARE(SqlGroup::word(waits), QByteArray("1205"));
        QCOMPARE(g.tell(c, SqlGroup::of(Kind::LockRowNow, "b")), QByteArray("1205")); // b's lock is kept
        const std::int64_t before = g.engine().row("b")->version;
        QCOMPARE(g.commit(b), QByteArray("0"));
        QCOMPARE(g.engine().row("b")->version, before + 1); // and its change
    }
    void Q12_theServersOwnLimit() {
        SqlGroup g;
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        g.lock(a, "a");
        const Pending waits = g.send(b, SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a")));
        g.run(49s);
        QCOMPARE(SqlGroup::word(waits), QByteArray("waits"));
        g.run(1100ms);
        QCOMPARE(SqlGroup::word(waits), QByteArray("1205"));
    }
    void Q13_postgreSqlsTimeOutCostsTheTransaction() {
        SqlGroup g(Dialect::PostgreSql);
        g.makeRows({"a", "b"});
        auto &a = g.client("A"), &b = g.client("B"), &c = g.client("C");
        g.lock(a, "a");
        g.tell(b, SqlGroup::begun(SqlGroup::of(Kind::Raise, "b")));
        const std::int64_t before = g.engine().row("b")->version;
        const Pending waits = g.send(b, SqlGroup::limited(SqlGroup::of(Kind::LockRow, "a"), 250ms));
        g.run(260ms);
        QCOMPARE(SqlGroup::word(waits), QByteArray("55P03"));
        QCOMPARE(g.tell(c, SqlGroup::of(Kind::LockRowNow, "b")), QByteArray("1")); // free before anybody says ROLLBACK
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::Look, "b")), QByteArray("25P02"));
        const Pending ended = g.send(b, SqlGroup::of(Kind::Commit, {}));
        QVERIFY((**ended)->aborted); // it answers ROLLBACK
        QCOMPARE(g.engine().row("b")->version, before);
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::Look, "b")), QByteArray("0")); // a new transaction works
    }
    void Q13_eachLockHasTheWholeLimit() {
        SqlGroup g(Dialect::PostgreSql);
        g.makeRows({"a", "b"});
        auto &a = g.client("A"), &b = g.client("B"), &c = g.client("C");
        for (const QByteArray name : {"a", "b"})
            g.tell(c, SqlGroup::of(Kind::Take, name, "C", 60'000));
        g.lock(a, "a");
        g.lock(b, "b");
        Statement both = SqlGroup::limited(SqlGroup::of(Kind::Extend, {}, {}, 60'000), 700ms);
        both.rows = {{"a", "C"}, {"b", "C"}};
        const Pending waits = g.send(c, both);
        g.run(500ms);
        g.commit(a);
        g.run(500ms);
        QCOMPARE(SqlGroup::word(waits), QByteArray("waits")); // in all for longer than the limit
        g.commit(b);
        g.run(20ms);
        QCOMPARE(SqlGroup::word(waits), QByteArray("2"));
    }

    void Q14_innoDbEndsACircleAtOnce() {
        SqlGroup g;
        g.makeRows({"a", "b"});
        auto &x = g.client("X"), &y = g.client("Y");
        g.lock(x, "a");
        g.lock(y, "b");
        const Pending first = g.send(x, SqlGroup::of(Kind::LockRow, "b"));
        QCOMPARE(SqlGroup::word(first), QByteArray("waits"));
        QCOMPARE(SqlGroup::word(g.send(y, SqlGroup::of(Kind::LockRow, "a"))), QByteArray("1213"));
        g.run(5ms);
        QCOMPARE(SqlGroup::word(first), QByteArray("1"));
        QVERIFY(!g.engine().inTransaction(g.at().connectionOf(y.end.thread)));
        QVERIFY(SqlGroup::times(sim::Probe::SqlDeadlock) == 1);
    }
    void Q14_theVictimIsWhoHasChangedLess() {
        SqlGroup g;
        g.makeRows({"a", "b"});
        auto &x = g.client("X"), &y = g.client("Y");
        g.lock(x, "a");
        g.lock(y, "b");
        for (const QByteArray name : {"n1", "n2", "n3"})
            g.tell(y, SqlGroup::of(Kind::Insert, name, "Y"));
        const Pending first = g.send(x, SqlGroup::of(Kind::LockRow, "b"));
        const Pending closer = g.send(y, SqlGroup::of(Kind::LockRow, "a"));
        g.run(5ms);
        QCOMPARE(SqlGroup::word(first), QByteArray("1213"));
        QCOMPARE(SqlGroup::word(closer), QByteArray("1"));
    }
    void Q14_aCircleOfThree() {
        SqlGroup g;
        g.makeRows({"a", "b", "c"});
        auto &x = g.client("X"), &y = g.client("Y"), &z = g.client("Z");
        g.lock(x, "a");
        g.lock(y, "b");
        g.lock(z, "c");
        g.send(x, SqlGroup::of(Kind::LockRow, "b"));
        g.send(y, SqlGroup::of(Kind::LockRow, "c"));
        QCOMPARE(SqlGroup::word(g.send(z, SqlGroup::of(Kind::LockRow, "a"))), QByteArray("1213"));
    }
    void Q15_postgreSqlLooksAfterASecond() {
        SqlGroup g(Dialect::PostgreSql);
        g.makeRows({"a", "b"});
        auto &x = g.client("X"), &y = g.client("Y");
        g.lock(x, "a");
        g.lock(y, "b");
        const Pending first = g.send(x, SqlGroup::of(Kind::LockRow, "b"));
        g.run(400ms);
        const Pending closer = g.send(y, SqlGroup::of(Kind::LockRow, "a"));
        g.run(590ms);
        QCOMPARE(SqlGroup::word(first), QByteArray("waits"));
        g.run(20ms);
        QCOMPARE(SqlGroup::word(first), QByteArray("40P01")); // the one that began to wait first
        g.run(10ms);
        QCOMPARE(SqlGroup::word(closer), QByteArray("1"));
    }
    void Q15_whoHasLookedAlreadyIsNoVictim() {
        SqlGroup g(Dialect::PostgreSql);
        g.makeRows({"a", "b"});
        auto &x = g.client("X"), &y = g.client("Y");
        g.lock(x, "a");
        g.lock(y, "b");
        const Pending first = g.send(x, SqlGroup::of(Kind::LockRow, "b"));
        g.run(1500ms);
        const Pending closer = g.send(y, SqlGroup::of(Kind::LockRow, "a"));
        g.run(1010ms);
        QCOMPARE(SqlGroup::word(closer), QByteArray("40P01"));
        g.run(10ms);
        QCOMPARE(SqlGroup::word(first), QByteArray("1"));
    }

    void Q16_afterADeadlockNothingOfTheTransactionHasHappened_data() { bothDialects(); }
    void Q16_afterADeadlockNothingOfTheTransactionHasHappened() {
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        g.makeRows({"a", "b"});
        auto &x = g.client("X"), &y = g.client("Y");
        const std::int64_t a = g.engine().row("a")->version, b = g.engine().row("b")->version;
        g.tell(x, SqlGroup::begun(SqlGroup::of(Kind::Raise, "a")));
        g.tell(y, SqlGroup::begun(SqlGroup::of(Kind::Raise, "b")));
        const Pending first = g.send(x, SqlGroup::of(Kind::LockRow, "b"));
        const Pending closer = g.send(y, SqlGroup::of(Kind::LockRow, "a"));
        g.run(1100ms);
        const bool mySql = Dialect(dialect) == Dialect::MySql;
        QCOMPARE(SqlGroup::word(mySql ? closer : first), mySql ? QByteArray("1213") : QByteArray("40P01"));
        QCOMPARE(g.commit(mySql ? x : y), QByteArray("0"));
        g.rollback(mySql ? y : x);
        QCOMPARE(g.engine().row("a")->version, mySql ? a + 1 : a);
        QCOMPARE(g.engine().row("b")->version, mySql ? b : b + 1);
    }

    void Q17_whereBeforeOrAfterWaiting() {
        for (const Dialect dialect : {Dialect::MySql, Dialect::PostgreSql}) {
            SqlGroup g(dialect);
            g.makeRows({"a"});
            auto &a = g.client("A"), &b = g.client("B");
            g.lock(a, "a");
            const Statement inVain = SqlGroup::limited(SqlGroup::of(Kind::TakeBack, "a", "nobody"), 1s);
            const Pending update = g.send(b, inVain);
            QCOMPARE(SqlGroup::word(update), dialect == Dialect::MySql ? QByteArray("waits") : QByteArray("0"));
            g.run(1s);
            QCOMPARE(SqlGroup::word(update), dialect == Dialect::MySql ? QByteArray("1205") : QByteArray("0"));
        }
    }

    void Q18_twoTakeAnExpiredRow_data() { commitsOrNot(); }
    void Q18_twoTakeAnExpiredRow() {
        QFETCH(int, dialect);
        QFETCH(bool, commits);
        SqlGroup g{Dialect(dialect)};
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B"), &old = g.client("O");
        QVERIFY(g.tell(old, SqlGroup::of(Kind::Take, "a", "O", 1000)).toLongLong() > 0);
        QCOMPARE(g.tell(a, SqlGroup::of(Kind::Take, "a", "A", 5000)), QByteArray("0"));
        g.run(1s);
        const qlonglong version = g.tell(a, SqlGroup::begun(SqlGroup::of(Kind::Take, "a", "A", 5000))).toLongLong();
        QVERIFY(version > 0);
        const Pending second = g.send(b, SqlGroup::of(Kind::Take, "a", "B", 5000));
        QCOMPARE(SqlGroup::word(second), QByteArray("waits"));
        if (commits)
            g.commit(a);
        else
            g.rollback(a);
        g.run(20ms);
        QCOMPARE(SqlGroup::word(second), commits ? QByteArray("0") : QByteArray::number(version));
        QCOMPARE(g.engine().row("a")->owner, commits ? QByteArray("A") : QByteArray("B"));
    }

    void Q19_twoCompareAndSetOneVersion_data() { bothDialects(); }
    void Q19_twoCompareAndSetOneVersion() {
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        const std::int64_t version = g.engine().row("a")->version;
        QCOMPARE(g.tell(a, SqlGroup::begun(SqlGroup::of(Kind::CompareAndSet, "a", "A", version))), QByteArray("1"));
        const Pending second = g.send(b, SqlGroup::of(Kind::CompareAndSet, "a", "B", version));
        QCOMPARE(SqlGroup::word(second), QByteArray("waits"));
        g.commit(a);
        g.run(20ms);
        QCOMPARE(SqlGroup::word(second), QByteArray("0"));
    }

    void Q20_forUpdateSeesTheNewestVersion_data() { bothDialects(); }
    void Q20_forUpdateSeesTheNewestVersion() {
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        const std::int64_t version = g.engine().row("a")->version;
        g.tell(a, SqlGroup::begun(SqlGroup::of(Kind::Raise, "a")));
        const Pending second = g.send(b, SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a")));
        g.commit(a);
        g.run(20ms);
        QCOMPARE(SqlGroup::word(second), QByteArray("1"));
        QCOMPARE((**second)->rows.front().version, version + 1);
    }

    /// A wait past the end of a lease: what the statement's clock shows.
    void Q25_clocksWithinAStatementThatWaits() {
        for (const Dialect dialect : {Dialect::MySql, Dialect::PostgreSql}) {
            SqlGroup g(dialect);
            g.makeRows({"a"});
            auto &a = g.client("A"), &old = g.client("O");
            QVERIFY(g.tell(old, SqlGroup::of(Kind::Take, "a", "O", 1000)).toLongLong() > 0);
            g.lock(a, "a");
            const Pending extend = g.send(old, SqlGroup::of(Kind::Extend, "a", "O", 5000));
            QCOMPARE(SqlGroup::word(extend), QByteArray("waits"));
            g.run(1200ms);
            g.commit(a);
            g.run(20ms);
            // MariaDB's present is the statement's beginning: the lease lives. PostgreSQL's clock has gone on.
            QCOMPARE(SqlGroup::word(extend), dialect == Dialect::MySql ? QByteArray("1") : QByteArray("0"));
        }
    }

    void Q10_Q46_Q50_sqliteHasOneWriter() {
        SqlGroup g;
        sim::SqlRows::Disk disk;
        sim::SqlEngine::Settings settings;
        settings.dialect = Dialect::Sqlite;
        sim::SqlEngine engine(g.at(), disk, settings);
        std::map<int, QByteArray> said;
        const auto tell = [&](int id, const Statement& statement) {
            engine.execute(sim::SqlConnectionId(id), statement, [&said, id](const sim::SqlReply& reply) {
                said[id] = reply.failure ? reply.failure->code : QByteArray::number(qlonglong(reply.number));
            });
            return said[id];
        };
        engine.open(1);
        engine.open(2);
        QCOMPARE(tell(1, SqlGroup::begun(SqlGroup::of(Kind::Insert, "a", "A"))), QByteArray("1"));
        QCOMPARE(tell(2, SqlGroup::of(Kind::Insert, "b", "B")), QByteArray("5")); // another row: one file
        QCOMPARE(tell(2, SqlGroup::of(Kind::Look, "a")), QByteArray("0"));        // readers read on
        QCOMPARE(tell(1, SqlGroup::of(Kind::Commit, {})), QByteArray("0"));
        QCOMPARE(tell(2, SqlGroup::of(Kind::Insert, "b", "B")), QByteArray("1"));
        tell(1, SqlGroup::begun(SqlGroup::of(Kind::Raise, "a")));
        engine.close(1); // its process dies, and the lock on the file with it
        QCOMPARE(tell(2, SqlGroup::of(Kind::Raise, "a")), QByteArray("1"));
    }
};

QTEST_GUILESS_MAIN(TestSimulatedSqlRows)
#include "tst_simulated_sql_rows.moc"
