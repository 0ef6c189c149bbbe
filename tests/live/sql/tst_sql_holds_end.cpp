// SPDX-License-Identifier: Apache-2.0
#include "live_sql.h"

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::test;
using Kind = LockError::Kind;

/// How holds end that nobody released: by force, by the clock, with the client, with the connection.
class TestSqlHoldsEnd : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(startWithTables(m_runtime, m_databases)); }

    /// SQLite's clock has whole milliseconds. A lease that it began at the millisecond before its request would end
    /// before its holder stops believing in it.
    void aLeaseOnSqliteEndsNoSoonerThanItsHoldersOwn() {
        using std::chrono::system_clock;
        SqlClient a(m_runtime, m_databases.url("sqlite"));
        for (int times = 0; times < 50; ++times) {
            const QByteArray name = freshName();
            const auto recipe = a.recipe("sql-lease", name);
            const auto before = std::chrono::floor<std::chrono::microseconds>(system_clock::now().time_since_epoch());
            const Granted grant = acquire(*recipe, request());
            VERIFY_OK(grant);
            const sql::Result end =
                ask(a.driver,
                    "SELECT CAST(ROUND((julianday(expires_at) - 2440587.5) * 86400000) AS INTEGER) FROM " +
                        a.tables.locks + " WHERE name = ?",
                    {name});
            VERIFY_OK(end);
            const std::chrono::milliseconds recorded(end->number());
            QVERIFY2(recorded >= before + (*grant)->lease, "the next holder could come before this one's own deadline");
            VERIFY_OK(release(*recipe, **grant));
        }
    }

    void forcedReleases_data() { allThatAreHeld(); }
    void forcedReleases() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        verifyLocked(*theirs, false); // there may be no row yet
        const Granted grant = acquire(*ours, request());
        verifyLocked(*theirs, true);
        verifyLocked(*ours, true); // whoever asks
        const auto forced = run(theirs->forceRelease({}));
        VERIFY_OK(forced);
        QVERIFY(*forced);
        QTRY_COMPARE(run(theirs->isLocked({})).value_or(true), false); // servers end a connection in their own time
        const Granted next = acquire(*theirs, request(3s));
        VERIFY_OK(next);
        QVERIFY(next->has_value());
        if (id == "sql-lease") QVERIFY((*next)->token > (*grant)->token);
        if (id == "sql-row") return; // whose row it is, it does not look at
        const auto late = release(*ours, **grant);
        QVERIFY(!late);
        QVERIFY2(late.error().kind == Kind::NotOwner, qPrintable(late.error().message));
        VERIFY_OK(release(*theirs, **next));
        verifyLocked(*theirs, false);
        for (int i = 0; i < 5; ++i) { // one connection after the other: none is taken for that of the holder before
            const auto nothing = run(theirs->forceRelease({}));
            VERIFY_OK(nothing);
            QVERIFY(!*nothing);
        }
    }

    /// A naive recipe, as the databases themselves answer it: both look for a row in vain, both are let in, and one
    /// inserts it. The other one dies in a deadlock, or comes too late.
    void aMissingRowLocksNobodyOut_data() {
        QTest::addColumn<QByteArray>("engine");
        QTest::newRow("mariadb") << QByteArray("mariadb");
        QTest::newRow("postgresql") << QByteArray("postgresql");
    }
    void aMissingRowLocksNobodyOut() {
        QFETCH(QByteArray, engine);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe("sql-for-update-late", name), theirs = b.recipe("sql-for-update-late", name);
        const Granted first = acquire(*ours, request(0s)), second = acquire(*theirs, request(0s));
        VERIFY_OK(first);
        VERIFY_OK(second);
        QVERIFY(first->has_value() && second->has_value());
        const auto releasing = beside(ours->release(**first, {})); // on MariaDB it waits for the other's gap
        const auto left = release(*theirs, **second);
        QVERIFY(ends(releasing, 10s));
        const auto& other = releasing->result;
        QVERIFY(other.has_value());
        QCOMPARE(int(left.has_value()) + int(other->has_value()), 1);
        // From now on the row is there, and locks.
        const Granted third = acquire(*ours, request(3s));
        VERIFY_OK(third);
        QVERIFY(third->has_value());
        QVERIFY(!acquire(*theirs, request(0s)).value().has_value());
        VERIFY_OK(release(*ours, **third));
        verifyLocked(*theirs, false);
    }

    /// InnoDB's tables of who waits for whom stay as they are while somebody reads them all the time.
    void aHolderWhomTheServerDoesNotNameIsNotDenied() {
        SqlClient a(m_runtime, m_databases.url("mariadb")), b(m_runtime, m_databases.url("mariadb"));
        SqlClient curious(m_runtime, m_databases.url("mariadb"));
        const QByteArray name = freshName();
        const auto ours = a.recipe("sql-for-update", name), theirs = b.recipe("sql-for-update", name);
        const Granted grant = acquire(*ours, request()); // so that the row is there
        VERIFY_OK(release(*ours, **grant));
        bool reading = true;
        int reads = 0;
        m_runtime.spawn([this, &curious, &reading, &reads]() -> QCoro::Task<> {
            sql::Statement look;
            look.text = "SELECT COUNT(*) FROM information_schema.INNODB_TRX";
            while (reading) {
                const sql::Result seen = co_await curious.driver.execute(look);
                if (seen) ++reads;
                co_await m_runtime.sleep(10ms);
            }
            reads = -1;
        });
        QVERIFY(comesTrue([&] { return reads > 3; }));
        const Granted held = acquire(*ours, request());
        VERIFY_OK(held);
        const auto forced = run(theirs->forceRelease({}));
        reading = false;
        QVERIFY(comesTrue([&] { return reads < 0; }));
        // On a busy machine the tables may have rested after all, and it was freed.
        QVERIFY2(!forced || *forced, "a lock that is held was called free");
        if (forced) return;
        QVERIFY2(forced.error().message.contains(QStringLiteral("did not tell who")),
                 qPrintable(forced.error().message));
        VERIFY_OK(run(theirs->forceRelease({})));
        QCOMPARE(release(*ours, **held).error().kind, Kind::NotOwner);
    }

    /// Clients that ask all the time keep no other client from taking the lock, or from keeping it.
    void askingDisturbsNobody_data() { allThatAreHeld(); }
    void askingDisturbsNobody() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        SqlClient curious(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name), onlooker = curious.recipe(id, name);
        int heldCount = 0;
        QString wrong;
        bool asking = true, ended = false;
        m_runtime.spawn([&]() -> QCoro::Task<> {
            while (asking) {
                const auto held = co_await onlooker->isLocked({});
                if (!held) wrong = held.error().message;
                heldCount += held.value_or(false) ? 1 : 0;
                co_await m_runtime.sleep(1ms);
            }
            ended = true;
        });
        for (int i = 0; i < 20; ++i) {
            const Granted grant = acquire(*ours, request(5s));
            VERIFY_OK(grant);
            QVERIFY(grant->has_value());
            const Granted refused = acquire(*theirs, request(0s));
            VERIFY_OK(refused);
            QVERIFY(!refused->has_value());
            const int before = heldCount;
            QVERIFY(comesTrue([&] { return heldCount > before; }));
            VERIFY_OK(release(*ours, **grant));
        }
        asking = false;
        QVERIFY(comesTrue([&] { return ended; }));
        QCOMPARE(wrong, QString());
        verifyLocked(*onlooker, false);
    }

    void leasesEnd_data() { recipeRows({"sql-lease"}); }
    void leasesEnd() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        // Each renewal comes with more than half of the lease to spare, which is long: a machine that is busy with
        // other things has been seen to do nothing of ours for most of a second.
        constexpr std::chrono::milliseconds kLease = 2s;
        const Granted grant = acquire(*ours, request(kNever, kLease));
        for (int i = 0; i < 3; ++i) { // kept as long as it is renewed
            QTest::qWait(int((kLease * 2 / 5).count()));
            const auto renewed = run(ours->renew(**grant, {}));
            VERIFY_OK(renewed);
            QVERIFY(*renewed);
            QVERIFY(!acquire(*theirs, request(0s)).value().has_value());
        }
        verifyLocked(*theirs, true);
        const auto begun = std::chrono::steady_clock::now();
        const Granted next = acquire(*theirs, request(5s));
        const auto took = std::chrono::steady_clock::now() - begun;
        VERIFY_OK(next);
        QVERIFY(next->has_value());
        QVERIFY2(took < kLease + 1500ms, "it was not noticed that the lease had ended");
        QVERIFY((*next)->token > (*grant)->token);
        const auto late = run(ours->renew(**grant, {}));
        VERIFY_OK(late);
        QVERIFY(!*late);
        QVERIFY(release(*ours, **grant).error().kind == Kind::NotOwner);
        VERIFY_OK(release(*theirs, **next));
        QVERIFY(acquire(*ours, request(0s, 50ms)).value().has_value());
        QTRY_COMPARE(run(theirs->isLocked({})).value_or(true), false); // its row has an owner still
    }

    void clientsClocksDoNotMatter_data() { recipeRows({"sql-lease"}); }
    void clientsClocksDoNotMatter() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        const QByteArray name = freshName();
        for (const auto offset : {-1h, 1h}) {
            EventLoopRuntime wrong;
            wrong.setWallOffset(offset);
            SqlClient a(m_runtime, m_databases.url(engine)), b(wrong, m_databases.url(engine));
            const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
            const Granted grant = acquire(*ours, request(0s, 10s));
            QVERIFY(grant->has_value());
            QVERIFY(!acquire(*theirs, request(150ms)).value().has_value());
            VERIFY_OK(release(*ours, **grant));
            const Granted next = acquire(*theirs, request(0s, 10s));
            QVERIFY(next->has_value());
            QVERIFY(!acquire(*ours, request(150ms)).value().has_value());
            VERIFY_OK(release(*theirs, **next));
        }
    }

    void killedClients_data() { allThatAreHeld(); }
    void killedClients() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        const QByteArray name = freshName();
        SqlClient b(m_runtime, m_databases.url(engine));
        const auto theirs = b.recipe(id, name);
        {
            EventLoopRuntime mortal;
            SqlClient a(mortal, m_databases.url(engine));
            const auto ours = a.recipe(id, name);
            const Granted grant = acquire(*ours, request(kNever, 700ms));
            QVERIFY(grant->has_value());
            const auto waiting = beside(ours->acquire(request(kNever, 700ms, "2"), {}));
            QTest::qWait(100);
            QVERIFY(!waiting->done);
            mortal.kill();
            QVERIFY(waiting->done);
            QCOMPARE(waiting->cancelled, std::optional(Cancelled::Why::Killed));
        }
        const Granted next = acquire(*theirs, request(id == "sql-row" ? 300ms : 3s));
        VERIFY_OK(next);
        if (id == "sql-row") {
            QVERIFY(!next->has_value()); // nobody frees it ever: the flaw
            QVERIFY(run(theirs->forceRelease({})).value());
            return;
        }
        QVERIFY(next->has_value());
        VERIFY_OK(release(*theirs, **next));
    }

    void lostConnectionsAreTold_data() { recipeRows({"sql-for-update", "sql-advisory"}); }
    void lostConnectionsAreTold() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        const Granted grant = acquire(*ours, request());
        for (int i = 0; i < 3; ++i) {
            const auto news = run(ours->news(**grant, {}));
            VERIFY_OK(news);
            QVERIFY(news->kind == HoldNews::Kind::Kept);
        }
        auto hearing = beside(ours->news(**grant, {}));
        QVERIFY(run(theirs->forceRelease({})).value());
        // It may have heard that all is well just before.
        const auto told = [&] { return hearing->done && (*hearing->result)->kind == HoldNews::Kind::Lost; };
        QElapsedTimer timer;
        timer.start();
        while (!told() && timer.elapsed() < 3000) {
            QVERIFY(ends(hearing, 3000ms));
            VERIFY_OK(*hearing->result);
            if (!told()) hearing = beside(ours->news(**grant, {}));
        }
        QVERIFY(told());
        QVERIFY(*(*hearing->result)->reason);
        QVERIFY(release(*ours, **grant).error().kind == Kind::NotOwner);
        // And everything works as before on a new connection.
        const Granted again = acquire(*ours, request(3s));
        VERIFY_OK(again);
        QVERIFY(again->has_value());
        QCOMPARE((*again)->holds, 1);
        VERIFY_OK(release(*ours, **again));
    }

    void holdsThatWereLostAreNotReentered_data() { recipeRows({"sql-lease", "sql-for-update", "sql-advisory"}); }
    void holdsThatWereLostAreNotReentered() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        const Granted grant = acquire(*ours, request());
        QVERIFY(run(theirs->forceRelease({})).value());
        const Granted next = acquire(*theirs, request(3s));
        QVERIFY(next->has_value());
        const Granted wrong = acquire(*ours, request(300ms, 30s, "1", 1));
        VERIFY_OK(wrong);
        QVERIFY2(!wrong->has_value(), "it went into a lock that somebody else has");
        VERIFY_OK(release(*theirs, **next));
        const Granted anew = acquire(*ours, request(3s, 30s, "1", 1));
        VERIFY_OK(anew);
        QVERIFY(anew->has_value());
        QCOMPARE((*anew)->holds, 1); // a new hold, and not one more of the lost one
        VERIFY_OK(release(*ours, **anew));
    }

    void aStoppedReentryLosesNothing_data() { recipeRows({"sql-lease", "sql-for-update", "sql-advisory"}); }
    void aStoppedReentryLosesNothing() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient a(m_runtime, m_databases.url(engine)), b(m_runtime, m_databases.url(engine));
        const QByteArray name = freshName();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        SlowBeside slow(m_runtime, m_databases.url(engine), engine);
        const Granted grant = acquire(*ours, request());
        VERIFY_OK(grant);
        int holds = 1;
        for (int round = 0; round < 5; ++round) {
            std::stop_source stop;
            const auto inner = beside(ours->acquire(request(0s, 30s, "1", holds), stop.get_token()));
            stop.request_stop();
            QVERIFY(ends(inner, 4000ms));
            if (!inner->cancelled) {
                VERIFY_OK(*inner->result);
                QCOMPARE((**inner->result)->holds, ++holds);
            }
            const Granted refused = acquire(*theirs, request(0s));
            VERIFY_OK(refused);
            QVERIFY2(!refused->has_value(), "a re-entry that was stopped freed it");
        }
        for (; holds > 0; --holds) {
            Grant last = **grant;
            last.holds = holds;
            const auto left = release(*ours, last);
            VERIFY_OK(left);
            QCOMPARE(*left, holds - 1);
        }
        const Granted next = acquire(*theirs, request(3s));
        VERIFY_OK(next);
        QVERIFY(next->has_value());
        VERIFY_OK(release(*theirs, **next));
        QVERIFY(slow.end());
    }

    void freeLocksAreTakenHoweverLongOneWouldWait_data() { allThatAreHeld(); }
    void freeLocksAreTakenHoweverLongOneWouldWait() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient client(m_runtime, m_databases.url(engine));
        const auto recipe = client.recipe(id, freshName());
        const Granted grant = acquire(*recipe, request(24h * 365));
        VERIFY_OK(grant);
        QVERIFY(grant->has_value());
        VERIFY_OK(release(*recipe, **grant));
    }

    void manyWaitersDoNotKeepTheHolderFromReleasing_data() { recipeRows({"sql-for-update", "sql-advisory"}); }
    void manyWaitersDoNotKeepTheHolderFromReleasing() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        SqlClient client(m_runtime, m_databases.url(engine));
        const auto recipe = client.recipe(id, freshName());
        const Granted grant = acquire(*recipe, request());
        int served = 0;
        for (int i = 2; i < 22; ++i) {
            m_runtime.spawn([&, i]() -> QCoro::Task<> {
                const Request asked = request(kNever, 30s, QByteArray::number(i));
                auto mine = co_await recipe->acquire(asked, {});
                if (!mine || !*mine) co_return;
                const auto left = co_await recipe->release(**mine, {});
                if (left) ++served;
            });
        }
        QTest::qWait(300);
        const auto begun = std::chrono::steady_clock::now();
        VERIFY_OK(release(*recipe, **grant));
        QVERIFY(std::chrono::steady_clock::now() - begun < 2s);
        QVERIFY(comesTrue([&] { return served == 20; }, 10s));
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlHoldsEnd)
#include "tst_sql_holds_end.moc"
