// SPDX-License-Identifier: Apache-2.0
// Behaviours of MariaDB and PostgreSQL, by their numbers, on simulated servers: replicas and their promotion.
#include "sql_dialects.h"
#include "sql_group.h"

using namespace lockscope;
using tests::bothDialects;
using tests::Dialect;
using tests::SqlGroup;
using Kind = SqlGroup::Kind;
using Pending = SqlGroup::Pending;

namespace {

/// A primary and a replica.
struct Pair : SqlGroup {
    explicit Pair(Dialect dialect, sim::SqlReplicationSettings replication)
        : SqlGroup(with(dialect, replication), 1, {"sql-1", "sql-2"}) {
        run(10ms);
    }
    static sim::SqlServer::Settings with(Dialect dialect, sim::SqlReplicationSettings replication) {
        sim::SqlServer::Settings server = settings(dialect);
        server.replication = replication;
        return server;
    }
    sim::SqlServer& server(std::size_t index) { return service->server(index); }
    void cut(bool severed) {
        const auto first = server(0).entity();
        network.setCut(network.between(first, server(1).entity()), first, sim::Network::Ways::Both, severed);
    }
    void promote() {
        const auto done = service->failOver(service->primary());
        if (!done) qFatal("%s", qPrintable(done.error()));
    }
    /// The version that a server's disk has of a row; -1: there is none.
    std::int64_t versionAt(std::size_t index, const QByteArray& name) {
        const auto found = server(index).disk().find({sim::SqlTable::Locks, name});
        return found == server(index).disk().end() ? -1 : found->second.version;
    }
    std::int64_t seenBy(Process& process, const QByteArray& name) {
        const Pending seen = send(process, of(Kind::Look, name));
        if (!*seen) run(20ms);
        return *seen && **seen && !(**seen)->rows.empty() ? (**seen)->rows.front().version : -1;
    }
};

constexpr Nanos kFarBehind = 10s;

} // namespace

