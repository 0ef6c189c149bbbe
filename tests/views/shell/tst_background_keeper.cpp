// SPDX-License-Identifier: GPL-3.0-or-later
// The last hour of watched servers: kept while they are watched, saved on request, offered after a crash.
#include "fake_session.h"
#include "session/trace_joint.h"
#include "trace/excerpt.h"
#include "trace/server_told.h"
#include "window/background_keeper.h"
#include "window/session_recorder.h"
#include "window_scene.h"

#include <QSignalSpy>
#include <QStandardPaths>
#include <QToolButton>

using namespace lockscope;

/// Servers that are watched, whose trace becomes too long.
class JoinedSession final : public FakeSession, public session::JoinedTraces {
    Q_OBJECT
    Q_INTERFACES(lockscope::session::JoinedTraces)
public:
    JoinedSession() { can.live = true; }
    std::shared_ptr<const trace::Trace> trace() const override { return m_now ? m_now : FakeSession::trace(); }
    session::TraceJoint traceJoint() const override { return m_joint; }
    void leaveOutTheBeginning() {
        const auto before = trace();
        const auto why = std::const_pointer_cast<trace::Trace>(before)->text(trace::kLeftOut.toByteArray());
        trace::Excerpt end(before, before->reached() / 2, {lock(), why});
        m_now = end.takeTrace();
        m_joint = {before, m_now->size()};
        Q_EMIT traceReplaced();
    }

private:
    std::shared_ptr<const trace::Trace> m_now;
    session::TraceJoint m_joint;
};

class TestBackgroundKeeper : public QObject {
    Q_OBJECT
    QTemporaryDir m_cache;

    QDir folder() const { return QDir(QStandardPaths::writableLocation(QStandardPaths::CacheLocation)); }
    /// Servers that are watched, as the window sees them.
    static FakeSession* attach(const tests::WindowScene& scene) {
        auto session = std::make_unique<FakeSession>();
        session->can.live = true;
        FakeSession* const its = session.get();
        scene.window->setSession(std::move(session));
        its->live(5s);
        return its;
    }
    static app::BackgroundKeeper* keeperOf(const tests::WindowScene& scene) {
        return scene.window->findChild<app::BackgroundKeeper*>();
    }

private Q_SLOTS:
    void initTestCase() { qputenv("XDG_CACHE_HOME", m_cache.path().toUtf8()); }

    void whatIsWatchedIsKeptUntilItIsClosed() {
        tests::WindowScene scene;
        scene.open("contention");
        QVERIFY(!keeperOf(scene)->isKeeping()); // a simulation runs again to the same end
        attach(scene);
        QVERIFY(keeperOf(scene)->isKeeping());
        const QString path = keeperOf(scene)->path();
        QTRY_VERIFY(QFileInfo::exists(path));
        QVERIFY(!(QFileInfo(folder().path()).permissions() & (QFile::ReadGroup | QFile::ReadOther)));
        QVERIFY(app::BackgroundKeeper::left().isEmpty()); // this program still runs
        scene.window->closeSession();
        QVERIFY(!keeperOf(scene)->isKeeping());
        QTRY_VERIFY(!QFileInfo::exists(path)); // later: the window does not wait
        // The next one does not meet the files of one that is still going away.
        attach(scene);
        QVERIFY(keeperOf(scene)->path() != path);
    }

    /// The trace in memory loses its beginning; what is kept on disk goes on, and so does what a person records.
    void aTraceWithoutItsBeginningIsKeptOn() {
        const tests::WindowScene scene;
        auto session = std::make_unique<JoinedSession>();
        JoinedSession* const its = session.get();
        scene.window->setSession(std::move(session));
        its->live(8s);
        const QString path = keeperOf(scene)->path();
        QTRY_VERIFY(QFileInfo::exists(path));
        app::SessionRecorder* const recorder = scene.window->recorder();
        const QString first = scene.folder.filePath(QStringLiteral("night.lockscope"));
        QVERIFY(recorder->start(first));
        const QSignalSpy wentOn(recorder, &app::SessionRecorder::wentOn);
        its->leaveOutTheBeginning();
        QCOMPARE(keeperOf(scene)->path(), path); // the same file
        QVERIFY(keeperOf(scene)->isKeeping());
        QCOMPARE(wentOn.size(), 1);
        const QString second = scene.folder.filePath(QStringLiteral("night-2.lockscope"));
        QCOMPARE(wentOn[0][0].toString(), second);
        recorder->stop();
        for (const QString& file : {first, second}) {
            const auto recording = trace::loadRecording(file);
            QVERIFY2(recording, recording ? "" : qPrintable(recording.error().message));
            QVERIFY(recording->meta.finished && recording->trace->size() > 0);
        }
        QCOMPARE(scene.context()->trace()->reached(), Nanos(8s)); // the views follow the new one
    }

