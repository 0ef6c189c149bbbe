// SPDX-License-Identifier: Apache-2.0
// The library's own connection and recipes over a simulated database, and the record of their locks.
#include "lock_users.h"
#include "sql_group.h"

using namespace lockscope;
using tests::Dialect;
using tests::SqlGroup;
using Contention = tests::Contention<SqlGroup>;
using Holder = tests::Holder<SqlGroup>;

class TestSimulatedSqlRecipes : public QObject {
    Q_OBJECT
    static void addEach(std::initializer_list<const char*> recipes) {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<int>("dialect");
        for (const char* recipe : recipes) {
            QTest::addRow("%s, MariaDB", recipe) << QByteArray(recipe) << int(Dialect::MySql);
            QTest::addRow("%s, PostgreSQL", recipe) << QByteArray(recipe) << int(Dialect::PostgreSql);
        }
    }
    static trace::Event lastRow(const SqlGroup& g, trace::EventKind kind) {
        trace::Event last;
        for (std::size_t i = 0; i < g.trace->size(); ++i)
            if (g.trace->at(i).kind == kind) last = g.trace->at(i);
        return last;
    }
    static void byConnection() { addEach({"sql-for-update", "sql-advisory"}); }
private Q_SLOTS:
    void everyRecipeIsTakenInTurns_data() { addEach({"sql-row", "sql-lease", "sql-for-update", "sql-advisory"}); }
    void everyRecipeIsTakenInTurns() {
        QFETCH(QByteArray, recipe);
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        Contention contention(g, recipe);
        for (const char* name : {"A", "B", "C", "D"})
            contention.add(name);
        g.run(20s);
        QCOMPARE(contention.trouble, QByteArray());
        QCOMPARE(contention.most, 1);
        QCOMPARE(contention.losses, 0);
        QVERIFY2(contention.takings > 50, QByteArray::number(contention.takings));
    }

    /// A client that takes a missing row for the lock is let in, with all others, until one has inserted it.
    void aMissingRowLocksNobodyOut_data() { addEach({"sql-for-update-late"}); }
    void aMissingRowLocksNobodyOut() {
        QFETCH(QByteArray, recipe);
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        Contention contention(g, recipe);
        contention.hold = 1s;
        for (const char* name : {"A", "B", "C", "D"})
            contention.add(name);
        g.run(900ms);
        QCOMPARE(contention.inside, 4);
        QVERIFY(!g.engine().row("orders"));
        g.run(4s);
        QVERIFY(g.engine().row("orders"));
        contention.most = 0;
        g.run(20s);
        QCOMPARE(contention.most, 1);
        QCOMPARE(contention.trouble, QByteArray());
        QVERIFY2(contention.takings > 15, QByteArray::number(contention.takings));
    }

    void ofOneVersionOneReleaseSucceeds() {
        SqlGroup g;
        Contention contention(g, "sql-version");
        for (const char* name : {"A", "B", "C", "D"})
            contention.add(name);
        g.run(10s);
        QCOMPARE(contention.trouble, QByteArray());
        QVERIFY(contention.most > 1); // nobody is kept out
        const std::int64_t version = g.engine().row("orders")->version;
        g.run(10s);
        const std::int64_t raised = g.engine().row("orders")->version - version;
        QVERIFY2(raised > 20 && raised < contention.takings, QByteArray::number(qlonglong(raised)));
    }

    void aLeaseIsKeptAndGivenBack_data() { addEach({"sql-lease"}); }
    void aLeaseIsKeptAndGivenBack() {
        QFETCH(QByteArray, recipe);
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        g.service->watch("orders", recipe);
        Holder a(g, "A", recipe);
        QVERIFY(a.taken);
        g.run(120s);
        QVERIFY(a.lock->stillMine("1", recipes::Mode::Exclusive));
        QCOMPARE(recordOf(g).owner, a.thread);
        QVERIFY(recordOf(g).deadline > g.scheduler.now().count());
        a.release();
        QVERIFY(a.freed);
        QVERIFY(tests::lastFreedBy(g) == trace::FreedBy::Release);
        QCOMPARE(recordOf(g).owner, trace::kNoEntity);
    }

    void aDeadHoldersLeaseEndsByTheClock() {
        SqlGroup g;
        g.service->watch("orders", "sql-lease");
        Holder a(g, "A", "sql-lease");
        QVERIFY(a.taken);
        a.die();
        const std::int64_t deadline = recordOf(g).deadline;
        g.run(29s);
        QCOMPARE(recordOf(g).owner, a.thread);
        g.run(2s);
        QCOMPARE(recordOf(g).owner, trace::kNoEntity);
        QVERIFY(tests::lastFreedBy(g) == trace::FreedBy::Expiry);
        const trace::Event freed = lastRow(g, trace::EventKind::RecordFreed);
        QVERIFY2(std::abs(freed.at - deadline) <= 1'000'000, // deadlines are written in whole ms
                 qPrintable(QStringLiteral("%1, not %2").arg(freed.at).arg(deadline)));
    }
    void aRowWithoutALeaseStaysForEver() {
        SqlGroup g;
        g.service->watch("orders", "sql-row");
        Holder a(g, "A", "sql-row");
        QVERIFY(a.taken);
        a.die();
        g.run(std::chrono::hours(5));
        QCOMPARE(recordOf(g).owner, a.thread);
        QCOMPARE(recordOf(g).deadline, trace::kNeverEnds);
        g.service->forceRelease("orders");
        QCOMPARE(recordOf(g).owner, trace::kNoEntity);
    }

