// SPDX-License-Identifier: Apache-2.0
// Simulated Sentinels, behaviour by behaviour of the real ones. A function's number is the behaviour's.
#include "simulated_group.h"

#include <algorithm>

using namespace lockscope;
using redis::Reply;
using tests::SimulatedGroup;

namespace {

constexpr int kSeeds = 20;

/// A master, two replicas and three Sentinels with D = 1 s, and all that the Sentinels tell.
struct Watched : SimulatedGroup {
    struct Told {
        Nanos at;
        QByteArray by, event, payload;
    };
    std::vector<Told> told;

    static sim::RedisService::Settings usual(Nanos downAfter = 1s, Nanos timeout = 3s) {
        auto all = settings(2, 3);
        all.sentinel.downAfter = downAfter;
        all.sentinel.failoverTimeout = timeout;
        return all;
    }
    explicit Watched(std::uint64_t seed = 1, const sim::RedisService::Settings& s = usual()) : SimulatedGroup(s, seed) {
        for (std::size_t i = 0; i < s.sentinelIds.size(); ++i) {
            service->sentinel(i).onEvent = [this](const sim::SentinelServer& by, const QByteArray& event,
                                                  const QByteArray& payload) {
                told.push_back({scheduler.now(), by.id(), event, payload});
            };
        }
        run(15s);
        told.clear();
    }
    /// When that was first told, since `from`; nullopt: never.
    std::optional<Nanos> first(const char* event, Nanos from = {}, const QByteArray& by = {}) const {
        for (const Told& one : told)
            if (one.event == event && one.at >= from && (by.isEmpty() || one.by == by)) return one.at - from;
        return std::nullopt;
    }
    int count(const char* event) const {
        return int(std::ranges::count_if(told, [event](const Told& one) { return one.event == event; }));
    }
    QByteArray leader() const {
        for (const Told& one : told)
            if (one.event == "+elected-leader") return one.by;
        return {};
    }
    QByteArray masterBy(std::size_t sentinel) {
        const Reply reply = ask(service->sentinel(sentinel), {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main"});
        return reply.items.empty() ? QByteArray() : reply.items[0].text;
    }
    std::string events() const {
        QByteArray text;
        for (const Told& one : told)
            text += QByteArray::number(double(one.at.count()) / 1e6, 'f', 1) + ' ' + one.by + ' ' + one.event + ' ' +
                    one.payload + '\n';
        return text.toStdString();
    }
};

bool between(const std::optional<Nanos>& time, Nanos low, Nanos high) {
    return time && *time >= low && *time <= high;
}

} // namespace

class TestRedisSentinels : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aHealthyGroupIsLeftAlone() {
        Watched w;
        w.run(60s);
        QVERIFY2(w.told.empty(), w.events().c_str());
    }

    // The rows of the measured table, as ranges: three Sentinels, two replicas, master killed, quorum 2, D = 1 s.
    void R28_R31_R32_R33_R36_R37_aFailoverTakesItsTime() {
        for (int seed = 1; seed <= kSeeds; ++seed) {
            Watched w(seed);
            const Nanos killed = w.scheduler.now();
            auto& onReplica = w.connect(w.at(1));
            auto& onOther = w.connect(w.at(2));
            w.at(0).kill();
            std::optional<Nanos> promoted;
            for (int i = 0; i < 6000 && !w.first("+failover-end"); ++i) {
                w.run(1ms);
                if (!promoted && (!w.at(1).isReplica() || !w.at(2).isReplica())) promoted = w.scheduler.now() - killed;
            }
            const auto check = [&](const char* event, Nanos low, Nanos high) {
                if (between(w.first(event, killed), low, high)) return true;
                qWarning("seed %d: %s\n%s", seed, event, w.events().c_str());
                return false;
            };
            QVERIFY(check("+sdown", 1000ms, 1170ms));
            QVERIFY(check("+odown", 1000ms, 1430ms));
            QVERIFY(check("+try-failover", 1000ms, 1430ms));
            QVERIFY(check("+elected-leader", 1050ms, 1540ms));
            QVERIFY(between(promoted, 1100ms, 1700ms));
            QVERIFY(check("+promoted-slave", 1700ms, 2650ms));
            QVERIFY(check("+switch-master", 1760ms, 2780ms));
            QVERIFY(check("+failover-end", 2600ms, 4020ms));
            w.run(2s);
            const QByteArray now = w.at(1).isReplica() ? "redis-3" : "redis-2";
            for (std::size_t i = 0; i < 3; ++i)
                QCOMPARE(w.masterBy(i), now);
            // R28: the promoted one and the one that was pointed to it cut off all their clients.
            QVERIFY(onReplica.cut && onOther.cut);
            // R37: the leader tells of the switch after the others.
            QVERIFY(*w.first("+switch-master", killed, w.leader()) > *w.first("+switch-master", killed));
        }
    }

