// SPDX-License-Identifier: Apache-2.0
// Behaviours of an etcd cluster, by their numbers: leaders, quorum, cuts, and leases over all of that.
#include "etcd_group.h"

using namespace lockscope;
using tests::EtcdGroup;
using Kind = EtcdGroup::Kind;

namespace {
constexpr int kSeeds = 20;

QByteArray seconds(Nanos time) {
    return QByteArray::number(double(time.count()) / 1e9);
}
} // namespace

class TestSimulatedEtcdCluster : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void E2_aClusterElects() {
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            for (const int members : {1, 3, 5}) {
                EtcdGroup g(members, seed, false);
                const Nanos elected = g.untilLeader();
                QVERIFY2(elected >= 900ms && elected < 5s, seconds(elected));
                QVERIFY(g.tell(g.leader(), EtcdGroup::put("k")).reply->ok());
            }
        }
    }

    void E3_aDeadLeaderIsReplaced() {
        std::vector<Nanos> gaps;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            EtcdGroup g(3, seed);
            const std::int64_t term = g.leader().raft().term();
            g.leader().kill();
            gaps.push_back(g.untilLeader());
            QVERIFY(g.leader().raft().term() > term);
            const auto written = g.tell(g.leader(), EtcdGroup::put("k"));
            QVERIFY(written.reply->ok());
            QVERIFY2(written.after < 20ms, seconds(written.after));
        }
        const auto [least, most] = std::ranges::minmax(gaps);
        QVERIFY2(least >= 800ms && least < 1400ms, seconds(least));
        QVERIFY2(most > 1200ms && most < 4s, seconds(most));
    }
    void E3_leadershipIsHandedOver() {
        EtcdGroup g(3);
        sim::EtcdServer& old = g.leader();
        QVERIFY(g.service->failOver(old).has_value());
        const Nanos gap = g.untilLeader(&old);
        QVERIFY2(gap < 50ms, seconds(gap));
        QVERIFY(!g.service->failOver(old).has_value());
    }

    void E4_requestsInTheGap() {
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            EtcdGroup g(3, seed);
            sim::EtcdServer& follower = g.follower();
            g.leader().kill();
            g.run(10ms);
            const auto put = g.begin(follower, EtcdGroup::put("lost"));
            const auto read = g.begin(follower, EtcdGroup::get("k"));
            const auto own = g.tell(follower, EtcdGroup::get("k", true));
            QVERIFY(own.reply->ok() && own.after < 10ms);
            g.run(9s);
            QVERIFY(put->done && read->done);
            QCOMPARE(put->said.text(), QByteArray("etcdserver: request timed out"));
            QVERIFY2(put->said.after > 6900ms && put->said.after < 7100ms, seconds(put->said.after));
            QVERIFY(!g.has(follower, "lost"));
            QCOMPARE(read->said.text(), QByteArray("etcdserver: leader changed"));
            QVERIFY2(read->said.after < 4s, seconds(read->said.after));
        }
    }

    void E5_aProposalWaitsForALeader() {
        EtcdGroup g(3);
        sim::EtcdServer& last = g.follower();
        sim::EtcdServer& other = g.follower(1);
        g.leader().kill();
        other.kill();
        QVERIFY(g.until([&] { return last.raft().leader() == 0; }, 5s) != kNever);
        const auto waits = g.begin(last, EtcdGroup::put("k"));
        g.run(3s);
        QVERIFY(!waits->done);
        other.start();
        g.run(3s);
        QVERIFY(waits->done && waits->said.reply->ok());
        QVERIFY(g.has(last, "k"));
    }

    void E6_aCutLeader() {
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            EtcdGroup g(3, seed);
            sim::EtcdServer& old = g.leader();
            g.tell(old, EtcdGroup::lease(Kind::Grant, 7, 60));
            g.run(seed * 37ms);
            g.isolate(old);
            const auto put = g.begin(old, EtcdGroup::put("lost"));
            const auto read = g.begin(old, EtcdGroup::get("k"));
            g.run(500ms);
            // It still answers what it knows by itself.
            QCOMPARE(g.tell(old, EtcdGroup::lease(Kind::KeepAlive, 7)).reply->lease.ttl, Nanos(60s));
            const Nanos steppedDown = 500ms + g.until([&] { return !old.leads(); }, 5s);
            QVERIFY2(steppedDown >= 990ms && steppedDown <= 2200ms, seconds(steppedDown));
            QVERIFY(g.untilLeader(&old) != kNever);
            QVERIFY(g.tell(g.leader(), EtcdGroup::put("k", "new")).reply->ok());
            g.run(8s);
            QCOMPARE(put->said.text(), QByteArray("etcdserver: request timed out"));
            QCOMPARE(read->said.text(), QByteArray("etcdserver: request timed out"));
            QVERIFY(!g.has(old, "k")); // its own reads are stale
            g.isolate(old, false);
            QVERIFY(g.until([&] { return g.has(old, "k"); }, 20s) != kNever);
            QVERIFY(!g.has(old, "lost") && !g.has(g.at(0), "lost"));
        }
    }
    void E6_twoMembersMayThinkThatTheyLead() {
        int both = 0;
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            EtcdGroup g(3, seed);
            sim::EtcdServer& old = g.leader();
            g.run(seed * 37ms);
            g.isolate(old);
            g.untilLeader(&old);
            both += old.leads() ? 1 : 0;
        }
        QVERIFY2(both > 3 && both < 57, QByteArray::number(both));
    }

    void E7_aMemberWithoutALeader() {
        EtcdGroup g(3);
        g.tell(g.leader(), EtcdGroup::lease(Kind::Grant, 7, 60));
        g.tell(g.leader(), EtcdGroup::put("k", "old"));
        g.run(100ms);
        sim::EtcdServer& cut = g.follower();
        g.isolate(cut);
        QVERIFY(g.until([&] { return cut.raft().leader() == 0; }, 5s) != kNever);
        const auto watch = g.begin(cut, EtcdGroup::watch("k"));
        g.tell(g.leader(), EtcdGroup::put("k", "new"));
        const auto stale = g.tell(cut, EtcdGroup::get("k", true));
        QCOMPARE(stale.reply->range.keys.front().value, QByteArray("old"));
        const auto put = g.begin(cut, EtcdGroup::put("x"));
        const auto grant = g.begin(cut, EtcdGroup::lease(Kind::Grant, 8, 60));
        const auto read = g.begin(cut, EtcdGroup::get("k"));
        const auto keep = g.begin(cut, EtcdGroup::lease(Kind::KeepAlive, 7));
        const auto look = g.begin(cut, EtcdGroup::lease(Kind::TimeToLive, 7));
        g.run(7100ms);
        for (const auto& proposal : {put, grant}) {
            QCOMPARE(proposal->said.text(), QByteArray("context deadline exceeded"));
            QCOMPARE(proposal->said.reply->status, 500);
            QCOMPARE(proposal->said.reply->code, 2);
        }
        QCOMPARE(read->said.text(), QByteArray("etcdserver: request timed out"));
        for (const auto& aboutLease : {keep, look})
            QCOMPARE(aboutLease->said.text(), QByteArray("etcdserver: no leader"));
        QCOMPARE(watch->news.size(), 1); // E25: silent, and open
        g.isolate(cut, false);
        g.run(5s);
        QCOMPARE(watch->news.size(), 2); // it catches up
        QCOMPARE(watch->news[1].events.front().key.value, QByteArray("new"));
    }

    void E8_aHealedMemberDeposesTheLeader() {
        int elections = 0;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            EtcdGroup g(3, seed);
            sim::EtcdServer& cut = g.follower();
            const std::int64_t before = g.leader().raft().term();
            g.isolate(cut);
            g.run(11s);
            const std::int64_t grown = cut.raft().term() - before;
            QVERIFY2(grown >= 5 && grown <= 12, QByteArray::number(qint64(grown)));
            QCOMPARE(g.leader().raft().term(), before); // the majority has gone on
            g.isolate(cut, false);
            g.run(200ms);
            elections += g.service->leader() ? 0 : 1;
            const Nanos again = g.untilLeader();
            QVERIFY2(again < 5s, seconds(again));
            QVERIFY(g.leader().raft().term() > before + grown - 1);
        }
        QVERIFY(elections > kSeeds / 2);
    }
    void E8_aPausedMemberDoesNot() {
        EtcdGroup g(3);
        sim::EtcdServer& paused = g.follower();
        const std::int64_t before = g.leader().raft().term();
        paused.pause();
        g.run(5s);
        paused.resume();
        g.run(3s);
        QCOMPARE(g.leader().raft().term(), before);
        QCOMPARE(paused.raft().term(), before);
    }

    void E28_aPausedMemberAnswersWhenItGoesOn() {
        EtcdGroup g(3);
        sim::EtcdServer& paused = g.follower();
        g.tell(g.leader(), EtcdGroup::put("k", "old"));
        g.run(100ms);
        paused.pause();
        QVERIFY(g.tell(g.leader(), EtcdGroup::put("k", "new")).after < 50ms); // the others go on
        const auto local = g.begin(paused, EtcdGroup::get("k", true));
        const auto fresh = g.begin(paused, EtcdGroup::get("k"));
        g.run(3s);
        QVERIFY(!local->done && !fresh->done);
        paused.resume();
        QVERIFY(g.until([&] { return local->done && fresh->done; }, 1s) != kNever);
        QCOMPARE(fresh->said.reply->range.keys.front().value, QByteArray("new")); // it has waited for that
        g.run(300ms);
        QCOMPARE(g.tell(paused, EtcdGroup::get("k", true)).reply->range.keys.front().value, QByteArray("new"));
    }

    void E9_aWriteThatTimedOutMayReappear() {
        int reappeared = 0;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            EtcdGroup g(3, seed);
            sim::EtcdServer& survivor = g.leader();
            sim::EtcdServer& first = g.follower();
            sim::EtcdServer& second = g.follower(1);
            first.kill();
            second.kill();
            const auto early = g.begin(survivor, EtcdGroup::put("early"));
            const Nanos steppedDown = g.until([&] { return !survivor.leads(); }, 5s);
            QVERIFY2(steppedDown <= 2100ms, seconds(steppedDown));
            const auto late = g.begin(survivor, EtcdGroup::put("late"));
            g.run(10s);
            QCOMPARE(early->said.reply->status, 503);
            QCOMPARE(late->said.reply->status, 500);
            first.start();
            QVERIFY(g.untilLeader() < 6s);
            g.run(1s);
            reappeared += g.has(survivor, "early") ? 1 : 0;
            QCOMPARE(g.has(survivor, "early"), g.has(first, "early"));
            QVERIFY(!g.has(survivor, "late"));
        }
        QCOMPARE(reappeared, kSeeds); // the survivor's log is the longer one
    }
    void E9a_aPausedFollower() {
        EtcdGroup g(3);
        sim::EtcdServer& paused = g.follower();
        g.tell(g.leader(), EtcdGroup::put("k", "old"));
        g.run(100ms);
        paused.pause();
        const auto put = g.tell(g.leader(), EtcdGroup::put("k", "new"));
        QVERIFY(put.reply->ok() && put.after < 10ms);
        g.run(2s);
        const auto read = g.begin(paused, EtcdGroup::get("k"));
        g.run(500ms);
        paused.resume();
        g.run(1s);
        QCOMPARE(read->said.reply->range.keys.front().value, QByteArray("new"));
    }

    void E12_aNewLeaderGivesEveryLeaseItsWholeTime() {
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            EtcdGroup g(3, seed);
            g.tell(g.leader(), EtcdGroup::lease(Kind::Grant, 7, 5));
            g.tell(g.leader(), EtcdGroup::put("k", "v", 7));
            g.run(3500ms);
            g.leader().kill();
            const Nanos gap = g.untilLeader();
            const auto left = g.tell(g.leader(), EtcdGroup::lease(Kind::TimeToLive, 7));
            QCOMPARE(left.reply->lease.ttl, Nanos(5s)); // and an election time-out
            const sim::EtcdServer& now = g.leader();
            const Nanos lived = g.until([&] { return !g.has(now, "k"); }, 20s);
            QVERIFY2(lived >= 5900ms && lived <= 6600ms, seconds(gap) + ' ' + seconds(lived));
        }
    }
    void E12_withoutAQuorumNoLeaseEnds() {
        EtcdGroup g(3);
        g.tell(g.leader(), EtcdGroup::lease(Kind::Grant, 7, 2));
        g.tell(g.leader(), EtcdGroup::put("k", "v", 7));
        sim::EtcdServer& survivor = g.leader();
        sim::EtcdServer& first = g.follower();
        first.kill();
        g.follower(1).kill();
        g.run(20s);
        QVERIFY(g.has(survivor, "k"));
        first.start();
        const Nanos gone = g.until([&] { return !g.has(survivor, "k"); }, 20s);
        QVERIFY2(gone > 3s && gone < 8s, seconds(gone));
    }
    /// E18: a holder that counts its lease from the sending of its keep-alive is safe.
    void E18_aCutLeadersKeepAlivesAreOldEnough() {
        int keptByTheOld = 0;
        for (std::uint64_t seed = 1; seed <= 3 * kSeeds; ++seed) {
            EtcdGroup g(3, seed);
            sim::EtcdServer& old = g.leader();
            g.tell(old, EtcdGroup::lease(Kind::Grant, 7, 2));
            g.tell(old, EtcdGroup::put("k", "v", 7));
            g.run(seed * 13ms);
            g.isolate(old);
            Nanos last{};
            while (old.leads() && g.scheduler.now() < 20s) {
                const Nanos sent = g.scheduler.now();
                const auto kept = g.tell(old, EtcdGroup::lease(Kind::KeepAlive, 7));
                if (kept.reply && kept.reply->ok() && kept.reply->lease.ttl > Nanos(0)) last = sent;
                g.run(50ms);
            }
            keptByTheOld += g.service->leader() ? 1 : 0; // by then another one led
            QVERIFY(g.untilLeader(&old) != kNever);
            const sim::EtcdServer& now = g.leader();
            QVERIFY(g.until([&] { return !g.has(now, "k"); }, 20s) != kNever);
            QVERIFY2(g.scheduler.now() >= last + 2s, seconds(g.scheduler.now() - last));
        }
        QVERIFY(keptByTheOld > 0);
    }

    void E25_aKilledMemberEndsItsWatches() {
        EtcdGroup g(3);
        const auto watch = g.begin(g.at(0), EtcdGroup::watch("k"));
        g.run(10ms);
        g.at(0).kill();
        g.run(10ms);
        QVERIFY(watch->done && !watch->said.reply);
    }

    void aMemberComesBackWithItsDisk_data() {
        QTest::addColumn<bool>("empty");
        QTest::addRow("kept") << false;
        QTest::addRow("empty") << true;
    }
    void aMemberComesBackWithItsDisk() {
        QFETCH(bool, empty);
        EtcdGroup g(3);
        g.tell(g.leader(), EtcdGroup::put("k"));
        g.run(100ms);
        sim::EtcdServer& member = g.follower();
        member.kill();
        g.tell(g.leader(), EtcdGroup::put("while away"));
        if (empty)
            member.startEmpty();
        else
            member.start();
        QCOMPARE(g.has(member, "k"), !empty);
        g.run(1s);
        QVERIFY(g.has(member, "k") && g.has(member, "while away"));
    }
    void aCrashedClusterKeepsWhatItAcknowledged() {
        EtcdGroup g(3);
        QVERIFY(g.tell(g.leader(), EtcdGroup::put("k")).reply->ok());
        for (std::size_t i = 0; i < 3; ++i)
            g.at(i).crash();
        g.run(1s);
        for (std::size_t i = 0; i < 3; ++i)
            g.at(i).start();
        QVERIFY(g.untilLeader() < 6s);
        const auto read = g.tell(g.leader(), EtcdGroup::get("k"));
        QCOMPARE(read.reply->range.keys.size(), 1);
    }

    void theWireMovesOn() {
        EtcdGroup g(3);
        auto& a = g.client("A", nullptr, QStringLiteral("?timeout=5s"));
        QVERIFY(g.ask(a, [](etcd::Client& c) { return c.open(); }).has_value());
        g.at(0).kill();
        const auto moved = g.ask(a, [](etcd::Client& c) { return c.put("k", "v", 0); });
        QVERIFY(moved.has_value());
        for (std::size_t i = 1; i < 3; ++i)
            g.at(i).kill();
        const auto nobody = g.ask(a, [](etcd::Client& c) { return c.range(EtcdGroup::get("k").range); });
        QVERIFY(!nobody && nobody.error().kind == etcd::Error::Kind::Disconnected); // the connection broke first
        const auto refused = g.ask(a, [](etcd::Client& c) { return c.range(EtcdGroup::get("k").range); });
        QVERIFY(!refused && refused.error().kind == etcd::Error::Kind::Unreachable);
    }
    void lostQuorumIsAnUnknownOutcome() {
        EtcdGroup g(3);
        auto& a = g.client("A", nullptr, QStringLiteral("?timeout=3s"));
        QVERIFY(g.ask(a, [](etcd::Client& c) { return c.open(); }).has_value());
        g.follower(1).kill();
        g.follower(0).kill();
        const auto put = g.ask(a, [](etcd::Client& c) { return c.put("k", "v", 0); });
        QVERIFY(!put && put.error().outcomeUnknown());
    }
};

QTEST_GUILESS_MAIN(TestSimulatedEtcdCluster)
#include "tst_simulated_etcd_cluster.moc"