    void itCanBeSwitchedOff() {
        tests::WindowScene scene;
        attach(scene);
        scene.action("record.background")->trigger();
        QVERIFY(!keeperOf(scene)->isKeeping());
        attach(scene);
        QVERIFY(!keeperOf(scene)->isKeeping());
        scene.window.reset();
        scene.open(); // it is remembered
        QVERIFY(!scene.action("record.background")->isChecked());
    }

    void theLastHourIsSaved() {
        const tests::WindowScene scene;
        attach(scene);
        QVERIFY(scene.action("record.save-hour")->isEnabled());
        const QString path = scene.folder.filePath(QStringLiteral("hour.lockscope"));
        const QSignalSpy saved(keeperOf(scene), &app::BackgroundKeeper::saved);
        keeperOf(scene)->save(path);
        QTRY_COMPARE(saved.size(), 1);
        QCOMPARE(saved[0][1].toString(), QString());
        const auto recording = trace::loadRecording(path);
        QVERIFY2(recording, recording ? "" : qPrintable(recording.error().message));
        QVERIFY(recording->trace->size() > 0 && recording->meta.finished);
    }

    /// Memory lost the first half, the files on disk have it; without them the window says how little was saved.
    void whatMemoryLostIsSavedFromDisk() {
        const tests::WindowScene scene;
        auto session = std::make_unique<JoinedSession>();
        JoinedSession* const its = session.get();
        scene.window->setSession(std::move(session));
        QTRY_VERIFY(QFileInfo::exists(keeperOf(scene)->path())); // it has begun before anything happens
        its->live(8s);
        its->leaveOutTheBeginning();
        const auto savedGrants = [&](const char* name) {
            const QString path = scene.folder.filePath(QLatin1String(name));
            QSignalSpy saved(keeperOf(scene), &app::BackgroundKeeper::saved);
            keeperOf(scene)->save(path);
            if (!saved.wait(60'000)) return -1;
            const auto recording = trace::loadRecording(path);
            if (!recording || !recording->meta.finished) return -2;
            int grants = 0;
            for (std::size_t row = 0; row < recording->trace->size(); ++row)
                grants += recording->trace->kindAt(row) == trace::EventKind::Granted;
            return grants;
        };
        QCOMPARE(savedGrants("whole.lockscope"), 8); // one a second
        QVERIFY2(!scene.window->messages()->message().contains(u"only"),
                 qPrintable(scene.window->messages()->message()));
        scene.action("record.background")->trigger();
        QVERIFY(!keeperOf(scene)->isKeeping());
        QCOMPARE(savedGrants("half.lockscope"), 5); // the hold at its beginning, and those of the last four seconds
        QVERIFY2(scene.window->messages()->message().contains(u"has the last 4 s only"),
                 qPrintable(scene.window->messages()->message()));
        scene.action("record.background")->trigger(); // as the others find it
    }

    /// The file of a program that is gone; no program has a number that large.
    void afterACrashItIsOffered() {
        const QString path = folder().filePath(QStringLiteral("attached-99999999.lockscope"));
        QVERIFY(folder().mkpath(QStringLiteral(".")));
        const auto trace = std::make_shared<trace::Trace>();
        trace->intern(trace::EntityKind::Lock, "orders");
        trace->reach(3s);
        QVERIFY(trace::saveRecording(path, trace, {}));
        QCOMPARE(app::BackgroundKeeper::left(), QStringList{path});
        const tests::WindowScene scene;
        QTRY_VERIFY(scene.window->messages()->message().contains(QStringLiteral("ended unexpectedly")));
        scene.window->messages()->offerButton()->click();
        QTRY_VERIFY(scene.context()->session());
        QTRY_COMPARE(scene.context()->trace()->reached(), Nanos(3s));
        QVERIFY(QFile::remove(path));
    }

    /// The message about the file that a person asked for stays.
    void theOfferDoesNotReplaceAnError() {
        const QString path = folder().filePath(QStringLiteral("attached-99999999.lockscope"));
        QVERIFY(folder().mkpath(QStringLiteral(".")));
        QVERIFY(trace::saveRecording(path, std::make_shared<trace::Trace>(), {}));
        QCOMPARE(app::BackgroundKeeper::left(), QStringList{path});
        QTemporaryDir folderOfSettings;
        app::Settings settings(folderOfSettings.filePath(QStringLiteral("s.ini")));
        app::MainWindow window(&settings);
        window.complain(QStringLiteral("cannot be read"));
        QSignalSpy painted(&window, &app::MainWindow::firstPainted);
        window.show();
        QTRY_COMPARE(painted.count(), 1);
        QCoreApplication::processEvents(); // the offer comes by the queue after the first picture
        QCOMPARE(window.messages()->message(), QStringLiteral("cannot be read"));
        QVERIFY(QFile::remove(path));
    }
};

QTEST_MAIN(TestBackgroundKeeper)
#include "tst_background_keeper.moc"
