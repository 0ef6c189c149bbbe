// SPDX-License-Identifier: Apache-2.0
#include "experiment/run.h"
#include "scenario/scenario_file.h"
#include "session/bounds.h"
#include "session/recording_session.h"
#include "session/redacted_session.h"
#include "trace/connection.h"

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
        QCOMPARE(session.trace()->digest(), report.digest());
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
        QSignalSpy loaded(&session, &RecordingSession::loaded), complained(&session, &RecordingSession::complained),
            unreadable(&session, &RecordingSession::unreadable);
        QVERIFY(loaded.wait(10'000));
        // Without any event there is nothing to show, and it is no session.
        const bool nothing = session.trace()->size() == 0;
        QCOMPARE(complained.count(), nothing ? 0 : 1);
        QCOMPARE(unreadable.count(), nothing ? 1 : 0);
        QVERIFY((nothing ? unreadable : complained)
                    .at(0)
                    .at(0)
                    .toString()
                    .contains(QStringLiteral("contention.lockscope")));
        QCOMPARE(session.health().level, session::Health::Level::Bad);
        QVERIFY(session.trace()->size() < report.trace->size());
    }

    /// Nothing is known of its locks then, not even that they are free.
    void aFileThatIsDamagedBeforeItsFirstEventIsRefused() {
        const auto scenario = scenario::loadScenario(QStringLiteral("contention"));
        experiment::RunReport report;
        const QString path = record(*scenario, report);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite));
        bool refused = false;
        // How much of the file its first rows need is the file's own affair.
        for (qint64 size = file.size() / 2; size > 4096 && !refused; size -= 4096) {
            QVERIFY(file.resize(size));
            RecordingSession session(path);
            QSignalSpy loaded(&session, &RecordingSession::loaded), unreadable(&session, &RecordingSession::unreadable),
                complained(&session, &RecordingSession::complained);
            QVERIFY(loaded.wait(10'000));
            QCOMPARE(unreadable.count() + complained.count(), 1);
            QCOMPARE(unreadable.count() == 1, session.trace()->size() == 0);
            const QString why = unreadable.count() == 1 ? unreadable.at(0).at(0).toString() : QString();
            refused = why.contains(QStringLiteral("none of its %1 events").arg(report.trace->size()));
            // How the events are got back.
            if (refused) QVERIFY2(why.contains(QStringLiteral("“contention” with the seed")), qPrintable(why));
        }
        QVERIFY(refused);
    }

    void mayBeClosedWhileReading() {
        const auto scenario = scenario::loadScenario(QStringLiteral("contention"));
        experiment::RunReport report;
        const QString path = record(*scenario, report);
        for (int i = 0; i < 10; ++i)
            RecordingSession session(path);
    }

    void aRecordingOfServersHasTheAlertsOfItsLocks() {
        auto trace = std::make_shared<trace::Trace>();
        trace->setOriginWallMs(1'700'000'000'000);
        const trace::EntityId shop = trace::internConnection(*trace, "shop", "redis://shop");
        const trace::EntityId node = trace->intern(trace::EntityKind::Node, "shop", shop);
        const trace::EntityId lock = trace->intern(trace::EntityKind::Lock, "orders", node);
        const trace::EntityId client = trace->intern(trace::EntityKind::Client, "A");
        const trace::EntityId thread = trace->intern(trace::EntityKind::Thread, "", client);
        const auto row = [&](Nanos at, trace::EventKind kind, trace::EntityId actor, std::int64_t value) {
            trace->append({.at = at.count(), .value = value, .actor = actor, .subject = lock, .kind = kind});
        };
        row(1s, trace::EventKind::RecordHeld, thread, -1);
        row(40s, trace::EventKind::RecordFreed, thread, 0);
        trace->reach(60s);
        const QString path = m_dir.filePath(QStringLiteral("watched.lockscope"));
        QVERIFY(trace::saveRecording(path, trace, {}).has_value());
        RecordingSession session(path);
        QSignalSpy replaced(&session, &RecordingSession::traceReplaced),
            found(&session, &RecordingSession::alertsFound);
        QVERIFY(found.wait(10'000));
        QCOMPARE(replaced.count(), 1); // so that views look for the desk
        const std::vector<session::AlertDesk*> desks = session.alertDesks();
        QCOMPARE(desks.size(), 1u);
        QCOMPARE(desks.front()->connection(), shop);
        QVERIFY(desks.front()->worstAt(20s).contains("orders")); // nothing ends it by itself
        QVERIFY(desks.front()->worstAt(50s).empty());
        desks.front()->setRules({*inspect::parseAlertRule(u"held>30s"_qs)});
        QVERIFY(found.wait(10'000));
        QVERIFY(desks.front()->worstAt(20s).empty());
        QVERIFY(desks.front()->worstAt(35s).contains("orders"));

        const auto hidden = session::withoutNames(session);
        QTRY_COMPARE_WITH_TIMEOUT(session::alertDesksOf(hidden.get()).size(), 1u, 10'000);
        session::AlertDesk* const shown = session::alertDesksOf(hidden.get()).front();
        shown->lookAt(35s);
        QCOMPARE(shown->entries().size(), 1u);
        const inspect::Alert& told = shown->entries().front().alert;
        QVERIFY(!told.lock.isEmpty() && !(told.lock + told.sentence.toUtf8()).contains("orders"));
    }

    void aRecordedSimulationHasNoAlerts() {
        const auto scenario = scenario::loadScenario(QStringLiteral("gc-pause"));
        experiment::RunReport report;
        RecordingSession session(record(*scenario, report));
        QSignalSpy loaded(&session, &RecordingSession::loaded);
        QVERIFY(loaded.wait(10'000));
        QVERIFY(session::alertDesksOf(&session).empty());
    }
};

QTEST_GUILESS_MAIN(TestRecordingSession)
#include "tst_recording_session.moc"