    /// A Sentinel pings as often as its limit is short: a period of a second would find some deaths later.
    void R30_aShortLimitIsKeptByFrequentPings() {
        for (int seed = 1; seed <= kSeeds; ++seed) {
            Watched w(seed, Watched::usual(300ms));
            const Nanos killed = w.scheduler.now();
            w.at(0).kill();
            w.run(2s);
            const auto found = w.first("+sdown", killed);
            QVERIFY2(between(found, 290ms, 800ms), w.events().c_str());
        }
    }

    void R18_aDeadlineIsTheSameAfterAPromotion() {
        Watched w;
        w.ask(w.at(0), {"SET", "k", "v", "PX", "60000"});
        const auto deadline = w.ask(w.at(0), {"PEXPIRETIME", "k"}).integer;
        w.run(100ms);
        w.at(0).kill();
        w.run(10s);
        const std::size_t now = w.at(1).isReplica() ? 2 : 1;
        QVERIFY(!w.at(now).isReplica());
        QCOMPARE(w.ask(w.at(now), {"PEXPIRETIME", "k"}).integer, deadline);
    }

    void R33_R34_withoutAMajorityNobodyIsElected() {
        auto settings = Watched::usual();
        settings.sentinel.quorum = 1;
        Watched w(1, settings);
        w.service->sentinel(1).kill();
        w.service->sentinel(2).kill();
        w.at(0).kill();
        w.run(20s);
        QVERIFY2(w.count("-failover-abort-not-elected") >= 2, w.events().c_str());
        QCOMPARE(w.count("+elected-leader"), 0);
        const auto began = *w.first("+try-failover");
        QVERIFY(between(w.first("-failover-abort-not-elected", began), 2900ms, 4200ms));
        QVERIFY(between(w.first("+try-failover", began + 1ms), 5900ms, 7200ms));
        QVERIFY(w.at(1).isReplica() && w.at(2).isReplica());
    }

    void R34_R35_priorityZeroIsNeverPromoted() {
        Watched w;
        w.at(1).replication().setPriority(0);
        w.at(2).replication().setPriority(0);
        w.run(12s);
        w.at(0).kill();
        w.run(6s);
        QVERIFY2(w.count("-failover-abort-no-good-slave") >= 1, w.events().c_str());
        QVERIFY(w.at(1).isReplica() && w.at(2).isReplica());
    }

    void R35_theReplicaThatIsFurthestIsPromoted() {
        Watched w;
        w.network.between(w.at(0).entity(), w.at(1).entity()).setCut(true);
        w.ask(w.at(0), {"SET", "k", "v"});
        w.run(11s);
        w.at(0).kill();
        w.run(6s);
        QVERIFY(!w.at(2).isReplica());
        QCOMPARE(w.ask(w.at(2), {"GET", "k"}).text, "v");
    }

