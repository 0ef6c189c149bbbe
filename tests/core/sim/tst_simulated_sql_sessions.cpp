// SPDX-License-Identifier: Apache-2.0
// Behaviours of MariaDB and PostgreSQL, by their numbers, on a simulated server: who dies and who notices, and named
// locks.
#include "sql_dialects.h"
#include "sql_group.h"

using namespace lockscope;
using tests::bothDialects;
using tests::Dialect;
using tests::SqlGroup;
using Kind = SqlGroup::Kind;
using Pending = SqlGroup::Pending;
using Statement = SqlGroup::Statement;
using sql::Sharing;

namespace {

Statement named(Kind kind, const QByteArray& name = "n", Sharing sharing = Sharing::Exclusive) {
    Statement statement = SqlGroup::of(kind, name);
    statement.sharing = sharing;
    return statement;
}

} // namespace

class TestSimulatedSqlSessions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void Q26_aKilledClientsLocksAreFreeAtOnce_data() { bothDialects(); }
    void Q26_aKilledClientsLocksAreFreeAtOnce() {
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B"), &c = g.client("C");
        const std::int64_t before = g.engine().row("a")->version;
        g.tell(a, SqlGroup::begun(SqlGroup::of(Kind::Raise, "a")));
        g.tell(a, named(Kind::TakeNamed));
        const Pending row = g.send(b, SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a")));
        const Pending name = g.send(c, named(Kind::TakeNamed));
        g.end(a);
        g.run(10ms);
        QCOMPARE(SqlGroup::word(row), QByteArray("1"));
        QCOMPARE((**row)->rows.front().version, before); // its change is undone
        QCOMPARE(SqlGroup::word(name), QByteArray("1"));
    }

    void Q27_aDeadWaiterLengthensTheQueueAndDoesNotBlockIt_data() { bothDialects(); }
    void Q27_aDeadWaiterLengthensTheQueueAndDoesNotBlockIt() {
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        g.makeRows({"a"});
        auto &a = g.client("A"), &dead = g.client("D"), &c = g.client("C");
        g.lock(a, "a");
        g.send(dead, SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a")));
        const auto id = g.at().connectionOf(dead.end.thread);
        g.end(dead);
        const Pending next = g.send(c, SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a")));
        if (Dialect(dialect) == Dialect::MySql) {
            g.run(5s);
            QVERIFY(g.engine().isOpen(id)); // not noticed
        } else {
            QVERIFY(g.until([&] { return !g.engine().isOpen(id); }) <= 2s); // looked for every two seconds
        }
        QCOMPARE(SqlGroup::word(next), QByteArray("waits"));
        g.send(a, SqlGroup::of(Kind::Commit, {}));
        g.run(20ms);
        QCOMPARE(SqlGroup::word(next), QByteArray("1"));
        QVERIFY(!g.engine().isOpen(id));
        QVERIFY(SqlGroup::times(sim::Probe::SqlDeadWaiter) == 1);
    }
    void Q27_getLockNoticesInHalfASecond() {
        SqlGroup g;
        auto &a = g.client("A"), &dead = g.client("D");
        g.tell(a, named(Kind::TakeNamed));
        g.send(dead, named(Kind::TakeNamed));
        const auto id = g.at().connectionOf(dead.end.thread);
        g.end(dead);
        g.run(490ms);
        QVERIFY(g.engine().isOpen(id));
        g.run(20ms);
        QVERIFY(!g.engine().isOpen(id));
    }

    void Q28_aStoppedClientKeepsAllForEver() {
        SqlGroup g;
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        g.lock(a, "a");
        a.runtime->pause();
        g.run(std::chrono::hours(3));
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::LockRowNow, "a")), QByteArray("1205"));
    }
    void Q28_unlessTheServerEndsIdleTransactions() {
        auto settings = SqlGroup::settings(Dialect::PostgreSql);
        settings.idleInTransaction = 2s;
        SqlGroup g(settings);
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        g.lock(a, "a");
        a.runtime->pause();
        g.run(1900ms);
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::LockRowNow, "a")), QByteArray("55P03"));
        g.run(100ms);
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::LockRowNow, "a")), QByteArray("1"));
        a.runtime->resume();
        g.run(10ms);
        QVERIFY(a.session->broken());
    }

    void Q29_aCutClientIsNoticedByKeepAlive() {
        auto settings = SqlGroup::settings(Dialect::MySql);
        settings.keepAlive = {1s, 1s, 2};
        SqlGroup g(settings);
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        g.lock(a, "a");
        g.network.between(a.end.client, g.at().entity()).setCut(true);
        const Pending waits = g.send(b, SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a")));
        const Nanos noticed = g.timeUntil(waits);
        QVERIFY2(noticed > 2500ms && noticed < 3500ms, QByteArray::number(double(noticed.count()) / 1e9));
        QCOMPARE(SqlGroup::times(sim::Probe::SqlHalfOpen), 1);
        QVERIFY(!a.session->broken()); // its own machine notices later
        g.run(31s);
        QVERIFY(a.session->broken());
    }
    void Q29_byTheDefaultsAfterTwoHours() {
        SqlGroup g;
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        g.lock(a, "a");
        g.network.between(a.end.client, g.at().entity()).setCut(true);
        g.run(7800s);
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::LockRowNow, "a")), QByteArray("1205"));
        g.run(150s);
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::LockRowNow, "a")), QByteArray("1"));
    }

    void Q30_aKilledServer_data() { bothDialects(); }
    void Q30_aKilledServer() {
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B"), &c = g.client("C");
        const std::int64_t before = g.engine().row("a")->version;
        QCOMPARE(g.tell(c, SqlGroup::of(Kind::Raise, "a")), QByteArray("1"));
        g.tell(a, SqlGroup::begun(SqlGroup::of(Kind::Raise, "a")));
        g.tell(a, named(Kind::TakeNamed));
        const Pending waits = g.send(b, named(Kind::TakeNamed));
        g.at().kill();
        g.run(1ms);
        QVERIFY(a.session->broken());
        QCOMPARE(SqlGroup::word(waits), QByteArray("lost"));
        QVERIFY((**waits).error().outcomeUnknown());
        g.at().start();
        g.logIn(b);
        QVERIFY(!b.session); // it reads its log first
        g.run(1s);
        g.logIn(b);
        QVERIFY(b.session);
        QCOMPARE(g.engine().row("a")->version, before + 1); // committed: kept; open: undone
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::LockRowNow, "a")), QByteArray("1"));
        QCOMPARE(g.tell(b, named(Kind::TryNamed)), QByteArray("1"));
    }

    void Q32_aStoppedServerLosesNothing() {
        SqlGroup g;
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        g.lock(a, "a");
        g.at().pause();
        const Pending waits = g.send(b, SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a")));
        const Pending commit = g.send(a, SqlGroup::of(Kind::Commit, {}));
        g.run(3s);
        QCOMPARE(SqlGroup::word(commit), QByteArray("waits"));
        g.at().resume();
        g.run(20ms);
        QCOMPARE(SqlGroup::word(commit), QByteArray("0"));
        QCOMPARE(SqlGroup::word(waits), QByteArray("1"));
    }
    void Q32_timersRunOnWhileItIsStopped() {
        SqlGroup g;
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        g.lock(a, "a");
        const Pending waits = g.send(b, SqlGroup::limited(SqlGroup::of(Kind::Raise, "a"), 2s));
        g.at().pause();
        g.run(3s);
        g.send(a, SqlGroup::of(Kind::Commit, {}));
        g.run(1s);
        g.at().resume();
        g.run(20ms);
        QCOMPARE(SqlGroup::word(waits), QByteArray("1205"));
    }

    void Q33_tooManyConnections_data() { bothDialects(); }
    void Q33_tooManyConnections() {
        QFETCH(int, dialect);
        auto settings = SqlGroup::settings(Dialect(dialect));
        settings.maxConnections = 2;
        SqlGroup g(settings);
        g.client("A");
        auto& b = g.client("B");
        auto& c = g.client("C");
        QVERIFY(!c.session);
        const auto refused = g.ask(c, [](sql::Client& wire) { return wire.open(); });
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, sql::Error::Kind::TooMany);
        g.end(b);
        g.run(5ms);
        g.logIn(c);
        QVERIFY(c.session);
    }

    // --- named locks ---

    void Q34_inTheOrderOfAsking() {
        for (const Dialect dialect : {Dialect::MySql, Dialect::PostgreSql}) {
            SqlGroup g(dialect);
            auto& a = g.client("A");
            g.tell(a, named(Kind::TakeNamed));
            g.tell(a, named(Kind::TakeNamed));
            std::vector<SqlGroup::Process*> clients;
            std::vector<Pending> answers;
            for (int i = 0; i < 6; ++i) {
                clients.push_back(&g.client("W" + QByteArray::number(i)));
                answers.push_back(g.send(*clients.back(), named(Kind::TakeNamed)));
            }
            QCOMPARE(g.tell(a, named(Kind::ReleaseNamed)), QByteArray("1"));
            g.run(50ms);
            QCOMPARE(SqlGroup::word(answers[0]), QByteArray("waits")); // one count is left
            QCOMPARE(g.tell(a, named(Kind::ReleaseNamed)), QByteArray("1"));
            QCOMPARE(g.tell(a, named(Kind::ReleaseNamed)), QByteArray("0")); // a third one of two
            QCOMPARE(g.tell(a, named(Kind::ReleaseNamed, "other")), QByteArray("0"));
            for (std::size_t i = 0; i < 6; ++i) {
                g.run(10ms);
                for (std::size_t other = 0; other < 6; ++other)
                    QCOMPARE(SqlGroup::word(answers[other]), other <= i ? QByteArray("1") : QByteArray("waits"));
                QCOMPARE(g.tell(*clients[i], named(Kind::ReleaseNamed)), QByteArray("1"));
            }
        }
    }
    void Q34_theRowsLimitDoesNotCountForGetLock() {
        SqlGroup g;
        auto &a = g.client("A"), &b = g.client("B");
        g.tell(a, named(Kind::TakeNamed));
        const Pending forEver = g.send(b, named(Kind::TakeNamed));
        g.run(120s);
        QCOMPARE(SqlGroup::word(forEver), QByteArray("waits"));
        g.end(b);
        auto& c = g.client("C");
        const Pending limited = g.send(c, SqlGroup::limited(named(Kind::TakeNamed), 1500ms));
        g.run(1490ms);
        QCOMPARE(SqlGroup::word(limited), QByteArray("waits"));
        g.run(20ms);
        QCOMPARE(SqlGroup::word(limited), QByteArray("0"));
    }
    void Q34_transactionsDoNotEndThem_data() { bothDialects(); }
    void Q34_transactionsDoNotEndThem() {
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        g.lock(a, "a");
        g.tell(a, named(Kind::TakeNamed));
        g.rollback(a);
        QCOMPARE(g.tell(b, named(Kind::TryNamed)), QByteArray("0"));
    }
    void Q34_aNewReaderWaitsBehindAWriter() {
        SqlGroup g(Dialect::PostgreSql);
        auto &a = g.client("A"), &b = g.client("B"), &c = g.client("C"), &d = g.client("D");
        QCOMPARE(g.tell(a, named(Kind::TakeNamed, "n", Sharing::Shared)), QByteArray("1"));
        QCOMPARE(g.tell(b, named(Kind::TakeNamed, "n", Sharing::Shared)), QByteArray("1"));
        const Pending writer = g.send(c, named(Kind::TakeNamed));
        QCOMPARE(g.tell(d, named(Kind::TryNamed, "n", Sharing::Shared)), QByteArray("0"));
        g.tell(a, named(Kind::ReleaseNamed, "n", Sharing::Shared));
        QCOMPARE(SqlGroup::word(writer), QByteArray("waits"));
        g.tell(b, named(Kind::ReleaseNamed, "n", Sharing::Shared));
        g.run(5ms);
        QCOMPARE(SqlGroup::word(writer), QByteArray("1"));
    }

    void Q34_aCircleOfNamedLocks_data() { bothDialects(); }
    void Q34_aCircleOfNamedLocks() {
        QFETCH(int, dialect);
        const bool mySql = Dialect(dialect) == Dialect::MySql;
        SqlGroup g{Dialect(dialect)};
        g.makeRows({"a"});
        auto &x = g.client("X"), &y = g.client("Y"), &z = g.client("Z");
        g.tell(x, named(Kind::TakeNamed, "p"));
        g.lock(y, "a");
        g.tell(y, named(Kind::TakeNamed, "q"));
        const Pending first = g.send(x, named(Kind::TakeNamed, "q"));
        const Pending closer = g.send(y, named(Kind::TakeNamed, "p"));
        QCOMPARE(SqlGroup::word(closer), mySql ? QByteArray("1213") : QByteArray("waits"));
        g.run(1s);
        QCOMPARE(SqlGroup::word(first), mySql ? QByteArray("waits") : QByteArray("40P01"));
        if (mySql) { // the victim keeps what it has
            QCOMPARE(g.tell(z, SqlGroup::of(Kind::LockRowNow, "a")), QByteArray("1205"));
            QCOMPARE(g.tell(z, named(Kind::TryNamed, "q")), QByteArray("0"));
        } else {
            QCOMPARE(g.tell(z, named(Kind::TryNamed, "p")), QByteArray("0")); // the session's locks stay
        }
    }
    void Q34_aCircleOfARowAndANamedLock_data() { bothDialects(); }
    void Q34_aCircleOfARowAndANamedLock() {
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        g.makeRows({"a"});
        auto &x = g.client("X"), &y = g.client("Y");
        g.lock(x, "a");
        g.tell(y, named(Kind::TakeNamed, "q"));
        const Pending byName = g.send(x, SqlGroup::limited(named(Kind::TakeNamed, "q"), 5s));
        const Pending byRow = g.send(y, SqlGroup::limited(SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a")), 5s));
        g.run(1100ms);
        const bool found = SqlGroup::word(byName) != "waits" || SqlGroup::word(byRow) != "waits";
        QCOMPARE(found, Dialect(dialect) == Dialect::PostgreSql); // MariaDB lets each wait for its own limit
        if (found) QCOMPARE(SqlGroup::word(byName), QByteArray("40P01"));
    }

    void Q34_endedByOthers_data() { bothDialects(); }
    void Q34_endedByOthers() {
        QFETCH(int, dialect);
        const bool mySql = Dialect(dialect) == Dialect::MySql;
        SqlGroup g{Dialect(dialect)};
        auto &a = g.client("A"), &b = g.client("B"), &c = g.client("C"), &d = g.client("D");
        g.tell(a, named(Kind::TakeNamed));
        const Pending waits = g.send(b, named(Kind::TakeNamed)), other = g.send(d, named(Kind::TakeNamed));
        const auto id = [&](SqlGroup::Process& p) { return std::int64_t(g.at().connectionOf(p.end.thread)); };
        g.tell(c, SqlGroup::of(Kind::EndStatement, {}, {}, id(b)));
        QCOMPARE(SqlGroup::word(waits), mySql ? QByteArray("NULL") : QByteArray("57014"));
        g.tell(c, SqlGroup::of(Kind::EndConnection, {}, {}, id(a)));
        g.run(5ms);
        QCOMPARE(SqlGroup::word(other), QByteArray("1"));
        QVERIFY(a.session->broken());
        const QByteArray nobody = g.tell(c, SqlGroup::of(Kind::EndConnection, {}, {}, 4711));
        QCOMPARE(nobody, mySql ? QByteArray("1094") : QByteArray("0"));
    }

    // --- the wire, as the driver's ---

    void aLostAnswerBreaksTheConnection() {
        SqlGroup g;
        g.makeRows({"a"});
        auto& a = g.client("A");
        g.network.between(a.end.client, g.at().entity()).loseNextReply = true;
        const auto raised = g.ask(a, [](sql::Client& wire) { return wire.raise({"r", "a"}); });
        QVERIFY(!raised && raised.error().outcomeUnknown());
        const auto again = g.ask(a, [](sql::Client& wire) { return wire.look("a"); });
        QVERIFY(again && again->there);
    }
    void aSilentServerIsLateAndThenUnreachable() {
        SqlGroup g;
        g.makeRows({"a"});
        auto& a = g.client("A");
        g.at().pause();
        const Nanos begun = g.scheduler.now();
        const auto looked = g.ask(a, [](sql::Client& wire) { return wire.look("a"); });
        QCOMPARE(looked.error().kind, sql::Error::Kind::ConnectTimeout); // a new connection, which is not answered
        QCOMPARE(g.scheduler.now() - begun, Nanos(5s));
        g.at().resume();
        QVERIFY(g.ask(a, [](sql::Client& wire) { return wire.look("a"); }));
        g.at().kill();
        g.run(1ms);
        QCOMPARE(g.ask(a, [](sql::Client& wire) { return wire.look("a"); }).error().kind,
                 sql::Error::Kind::Unreachable);
    }
    void aWaitThatIsStoppedIsEndedOnTheServer() {
        SqlGroup g;
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        g.lock(a, "a");
        std::stop_source stop;
        bool cancelled = false;
        b.runtime->spawn([&]() -> QCoro::Task<> {
            try {
                (void)co_await b.session->lockRow("a", kNever, stop.get_token());
            } catch (const Cancelled&) {
                cancelled = true;
            }
        });
        g.run(100ms);
        QCOMPARE(g.engine().rowQueue("a").size(), 1);
        stop.request_stop();
        g.run(100ms);
        QVERIFY(cancelled);
        QCOMPARE(g.engine().rowQueue("a").size(), 0);
        QVERIFY(!b.session->broken());
    }
    void recordsAgree() {
        for (const Dialect dialect : {Dialect::MySql, Dialect::PostgreSql}) {
            SqlGroup g(dialect);
            auto& a = g.client("A");
            const auto none = g.ask(a, [](sql::Client& wire) { return wire.readRecord("engine"); });
            QVERIFY(none && !none->there);
            const auto write = [&](const sql::StoredRecord& seen, const QByteArray& value) {
                return g.ask(a, [&](sql::Client& wire) { return wire.replaceRecord("engine", seen, value); });
            };
            QVERIFY(write({}, "one").value());
            QVERIFY(!write({}, "two").value());
            const auto one = g.ask(a, [](sql::Client& wire) { return wire.readRecord("engine"); });
            QCOMPARE(one->value, QByteArray("one"));
            QVERIFY(write(*one, "three").value());
            QVERIFY(!write(*one, "four").value());
        }
    }

    void Q35_aHolderStarvesBehindItsWaitersInAPool_data() { bothDialects(); }
    void Q35_aHolderStarvesBehindItsWaitersInAPool() {
        QFETCH(int, dialect);
        constexpr Nanos kLimit = 2s;
        sim::SqlServer::Settings server = SqlGroup::settings(Dialect(dialect));
        if (Dialect(dialect) == Dialect::MySql) server.engine.lockWait = kLimit;
        SqlGroup g(server, 1, {"sql-1"}, 4); // one connection for each of these four
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B"), &c = g.client("C");
        g.lock(a, "a");
        const Pending first = g.send(b, SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a")));
        g.send(c, SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a")));
        const auto pool = static_cast<sim::SqlWire&>(*a.wire).pool();
        const auto second = std::make_shared<sim::SqlPool::Link>();
        a.runtime->spawn([pool, second]() -> QCoro::Task<> {
            const sim::SqlPool::Obtained obtained = co_await sim::SqlPool::obtain(pool, kNever, {});
            *second = obtained.link;
        });
        g.run(kLimit - 100ms);
        QVERIFY(!*second);
        QVERIFY(SqlGroup::times(sim::Probe::SqlPoolEmpty) >= 1);
        if (Dialect(dialect) == Dialect::MySql) { // the database ends the wait
            g.run(200ms);
            QCOMPARE(SqlGroup::word(first), QByteArray("1205"));
            b.session.reset();
        } else { // never: only the holder itself could end it, on the connection that it has
            g.run(60s);
            QCOMPARE(SqlGroup::word(first), QByteArray("waits"));
            QVERIFY(!*second);
            g.commit(a);
            a.session->giveBack();
        }
        g.run(10ms);
        QVERIFY(*second);
        second->reset();
    }

    void Q36_callsOnOneConnectionWaitInTheClient() {
        SqlGroup g;
        g.makeRows({"a", "b"});
        auto &a = g.client("A"), &b = g.client("B");
        g.lock(a, "a");
        auto opened = g.ask(b, [](sql::Client& wire) { return wire.session(); });
        QVERIFY(opened.has_value());
        const std::shared_ptr<sql::Session> session = std::move(*opened).share();
        const auto first = g.start(b, [session](sql::Client&) { return session->lockRow("a", kNever); });
        const auto second = g.start(b, [session](sql::Client&) { return session->lockRow("b", kNever); });
        g.run(1s);
        QVERIFY(!*first && !*second);
        QCOMPARE(g.engine().rowQueue("a").size(), std::size_t(1));
        QCOMPARE(g.engine().rowHolder("b"), sim::SqlConnectionId(0)); // the server knows nothing of the second call
        g.commit(a);
        g.run(20ms);
        QVERIFY(*first && *second);
        QVERIFY(g.engine().rowHolder("b") != 0);
    }
};

QTEST_GUILESS_MAIN(TestSimulatedSqlSessions)
#include "tst_simulated_sql_sessions.moc"
