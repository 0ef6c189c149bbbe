// SPDX-License-Identifier: Apache-2.0
// The steps of programs, and who runs which.
#include "program_runs.h"
#include "workload/lock_plan.h"

using namespace lockscope;
using namespace lockscope::tests;
using trace::EventKind;
using verdict::Invariant;
using verdict::Outcome;

namespace {

/// The actions of one client on its locks, as words: "granted a".
QByteArrayList deedsOf(const trace::Trace& trace, const QByteArray& client) {
    QByteArrayList deeds;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const trace::Event event = trace.at(i);
        const bool tells = event.kind == EventKind::Granted || event.kind == EventKind::Reentered ||
                           event.kind == EventKind::TimedOut || event.kind == EventKind::ReleaseSent ||
                           event.kind == EventKind::Lost;
        if (!tells || clientOf(trace, event.actor) != client) continue;
        deeds += QByteArray(trace::kindName(event.kind)) + ' ' + trace.entity(event.subject).name;
    }
    return deeds;
}

int writesOf(const trace::Trace& trace, const QByteArray& client) {
    int writes = 0;
    for (std::size_t i = 0; i < trace.size(); ++i)
        writes += trace.kindAt(i) == EventKind::WriteAccepted && clientOf(trace, trace.at(i).actor) == client ? 1 : 0;
    return writes;
}

} // namespace