class TestSimulatedSqlReplicas : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void Q37_anAsynchronousCommitIsLostWithItsPrimary_data() { bothDialects(); }
    void Q37_anAsynchronousCommitIsLostWithItsPrimary() {
        QFETCH(int, dialect);
        Pair g(Dialect(dialect), {.lag = kFarBehind, .fullCopy = 1s});
        g.makeRows({"a"});
        g.run(kFarBehind + 1s);
        const std::int64_t before = g.versionAt(0, "a");
        QCOMPARE(g.versionAt(1, "a"), before); // it comes, late
        auto& a = g.client("A");
        QCOMPARE(g.tell(a, SqlGroup::of(Kind::Raise, "a")), QByteArray("1"));
        g.server(0).crash();
        g.promote();
        auto& b = g.client("B");
        QCOMPARE(g.seenBy(b, "a"), before);
        // The old primary is ahead, and has to throw that away.
        g.server(0).start();
        QCOMPARE(g.versionAt(0, "a"), before + 1);
        g.run(3s);
        QCOMPARE(g.versionAt(0, "a"), before);
        QVERIFY(g.server(0).isReplica());
        QCOMPARE(SqlGroup::times(sim::Probe::SqlOldPrimaryFollows), std::uint64_t(1));
        QCOMPARE(SqlGroup::times(sim::Probe::SqlCopiedAnew), std::uint64_t(1));
        QCOMPARE(g.tell(b, SqlGroup::of(Kind::Raise, "a")), QByteArray("1"));
        g.run(kFarBehind + 1s);
        QCOMPARE(g.versionAt(0, "a"), g.versionAt(1, "a"));
    }

    /// A kill leaves the machine running: what the process had sent arrives.
    void Q37_whatHadLeftTheProcessArrives_data() { bothDialects(); }
    void Q37_whatHadLeftTheProcessArrives() {
        QFETCH(int, dialect);
        Pair g(Dialect(dialect), {});
        g.makeRows({"a"});
        auto& a = g.client("A");
        g.tell(a, SqlGroup::of(Kind::Raise, "a"));
        g.server(0).kill();
        g.run(10ms);
        QCOMPARE(g.versionAt(1, "a"), g.versionAt(0, "a"));
        g.promote();
        g.server(0).start();
        g.run(3s);
        QCOMPARE(SqlGroup::times(sim::Probe::SqlCopiedAnew), std::uint64_t(0)); // it is not ahead
        QCOMPARE(g.tell(g.client("B"), SqlGroup::of(Kind::Raise, "a")), QByteArray("1"));
        g.run(10ms);
        QCOMPARE(g.versionAt(0, "a"), g.versionAt(1, "a"));
    }

    void Q38_semiSyncWaitsAfterTheCommitAndGivesUp() {
        constexpr Nanos kPatience = 3s;
        Pair g(Dialect::MySql, {.patience = kPatience});
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        const std::int64_t before = g.seenBy(b, "a");
        g.cut(true);
        const Pending waits = g.send(a, SqlGroup::of(Kind::Raise, "a"));
        QCOMPARE(SqlGroup::word(waits), QByteArray("waits"));
        // AFTER_COMMIT: others see it, and can lock the row.
        QCOMPARE(g.seenBy(b, "a"), before + 1);
        QCOMPARE(g.lock(b, "a"), QByteArray("1"));
        g.rollback(b);
        const Nanos waited = g.timeUntil(waits);
        QVERIFY(waited > kPatience - 200ms && waited <= kPatience);
        QCOMPARE(SqlGroup::word(waits), QByteArray("1")); // a success
        QCOMPARE(SqlGroup::times(sim::Probe::SqlSemiSyncOff), std::uint64_t(1));
        QCOMPARE(g.tell(a, SqlGroup::of(Kind::Raise, "a")), QByteArray("1")); // nobody waits any more
        QVERIFY(!g.server(0).replication().waits());
        g.cut(false);
        g.run(2s);
        QVERIFY(g.server(0).replication().waits());
        QCOMPARE(g.versionAt(1, "a"), g.versionAt(0, "a"));
    }

    void Q39_aCommitWithoutAnAnswerIsThereAfterARestart_data() { bothDialects(); }
    void Q39_aCommitWithoutAnAnswerIsThereAfterARestart() {
        QFETCH(int, dialect);
        Pair g(Dialect(dialect), {.patience = 10s});
        g.makeRows({"a"});
        auto& a = g.client("A");
        const std::int64_t before = g.versionAt(0, "a");
        g.cut(true);
        const Pending lost = g.send(a, SqlGroup::of(Kind::Raise, "a"));
        g.server(0).kill();
        g.run(100ms);
        QCOMPARE(SqlGroup::word(lost), QByteArray("lost"));
        g.server(0).start();
        g.run(2s);
        QCOMPARE(g.versionAt(0, "a"), before + 1); // it was in the log
        QCOMPARE(g.versionAt(1, "a"), before);
    }

    void Q40_aCommitThatWasAnsweredIsAtTheReplica_data() { bothDialects(); }
    void Q40_aCommitThatWasAnsweredIsAtTheReplica() {
        QFETCH(int, dialect);
        Pair g(Dialect(dialect), {.lag = 15ms, .patience = 10s});
        g.makeRows({"a"});
        auto& a = g.client("A");
        const std::int64_t before = g.versionAt(1, "a");
        const Pending raised = g.send(a, SqlGroup::of(Kind::Raise, "a"));
        QVERIFY(g.timeUntil(raised) >= 10ms);
        g.server(0).crash();
        QCOMPARE(g.versionAt(1, "a"), before + 1);
        g.promote();
        QCOMPARE(g.seenBy(g.client("B"), "a"), before + 1);
    }

    void Q41_postgreSqlWaitsWithoutEndBeforeAnybodySeesIt() {
        Pair g(Dialect::PostgreSql, {.patience = 1s});
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        const std::int64_t before = g.seenBy(b, "a");
        g.cut(true);
        const Pending waits = g.send(a, SqlGroup::of(Kind::Raise, "a"));
        g.run(60s);
        QCOMPARE(SqlGroup::word(waits), QByteArray("waits"));
        QCOMPARE(g.seenBy(b, "a"), before);
        QCOMPARE(g.tell(b, SqlGroup::begun(SqlGroup::of(Kind::LockRowNow, "a"))), QByteArray("55P03"));
        g.rollback(b);
        g.cut(false);
        g.run(2s);
        QCOMPARE(SqlGroup::word(waits), QByteArray("1"));
        QCOMPARE(g.seenBy(b, "a"), before + 1);
    }

    void Q42_theWaitCanOnlyBeEndedAsASuccess_data() {
        QTest::addColumn<bool>("connection");
        QTest::addRow("cancelled") << false;
        QTest::addRow("terminated") << true;
    }
    void Q42_theWaitCanOnlyBeEndedAsASuccess() {
        QFETCH(bool, connection);
        Pair g(Dialect::PostgreSql, {.patience = 1s});
        g.makeRows({"a"});
        auto &a = g.client("A"), &b = g.client("B");
        const std::int64_t before = g.seenBy(b, "a");
        g.cut(true);
        const Pending waits = g.send(a, SqlGroup::of(Kind::Raise, "a"));
        const auto id = std::int64_t(g.at().connectionOf(a.end.thread));
        const Kind how = connection ? Kind::EndConnection : Kind::EndStatement;
        QCOMPARE(g.tell(b, SqlGroup::of(how, {}, {}, id)), QByteArray("1"));
        g.run(20ms);
        QCOMPARE(SqlGroup::word(waits), QByteArray(connection ? "lost" : "1"));
        QCOMPARE(g.seenBy(b, "a"), before + 1);
        QCOMPARE(g.versionAt(1, "a"), before);
    }

    void Q43_sessionsOfAPromotedReplicaLiveOnWithTheirNamedLocks_data() { bothDialects(); }
    void Q43_sessionsOfAPromotedReplicaLiveOnWithTheirNamedLocks() {
        QFETCH(int, dialect);
        Pair g(Dialect(dialect), {});
        g.makeRows({"a"});
        auto& reader = g.clientOf(g.server(1), "R");
        QCOMPARE(g.tell(reader, SqlGroup::of(Kind::TryNamed, "n")), QByteArray("1"));
        g.server(0).kill();
        g.promote();
        QCOMPARE(g.tell(reader, SqlGroup::of(Kind::Raise, "a")), QByteArray("1"));
        QCOMPARE(g.tell(g.client("B"), SqlGroup::of(Kind::TryNamed, "n")), QByteArray("0"));
    }

    void Q44_aReplicaTakesNoWritesAndHasNamedLocksOfItsOwn_data() { bothDialects(); }
    void Q44_aReplicaTakesNoWritesAndHasNamedLocksOfItsOwn() {
        QFETCH(int, dialect);
        Pair g(Dialect(dialect), {});
        g.makeRows({"a"});
        g.run(10ms);
        auto &writer = g.client("W"), &reader = g.clientOf(g.server(1), "R");
        const QByteArray refused = Dialect(dialect) == Dialect::PostgreSql ? "25006" : "1290";
        QCOMPARE(g.tell(reader, SqlGroup::of(Kind::Raise, "a")), refused);
        QCOMPARE(g.tell(reader, SqlGroup::of(Kind::Insert, "b", "me")), refused);
        QCOMPARE(g.lock(reader, "a"), refused);
        g.rollback(reader);
        QCOMPARE(g.seenBy(reader, "a"), g.seenBy(writer, "a"));
        QCOMPARE(g.tell(writer, SqlGroup::of(Kind::TryNamed, "n")), QByteArray("1"));
        QCOMPARE(g.tell(reader, SqlGroup::of(Kind::TryNamed, "n")), QByteArray("1")); // both have it
        QVERIFY(reader.session->takesNoWrites().has_value());
        QVERIFY(!writer.session->takesNoWrites().has_value());
        const auto checked = g.ask(reader, [](sql::Client& port) { return port.checkWritable(); });
        QVERIFY(!checked.has_value());
    }

    /// The operator cannot reach the old primary: it takes writes until it can be, and loses them.
    void anOldPrimaryBehindACutIsDemotedWhenItCanBeReached() {
        Pair g(Dialect::MySql, {.fullCopy = 1s});
        g.makeRows({"a"});
        g.run(10ms);
        auto& stays = g.client("S");
        const std::int64_t before = g.seenBy(stays, "a");
        g.cut(true);
        g.promote();
        QCOMPARE(g.tell(stays, SqlGroup::of(Kind::Raise, "a")), QByteArray("1")); // its connection leads there still
        auto& comes = g.client("C");
        QCOMPARE(g.seenBy(comes, "a"), before);
        g.cut(false);
        g.run(5s);
        QCOMPARE(g.tell(stays, SqlGroup::of(Kind::Ping, {})), QByteArray("lost"));
        QVERIFY(g.server(0).isReplica() && !g.server(1).isReplica());
        QCOMPARE(g.versionAt(0, "a"), before);
    }

    void thereMustBeSomebodyToPromote() {
        Pair g(Dialect::MySql, {});
        g.server(1).kill();
        QVERIFY(!g.service->failOver(g.server(0)).has_value());
        g.server(1).start();
        g.run(2s);
        QVERIFY(!g.service->failOver(g.server(1)).has_value()); // it is not the master
        QVERIFY(g.service->failOver(g.server(0)).has_value());
        SqlGroup alone;
        QVERIFY(!alone.service->failOver(alone.at()).has_value());
    }
};

QTEST_GUILESS_MAIN(TestSimulatedSqlReplicas)
#include "tst_simulated_sql_replicas.moc"
