// SPDX-License-Identifier: Apache-2.0
// Faults that a person puts on the time axis of a simulation: in its past, for later, or by a condition.
#include "experiment/run.h"
#include "scenario/scenario_file.h"
#include "session/open_scenario.h"
#include "session/shared_run.h"
#include "session/simulated_session.h"

#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using scenario::Action;
using scenario::Fault;
using scenario::Trigger;
using session::SimulatedSession;
using trace::EventKind;

namespace {

scenario::Scenario builtin(const char* id) {
    const auto loaded = scenario::loadScenario(QString::fromLatin1(id));
    if (!loaded) qFatal("%s", qPrintable(loaded.error().at(0).toString()));
    return *loaded;
}

Fault fault(Nanos at, Action action, const char* target, std::optional<Nanos> duration = {}) {
    Fault f;
    f.at = at;
    f.action = action;
    f.target = QString::fromLatin1(target);
    f.duration = duration;
    return f;
}

void runTo(SimulatedSession& session, Nanos t) {
    session.advanceTo(t);
    QTRY_VERIFY(session.trace()->reached() >= t);
}

/// When faults of that kind struck, and whom.
std::vector<std::pair<Nanos, QByteArray>> struck(const SimulatedSession& session, EventKind kind) {
    std::vector<std::pair<Nanos, QByteArray>> found;
    const auto trace = session.trace();
    for (std::size_t row = 0; row < trace->size(); ++row)
        if (trace->kindAt(row) == kind && trace->at(row).flags & trace::kFault)
            found.emplace_back(Nanos(trace->timeAt(row)), trace->entity(trace->at(row).actor).name);
    return found;
}

/// The run of this session as anybody else would have it.
QByteArray digestFromFile(const SimulatedSession& session) {
    const auto read = scenario::parseScenario(scenario::toJson(session.scenario()), QStringLiteral("run.json"));
    return read ? experiment::run(*read, session.seed()).digest() : QByteArray();
}

using Strikes = std::vector<std::pair<Nanos, QByteArray>>;

} // namespace

