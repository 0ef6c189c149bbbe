// SPDX-License-Identifier: Apache-2.0
#include "experiment/run.h"
#include "scenario/scenario_file.h"
#include "session/bounds.h"
#include "session/recording_session.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;
using session::RecordingSession;

class TestRecordingSession : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;

    /// A recording of a whole run; its path.
    QString record(const scenario::Scenario& scenario, experiment::RunReport& report) {
        report = experiment::run(scenario, 4);
        trace::RecordingMeta meta;
        meta.scenario = scenario::toJson(scenario);
        meta.seed = 4;
        meta.recipe = scenario.recipe;
        meta.origin = QStringLiteral("simulated");
        meta.progressBoundNs = session::boundsFor(scenario).progress.count();
        const QString path = m_dir.filePath(scenario.id + QStringLiteral(".lockscope"));
        const auto saved = trace::saveRecording(path, report.trace, meta);
        return saved ? path : QString();
    }

private Q_SLOTS:
    void readsBackWhatWasRecordedAndJudgesItAlike() {
        const auto scenario = scenario::loadScenario(QStringLiteral("gc-pause"));
        QVERIFY(scenario.has_value());
        experiment::RunReport report;
        const QString path = record(*scenario, report);
        QVERIFY(!path.isEmpty());
        RecordingSession session(path);
        QSignalSpy loaded(&session, &RecordingSession::loaded);
        QVERIFY(loaded.wait(10'000));
        QVERIFY(!session.isLoading());
        QCOMPARE(session.trace()->digest(), report.digest);
        QCOMPARE(session.verdict()->violations, report.verdict.violations);
        QCOMPARE(session.scenario(), *scenario);
        QCOMPARE(session.seed(), std::uint64_t(4));
        QCOMPARE(session.health().level, session::Health::Level::Good);
        QVERIFY(!session.abilities().faults);

        QSignalSpy reached(&session, &RecordingSession::milestoneReached);
        session.advanceToNext(session::Milestone::Violation, Nanos(0));
        QCOMPARE(reached.count(), 1);
        QCOMPARE(reached.at(0).at(1).value<Nanos>(), report.verdict.violations.front().from);
    }

    void aDamagedFileIsSaidToBeSoAndItsBeginningShown() {
        const auto scenario = scenario::loadScenario(QStringLiteral("contention"));
        experiment::RunReport report;
        const QString path = record(*scenario, report);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite) && file.resize(file.size() / 2));
        file.close();
        RecordingSession session(path);
        QSignalSpy loaded(&session, &RecordingSession::loaded), complained(&session, &RecordingSession::complained);
        QVERIFY(loaded.wait(10'000));
        QCOMPARE(complained.count(), 1);
        QVERIFY(complained.at(0).at(0).toString().contains(QStringLiteral("contention.lockscope")));
        QCOMPARE(session.health().level, session::Health::Level::Bad);
        QVERIFY(session.trace()->size() < report.trace->size());
    }

    void mayBeClosedWhileReading() {
        const auto scenario = scenario::loadScenario(QStringLiteral("contention"));
        experiment::RunReport report;
        const QString path = record(*scenario, report);
        for (int i = 0; i < 10; ++i)
            RecordingSession session(path);
    }
};

QTEST_GUILESS_MAIN(TestRecordingSession)
#include "tst_recording_session.moc"
