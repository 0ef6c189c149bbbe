// SPDX-License-Identifier: Apache-2.0
// Locks on a cluster whose slots move to another master. They stay locked, and nobody may be told otherwise.
#include "cluster_move.h"
#include "group_watch.h"
#include "inspect/member_change.h"

using namespace lockscope;
using namespace lockscope::test;
using trace::EventKind;

namespace {

const QByteArray kHolder = "285475da-9152-4c83-822a-67ee2f116a79:1";
constexpr int kLimit = 20'000;

} // namespace

class TestRedisGroupMoves : public QObject {
    Q_OBJECT

    redis::RedisDriver& node(int at) { return *m_nodes[std::size_t(at)]; }
    QByteArray addressOf(int at) { return "127.0.0.1:" + QByteArray::number(m_cluster.at(at).port()); }
    /// Takes a lock as Redisson does.
    void hold(int at, const QByteArray& name) {
        QVERIFY(run(node(at).call({"HSET", name, kHolder, "1"})));
        QVERIFY(run(node(at).call({"PEXPIRE", name, "600000"})));
    }
    static bool isHeldAt(const GroupWatch& watch, const QByteArray& name, const QByteArray& address) {
        const LockRow* const row = watch.row(name);
        return row && row->state == LockRow::State::Held && row->server == address;
    }
    /// Held by the one holder all the time, as far as anybody was told.
    static void verifyNothingHappened(const GroupWatch& watch, const QByteArray& name) {
        using What = LockChange::What;
        for (const What what : {What::Released, What::Expired, What::Lost, What::Gone, What::Taken, What::ChangedHands,
                                What::FailedOver, What::Renewed, What::Shortened})
            QVERIFY2(!watch.saw(name, what), inspect::nameOf(what));
        QCOMPARE(watch.told(EventKind::RecordHeld), 1);
        QCOMPARE(watch.told(EventKind::RecordFreed), 0);
        QCOMPARE(watch.told(EventKind::RecordRenewed), 0);
        const auto& holder = watch.row(name)->holders.at(0);
        QCOMPARE(holder.client + ':' + *holder.thread, kHolder);
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_cluster);
        for (int i = 0; i < m_cluster.count(); ++i)
            m_nodes.push_back(std::make_unique<redis::RedisDriver>(m_runtime, urlOf(m_cluster.at(i))));
    }

    void aHoldOutlivesTheMoveOfItsSlot_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<bool>("inParts");
        QTest::newRow("all locks at each look") << QByteArray("whole") << false;
        QTest::newRow("only those that have changed") << QByteArray("parts") << true;
    }
    void aHoldOutlivesTheMoveOfItsSlot() {
        QFETCH(QByteArray, name);
        QFETCH(bool, inParts);
        ClusterMove move(m_runtime, m_cluster, m_nodes, name);
        hold(move.from, name);
        inspect::WatchOptions options;
        options.shortestPeriod = 10ms;
        options.longestPeriod = 50ms;
        options.share = options.firstShare = 0.5;
        if (inParts) options.partsFrom = 1;
        GroupWatch watch(m_runtime, m_cluster.url(), options);
        QTRY_VERIFY_WITH_TIMEOUT(watch.last.complete && isHeldAt(watch, name, addressOf(move.from)), kLimit);
        move.begin();
        move.takeKeys();
        QTRY_VERIFY_WITH_TIMEOUT(watch.row(name) && watch.row(name)->state == LockRow::State::NotKnown, kLimit);
        move.end();
        QTRY_VERIFY_WITH_TIMEOUT(isHeldAt(watch, name, addressOf(move.to)), kLimit);
        verifyNothingHappened(watch, name);
        QCOMPARE(watch.untold, QByteArray());
        // Its release at the new owner is told, and its former owner keeps nothing of it.
        QVERIFY(run(node(move.to).call({"DEL", name})));
        QTRY_VERIFY_WITH_TIMEOUT(!watch.row(name), kLimit);
        QVERIFY(watch.saw(name, LockChange::What::Released));
        QCOMPARE(watch.told(EventKind::RecordFreed), 1);
    }

    /// Keys that are on their new server, which does not answer for them yet: one look must not say that there are
    /// none.
    void oneLookTellsOfKeysOnTheirWay() {
        const QByteArray name = "halfway";
        ClusterMove move(m_runtime, m_cluster, m_nodes, name);
        hold(move.from, name);
        move.begin();
        move.takeKeys();
        const auto watcher = watcherOf(m_runtime, m_cluster.url());
        const LockReport meanwhile = run(watcher->once());
        move.end();
        QVERIFY(!meanwhile.trouble && !meanwhile.complete);
        const auto target =
            std::ranges::find(meanwhile.servers, addressOf(move.to), &inspect::WatchedServerState::address);
        QVERIFY(target != meanwhile.servers.end());
        QVERIFY2(target->trouble.contains(u"halfway"), qPrintable(target->trouble));
        // Every node has heard of the new owner by then.
        LockReport after;
        QTRY_VERIFY_WITH_TIMEOUT((after = run(watcher->once())).complete, kLimit);
        const LockRow* const row = rowOf(after, name);
        QVERIFY(row && row->server == addressOf(move.to));
        QVERIFY(run(node(move.to).call({"DEL", name})));
    }

    /// … nor must a watch that begins then, and goes on.
    void aWatchThatBeginsInTheMiddleTellsOfThem() {
        const QByteArray name = "midway", slot = QByteArray::number(redis::keySlot(name));
        ClusterMove move(m_runtime, m_cluster, m_nodes, name);
        hold(move.from, name);
        move.begin();
        move.takeKeys();
        GroupWatch watch(m_runtime, m_cluster.url());
        inspect::MemberNews members;
        const auto moving = [&watch] {
            for (const inspect::WatchNote& note : watch.last.notes)
                if (note.kind == inspect::WatchNote::Kind::MovedAway) return textOf(note);
            return QString();
        };
        QTRY_VERIFY2_WITH_TIMEOUT(moving().contains(u"midway"), qPrintable(moving()), kLimit);
        QVERIFY(members.since(watch.last.servers).empty());
        move.end();
        QTRY_VERIFY_WITH_TIMEOUT(isHeldAt(watch, name, addressOf(move.to)) && moving().isEmpty(), kLimit);
        // The new owner of the slot is told at once, and not when each server is asked about itself.
        std::vector<inspect::MemberChange> news;
        const auto toldNews = [&] {
            std::ranges::move(members.since(watch.last.servers), std::back_inserter(news));
            return !news.empty();
        };
        QTRY_VERIFY_WITH_TIMEOUT(toldNews(), kLimit);
        QCOMPARE(news, (std::vector<inspect::MemberChange>{
                           {inspect::MemberChange::What::Slots, addressOf(move.to), slot, addressOf(move.from)}}));
        QVERIFY(run(node(move.to).call({"DEL", name})));
    }

    /// A watch of one node alone cannot know what becomes of such a lock, and says why.
    void aWatchOfOneNodeSaysWhyALockIsNotKnownAnyMore() {
        const QByteArray name = "alone";
        ClusterMove move(m_runtime, m_cluster, m_nodes, name);
        hold(move.from, name);
        GroupWatch watch(m_runtime, QStringLiteral("redis://") + QString::fromLatin1(addressOf(move.from)));
        const auto moved = [&watch] {
            for (const inspect::WatchNote& note : watch.last.notes)
                if (note.kind == inspect::WatchNote::Kind::MovedAway) return note.count;
            return std::int64_t(0);
        };
        QTRY_VERIFY_WITH_TIMEOUT(watch.last.complete && watch.row(name), kLimit);
        QCOMPARE(moved(), std::int64_t(0));
        move.begin();
        move.takeKeys();
        move.end();
        QTRY_VERIFY_WITH_TIMEOUT(watch.row(name) && watch.row(name)->state == LockRow::State::NotKnown, kLimit);
        QCOMPARE(moved(), std::int64_t(1));
        for (const inspect::WatchNote& note : watch.last.notes)
            if (note.kind == inspect::WatchNote::Kind::MovedAway)
                QVERIFY2(textOf(note).contains(u"alone") && textOf(note).contains(u"redis+cluster://"),
                         qPrintable(textOf(note)));
        QVERIFY(!watch.saw(name, LockChange::What::Released));
    }

    void aLockThatEndsOnItsWayIsGone() {
        const QByteArray name = "ends";
        ClusterMove move(m_runtime, m_cluster, m_nodes, name);
        hold(move.from, name);
        GroupWatch watch(m_runtime, m_cluster.url());
        QTRY_VERIFY_WITH_TIMEOUT(watch.last.complete && isHeldAt(watch, name, addressOf(move.from)), kLimit);
        move.begin();
        move.takeKeys();
        QTRY_VERIFY_WITH_TIMEOUT(watch.row(name) && watch.row(name)->state == LockRow::State::NotKnown, kLimit);
        QVERIFY(run(node(move.to).call({"ASKING"})));
        QVERIFY(run(node(move.to).call({"DEL", name})));
        move.end();
        QTRY_VERIFY_WITH_TIMEOUT(!watch.row(name), kLimit);
        QCOMPARE(watch.told(EventKind::RecordFreed), 1);
    }

    /// A master without slots is watched no longer: what it had is asked of the others first.
    void aHoldOutlivesTheMasterThatGivesAllItsSlotsAway() {
        sandbox::RedisCluster cluster(m_runtime);
        VERIFY_STARTED(cluster);
        ClusterMove::Nodes nodes;
        for (int i = 0; i < cluster.count(); ++i)
            nodes.push_back(std::make_unique<redis::RedisDriver>(m_runtime, urlOf(cluster.at(i))));
        const QByteArray name = "drained";
        ClusterMove move(m_runtime, cluster, nodes, name);
        auto& from = *nodes[std::size_t(move.from)];
        QVERIFY(run(from.call({"HSET", name, kHolder, "1"})));
        QVERIFY(run(from.call({"PEXPIRE", name, "600000"})));
        GroupWatch watch(m_runtime, cluster.url());
        const QByteArray before = "127.0.0.1:" + QByteArray::number(cluster.at(move.from).port());
        const QByteArray after = "127.0.0.1:" + QByteArray::number(cluster.at(move.to).port());
        QTRY_VERIFY_WITH_TIMEOUT(watch.last.complete && isHeldAt(watch, name, before), kLimit);
        move.begin();
        move.takeKeys();
        move.end();                      // from now on its word counts for more than that of the former owner
        std::vector<redis::Args> orders; // the other nodes hear of it
        for (int slot = 0; slot < sandbox::RedisCluster::kSlots; ++slot)
            if (cluster.firstOwner(slot) == move.from)
                orders.push_back(
                    redis::argsOf("CLUSTER", "SETSLOT", QByteArray::number(slot), "NODE", cluster.id(move.to)));
        for (const redis::Result& result : run(nodes[std::size_t(move.to)]->callAll(std::move(orders))))
            QVERIFY2(result, result ? "" : qPrintable(result.error().message));
        QTRY_VERIFY_WITH_TIMEOUT(watch.last.servers.size() == 2, kLimit);
        QTRY_VERIFY_WITH_TIMEOUT(isHeldAt(watch, name, after), kLimit);
        verifyNothingHappened(watch, name);
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisCluster m_cluster{m_runtime};
    ClusterMove::Nodes m_nodes;
};

QTEST_GUILESS_MAIN(TestRedisGroupMoves)
#include "tst_redis_group_moves.moc"
