// SPDX-License-Identifier: Apache-2.0
// A Redis Cluster that is watched: its servers in the trace, compared with its own word, while a master is killed.
#include "inspect/alert_rule.h"
#include "live/live_session.h"
#include "own_redis.h"
#include "ports/redis/cluster_keys.h"
#include "sandbox/redis_cluster.h"
#include "session/alert_desk.h"
#include "trace/connection.h"
#include "trace/member.h"
#include "trace/recording.h"
#include "trace/server_told.h"
#include "trace/state.h"

#include <QTemporaryDir>

using namespace lockscope;
using namespace lockscope::test;
using live::LiveSession;
using trace::EntityId;
using trace::EntityKind;
using trace::EventKind;

namespace {

constexpr int kLimit = 60'000; ///< a failover takes two seconds; many times that on a busy machine
const QByteArray kHolder = "285475da-9152-4c83-822a-67ee2f116a79:1";

sandbox::RedisClusterOptions withReplicas() {
    sandbox::RedisClusterOptions options;
    options.replicas = 1;
    return options;
}

/// The servers of a cluster in lines, as a trace knows them now: "7001 master 0-5460", "7004 replica of 7001", and
/// "7001 away" of one that is out of sight.
QStringList serversIn(const trace::Trace& of, std::shared_ptr<const trace::Trace> trace) {
    const trace::State state = trace::StateIndex(std::move(trace)).at(of.reached());
    const auto port = [&of](EntityId node) { return of.entity(node).name.mid(of.entity(node).name.indexOf(':') + 1); };
    std::map<EntityId, QByteArray> slotsOf;
    for (std::size_t row = 0; row < of.size(); ++row) {
        if (of.kindAt(row) != EventKind::ServerTold) continue;
        const trace::Event event = of.at(row);
        if (const auto told = trace::toldValue(of.entity(event.aux).name, trace::kHasSlots))
            slotsOf[event.actor] = *told;
    }
    QStringList lines;
    for (const auto& [id, node] : state.nodes) {
        if (!trace::isMember(of, id)) continue;
        QByteArray line = port(id) + ' ' + of.entity(node.role).name;
        if (node.follows != trace::kNoEntity) line += " of " + port(node.follows);
        if (!slotsOf[id].isEmpty() && node.follows == trace::kNoEntity) line += ' ' + slotsOf[id];
        if (node.unseenSince >= 0) line = port(id) + " away";
        lines << QString::fromUtf8(line);
    }
    lines.sort();
    return lines;
}
QStringList serversIn(const session::Session& session) {
    return serversIn(*session.trace(), session.trace());
}

} // namespace

class TestLiveCluster : public QObject {
    Q_OBJECT

    EventLoopRuntime m_runtime;
    mutable sandbox::RedisCluster m_cluster{m_runtime, withReplicas()};

