// SPDX-License-Identifier: Apache-2.0
// Verbs that every kind of server, client and link can suffer: what each leaves in the trace, and that locks survive
// what they promise to survive.
#include "scenario/service_spec.h"
#include "scenario_runs.h"
#include "session/bounds.h"
#include "trace/cut_ways.h"

#include <set>

using namespace lockscope;
using namespace lockscope::tests;
using scenario::Action;
using scenario::Fault;
using scenario::Scenario;
using trace::Event;
using trace::EventKind;
using verdict::Invariant;
using verdict::Outcome;

namespace {

Scenario calm(const char* recipe, const char* kind) {
    Scenario made;
    made.id = made.title = QStringLiteral("verbs");
    made.recipe = QString::fromLatin1(recipe);
    made.until = 40s;
    made.lock.lease = 6s;
    made.lock.watchdog = 2s;
    made.workload.clients = 3;
    made.workload.hold = {500ms, 1500ms};
    made.workload.think = {50ms, 300ms};
    made.setServices({scenario::defaultService(QString::fromLatin1(kind))});
    return made;
}

Fault at(Nanos when, Action action, const char* target, Nanos value = {}) {
    Fault fault;
    fault.at = when;
    fault.action = action;
    fault.target = QString::fromLatin1(target);
    fault.value = value;
    return fault;
}

/// The names of the links that rows of that kind are about: "A-redis-1".
std::set<QByteArray> linksIn(const trace::Trace& trace, EventKind kind) {
    std::set<QByteArray> names;
    for (const Event& event : rows(trace, kind)) {
        const trace::Entity& link = trace.entity(event.subject);
        names.insert(trace.entity(link.parent).name + '-' + trace.entity(link.other).name);
    }
    return names;
}

void kinds() {
    QTest::addColumn<QByteArray>("recipe");
    QTest::addColumn<QByteArray>("kind");
    QTest::newRow("redis") << QByteArray("redis-reentrant") << QByteArray("redis");
    QTest::newRow("zookeeper") << QByteArray("zk-mutex") << QByteArray("zookeeper");
    QTest::newRow("etcd") << QByteArray("etcd-lease") << QByteArray("etcd");
    QTest::newRow("memcached") << QByteArray("memcached-lease") << QByteArray("memcached");
    QTest::newRow("sql") << QByteArray("sql-lease") << QByteArray("sql");
}

} // namespace

