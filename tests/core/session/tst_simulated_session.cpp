// SPDX-License-Identifier: Apache-2.0
#include "experiment/run.h"
#include "scenario/scenario_file.h"
#include "session/simulated_session.h"

#include <QDeadlineTimer>
#include <QSignalSpy>
#include <QTest>
#include <QThread>

using namespace lockscope;
using scenario::Action;
using session::Milestone;
using session::SimulatedSession;

namespace {

scenario::Scenario builtin(const char* id) {
    const auto loaded = scenario::loadScenario(QString::fromLatin1(id));
    if (!loaded) qFatal("%s", qPrintable(loaded.error().at(0).toString()));
    return *loaded;
}

scenario::Fault fault(Action action, const char* target) {
    scenario::Fault f;
    f.action = action;
    f.target = QString::fromLatin1(target);
    return f;
}

/// Where a run to the next milestone ends; -1 ns when it finds none.
Nanos next(SimulatedSession& session, Milestone milestone, Nanos from) {
    QSignalSpy spy(&session, &SimulatedSession::milestoneReached);
    session.advanceToNext(milestone, from);
    if (!spy.wait(30'000)) return Nanos(-2);
    return spy.at(0).at(0).toBool() ? spy.at(0).at(1).value<Nanos>() : Nanos(-1);
}

} // namespace

class TestSimulatedSession : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void comesAsFarAsItIsAskedTo() {
        SimulatedSession session(builtin("contention"), 1);
        const auto trace = session.trace();
        session.advanceTo(5s);
        QTRY_VERIFY(trace->reached() >= Nanos(5s));
        QVERIFY(trace->size() > 20);
        QCOMPARE(session.trace(), trace);
    }

    void runsToTheNextMilestone() {
        SimulatedSession session(builtin("gc-pause"), 1);
        const Nanos acquisition = next(session, Milestone::Acquisition, Nanos(0));
        QVERIFY(acquisition > Nanos(0));
        const Nanos fault = next(session, Milestone::Fault, acquisition);
        QVERIFY(fault > acquisition);
        const Nanos violation = next(session, Milestone::Violation, fault);
        QVERIFY(violation > fault);
        const Nanos event = next(session, Milestone::Event, fault);
        QVERIFY(event > fault && event < violation);
        QTRY_VERIFY(!session.verdict()->violations.empty());
        QCOMPARE(session.verdict()->violations.front().from, violation);
    }

    void saysSoWhenThereIsNoSuchMilestone() {
        SimulatedSession session(builtin("contention"), 1);
        QCOMPARE(next(session, Milestone::Violation, Nanos(0)), Nanos(-1));
    }

    void aStepFromTheEndOfWhatWasComputedGoesOn() {
        SimulatedSession session(builtin("gc-pause"), 42);
        int steps = 0;
        for (Nanos from{}; from < 29s; ++steps) {
            from = session.trace()->reached();
            QVERIFY(next(session, Milestone::Event, from) > from);
        }
        QVERIFY(steps > 5);
    }

    void aSearchNeverMakesARunLonger_data() {
        QTest::addColumn<int>("milestone");
        QTest::newRow("violation") << int(Milestone::Violation);
        QTest::newRow("fault") << int(Milestone::Fault);
    }
    void aSearchNeverMakesARunLonger() {
        QFETCH(int, milestone);
        const scenario::Scenario calm = builtin("contention");
        SimulatedSession session(calm, 1);
        QSignalSpy spy(&session, &SimulatedSession::milestoneReached);
        session.advanceToNext(Milestone(milestone), 1s);
        QVERIFY(spy.wait(30'000));
        QVERIFY(!spy.at(0).at(0).toBool());
        QCOMPARE(spy.at(0).at(1).value<Nanos>(), calm.until); // so far it looked
        QCOMPARE(session.trace()->reached(), calm.until);
    }

    void whatWasDoneInThePastCanBeUndoneAndRedone() {
        SimulatedSession session(builtin("contention"), 3);
        session.advanceTo(20s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(20s));
        const auto digest = [&](Nanos t) {
            const auto trace = session.trace();
            const std::size_t rows = trace->upperBound(t);
            std::vector<trace::Event> events;
            for (std::size_t row = 0; row < rows; ++row)
                events.push_back(trace->at(row));
            return events;
        };
        const auto before = digest(20s);
        QVERIFY(!session.canUndo());
        QSignalSpy replaced(&session, &SimulatedSession::futureReplaced);
        session.apply(fault(Action::KillClient, "A"), 7s);
        QCOMPARE(replaced.count(), 1);
        QCOMPARE(replaced.at(0).at(1).value<Nanos>(), Nanos(7s));
        QTRY_VERIFY(session.trace()->reached() >= Nanos(7s));
        session.advanceTo(20s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(20s));
        const auto after = digest(20s);
        QVERIFY(after != before);
        QVERIFY(session.canUndo() && !session.canRedo());

        session.undo(); // the old future is whole again, without being asked for
        QTRY_VERIFY(session.trace()->reached() >= Nanos(20s));
        QVERIFY(digest(20s) == before);
        QVERIFY(session.doneByHand().empty() && session.canRedo() && !session.canUndo());
        session.redo();
        QTRY_VERIFY(session.trace()->reached() >= Nanos(20s));
        QVERIFY(digest(20s) == after);
        QCOMPARE(session.doneByHand().size(), 1u);
    }

    void eachThingDoneByHandCanBeTakenBack() {
        SimulatedSession session(builtin("contention"), 3);
        session.apply(fault(Action::PauseClient, "A"), 4s);
        session.apply(fault(Action::PauseClient, "B"), 5s);
        session.advanceTo(12s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(12s));
        session.withdraw(7); // there is none
        QCOMPARE(session.doneByHand().size(), 2u);
        session.withdraw(0);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(12s));
        QCOMPARE(session.doneByHand().size(), 1u);
        QCOMPARE(session.doneByHand().front().target, QStringLiteral("B"));
        QCOMPARE(session.scenario().faults.size(), builtin("contention").faults.size() + 1);
        int pauses = 0;
        const auto trace = session.trace();
        for (std::size_t row = 0; row < trace->size(); ++row)
            pauses += trace->kindAt(row) == trace::EventKind::ClientPaused;
        QCOMPARE(pauses, 1);
        session.restart(3, session::ByHand::Drop);
        QVERIFY(session.doneByHand().empty());
        session.undo();
        QCOMPARE(session.doneByHand().size(), 1u);
    }

    void eachThingDoneByHandCanBeMoved() {
        SimulatedSession session(builtin("contention"), 3);
        session.apply(fault(Action::PauseClient, "A"), 4s);
        session.apply(fault(Action::PauseClient, "B"), 5s);
        session.advanceTo(12s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(12s));
        const auto pauses = [&session] {
            std::vector<std::pair<Nanos, QByteArray>> found;
            const auto trace = session.trace();
            for (std::size_t row = 0; row < trace->size(); ++row)
                if (trace->kindAt(row) == trace::EventKind::ClientPaused)
                    found.emplace_back(trace->timeAt(row), trace->entity(trace->at(row).actor).name);
            return found;
        };
        QSignalSpy replaced(&session, &SimulatedSession::futureReplaced);
        session.move(7, 6s); // there is none
        session.move(0, 4s); // it is there already
        QCOMPARE(replaced.count(), 0);
        session.move(0, 6s);
        QCOMPARE(replaced.count(), 1);
        QCOMPARE(replaced.at(0).at(0).value<session::Rewrite>(), session::Rewrite::Move);
        QCOMPARE(replaced.at(0).at(1).value<Nanos>(), Nanos(4s)); // what was there is there no more
        QTRY_VERIFY(session.trace()->reached() >= Nanos(12s));
        QCOMPARE(pauses().size(), 2u);
        QCOMPARE(pauses().at(0), std::pair(Nanos(5s), QByteArray("B")));
        QCOMPARE(pauses().at(1), std::pair(Nanos(6s), QByteArray("A")));
        QCOMPARE(session.doneByHand().front().target, QStringLiteral("B")); // in the order of their times
        session.undo();
        QTRY_VERIFY(session.trace()->reached() >= Nanos(12s));
        QCOMPARE(pauses().at(0), std::pair(Nanos(4s), QByteArray("A")));
    }

    void aFaultByHandTakesEffectAndIsInTheScenario() {
        SimulatedSession session(builtin("contention"), 3);
        const Nanos granted = next(session, Milestone::Acquisition, Nanos(0));
        session.apply(fault(Action::PauseClient, "holder"), granted + 100ms);
        QCOMPARE(session.scenario().faults.size(), std::size_t(1));
        const Nanos paused = next(session, Milestone::Fault, Nanos(0));
        QCOMPARE(paused, granted + 100ms);
    }

    void thePastCanBeChangedAndTheFutureFollows() {
        SimulatedSession session(builtin("contention"), 3);
        session.advanceTo(20s);
        const auto old = session.trace();
        QTRY_VERIFY(old->reached() >= Nanos(20s));
        QSignalSpy replaced(&session, &SimulatedSession::traceReplaced);
        session.apply(fault(Action::KillClient, "A"), 5s);
        QTRY_COMPARE(replaced.count(), 1);
        QVERIFY(session.trace() != old);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(5s));
        // Until then nothing is different.
        const std::size_t rows = old->lowerBound(5s);
        QVERIFY(session.trace()->size() >= rows);
        for (std::size_t i = 0; i < rows; ++i)
            QCOMPARE(session.trace()->at(i), old->at(i));
    }

    void whatWasDoneByHandRunsAgainToTheSameDigest() {
        auto base = builtin("contention");
        base.until = 30s;
        SimulatedSession session(base, 9);
        QTRY_VERIFY(session.trace()->size() > 0);
        session.apply(fault(Action::PauseClient, "A"), 3s);
        session.advanceTo(6s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(6s));
        session.apply(fault(Action::ResumeClient, "A"), 6s + 1ns);
        scenario::Fault lease;
        lease.action = Action::Set;
        lease.setting = QStringLiteral("lease");
        lease.text = QStringLiteral("2s");
        session.apply(lease, 8s);
        session.apply(fault(Action::CutLink, "B"), 8s);
        session.apply(fault(Action::KillNode, "redis-1"), 4s); // into the past: what came after is gone
        session.apply(fault(Action::RestartNode, "redis-1"), 7s);
        session.apply(lease, 9s);
        session.advanceTo(30s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(30s));
        QCOMPARE(session.settings().lock.lease, Nanos(2s));
        QCOMPARE(session.scenario().faults.size(), std::size_t(4));
        const auto reread = scenario::parseScenario(scenario::toJson(session.scenario()), QStringLiteral("saved.json"));
        QVERIFY2(reread.has_value(), reread ? "" : qPrintable(reread.error().at(0).toString()));
        QCOMPARE(experiment::run(*reread, 9).digest(), session.trace()->digest());
    }

    void aSettingThatMakesNoSenseIsRefusedInWords() {
        SimulatedSession session(builtin("contention"), 1);
        QSignalSpy complained(&session, &SimulatedSession::complained);
        scenario::Fault clients;
        clients.action = Action::Set;
        clients.setting = QStringLiteral("clients");
        clients.text = QStringLiteral("many");
        session.apply(clients, 1s);
        QCOMPARE(complained.count(), 1);
        QVERIFY(complained.at(0).at(0).toString().contains(QStringLiteral("200")));
        QVERIFY(session.scenario().faults.empty());
    }

    void aLeaseIsNotSetBelowItsWatchdog() {
        auto base = builtin("contention");
        base.lock.lease = 5s;
        base.lock.watchdog = 2s;
        SimulatedSession session(base, 1);
        QSignalSpy complained(&session, &SimulatedSession::complained);
        const auto change = [](const char* setting, const char* text) {
            scenario::Fault made;
            made.action = Action::Set;
            made.setting = QLatin1String(setting);
            made.text = QLatin1String(text);
            return made;
        };
        session.apply(change("lease", "1s"), 3s);
        QCOMPARE(complained.count(), 1);
        QVERIFY(complained.at(0).at(0).toString().contains(QStringLiteral("a lease of 1s ends before a watchdog")));
        session.apply(change("watchdog", "500ms"), 1s);
        session.apply(change("lease", "1s"), 3s);
        QCOMPARE(complained.count(), 1);
        QCOMPARE(session.scenario().faults.size(), std::size_t(2));
        session.withdraw(0); // the lease would be left with the watchdog of the start
        QCOMPARE(complained.count(), 2);
        QCOMPARE(session.scenario().faults.size(), std::size_t(2));
        session.withdraw(1);
        session.withdraw(0);
        QCOMPARE(complained.count(), 2);
        QVERIFY(session.scenario().faults.empty());
    }

    void whatCouldNotBeReadFromAFileAgainIsRefused() {
        SimulatedSession session(builtin("contention"), 1);
        QSignalSpy complained(&session, &SimulatedSession::complained);
        scenario::Fault recipe;
        recipe.action = Action::Set;
        recipe.setting = QStringLiteral("recipe");
        recipe.text = QStringLiteral("redis-sett");
        session.apply(recipe, 1s);
        session.apply(fault(Action::KillClient, "ZZ"), 1s);
        session.apply(fault(Action::KillNode, "redis-9"), 1s);
        QCOMPARE(complained.count(), 3);
        QVERIFY(session.scenario().faults.empty());
        session.apply(fault(Action::PauseClient, "holder"), 1s); // whoever that is, or nobody
        QCOMPARE(session.scenario().faults.size(), std::size_t(1));
        QVERIFY(scenario::parseScenario(scenario::toJson(session.scenario()), QStringLiteral("saved")).has_value());
    }

    void nothingFoundInAReplacedWorldIsTold() {
        SimulatedSession session(builtin("contention"), 3);
        const auto old = session.trace();
        session.advanceTo(20s);
        QTRY_VERIFY(old->reached() >= Nanos(20s));
        QSignalSpy found(&session, &SimulatedSession::milestoneReached);
        session.advanceToNext(Milestone::Acquisition, Nanos(0));
        session.advanceTo(25s);
        // No events are handled here: once the world has come further, what it found before waits to be told.
        QDeadlineTimer patience(20'000);
        while (old->reached() < Nanos(25s) && !patience.hasExpired())
            QThread::yieldCurrentThread();
        QVERIFY(old->reached() >= Nanos(25s));
        QSignalSpy advanced(&session, &SimulatedSession::advanced);
        session.apply(fault(Action::KillClient, "A"), 5s);
        QVERIFY(session.trace() != old);
        QTRY_VERIFY(advanced.count() > 0); // of the new world, told after everything of the old one
        QCOMPARE(found.count(), 0);
    }

    /// In English as in every other language: an id is for the command line.
    void isCalledByTheTitleOfItsScenario() {
        const scenario::Scenario scenario = builtin("contention");
        const SimulatedSession session(scenario, 1);
        QCOMPARE(session.title(), scenario.titleIn(QStringLiteral("en")));
        QVERIFY(session.title() != scenario.id);
        scenario::Scenario unnamed = scenario;
        unnamed.title.clear();
        unnamed.titles.clear();
        QCOMPARE(SimulatedSession(unnamed, 1).title(), scenario.id);
    }

    void restartsWithTheSameOrANewSeed() {
        SimulatedSession session(builtin("contention"), 1);
        session.advanceTo(10s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(10s));
        const QByteArray digest = session.trace()->digest();
        const auto againWith = [&](std::uint64_t seed) {
            session.restart(seed, session::ByHand::Drop);
            session.advanceTo(10s);
            const auto trace = session.trace();
            return QTest::qWaitFor([&] { return trace->reached() >= Nanos(10s); }, 10'000) ? trace->digest()
                                                                                           : QByteArray();
        };
        QVERIFY(againWith(2) != digest);
        QCOMPARE(againWith(1), digest);
    }

    /// Servers of one kind cannot become those of another one in the middle of a run.
    void aRecipeOfAnotherKindBeginsAnewOnItsServers() {
        SimulatedSession session(builtin("contention"), 1);
        session.advanceTo(5s);
        const auto before = session.trace();
        QTRY_VERIFY(before->reached() >= Nanos(5s));
        QSignalSpy complaints(&session, &SimulatedSession::complained);
        scenario::Fault recipe = fault(Action::Set, "");
        recipe.setting = QStringLiteral("recipe");
        recipe.text = QStringLiteral("zk-mutex");
        session.apply(recipe, 5s);
        QVERIFY(session.trace() != before);
        QCOMPARE(session.settings().recipe, recipe.text);
        QCOMPARE(session.scenario().nodes.size(), std::size_t(3));
        QTRY_VERIFY(session.trace()->reached() >= Nanos(5s)); // nobody has to press Play for what the playhead shows
        session.apply(fault(Action::KillNode, "leader"), 6s);
        QVERIFY(complaints.isEmpty());
        QCOMPARE(session.doneByHand().size(), std::size_t(1));
        QVERIFY(next(session, Milestone::Acquisition, 1s) > Nanos(1s));
        session.undo(); // the leader lives
        session.undo(); // and the Redis is there again
        QCOMPARE(session.settings().recipe, QStringLiteral("redis-set"));
        QCOMPARE(session.scenario(), builtin("contention"));
    }

    void whatDoesNotFitOtherServersIsLeftOutAndTold() {
        SimulatedSession session(builtin("contention"), 1);
        session.advanceTo(5s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(5s));
        session.apply(fault(Action::PauseClient, "A"), 2s);
        session.apply(fault(Action::PauseNode, "redis-1"), 3s);
        QCOMPARE(session.doneByHand().size(), std::size_t(2));
        QSignalSpy complaints(&session, &SimulatedSession::complained);
        scenario::Fault recipe = fault(Action::Set, "");
        recipe.setting = QStringLiteral("recipe");
        recipe.text = QStringLiteral("etcd-lease");
        session.apply(recipe, 4s);
        QCOMPARE(session.doneByHand().size(), std::size_t(1));
        QCOMPARE(session.doneByHand().front().target, QStringLiteral("A"));
        QCOMPARE(complaints.size(), 1);
        const QString told = complaints.front().front().toString();
        QVERIFY2(told.contains(QLatin1String("left out: redis-1 at 3.000 s")), qPrintable(told));
    }

    void mayBeClosedAtAnyMoment() {
        for (int i = 0; i < 20; ++i) {
            SimulatedSession session(builtin("contention"), static_cast<std::uint64_t>(i));
            session.advanceTo(1h);
            session.advanceToNext(Milestone::Violation, Nanos(0));
            session.apply(fault(Action::KillNode, "redis-1"), 1s);
        }
    }
};

QTEST_GUILESS_MAIN(TestSimulatedSession)
#include "tst_simulated_session.moc"