    void R38_theLeaderNamesTheNewAddressWithTheOldDetails() {
        bool seen = false;
        Watched w;
        w.at(0).kill();
        for (int i = 0; i < 500 && !seen; ++i) {
            w.run(10ms);
            for (std::size_t s = 0; s < 3; ++s) {
                const Reply details = w.ask(w.service->sentinel(s), {"SENTINEL", "MASTER", "main"});
                QByteArray ip, epoch;
                for (std::size_t f = 0; f + 1 < details.items.size(); f += 2) {
                    if (details.items[f].text == "ip") ip = details.items[f + 1].text;
                    if (details.items[f].text == "config-epoch") epoch = details.items[f + 1].text;
                }
                seen = seen || (w.masterBy(s) != "redis-1" && ip == "redis-1" && epoch == "1");
            }
        }
        QVERIFY(seen);
        QVERIFY(w.ask(w.service->sentinel(0), {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "nobody"}).isNil());
        QCOMPARE(w.ask(w.service->sentinel(0), {"SENTINEL", "MASTER", "nobody"}).text,
                 "ERR No such master with that name");
    }

    void R40_subscribersHearOfTheSwitch() {
        Watched w;
        auto& subscriber = w.connect(w.service->sentinel(0));
        w.ask(subscriber, {"SUBSCRIBE", "+switch-master"});
        w.at(0).kill();
        w.run(6s);
        const QByteArray now = w.at(1).isReplica() ? "redis-3" : "redis-2";
        QCOMPARE(subscriber.heard, (std::vector<QByteArray>{"+switch-master main redis-1 6379 " + now + " 6379"}));
    }

    // A Sentinel keeps the second between two tries to connect: with a down-after below it the new master looks silent.
    void R39_aHealthyNewMasterCanBeReplacedAgain() {
        const auto again = [](Nanos downAfter) {
            int runs = 0;
            for (int seed = 1; seed <= kSeeds; ++seed) {
                Watched w(seed, Watched::usual(downAfter));
                w.at(0).kill();
                w.run(downAfter + 9s);
                const bool twice = std::ranges::any_of(w.told, [](const Watched::Told& one) {
                    const bool ofAnother = !one.payload.startsWith("master main redis-1 ");
                    return one.event == "+try-failover" && ofAnother;
                });
                runs += twice ? 1 : 0;
            }
            return runs;
        };
        QVERIFY2(again(900ms) > 0, "no seed reached it");
        QCOMPARE(again(3s), 0);
    }

    void R43_aReplicaOfTheWrongServerIsPointedBack() {
        for (int seed = 1; seed <= 5; ++seed) {
            Watched w(seed);
            const Nanos strayed = w.scheduler.now();
            w.ask(w.at(1), {"REPLICAOF", "redis-3", "6379"});
            w.run(2500ms);
            QCOMPARE(w.count("+fix-slave-config"), 0); // not before the failover time-out
            w.run(20s);
            const auto fixed = w.first("+fix-slave-config", strayed);
            QVERIFY2(between(fixed, 3s, 15s), w.events().c_str());
            QCOMPARE(w.at(1).replication().master(), &w.at(0));
            QCOMPARE(w.count("+try-failover"), 0);
        }
    }

    void R41_theOldMasterIsDemotedTenSecondsAfterItsReturn() {
        for (int seed = 1; seed <= 3; ++seed) {
            Watched w(seed);
            w.at(0).kill();
            w.run(20s);
            const Nanos back = w.scheduler.now();
            w.at(0).start();
            auto& client = w.connect(w.at(0));
            QCOMPARE(w.ask(client, {"SET", "own", "v"}).text, "OK");
            w.run(7900ms);
            QVERIFY(!w.at(0).isReplica());
            w.run(7s);
            QVERIFY2(w.at(0).isReplica(), w.events().c_str());
            QVERIFY2(between(w.first("+convert-to-slave", back), 8s, 13s), w.events().c_str());
            QVERIFY(client.cut);
            w.run(1s);
            QVERIFY(w.ask(w.at(0), {"GET", "own"}).isNil());
        }
    }

    void R42_aMasterThatIsCutOffGoesOn() {
        Watched w;
        w.network.partition({w.at(0).entity()}, {w.at(1).entity(), w.at(2).entity(), w.service->sentinel(0).entity(),
                                                 w.service->sentinel(1).entity(), w.service->sentinel(2).entity()});
        w.run(8s);
        QCOMPARE(w.ask(w.at(0), {"SET", "k", "v"}).text, "OK");
        QCOMPARE(w.ask(w.at(0), {"ROLE"}).items[0].text, "master");
        QVERIFY(w.at(1).isReplica() != w.at(2).isReplica());
    }