class TestFaultVerbs final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aResetBreaksConnectionsAndNoLock_data() { kinds(); }
    void aResetBreaksConnectionsAndNoLock() {
        QFETCH(QByteArray, recipe);
        QFETCH(QByteArray, kind);
        Scenario scenario = calm(recipe.constData(), kind.constData());
        Fault reset = at(5s, Action::ResetLink, "holder");
        reset.every = 3s;
        scenario.faults = {reset};
        Scenario calmly = scenario;
        calmly.faults.clear();
        std::set<std::int64_t> others; // what asks anew asks more, or later
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            QVERIFY(!rows(*report.trace, EventKind::LinkMended).empty());
            const auto undisturbed = experiment::run(calmly, seed);
            others.insert(std::int64_t(rows(*report.trace, EventKind::Request).size()) -
                          std::int64_t(rows(*undisturbed.trace, EventKind::Request).size()));
            QCOMPARE(outcome(report, Invariant::MutualExclusion), Outcome::Holds);
            QCOMPARE(outcome(report, Invariant::Progress), Outcome::Holds);
            QVERIFY(report.acquisitions > 10);
        }
        QVERIFY(others != std::set<std::int64_t>{0});
    }

    void aPartitionCutsAllLinksBetweenTwoSets() {
        Scenario scenario = calm("zk-mutex", "zookeeper");
        Fault cut = at(5s, Action::CutLink, "A,B|zk-1,zk-2");
        cut.duration = 3s;
        scenario.faults = {cut};
        const auto report = experiment::run(scenario, 1);
        const std::set<QByteArray> expected{"A-zk-1", "A-zk-2", "B-zk-1", "B-zk-2"};
        QCOMPARE(linksIn(*report.trace, EventKind::LinkCut), expected);
        QCOMPARE(linksIn(*report.trace, EventKind::LinkMended), expected);
        for (const Event& mended : rows(*report.trace, EventKind::LinkMended))
            QCOMPARE(mended.time(), Nanos(8s));
    }

    void inOneDirectionOnlyRequestsOrOnlyAnswersAreLost() {
        for (const auto& [target, lost, arrives] : {std::tuple("A>redis-1", EventKind::Request, EventKind::Reply),
                                                    {"A<redis-1", EventKind::Reply, EventKind::Request}}) {
            Scenario scenario = calm("redis-set", "redis");
            scenario.workload.clients = 1;
            scenario.faults = {at(5s, Action::CutLink, target)};
            const auto report = experiment::run(scenario, 1);
            const auto cuts = rows(*report.trace, EventKind::LinkCut);
            QCOMPARE(cuts.size(), std::size_t(1));
            const bool forth = lost == EventKind::Request;
            QCOMPARE(trace::cutWays(cuts[0].value), forth ? trace::CutWays::Forth : trace::CutWays::Back);
            int gone = 0;
            for (const Event& event : rows(*report.trace, lost))
                if (event.time() > 5s) {
                    QCOMPARE(event.value, -1);
                    ++gone;
                }
            QVERIFY(gone > 0);
            for (const Event& event : rows(*report.trace, arrives))
                QVERIFY(event.time() < 5s || event.value >= 0);
        }
    }

    /// Each change of the ways that are cut has a row, also where only one of two is mended.
    void aHalfMendedLinkIsStillCut() {
        using trace::CutWays;
        Scenario scenario = calm("redis-set", "redis");
        scenario.workload.clients = 1;
        scenario.faults = {at(5s, Action::CutLink, "A-redis-1"), at(6s, Action::MendLink, "A>redis-1"),
                           at(7s, Action::CutLink, "A<redis-1"), at(8s, Action::MendLink, "A<redis-1"),
                           at(9s, Action::CutLink, "A>redis-1"), at(10s, Action::CutLink, "A<redis-1")};
        const auto report = experiment::run(scenario, 1);
        std::vector<std::pair<Nanos, CutWays>> cuts;
        for (const Event& cut : rows(*report.trace, EventKind::LinkCut))
            cuts.emplace_back(cut.time(), trace::cutWays(cut.value));
        const std::vector<std::pair<Nanos, CutWays>> expected{
            {5s, CutWays::Both}, {6s, CutWays::Back}, {9s, CutWays::Forth}, {10s, CutWays::Both}};
        QCOMPARE(cuts, expected);
        const auto mends = rows(*report.trace, EventKind::LinkMended);
        QCOMPARE(mends.size(), std::size_t(1));
        QCOMPARE(mends[0].time(), Nanos(8s));
    }

    /// The lock whose name the fault has, and no other.
    void theLockThatIsNamedIsEvicted() {
        Scenario scenario = calm("redis-set", "redis");
        scenario.moreLocks = {{.settings = {.name = QStringLiteral("stock")}, .recipe = {}}};
        Fault evict = at(5s, Action::EvictKey, "redis-1");
        evict.text = QStringLiteral("stock");
        scenario.faults = {evict, at(6s, Action::EvictKey, "redis-1")};
        const auto report = experiment::run(scenario, 1);
        QCOMPARE(messages(*report.trace, EventKind::SettingChanged, "evict=stock").size(), std::size_t(1));
        QCOMPARE(messages(*report.trace, EventKind::SettingChanged, "evict=orders").size(), std::size_t(1));
    }

    /// Connections that clients give back go to strangers: nobody gets a connection until they give all of them back.
    void anExhaustedPoolKeepsEverybodyOut() {
        Scenario scenario = calm("sql-lease", "sql");
        scenario.services.front().pool = 4;
        Fault exhaust = at(5s, Action::ExhaustPool, "sql-1");
        exhaust.duration = 6s;
        scenario.faults = {exhaust};
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            std::vector<std::pair<Nanos, QByteArray>> changes;
            for (const Event& event : rows(*report.trace, EventKind::SettingChanged))
                changes.emplace_back(event.time(), report.trace->entity(event.aux).name);
            QCOMPARE(changes, (std::vector<std::pair<Nanos, QByteArray>>{{5s, "pool=exhausted"}, {11s, "pool=free"}}));
            int before = 0, meanwhile = 0, after = 0;
            for (const Event& event : rows(*report.trace, EventKind::Granted)) {
                // A statement that was under way at 5 s ends well within 100 ms.
                before += event.time() < 5s;
                meanwhile += event.time() > 5100ms && event.time() < 11s;
                after += event.time() >= 11s;
            }
            QVERIFY(before > 0 && after > 0);
            QCOMPARE(meanwhile, 0);
            QCOMPARE(outcome(report, Invariant::MutualExclusion), Outcome::Holds);
        }
    }

    void healingGivesAPoolItsConnectionsBack() {
        Scenario scenario = calm("sql-lease", "sql");
        scenario.services.front().pool = 2;
        scenario.faults = {at(5s, Action::ExhaustPool, "sql-1"), at(9s, Action::HealAll, "")};
        const auto report = experiment::run(scenario, 1);
        const auto grants = rows(*report.trace, EventKind::Granted);
        QVERIFY(std::ranges::any_of(grants, [](const Event& event) { return event.time() > 9s; }));
        QVERIFY(std::ranges::none_of(grants,
                                     [](const Event& event) { return event.time() > 5100ms && event.time() < 9s; }));
    }

    void jitterDrawsEachLatency() {
        Scenario scenario = calm("redis-set", "redis");
        scenario.faults = {at(5s, Action::JitterLink, "A-redis-1", 80ms)};
        const auto report = experiment::run(scenario, 1);
        std::int64_t shortest = INT64_MAX, longest = 0;
        const trace::Trace& trace = *report.trace;
        for (const Event& event : rows(trace, EventKind::Request)) {
            if (event.time() < 5s || trace.entity(event.actor).name != "A") continue;
            shortest = std::min(shortest, event.value);
            longest = std::max(longest, event.value);
        }
        QVERIFY(shortest < Nanos(30ms).count() && longest > Nanos(50ms).count());
        QVERIFY(longest <= Nanos(81ms).count());
    }

    void aClockThatDriftsEndsLeasesEarly() {
        // The server's clock gains half a second a second: an entry of six seconds is gone after four.
        Scenario scenario = calm("redis-set", "redis");
        scenario.lock.watchdog = {};
        scenario.workload.hold = {5s, 5s};
        scenario.until = 30s;
        scenario.faults = {at(0s, Action::DriftClock, "redis-1", 500ms)};
        const auto report = experiment::run(scenario, 1);
        QCOMPARE(outcome(report, Invariant::MutualExclusion), Outcome::Violated);
        QCOMPARE(messages(*report.trace, EventKind::SettingChanged, "drift=").size(), std::size_t(1));
        scenario.faults.front().value = -500ms; // slow: an entry outlives its client's trust
        QCOMPARE(outcome(experiment::run(scenario, 1), Invariant::MutualExclusion), Outcome::Holds);
    }

    void aFaultCanStrikeAgainAndAgain() {
        Scenario scenario = calm("redis-set", "redis");
        Fault pause = at(2s, Action::PauseClient, "A");
        pause.duration = 200ms;
        pause.every = 1s;
        pause.times = 5;
        scenario.faults = {pause};
        const auto report = experiment::run(scenario, 1);
        const auto paused = rows(*report.trace, EventKind::ClientPaused);
        QCOMPARE(paused.size(), std::size_t(5));
        QCOMPARE(rows(*report.trace, EventKind::ClientResumed).size(), std::size_t(5));
        for (std::size_t i = 0; i < paused.size(); ++i)
            QCOMPARE(paused[i].time(), Nanos(2s + i * 1s));
    }

    void severalAreStruckByOneFault() {
        // Roles are looked up before the first of them falls.
        Scenario scenario = calm("zk-mutex", "zookeeper");
        scenario.faults = {at(5s, Action::PauseNode, "follower[0],follower[1]"), at(6s, Action::PauseClient, "A,C")};
        const auto report = experiment::run(scenario, 1);
        QCOMPARE(rows(*report.trace, EventKind::NodePaused).size(), std::size_t(2));
        QCOMPARE(rows(*report.trace, EventKind::ClientPaused).size(), std::size_t(2));
    }

    void whatAServerThrowsOutIsLostAtOnce_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<int>("action");
        QTest::addColumn<int>("why");
        for (const auto& [recipe, kind] :
             {std::pair("redis-set", "redis"), {"redis-reentrant", "redis"}, {"memcached-lease", "memcached"}}) {
            QTest::addRow("%s evict", recipe)
                << QByteArray(recipe) << QByteArray(kind) << int(Action::EvictKey) << int(trace::FreedBy::Evicted);
            QTest::addRow("%s flush", recipe)
                << QByteArray(recipe) << QByteArray(kind) << int(Action::FlushNode) << int(trace::FreedBy::NodeLoss);
        }
    }
    void whatAServerThrowsOutIsLostAtOnce() {
        QFETCH(QByteArray, recipe);
        QFETCH(QByteArray, kind);
        QFETCH(int, action);
        QFETCH(int, why);
        Scenario scenario = calm(recipe.constData(), kind.constData());
        scenario.workload.hold = {5s, 5s};
        Fault drop = at({}, Action(action), (kind + "-1").constData());
        drop.at.reset();
        drop.when = scenario::Trigger{.nth = 2, .after = 1s};
        scenario.faults = {drop};
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            const Event dropped = rows(*report.trace, EventKind::SettingChanged).at(0);
            const auto freed = rows(*report.trace, EventKind::RecordFreed);
            const auto gone = std::ranges::find(freed, dropped.at, &Event::at);
            QVERIFY(gone != freed.end());
            QCOMPARE(int(gone->flags & trace::kFreedByMask), why);
            QCOMPARE(outcome(report, Invariant::Ownership), Outcome::Holds);
            QCOMPARE(outcome(report, Invariant::Progress), Outcome::Holds);
        }
    }

    /// At the end of a run all is healed, and the recipe owes progress: what is stuck then is stuck for good.
    void aLivenessPhaseTellsWhatIsStuckForGood() {
        for (const auto& [recipe, progress] :
             {std::pair("redis-setnx-expire", Outcome::Violated), {"redis-set", Outcome::Holds}}) {
            Scenario scenario = builtin("crash-before-expire");
            scenario.recipe = QString::fromLatin1(recipe);
            scenario.until = 10s;
            scenario.liveness.reset();
            const Scenario lively = session::withLiveness(scenario);
            QCOMPARE(lively.liveness, std::optional<Nanos>(10s));
            QVERIFY(lively.until - 10s > session::boundsFor(scenario).progress);
            QCOMPARE(session::withLiveness(lively), lively);
            for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
                const auto report = experiment::run(lively, seed);
                const auto healed = rows(*report.trace, EventKind::Healed);
                QCOMPARE(healed.size(), std::size_t(1));
                QCOMPARE(healed.front().time(), Nanos(10s));
                QCOMPARE(outcome(report, Invariant::Progress), progress);
            }
        }
    }

    /// A lock that counts its holds counts one too many: it stays when its client has given it back.
    void aRepeatedRequestIsDoneTwice() {
        for (const auto& [recipe, count] : {std::pair("redis-reentrant", 2), {"redis-fair", 2}, {"redis-set", 1}}) {
            Scenario scenario = calm(recipe, "redis");
            scenario.workload.clients = 1;
            scenario.until = 20s;
            Fault twice; // not of the first grant: then the server does not know the script yet
            twice.when = scenario::Trigger{.on = scenario::Trigger::On::Step, .nth = 2, .step = 1};
            twice.action = Action::RepeatRequest;
            twice.target = QStringLiteral("same");
            scenario.faults = {twice};
            for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
                sim::resetProbes();
                const auto report = experiment::run(scenario, seed);
                QCOMPARE(reachedSoFar(sim::Probe::RequestRepeated), std::uint64_t(1));
                const auto armed = rows(*report.trace, EventKind::RepeatArmed);
                QCOMPARE(armed.size(), std::size_t(1));
                const auto requests = rows(*report.trace, EventKind::Request);
                const auto isCopy = [](const Event& e) { return (e.flags & trace::kFault) != 0; };
                QCOMPARE(std::ranges::count_if(requests, isCopy), 1);
                // Between the grant and the release it lies there so often.
                std::uint32_t most = 0;
                for (const Event& e : rows(*report.trace, EventKind::RecordHeld))
                    most = std::max(most, e.aux);
                for (const Event& e : rows(*report.trace, EventKind::RecordRenewed))
                    most = std::max(most, e.aux);
                QCOMPARE(int(most), count);
                QCOMPARE(outcome(report, Invariant::MutualExclusion), Outcome::Holds);
            }
        }
    }

    void onlyRequestsToRedisAreRepeated() {
        Scenario scenario = calm("zk-mutex", "zookeeper");
        scenario.faults = {at(2s, Action::RepeatRequest, "A")};
        const auto report = experiment::run(scenario, 1);
        QVERIFY(rows(*report.trace, EventKind::RepeatArmed).empty());
    }

    void afterTheHealingNoFaultStrikesAnyMore() {
        Scenario scenario = calm("redis-set", "redis");
        Fault pause = at(2s, Action::PauseClient, "A,B,C");
        pause.duration = 20s;
        Fault late = at(16s, Action::KillNode, "redis-1");
        Fault again = at(1s, Action::LoseReply, "A");
        again.every = 2s;
        scenario.faults = {pause, late, again};
        scenario.liveness = 15s;
        const auto report = experiment::run(scenario, 1);
        QVERIFY(rows(*report.trace, EventKind::NodeKilled).empty());
        for (const Event& armed : rows(*report.trace, EventKind::ReplyLossArmed))
            QVERIFY(armed.time() < 15s);
        const auto granted = rows(*report.trace, EventKind::Granted);
        QVERIFY(std::ranges::any_of(granted, [](const Event& e) { return e.time() > 15s; }));
    }
};

QTEST_GUILESS_MAIN(TestFaultVerbs)
#include "tst_fault_verbs.moc"
