// SPDX-License-Identifier: Apache-2.0
#include "experiment/run.h"
#include "scenario/scenario_file.h"
#include "session/bounds.h"
#include "session/simulated_session.h"
#include "trace/recording.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;
using scenario::Action;
using verdict::Invariant;
using verdict::Outcome;

namespace {

scenario::Fault at(Nanos when, Action action, const char* target = "") {
    scenario::Fault fault;
    fault.at = when;
    fault.action = action;
    fault.target = QString::fromLatin1(target);
    return fault;
}

scenario::Fault set(Nanos when, const char* name, const char* text) {
    scenario::Fault fault = at(when, Action::Set);
    fault.setting = QString::fromLatin1(name);
    fault.text = QString::fromLatin1(text);
    return fault;
}

scenario::Scenario three(const char* recipe, Nanos lease) {
    scenario::Scenario s;
    s.id = QStringLiteral("three");
    s.title = QStringLiteral("Three clients");
    s.recipe = QString::fromLatin1(recipe);
    s.lock.lease = lease;
    s.lock.watchdog = lease / 3;
    s.workload.clients = 3;
    s.workload.hold = {500ms, 1s};
    s.workload.think = {10ms, 50ms};
    return s;
}

Outcome outcomeOf(const verdict::Verdict& verdict, Invariant invariant) {
    return verdict.outcomes[std::size_t(invariant)];
}

} // namespace

/// The bounds of a run whose settings change in the middle.
class TestBounds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aLongerLeaseGivesADeadHoldersWaitersLongerToWait() {
        scenario::Scenario s = three("redis-set", 2s);
        s.until = 60s;
        s.faults = {set(1s, "lease", "30s"), at(10s, Action::KillClient, "holder")};
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const auto report = experiment::run(s, seed);
            QVERIFY2(outcomeOf(report.verdict, Invariant::Progress) == Outcome::Holds,
                     qPrintable(QStringLiteral("seed %1").arg(seed)));
        }
    }

    void anOrderIsDemandedOnlyOfTheRecipeThatPromisesIt() {
        scenario::Scenario s = three("redis-fair", 2s);
        s.workload.clients = 6;
        s.until = 60s;
        int disorderly = 0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            s.recipe = QStringLiteral("redis-fair");
            s.faults = {set(1s, "recipe", "redis-reentrant")};
            const auto unfair = experiment::run(s, seed);
            QVERIFY2(outcomeOf(unfair.verdict, Invariant::Fifo) == Outcome::Holds,
                     qPrintable(QStringLiteral("seed %1").arg(seed)));
            // Judge this traffic as if an order had been promised all the time: there must be violations to overlook.
            verdict::Bounds strict = session::boundsFor(s);
            strict.follow = nullptr;
            verdict::Judge judge(unfair.trace, strict);
            judge.consume();
            disorderly += outcomeOf(judge.verdict(true), Invariant::Fifo) == Outcome::Violated ? 1 : 0;
        }
        QVERIFY(disorderly > 0);
    }

    void aQueueMovesFromNoEngineToAnother() {
        auto naive = scenario::loadScenario(QStringLiteral("engine-switch-naive"));
        QVERIFY(naive && naive->manager);
        naive->recipe = QStringLiteral("redis-fair");
        QVERIFY(!session::boundsFor(*naive).fair);
        naive->manager.reset();
        QVERIFY(session::boundsFor(*naive).fair);
    }

    void aFileThatWasSavedRunsAgainToTheSameEnd() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("saved.json"));
        scenario::Scenario s = three("redis-set", 2s);
        s.until = 20s;
        session::SimulatedSession session(s, 4711);
        session.advanceTo(5s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(5s));
        session.apply(at(5s, Action::PauseClient, "holder"), 5s);
        session.advanceTo(20s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(20s));
        scenario::Scenario all = session.scenario();
        all.seed = session.seed();
        QVERIFY(scenario::saveScenario(all, path).has_value());
        const auto loaded = scenario::loadScenario(path);
        QVERIFY(loaded.has_value());
        QCOMPARE(loaded->seed, std::optional<std::uint64_t>(4711));
        QCOMPARE(experiment::run(*loaded, *loaded->seed).digest(), session.trace()->digest());
    }

    void aRecordingIsJudgedAsTheSessionWas() {
        scenario::Scenario s = three("redis-set", 2s);
        session::SimulatedSession session(s, 1);
        const trace::RecordingMeta meta = session.recordingMeta();
        QCOMPARE(Nanos(meta.progressBoundNs), session::boundsFor(s).progress);
        QCOMPARE(session::boundsFor(meta).progress, Nanos(5s));
        QCOMPARE(meta.recipe, s.recipe);
        QCOMPARE(meta.seed, std::uint64_t(1));
    }
};

QTEST_GUILESS_MAIN(TestBounds)
#include "tst_bounds.moc"