    void aConnectionHoldsAndItsEndFrees_data() { byConnection(); }
    void aConnectionHoldsAndItsEndFrees() {
        QFETCH(QByteArray, recipe);
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        g.service->watch("orders", recipe);
        Holder a(g, "A", recipe);
        Holder b(g, "B", recipe), c(g, "C", recipe);
        QVERIFY(a.taken && !b.taken && !c.taken);
        QCOMPARE(recordOf(g).owner, a.thread);
        QVERIFY(recordOf(g).deadline < 0); // it has no end of its own
        QCOMPARE(tests::queueOf(recordOf(g)), (std::vector<trace::EntityId>{b.thread, c.thread}));
        a.die();
        g.run(10ms);
        QVERIFY(b.taken && !c.taken);
        QVERIFY(tests::lastFreedBy(g) == trace::FreedBy::Release);
        QCOMPARE(recordOf(g).owner, b.thread);
        b.release();
        QVERIFY(b.freed && c.taken);
        QCOMPARE(recordOf(g).owner, c.thread);
    }

    /// A pause costs nothing but time: the connection waits for its client.
    void aPausedHolderKeepsWhatItsConnectionHolds_data() { byConnection(); }
    void aPausedHolderKeepsWhatItsConnectionHolds() {
        QFETCH(QByteArray, recipe);
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        Holder a(g, "A", recipe), b(g, "B", recipe);
        a.runtime->pause();
        g.run(20s);
        QVERIFY(!b.taken);
        a.runtime->resume();
        g.run(1s);
        QVERIFY(a.lock->stillMine("1", recipes::Mode::Exclusive));
        a.release();
        QVERIFY(b.taken);
    }

    void aServersEndTakesWhatConnectionsHeld_data() { byConnection(); }
    void aServersEndTakesWhatConnectionsHeld() {
        QFETCH(QByteArray, recipe);
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        g.service->watch("orders", recipe);
        Holder a(g, "A", recipe);
        g.at().kill();
        QCOMPARE(recordOf(g).owner, trace::kNoEntity);
        QVERIFY(tests::lastFreedBy(g) == trace::FreedBy::NodeLoss);
        g.run(100ms);
        QVERIFY(!a.lock->stillMine("1", recipes::Mode::Exclusive)); // its connection says so
        g.at().start();
        g.run(1s);
        Holder b(g, "B", recipe);
        QVERIFY(b.taken);
        QCOMPARE(recordOf(g).owner, b.thread);
    }
    void aLeaseOutlivesTheServer() {
        SqlGroup g;
        g.service->watch("orders", "sql-lease");
        Holder a(g, "A", "sql-lease");
        g.at().kill();
        g.run(2s);
        g.at().start();
        g.run(3s);
        QVERIFY(a.lock->stillMine("1", recipes::Mode::Exclusive));
        QCOMPARE(recordOf(g).owner, a.thread);
        Holder b(g, "B", "sql-lease");
        QVERIFY(!b.taken);
    }

    void anOperatorFreesByForce_data() { addEach({"sql-row", "sql-lease", "sql-for-update", "sql-advisory"}); }
    void anOperatorFreesByForce() {
        QFETCH(QByteArray, recipe);
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        g.service->watch("orders", recipe);
        Holder a(g, "A", recipe);
        QVERIFY(a.taken);
        g.service->forceRelease("orders");
        QCOMPARE(recordOf(g).owner, trace::kNoEntity);
        QVERIFY(tests::lastFreedBy(g) == trace::FreedBy::Force);
    }

    void oneRunIsLikeTheOther() {
        const auto digest = [](std::uint64_t seed) {
            SqlGroup g(Dialect::PostgreSql, seed);
            g.service->watch("orders", "sql-for-update");
            Contention contention(g, "sql-for-update");
            for (const char* name : {"A", "B", "C"})
                contention.add(name);
            g.run(1s);
            g.at().kill();
            g.run(100ms);
            g.at().start();
            g.run(3s);
            return g.trace->digest();
        };
        QCOMPARE(digest(5), digest(5));
        QVERIFY(digest(5) != digest(6));
    }
};

QTEST_GUILESS_MAIN(TestSimulatedSqlRecipes)
#include "tst_simulated_sql_recipes.moc"