class TestPlannedFaults final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRefusalInThePastIsTold() {
        SimulatedSession session(builtin("replicas"), 42);
        runTo(session, 9s);
        QSignalSpy complained(&session, &SimulatedSession::complained);
        session.apply(fault({}, Action::Failover, "redis-1"), 7s); // the Sentinels do not know the replicas yet
        QTRY_COMPARE(complained.count(), 1);
        QVERIFY2(complained.at(0).at(0).toString().contains(QStringLiteral("No suitable replica")),
                 qPrintable(complained.at(0).at(0).toString()));
        runTo(session, 9s);
        session.apply(fault({}, Action::PauseClient, "A", 1s), 8s);
        runTo(session, 9s);
        QCOMPARE(complained.count(), 1); // once is enough
    }

    void aFaultPutIntoThePastMakesANewFutureAndLeavesLaterOnes() {
        SimulatedSession session(builtin("contention"), 3);
        runTo(session, 12s);
        session.apply(fault({}, Action::PauseClient, "B", 1s), 9s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(9s));
        runTo(session, 12s);
        QSignalSpy replaced(&session, &SimulatedSession::futureReplaced);
        session.plan(fault(4s, Action::PauseClient, "A", 2s));
        QCOMPARE(replaced.count(), 1);
        QCOMPARE(replaced.at(0).at(1).value<Nanos>(), Nanos(4s));
        QTRY_VERIFY(session.trace()->reached() >= Nanos(12s));
        QCOMPARE(struck(session, EventKind::ClientPaused), (Strikes{{4s, "A"}, {9s, "B"}}));
        QCOMPARE(struck(session, EventKind::ClientResumed), (Strikes{{6s, "A"}, {10s, "B"}}));
        session.undo();
        QTRY_VERIFY(session.trace()->reached() >= Nanos(12s));
        QCOMPARE(struck(session, EventKind::ClientPaused), (Strikes{{9s, "B"}}));
    }

    /// Planned ahead, it strikes as if the scenario had it, whatever is done by hand until then.
    void aFaultForLaterWaitsForItsTime() {
        const scenario::Scenario calm = builtin("contention");
        SimulatedSession session(calm, 3);
        runTo(session, 2s);
        const auto trace = session.trace();
        session.plan(fault(20s, Action::KillClient, "A", 3s));
        QCOMPARE(session.doneByHand().size(), 1u);
        runTo(session, 10s);
        QCOMPARE(session.trace(), trace); // nothing had to be computed again
        session.apply(fault({}, Action::PauseClient, "B", 1s), session.trace()->reached());
        QCOMPARE(session.doneByHand().size(), 2u);
        runTo(session, calm.until);
        QCOMPARE(struck(session, EventKind::ClientKilled), (Strikes{{20s, "A"}}));
        QCOMPARE(session.trace()->digest(), digestFromFile(session));
        // Faults still to come stay when the past is changed, too; those that had struck go with its future.
        session.apply(fault({}, Action::PauseClient, "C", 1s), 1s);
        QCOMPARE(session.doneByHand().size(), 1u);
    }

    /// The run is computed ahead of the playhead: a plan between both has struck in nobody's sight, and stays.
    void aPlanThatNobodyHasSeenStrikeStays() {
        SimulatedSession session(builtin("contention"), 3);
        session.lookedAt(5s);
        runTo(session, 8s);
        session.plan(fault(5500ms, Action::PauseClient, "A", 1s));
        session.plan(fault(7s, Action::PauseClient, "B", 1s));
        runTo(session, 8s);
        session.apply(fault({}, Action::PauseClient, "C", 1s), 5s);
        QCOMPARE(session.doneByHand().size(), 3u);
        runTo(session, 8s);
        QCOMPARE(struck(session, EventKind::ClientPaused), (Strikes{{5s, "C"}, {5500ms, "A"}, {7s, "B"}}));
        // A plan that one has seen strike belongs to the future that a change before it replaces.
        session.lookedAt(6s);
        session.lookedAt(5s);
        session.apply(fault({}, Action::KillClient, "C"), 5s);
        QCOMPARE(session.doneByHand().size(), 3u);
        runTo(session, 8s);
        QCOMPARE(struck(session, EventKind::ClientPaused), (Strikes{{5s, "C"}, {7s, "B"}}));
    }

    void aFaultCanBeMadeToLastLongerAndMoved() {
        SimulatedSession session(builtin("contention"), 3);
        session.plan(fault(4s, Action::PauseClient, "A", 2s));
        runTo(session, 12s);
        Fault longer = session.doneByHand().front();
        longer.duration = 5s;
        session.replace(7, longer); // there is none
        session.replace(0, longer);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(12s));
        QCOMPARE(struck(session, EventKind::ClientResumed), (Strikes{{9s, "A"}}));
        QSignalSpy complained(&session, &SimulatedSession::complained);
        Fault nobody = longer;
        nobody.target = QStringLiteral("Nobody");
        session.replace(0, nobody);
        QCOMPARE(complained.count(), 1);
        session.plan(fault(5s, Action::EvictKey, "A"));
        QCOMPARE(complained.count(), 2);
        QCOMPARE(session.doneByHand(), std::vector<Fault>{longer});
    }

    void aConditionCountsFromItsTimeOn_data() {
        QTest::addColumn<Nanos>("at");
        QTest::addColumn<bool>("past");
        QTest::newRow("in the past") << Nanos(5s) << true;
        QTest::newRow("for later") << Nanos(20s) << false;
    }
    void aConditionCountsFromItsTimeOn() {
        QFETCH(Nanos, at);
        QFETCH(bool, past);
        const scenario::Scenario calm = builtin("contention");
        SimulatedSession session(calm, 3);
        runTo(session, past ? 15s : 2s);
        Fault planned = fault(at, Action::PauseClient, "same", 2s);
        planned.when = Trigger{.on = Trigger::On::Granted, .nth = 2};
        session.plan(planned);
        runTo(session, calm.until);
        const auto trace = session.trace();
        std::vector<std::pair<Nanos, QByteArray>> grants;
        for (std::size_t row = 0; row < trace->size(); ++row)
            if (trace->kindAt(row) == EventKind::Granted && Nanos(trace->timeAt(row)) > at)
                grants.emplace_back(Nanos(trace->timeAt(row)),
                                    trace->entity(trace->clientOf(trace->at(row).actor)).name);
        QVERIFY(grants.size() >= 2);
        QCOMPARE(struck(session, EventKind::ClientPaused), (Strikes{grants.at(1)}));
        QCOMPARE(session.trace()->digest(), digestFromFile(session));
        session.move(0, at + 1s);
        QCOMPARE(session.doneByHand().front().at, std::optional(at + 1s));
        QCOMPARE(session.doneByHand().front().when, planned.when);
        session.withdraw(0);
        runTo(session, calm.until);
        QVERIFY(struck(session, EventKind::ClientPaused).empty());
    }

    /// Armed while a lease runs: its end is known already.
    void aLeaseThatRunsAlreadyIsSeen() {
        scenario::Scenario calm = builtin("contention");
        calm.lock.lease = 6s;
        calm.lock.watchdog = 0s;
        calm.workload.clients = 1;
        calm.workload.hold = {4s, 4s};
        SimulatedSession session(calm, 3);
        runTo(session, 10s);
        const auto trace = session.trace();
        Nanos held{-1}, end{};
        for (std::size_t row = 0; row < trace->size() && held < Nanos(0); ++row)
            if (trace->kindAt(row) == EventKind::RecordHeld) {
                held = Nanos(trace->timeAt(row));
                end = Nanos(trace->at(row).value);
            }
        QVERIFY(held >= Nanos(0));
        Fault planned = fault(held + 1s, Action::PauseClient, "holder", 1s);
        planned.when = Trigger{.on = Trigger::On::LeaseLeft, .left = 3s};
        session.plan(planned);
        runTo(session, 10s);
        const Strikes strikes = struck(session, EventKind::ClientPaused);
        QVERIFY(!strikes.empty());
        QCOMPARE(strikes.front(), (std::pair<Nanos, QByteArray>(end - 3s, "A")));
    }

    void conditionsTravelInTheTextOfARun_data() {
        QTest::addColumn<int>("on");
        for (int on = 0; on <= int(Trigger::On::Leader); ++on)
            QTest::addRow("%d", on) << on;
    }
    void conditionsTravelInTheTextOfARun() {
        QFETCH(int, on);
        Trigger when;
        when.on = Trigger::On(on);
        when.nth = 3;
        when.after = 250ms;
        if (when.on == Trigger::On::Step) when.step = 2;
        if (when.on == Trigger::On::LeaseLeft) when.left = 1500ms;
        if (when.on != Trigger::On::Leader) when.client = QStringLiteral("B");
        SimulatedSession session(builtin("failover-async"), 5);
        Fault planned = fault(2s, Action::PauseNode, "redis-2", 1s);
        planned.when = when;
        session.plan(planned);
        QCOMPARE(session.doneByHand().size(), 1u);
        const session::SharedRun run = session::sharedRunOf(session);
        const QString text = session::sharedText(run);
        const auto read = session::readSharedText(text);
        QVERIFY2(read, read ? "" : qPrintable(read.error()));
        QCOMPARE(read->byHand, run.byHand);
        // A server goes by its role, too: that is a target and no condition.
        const QString role = QStringLiteral("lockscope:failover-async?recipe=redis-set&seed=5&do=2s,kill-node,master");
        QCOMPARE(session::readSharedText(role)->byHand.front().target, u"master"_qs);
        QVERIFY(!session::readSharedText(QString(text).replace(u"nth=3"_qs, u"nth=many"_qs)));
        for (const char* wrong : {"2s,kill-node,redis-1,nth=2", "2s,kill-node,redis-1,after=1s",
                                  "2s,kill-node,redis-1,when=granted,step=2"}) {
            const auto refused = session::readSharedText(
                QStringLiteral("lockscope:failover-async?recipe=redis-set&seed=5&do=") + QLatin1String(wrong));
            QVERIFY2(!refused && refused.error().contains(u"condition"), wrong);
        }
    }
};

QTEST_GUILESS_MAIN(TestPlannedFaults)
#include "tst_planned_faults.moc"
