// SPDX-License-Identifier: Apache-2.0
// Behaviours of MariaDB and PostgreSQL, by their numbers, on a simulated server: queues of row locks and of inserters.
#include "sql_dialects.h"
#include "sql_group.h"

using namespace lockscope;
using tests::bothDialects;
using tests::commitsOrNot;
using tests::Dialect;
using tests::SqlGroup;
using tests::SqlQueue;
using Kind = SqlGroup::Kind;
using Pending = SqlGroup::Pending;
using Statement = SqlGroup::Statement;

namespace {
const std::vector<int> kInOrder{0, 1, 2, 3, 4, 5, 6, 7};
}

class TestSimulatedSqlQueues : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void Q1_innoDbHandsALockOnInTheOrderOfAsking() {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            SqlGroup g(Dialect::MySql, seed);
            g.makeRows({"a"});
            auto& holder = g.client("H");
            QCOMPARE(g.lock(holder, "a"), QByteArray("1"));
            SqlQueue queue(g, 8, SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a")));
            g.commit(holder);
            queue.follow(g, [&](auto& client) { g.commit(client); });
            QCOMPARE(queue.order, kInOrder);
        }
    }

    void Q3_postgreSqlKeepsTheOrderOfThoseWhoOnlyLock() {
        SqlGroup g(Dialect::PostgreSql);
        g.makeRows({"a"});
        auto& holder = g.client("H");
        g.lock(holder, "a");
        SqlQueue queue(g, 8, SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a")));
        g.commit(holder);
        queue.follow(g, [&](auto& client) { g.commit(client); });
        QCOMPARE(queue.order, kInOrder);
    }
    /// A newcomer that tries all the time, while one waits: on PostgreSQL it is first now and then, on InnoDB never.
    void Q3_aNewcomerMayBeFirst_data() { bothDialects(); }
    void Q3_aNewcomerMayBeFirst() {
        QFETCH(int, dialect);
        int first = 0;
        constexpr int kTries = 30;
        for (std::uint64_t seed = 1; seed <= kTries; ++seed) {
            SqlGroup g(Dialect(dialect), seed);
            g.makeRows({"a"});
            auto& holder = g.client("H");
            auto& newcomer = g.client("N");
            g.lock(holder, "a");
            SqlQueue queue(g, 1, SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a")));
            g.send(holder, SqlGroup::of(Kind::Commit, {}));
            while (!*queue.answers[0]) {
                const Pending tried = g.send(newcomer, SqlGroup::begun(SqlGroup::of(Kind::LockRowNow, "a")));
                const bool had = SqlGroup::word(tried) == "1";
                g.send(newcomer, SqlGroup::of(Kind::Rollback, {}));
                if (!had) continue;
                ++first;
                break;
            }
        }
        if (Dialect(dialect) == Dialect::MySql)
            QCOMPARE(first, 0);
        else
            QVERIFY2(first > kTries / 5, QByteArray::number(first));
    }

    void Q4_postgreSqlLosesTheOrderWhenTheRowChanges() {
        int broken = 0;
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            SqlGroup g(Dialect::PostgreSql, seed);
            g.makeRows({"a"});
            auto& holder = g.client("H");
            g.lock(holder, "a");
            const std::int64_t before = g.engine().row("a")->version;
            SqlQueue queue(g, 8, SqlGroup::begun(SqlGroup::of(Kind::Raise, "a")));
            g.commit(holder);
            queue.follow(g, [&](auto& client) { g.commit(client); });
            QCOMPARE(queue.order.size(), 8);
            QCOMPARE(queue.order.front(), 0);
            broken += queue.order != kInOrder;
            QCOMPARE(g.engine().row("a")->version, before + 8);
        }
        QVERIFY(broken >= 4);
        QVERIFY(SqlGroup::times(sim::Probe::SqlOrderBroken) > 0);
    }

    void Q5_aWaiterThatGivesUpLeavesTheOrder_data() { bothDialects(); }
    void Q5_aWaiterThatGivesUpLeavesTheOrder() {
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        g.makeRows({"a"});
        auto& holder = g.client("H");
        g.lock(holder, "a");
        const Statement wait = SqlGroup::begun(SqlGroup::of(Kind::LockRow, "a"));
        SqlQueue queue(g, 1, wait), impatient(g, 1, SqlGroup::limited(wait, 1s)), others(g, 2, wait);
        g.run(1100ms);
        QVERIFY(SqlGroup::word(impatient.answers[0]) != "waits");
        g.commit(holder);
        g.run(50ms);
        QCOMPARE(SqlGroup::word(queue.answers[0]), QByteArray("1"));
        g.commit(*queue.clients[0]);
        g.run(50ms);
        QCOMPARE(SqlGroup::word(others.answers[0]), QByteArray("1"));
        QCOMPARE(SqlGroup::word(others.answers[1]), QByteArray("waits"));
    }

    void Q7_nobodyWaitsWithNowaitAndReadersNeverDo_data() { bothDialects(); }
    void Q7_nobodyWaitsWithNowaitAndReadersNeverDo() {
        QFETCH(int, dialect);
        SqlGroup g{Dialect(dialect)};
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        QCOMPARE(g.tell(a, SqlGroup::begun(SqlGroup::of(Kind::Raise, "a"))), QByteArray("1"));
        const QByteArray refused = Dialect(dialect) == Dialect::MySql ? "1205" : "55P03";
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::LockRowNow, "a")), refused);
        const Pending seen = g.send(b, SqlGroup::of(Kind::Look, "a"));
        const std::int64_t before = (**seen)->rows.front().version;
        g.commit(a);
        const Pending then = g.send(b, SqlGroup::of(Kind::Look, "a"));
        QCOMPARE((**then)->rows.front().version, before + 1); // until then, what was committed
    }

    void Q22_anInsertWaitsForAnOpenInsert_data() { commitsOrNot(); }
    void Q22_anInsertWaitsForAnOpenInsert() {
        QFETCH(int, dialect);
        QFETCH(bool, commits);
        SqlGroup g{Dialect(dialect)};
        auto &a = g.client("A"), &b = g.client("B");
        QCOMPARE(g.tell(a, SqlGroup::begun(SqlGroup::of(Kind::Insert, "k", "A"))), QByteArray("1"));
        const Pending second = g.send(b, SqlGroup::of(Kind::Insert, "k", "B"));
        QCOMPARE(SqlGroup::word(second), QByteArray("waits"));
        if (commits)
            g.commit(a);
        else
            g.rollback(a);
        g.run(20ms);
        const QByteArray taken = Dialect(dialect) == Dialect::MySql ? "1062" : "0";
        QCOMPARE(SqlGroup::word(second), commits ? taken : QByteArray("1"));
    }

    void Q23_innoDbLetsOneOfSeveralInsertersLive() {
        int last = 0;
        constexpr int kTries = 24;
        for (std::uint64_t seed = 1; seed <= kTries; ++seed) {
            SqlGroup g(Dialect::MySql, seed);
            auto& a = g.client("A");
            g.tell(a, SqlGroup::begun(SqlGroup::of(Kind::Insert, "k", "A")));
            SqlQueue queue(g, 4, SqlGroup::of(Kind::Insert, "k", "B"));
            g.rollback(a);
            g.run(20ms);
            int inserted = 0;
            for (std::size_t i = 0; i < 4; ++i) {
                const QByteArray word = SqlGroup::word(queue.answers[i]);
                QVERIFY2(word == "1" || word == "1213", word);
                inserted += word == "1";
                last += word == "1" && i == 3;
            }
            QCOMPARE(inserted, 1);
        }
        QVERIFY2(last > kTries / 2 && last < kTries, QByteArray::number(last));
    }
    void Q23_theSameWhenADeleteIsCommitted() {
        SqlGroup g;
        g.makeRows({"k"});
        auto& a = g.client("A");
        g.tell(a, SqlGroup::begun(SqlGroup::of(Kind::Erase, "k")));
        SqlQueue queue(g, 3, SqlGroup::of(Kind::Insert, "k", "B"));
        g.commit(a);
        g.run(20ms);
        QCOMPARE(SqlGroup::times(sim::Probe::SqlInsertersMeet), 1);
        std::multiset<QByteArray> words;
        for (const Pending& answer : queue.answers)
            words.insert(SqlGroup::word(answer));
        QCOMPARE(words, (std::multiset<QByteArray>{"1", "1213", "1213"}));
    }
    void Q23_ofTwoInTransactionsTheFirst() {
        SqlGroup g;
        auto& a = g.client("A");
        g.tell(a, SqlGroup::begun(SqlGroup::of(Kind::Insert, "k", "A")));
        SqlQueue queue(g, 2, SqlGroup::begun(SqlGroup::of(Kind::Insert, "k", "B")));
        g.rollback(a);
        g.run(20ms);
        QCOMPARE(SqlGroup::word(queue.answers[0]), QByteArray("1"));
        QCOMPARE(SqlGroup::word(queue.answers[1]), QByteArray("1213"));
    }
    void Q23_postgreSqlsFirstInserts() {
        SqlGroup g(Dialect::PostgreSql);
        auto& a = g.client("A");
        g.tell(a, SqlGroup::begun(SqlGroup::of(Kind::Insert, "k", "A")));
        SqlQueue queue(g, 4, SqlGroup::of(Kind::Insert, "k", "B"));
        g.rollback(a);
        g.run(50ms);
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE(SqlGroup::word(queue.answers[i]), i == 0 ? QByteArray("1") : QByteArray("0"));
    }

    void Q24_aFailedInsertKeepsASharedLock() {
        SqlGroup g;
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B"), &c = g.client("C");
        QCOMPARE(g.tell(a, SqlGroup::begun(SqlGroup::of(Kind::Insert, "a", "A"))), QByteArray("1062"));
        const Pending update = g.send(b, SqlGroup::of(Kind::Raise, "a"));
        QCOMPARE(SqlGroup::word(update), QByteArray("waits"));
        g.rollback(a);
        g.run(10ms);
        QCOMPARE(SqlGroup::word(update), QByteArray("1"));
        QCOMPARE(g.tell(c, SqlGroup::of(Kind::Insert, "a", "C")), QByteArray("1062"));
    }
};

QTEST_GUILESS_MAIN(TestSimulatedSqlQueues)
#include "tst_simulated_sql_queues.moc"