    /// Questions over the cut links are never answered: Sentinels ask again, and so learn that there are two masters.
    void R41_R42_aMasterThatWasCutOffIsDemotedAfterwards() {
        for (int seed = 1; seed <= kSeeds; ++seed) {
            Watched w(seed);
            w.network.partition({w.at(0).entity()},
                                {w.at(1).entity(), w.at(2).entity(), w.service->sentinel(0).entity(),
                                 w.service->sentinel(1).entity(), w.service->sentinel(2).entity()});
            w.run(25s);
            QVERIFY(!w.at(0).isReplica());
            w.network.healAll();
            w.run(20s);
            QVERIFY2(w.at(0).isReplica(), qPrintable(QStringLiteral("seed %1").arg(seed)));
            QVERIFY(w.count("+convert-to-slave") > 0);
        }
    }

    void R44_aSentinelThatWasStoppedTilts() {
        Watched w;
        w.service->sentinel(0).pause();
        w.run(3s);
        w.service->sentinel(0).resume();
        w.run(1s);
        QCOMPARE(w.count("+tilt"), 1);
        QVERIFY(w.first("+sdown"));
        w.service->sentinel(1).kill();
        w.at(0).kill();
        w.run(10s);
        QCOMPARE(w.count("+odown"), 0); // of three one is dead and one tilts
        w.run(40s);
        QVERIFY2(w.count("+switch-master") > 0, w.events().c_str());
    }

    void R45_aSentinelThatRestartsKnowsWhatItKnew() {
        Watched w;
        w.at(0).kill();
        w.run(6s);
        const QByteArray now = w.masterBy(0);
        w.service->sentinel(0).kill();
        w.service->sentinel(0).start();
        QCOMPARE(w.masterBy(0), now);
        QVERIFY(now != "redis-1");
    }

    void R46_whatASentinelUnderstands() {
        Watched w;
        auto& session = w.connect(w.service->sentinel(0));
        QCOMPARE(w.ask(session, {"PING"}).text, "PONG");
        QCOMPARE(w.ask(session, {"CLIENT", "SETNAME", "x"}).text, "OK");
        QCOMPARE(w.ask(session, {"ROLE"}).items[0].text, "sentinel");
        QVERIFY(w.ask(session, {"GET", "k"}).text.startsWith("ERR unknown command 'GET'"));
        QVERIFY(w.ask(session, {"SELECT", "0"}).text.startsWith("ERR unknown command 'SELECT'"));
        QCOMPARE(w.ask(session, {"PUBLISH", "c", "m"}).text,
                 "ERR Only HELLO messages are accepted by Sentinel instances.");
        QVERIFY(w.ask(session, {"AUTH", "x"}).text.startsWith("ERR AUTH <password> called without any password"));
    }

    void theRecordFollowsTheMaster() {
        Watched w;
        w.service->watch("orders", "redis-set");
        w.ask(w.at(0), {"SET", "orders", "A:1", "PX", "60000"});
        w.run(100ms);
        const auto held = [&w] {
            trace::EntityId owner = 0;
            for (std::size_t i = 0; i < w.trace->size(); ++i) {
                const trace::Event event = w.trace->at(i);
                if (event.kind == trace::EventKind::RecordHeld) owner = event.actor;
                if (event.kind == trace::EventKind::RecordFreed) owner = 0;
            }
            return owner != 0;
        };
        QVERIFY(held());
        w.at(0).kill();
        w.run(6s);
        QVERIFY(held()); // the replica had it
        const Reply role = w.ask(w.at(w.at(1).isReplica() ? 2 : 1), {"ROLE"});
        QCOMPARE(role.items[0].text, "master");
    }
};

QTEST_GUILESS_MAIN(TestRedisSentinels)
#include "tst_redis_sentinels.moc"