class tst_programs : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void groupsChooseProgramsAndTheLastOneIsForAllOthers() {
        const auto scenario = programs("redis-set", {{2, {take()}}, {1, {step(Do::Think)}}});
        const auto first = scenario.programs[0].steps, last = scenario.programs[1].steps;
        for (const int client : {0, 1})
            QVERIFY(workload::programOf(scenario, client).steps == first);
        for (const int client : {2, 3, 199})
            QVERIFY(workload::programOf(scenario, client).steps == last);
        QVERIFY(workload::programOf(scenario::Scenario(), 0) == scenario::defaultProgram());
    }

    void aProgramThatIsTheDefaultOneRunsAsIfThereWereNone() {
        auto plain = programs("redis-reentrant", {});
        plain.workload.clients = 3;
        auto written = plain;
        written.programs = {scenario::defaultProgram()};
        written.programs[0].name = QStringLiteral("default");
        written.groups = {{QStringLiteral("default"), 3}};
        for (std::uint64_t seed = 1; seed <= 5; ++seed)
            QCOMPARE(experiment::run(written, seed).digest(), experiment::run(plain, seed).digest());
    }

    void whatIsHeldIsGivenBackInReverseWhenALockIsNotTakenInTime() {
        auto scenario = programs("redis-set", {{1, {take("b"), lasting(Do::Work, 20s, 20s), step(Do::Release, "b")}},
                                               {1,
                                                {lasting(Do::Think, 500ms, 500ms), take("a"), take("c"),
                                                 within(take("b"), 200ms), step(Do::Work), step(Do::Write)}}});
        addLock(scenario, "b");
        addLock(scenario, "c");
        scenario.until = 2s;
        scenario.lock.lease = scenario.moreLocks[0].settings.lease = scenario.moreLocks[1].settings.lease = 30s;
        const auto report = experiment::run(scenario, 1);
        const QByteArrayList round{"granted a", "granted c", "timed-out b", "release-sent c", "release-sent a"};
        const QByteArrayList deeds = deedsOf(*report.trace, "B");
        QVERIFY(deeds.size() >= 10);
        QCOMPARE(deeds.mid(0, 5), round);
        QCOMPARE(deeds.mid(5, 5), round);
        QCOMPARE(writesOf(*report.trace, "B"), 0); // the steps behind were not reached
        QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
    }

    void whatAProgramLeavesHeldIsGivenBackAtTheEndOfItsRound() {
        const auto report = experiment::run(programs("redis-set", {{1, {step(Do::Think), take(), step(Do::Work)}}}), 1);
        const QByteArrayList deeds = deedsOf(*report.trace, "A");
        QVERIFY(deeds.size() > 20);
        for (qsizetype i = 0; i + 1 < deeds.size(); i += 2)
            QCOMPARE(deeds.mid(i, 2), (QByteArrayList{"granted a", "release-sent a"}));
    }

    void aLockTakenTwiceIsCounted() {
        const auto scenario = programs("redis-reentrant", {{2,
                                                            {step(Do::Think), take(), take(), step(Do::Work),
                                                             step(Do::Release), step(Do::Work), step(Do::Release)}}});
        const auto report = experiment::run(scenario, 1);
        const QByteArrayList round{"granted a", "reentered a", "release-sent a", "release-sent a"};
        const QByteArrayList deeds = deedsOf(*report.trace, "A");
        QVERIFY(deeds.size() >= 8);
        QCOMPARE(deeds.mid(0, 4), round);
        QCOMPARE(deeds.mid(4, 4), round);
        const trace::Trace& trace = *report.trace;
        std::uint32_t most = 0;
        atEachInstant(trace, [&](const trace::State& state) {
            const auto record = state.records.find(lockOf(trace, "a"));
            if (record != state.records.end()) most = std::max(most, record->second.holds);
        });
        QCOMPARE(most, 2U);
        QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
    }

    void aLockThatDoesNotCountIsWaitedForByItsHolder() {
        auto scenario =
            programs("redis-set", {{1, {step(Do::Think), take(), take(), step(Do::Work), step(Do::Release)}}});
        scenario.lock.watchdog = 3s;
        const auto report = experiment::run(scenario, 1);
        QCOMPARE(outcome(report, Invariant::NoDeadlock), Outcome::Violated);
        QCOMPARE(report.acquisitions, 1);
    }

    void whoAwaitsIsWokenBySignals_data() {
        QTest::addColumn<QByteArray>("recipe");
        for (const char* recipe : {"redis-reentrant", "redis-fair"})
            QTest::newRow(recipe) << QByteArray(recipe);
    }
    void whoAwaitsIsWokenBySignals() {
        QFETCH(const QByteArray, recipe);
        const std::vector<scenario::ProgramStep> consumer{take(), within(step(Do::Await), kNever), step(Do::Write),
                                                          step(Do::Release)};
        const std::vector<scenario::ProgramStep> producer{lasting(Do::Think, 200ms, 400ms), take(), step(Do::Signal),
                                                          step(Do::Release)};
        const auto alone = experiment::run(programs(recipe.constData(), {{1, consumer}}), 1);
        QCOMPARE(writesOf(*alone.trace, "A"), 0); // nobody signals

        const auto report = experiment::run(programs(recipe.constData(), {{1, consumer}, {1, producer}}), 1);
        const int rounds = int(deedsOf(*report.trace, "B").count("granted a"));
        QVERIFY(rounds > 20);
        // The lock is free while its holder waits for the signal, and each signal wakes it once.
        const int woken = writesOf(*report.trace, "A");
        QVERIFY2(woken >= rounds - 2 && woken <= rounds, qPrintable(QStringLiteral("%1 of %2").arg(woken).arg(rounds)));
        QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
    }

    void anAwaitThatIsNotSignalledInTimeGoesOnAsHolder() {
        const auto report = experiment::run(
            programs(
                "redis-reentrant",
                {{1, {step(Do::Think), take(), within(step(Do::Await), 100ms), step(Do::Write), step(Do::Release)}}}),
            1);
        QVERIFY(writesOf(*report.trace, "A") > 50);
        QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
    }

    /// Such a program would otherwise make a round in no time at all, for ever.
    void aRoundTakesTime() {
        auto scenario = programs("redis-set", {{1, {step(Do::Signal)}}, {1, {}}});
        scenario.until = 1s;
        QCOMPARE(experiment::run(scenario, 1).acquisitions, 0);
    }

    void aWriteWithoutTheLockIsStale() {
        const auto report =
            experiment::run(programs("redis-set", {{1, {step(Do::Think), take(), step(Do::Work), step(Do::Release)}},
                                                   {1, {lasting(Do::Think, 50ms, 200ms), step(Do::Write)}}}),
                            1);
        QCOMPARE(outcome(report, Invariant::StaleWrite), Outcome::Violated);
        QCOMPARE(outcome(report, Invariant::MutualExclusion), Outcome::Holds);
        QVERIFY(writesOf(*report.trace, "B") > 50);
    }
};

QTEST_GUILESS_MAIN(tst_programs)
#include "tst_programs.moc"
