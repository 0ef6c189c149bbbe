// SPDX-License-Identifier: Apache-2.0
#include "hand_written.h"
#include "verdict/why_safe.h"

using namespace lockscope;
using namespace lockscope::verdict;
using trace::EntityId;
using trace::EventKind;
using trace::FreedBy;

namespace {

/// A holds the lock at 200 ms, when the leader dies.
struct Story : HandWritten {
    EntityId other = trace->intern(trace::EntityKind::Node, "redis-2");
    explicit Story(const char* role = "leader") {
        started();
        add(1, EventKind::NodeRole, node, 0, 0, trace->text(role));
        add(1, EventKind::NodeRole, other, 0, 0, trace->text("follower"));
        take(100, a, -1);
        add(200, EventKind::NodeKilled, node);
    }
    void takeOver(int ms, const char* role = "leader") { add(ms, EventKind::NodeRole, other, 0, 0, trace->text(role)); }
    QString at(Nanos t) const { return whySafe(*trace, t); }
};

} // namespace

class TestWhySafe : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aLeadersDeathIsToldUntilTheNextHolderIsDone() {
        Story s;
        s.takeOver(300);
        s.freed(400, FreedBy::Release, s.a, s.a);
        s.released(400, s.a);
        s.take(450, s.b, -1);
        s.released(500, s.b);
        const QString died = QStringLiteral("The leader redis-1 was killed at 0.200 s while A held orders.");
        const QString took =
            QStringLiteral(" redis-2 took over at 0.300 s and knew the holder, so nobody else got in.");
        QCOMPARE(s.at(199ms), QString());
        QCOMPARE(s.at(250ms), died + QStringLiteral(" Until another server takes over, nobody can get in."));
        QCOMPARE(s.at(350ms), died + took);
        QCOMPARE(s.at(420ms), died + took);
        QCOMPARE(s.at(460ms), died + took + QStringLiteral(" B got the lock at 0.450 s, after A had given it back."));
        QCOMPARE(s.at(500ms), QString());
        // One who asks later is told, too.
        const QString all = died + took + QStringLiteral(" B got the lock at 0.450 s, after A had given it back.");
        QCOMPARE(whyItWasSafe(*s.trace, 460ms), all);
        QCOMPARE(whyItWasSafe(*s.trace, 30s), all);
        QCOMPARE(whyItWasSafe(*s.trace, 199ms), QString());
    }

    void aMasterIsCalledSo() {
        Story s("master");
        QVERIFY(s.at(250ms).startsWith(QStringLiteral("The master redis-1 was killed at 0.200 s")));
        s.takeOver(300, "leader"); // no master
        QVERIFY(s.at(350ms).endsWith(QStringLiteral("nobody can get in.")));
        s.takeOver(400, "master");
        QVERIFY(s.at(450ms).contains(QStringLiteral("redis-2 took over at 0.400 s")));
    }

    /// Nobody has to take over where the server itself comes back first.
    void aMasterThatComesBackIsNotReplaced() {
        Story s("master");
        s.add(300, EventKind::NodeStarted, s.node);
        QVERIFY(s.at(250ms).endsWith(QStringLiteral("nobody can get in.")));
        QVERIFY(s.at(350ms).endsWith(
            QStringLiteral("redis-1 was back at 0.300 s and knew the holder, so nobody else got in.")));
        s.takeOver(400, "master");
        QVERIFY(s.at(450ms).contains(QStringLiteral("redis-2 took over at 0.400 s")));
        Story elected; // a leader that starts leads only when it is elected
        elected.add(300, EventKind::NodeStarted, elected.node);
        QVERIFY(elected.at(310ms).endsWith(QStringLiteral("nobody can get in.")));
        elected.add(320, EventKind::NodeRole, elected.node, 0, 0, elected.trace->text("leader"));
        QVERIFY(elected.at(330ms).contains(QStringLiteral("redis-1 was back at 0.320 s")));
    }

    void aLeaderThatIsReplacedWhileItRunsIsToldToo() {
        HandWritten w;
        const auto other = w.trace->intern(trace::EntityKind::Node, "redis-2");
        w.started();
        w.add(1, EventKind::NodeRole, w.node, 0, 0, w.trace->text("leader"));
        w.take(100, w.a, -1);
        QCOMPARE(whySafe(*w.trace, 150ms), QString()); // the first to lead replaces nobody
        w.add(200, EventKind::NodeRole, other, 0, 0, w.trace->text("leader"));
        const QString took = QStringLiteral("redis-2 took over from redis-1 at 0.200 s while A held orders, and knew "
                                            "the holder, so nobody else got in.");
        QCOMPARE(whySafe(*w.trace, 250ms), took);
        w.give(300, w.a);
        w.take(350, w.b, -1);
        QCOMPARE(whySafe(*w.trace, 360ms),
                 took + QStringLiteral(" B got the lock at 0.350 s, after A had given it back."));
    }

    /// With too few servers nobody takes over, and nobody gets in although somebody took over before.
    void aLostMajorityIsTold() {
        HandWritten w;
        w.lock = w.trace->intern(trace::EntityKind::Lock, "orders"); // of the ensemble
        std::vector<EntityId> servers{w.node};
        for (const char* name : {"redis-2", "redis-3"})
            servers.push_back(w.trace->intern(trace::EntityKind::Node, name));
        for (const EntityId server : servers) {
            w.add(0, EventKind::NodeStarted, server);
            w.trace->intern(trace::EntityKind::Lock, "orders", server, w.lock);
        }
        w.started();
        w.add(1, EventKind::NodeRole, servers[0], 0, 0, w.trace->text("leader"));
        w.take(100, w.a, -1);
        w.add(200, EventKind::NodeKilled, servers[0]);
        w.add(300, EventKind::NodeRole, servers[1], 0, 0, w.trace->text("leader"));
        w.add(400, EventKind::NodeKilled, servers[2]);
        const QString died = QStringLiteral("The leader redis-1 was killed at 0.200 s while A held orders.");
        const QString took =
            QStringLiteral(" redis-2 took over at 0.300 s and knew the holder, so nobody else got in.");
        QCOMPARE(whySafe(*w.trace, 350ms), died + took);
        QCOMPARE(whySafe(*w.trace, 450ms),
                 died + took +
                     QStringLiteral(" There is no majority since 0.400 s (1 of 3 servers run): nobody can get in until "
                                    "one is back."));
        w.add(500, EventKind::NodeStarted, servers[2]);
        QCOMPARE(whySafe(*w.trace, 550ms), died + took);
    }

    void nothingIsClaimedWhereTheLockWasLost() {
        Story gone;
        gone.takeOver(300);
        gone.freed(300, FreedBy::NodeLoss, 0, gone.a);
        QCOMPARE(gone.at(310ms), QString());
        Story twice;
        twice.takeOver(300);
        twice.take(350, twice.b, -1);
        QCOMPARE(twice.at(360ms), QString());
        Story told;
        told.takeOver(300);
        told.add(320, EventKind::Lost, told.a, told.lock);
        QCOMPARE(told.at(330ms), QString());
    }

    void nothingIsClaimedWhereNobodyHeldItAlone() {
        HandWritten free;
        free.started();
        free.add(1, EventKind::NodeRole, free.node, 0, 0, free.trace->text("leader"));
        free.take(100, free.a, -1);
        free.released(150, free.a);
        free.add(200, EventKind::NodeKilled, free.node);
        QCOMPARE(whySafe(*free.trace, 210ms), QString());
        HandWritten shared;
        shared.started();
        shared.add(1, EventKind::NodeRole, shared.node, 0, 0, shared.trace->text("leader"));
        shared.add(100, EventKind::GrantedAs, shared.a, shared.lock, 1, 1);
        shared.granted(100, shared.a);
        shared.add(200, EventKind::NodeKilled, shared.node);
        QCOMPARE(whySafe(*shared.trace, 210ms), QString());
        HandWritten follower;
        follower.started();
        follower.add(1, EventKind::NodeRole, follower.node, 0, 0, follower.trace->text("follower"));
        follower.take(100, follower.a, -1);
        follower.add(200, EventKind::NodeKilled, follower.node);
        QCOMPARE(whySafe(*follower.trace, 210ms), QString());
    }
};

QTEST_GUILESS_MAIN(TestWhySafe)
#include "tst_why_safe.moc"