    redis::Result ask(int node, redis::Args words) {
        redis::RedisDriver client(m_runtime, urlOf(m_cluster.at(node)));
        return run(client.call(std::move(words)));
    }
    QByteArray portOf(int node) { return QByteArray::number(m_cluster.at(node).port()); }
    /// As serversIn(), by the cluster's own CLUSTER NODES, word for word as `node` answers.
    QStringList ownWord(int node) {
        const redis::Result answer = ask(node, {"CLUSTER", "NODES"});
        if (!answer) return {answer.error().message};
        const auto portIn = [](const QByteArray& address) {
            return address.mid(address.indexOf(':') + 1).split('@').front();
        };
        std::map<QByteArray, QByteArray> ports; // by name
        for (const QByteArray& line : answer->text.split('\n'))
            if (const QByteArrayList words = line.split(' '); words.size() > 7) ports[words[0]] = portIn(words[1]);
        QStringList lines;
        for (const QByteArray& line : answer->text.split('\n')) {
            const QByteArrayList words = line.split(' ');
            if (words.size() < 8) continue;
            const QByteArrayList flags = words[2].split(',');
            QByteArray its = portIn(words[1]);
            if (flags.contains("fail"))
                its += " away";
            else if (flags.contains("slave"))
                its += " replica of " + ports[words[3]];
            else
                its += " master " + words.mid(8).join(' ');
            lines << QString::fromUtf8(its);
        }
        lines.sort();
        return lines;
    }
    /// A name whose lock lies on that master.
    QByteArray nameOn(int master) const {
        for (int i = 0;; ++i)
            if (QByteArray name = "orders-" + QByteArray::number(i);
                m_cluster.firstOwner(redis::keySlot(name)) == master)
                return name;
    }
    static const trace::Record* recordOf(const trace::State& state, const trace::Trace& trace, const QByteArray& lock) {
        for (const auto& [id, record] : state.records)
            if (trace.entity(id).kind == EntityKind::Lock && trace.entity(id).name == lock) return &record;
        return nullptr;
    }
    /// "285475da… holds on 7001", "free on 7001"; empty: the lock is not there, or not known now.
    static QByteArray standOf(const LiveSession& session, const QByteArray& lock) {
        const auto trace = session.trace();
        const trace::State state = trace::StateIndex(trace).at(trace->reached());
        const trace::Record* const record = recordOf(state, *trace, lock);
        if (!record || !record->observed) return {};
        const QByteArray where = trace->entity(record->decider).name;
        return (record->owner == trace::kNoEntity ? QByteArray("free on ") : QByteArray("held on ")) +
               where.mid(where.indexOf(':') + 1);
    }
    static bool saysItMayExistTwice(LiveSession& session, const QByteArray& lock) {
        for (const session::AlertDesk* desk : session::alertDesksOf(&session))
            for (const session::AlertDesk::Entry& entry : desk->entries())
                if (entry.alert.rule.kind == inspect::AlertRule::Kind::FailedOver && entry.alert.lock == lock)
                    return entry.alert.sentence.contains(u"twice");
        return false;
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_cluster); }

    void itsServersAreToldAsItTellsOfThemItself() {
        const QByteArray name = nameOn(0), other = nameOn(1);
        for (const auto& [node, lock] : {std::pair(0, name), std::pair(1, other)}) {
            VERIFY_OK(ask(node, {"HSET", lock, kHolder, "1"}));
            VERIFY_OK(ask(node, {"PEXPIRE", lock, "600000"}));
        }
        LiveSession session({live::ConnectionPlan{u"shop"_qs, *parseConnectionUrl(m_cluster.url()), false}}, {});
        QCOMPARE(ownWord(0).size(), 6);
        QTRY_COMPARE_WITH_TIMEOUT(serversIn(session), ownWord(0), kLimit);
        QTRY_COMPARE_WITH_TIMEOUT(standOf(session, name), "held on " + portOf(0), kLimit);
        QTRY_COMPARE_WITH_TIMEOUT(standOf(session, other), "held on " + portOf(1), kLimit);
        // Each replica's lag is a number by its master's word.
        const auto lagsKnown = [&session] {
            const trace::State state = trace::StateIndex(session.trace()).at(session.trace()->reached());
            return std::ranges::count_if(state.nodes, [](const auto& node) { return node.second.lag >= 0; });
        };
        QTRY_COMPARE_WITH_TIMEOUT(lagsKnown(), 3, kLimit);

        // The replica must have the lock before its master dies.
        redis::RedisDriver master(m_runtime, urlOf(m_cluster.at(0)));
        VERIFY_OK(run(master.call({"HINCRBY", name, kHolder, "1"})));
        const auto copied = run(master.call({"WAIT", "1", "10000"}));
        QVERIFY(copied && copied->integer >= 1);
        m_cluster.at(0).kill();
        QTRY_COMPARE_WITH_TIMEOUT(standOf(session, name), "held on " + portOf(3), kLimit);
        QTRY_VERIFY_WITH_TIMEOUT(saysItMayExistTwice(session, name), kLimit);
        QVERIFY(!saysItMayExistTwice(session, other));
        QTRY_VERIFY2_WITH_TIMEOUT(serversIn(session).contains(QString::fromUtf8(portOf(0) + " away")),
                                  qPrintable(serversIn(session).join(u'\n')), kLimit);
        QTRY_COMPARE_WITH_TIMEOUT(serversIn(session), ownWord(3), kLimit);
        QCOMPARE(count(session, EventKind::RecordFailedOver), 1); // of this lock; the other one stayed where it was
        QCOMPARE(count(session, EventKind::RecordFreed), 0);
        QCOMPARE(standOf(session, other), "held on " + portOf(1));

        const auto restarted = run(m_cluster.start());
        QVERIFY2(restarted, restarted ? "" : qPrintable(restarted.error()));
        const QString returned = QString::fromUtf8(portOf(0) + " replica of " + portOf(3));
        QTRY_VERIFY_WITH_TIMEOUT(serversIn(session).contains(returned), kLimit);
        QTRY_COMPARE_WITH_TIMEOUT(serversIn(session), ownWord(3), kLimit);

        // A recording of it tells the same.
        const QTemporaryDir folder;
        const QString file = folder.filePath(u"cluster.lockscope"_qs);
        VERIFY_OK(trace::saveRecording(file, session.trace(), {}));
        const auto loaded = trace::loadRecording(file);
        QVERIFY2(loaded, loaded ? "" : qPrintable(loaded.error().message));
        QCOMPARE(serversIn(*loaded->trace, loaded->trace), serversIn(session));
    }
};

QTEST_GUILESS_MAIN(TestLiveCluster)
#include "tst_live_cluster.moc"
