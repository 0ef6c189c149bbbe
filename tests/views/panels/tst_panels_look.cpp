// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/cluster_panel.h"
#include "events/events_panel.h"
#include "fake_session.h"
#include "faults/break_panel.h"
#include "faults/workload_panel.h"
#include "locks/lock_detail_panel.h"
#include "locks/locks_panel.h"
#include "locks/protocol_panel.h"
#include "scenario/scenario_file.h"
#include "session/simulated_session.h"
#include "theme/palette.h"
#include "verdict/verdict_panel.h"

#include <QDir>
#include <QListView>
#include <QSet>
#include <QTableView>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using views::testing::FakeSession;
using views::testing::PauseStory;

/// Every panel paints something, in both themes, and nothing that matters is cut off. Pictures are kept in the folder
/// named by LOCKSCOPE_SHOTS, where it is set.
class PanelsLook : public QObject {
    Q_OBJECT

    template <typename Panel>
    static QImage shot(const char* name, bool dark, bool empty, QSize size) {
        Theme::instance().setChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        FakeSession session;
        session.plan.lock.lease = 5s;
        session.plan.lock.honourDeadline = false;
        const PauseStory story(session.writable());
        if (!empty) session.setVerdict(views::testing::pauseVerdict(story, *session.trace()));
        ViewContext context;
        Panel panel(&context);
        panel.resize(size);
        if (!empty) context.setSession(&session);
        context.setPlayhead(6812ms);
        panel.show();
        [&] { QVERIFY(QTest::qWaitForWindowExposed(&panel)); }();
        // Refreshes are queued: one turn of the event loop later all is in place.
        QCoreApplication::processEvents();
        QCoreApplication::processEvents();
        const QImage image = panel.grab().toImage();
        if (const QString folder = qEnvironmentVariable("LOCKSCOPE_SHOTS"); !folder.isEmpty()) {
            const QString file = QStringLiteral("%1%2-%3.png")
                                     .arg(QLatin1String(name), empty ? QStringLiteral("-empty") : QString(),
                                          dark ? QStringLiteral("dark") : QStringLiteral("light"));
            image.save(QDir(folder).filePath(file));
        }
        return image;
    }

    static int coloursIn(const QImage& image) {
        QSet<QRgb> colours;
        for (int y = 0; y < image.height(); y += 2)
            for (int x = 0; x < image.width(); x += 2)
                colours.insert(image.pixel(x, y));
        return int(colours.size());
    }

    static bool has(const QImage& image, QColor colour) {
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                if (image.pixel(x, y) == colour.rgb()) return true;
        return false;
    }

    template <typename Panel>
    static void look(const char* name, QSize size, std::initializer_list<Role> roles) {
        for (const bool dark : {false, true}) {
            const QImage empty = shot<Panel>(name, dark, true, size);
            const QImage full = shot<Panel>(name, dark, false, size);
            QVERIFY2(coloursIn(full) > 20, "blank");
            QVERIFY2(coloursIn(empty) > 5, "an empty panel says nothing");
            QVERIFY2(full != empty, "shows nothing of the session");
            for (const Role role : roles)
                QVERIFY2(has(full, color(role, dark)),
                         qPrintable(QStringLiteral("%1 lacks role %2").arg(QLatin1String(name)).arg(int(role))));
        }
    }

private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void theLocksTableShowsBarAndPill() {
        look<LocksPanel>("locks", {1185, 260}, {Role::Holding, Role::ViolationSoft, Role::GaugeTrack});
    }
    void theLocksDetailShowsRingQueueAndContent() {
        look<LockDetailPanel>("detail", {306, 520}, {Role::Holding, Role::Field, Role::SurfaceRaised});
    }
    void theProtocolShowsBadgesInTheirColours() {
        look<ProtocolPanel>("protocol", {306, 220},
                            {Role::Holding, Role::Waiting, Role::Violation, Role::HoldingSoft, Role::WaitingSoft});
    }
    void theEventsAreLinesWithMarks() { look<EventsPanel>("events", {1185, 300}, {Role::Selection}); }
    void theVerdictShowsCardsOfViolations() {
        look<VerdictPanel>("verdict", {306, 420}, {Role::Violation, Role::SurfaceRaised});
    }
    void theBreakButtonsStandInTheirColumn() {
        look<BreakPanel>("break", {206, 430}, {Role::SurfaceRaised, Role::AcceptedSoft});
    }
    void theClusterShowsNodesClientsAndBeliefs() {
        look<ClusterPanel>("cluster", {900, 300}, {Role::Holding, Role::Surface, Role::SurfaceSunken});
    }
    /// The step that a lesson speaks of is read first, also while nobody stands at it.
    void aStepInALessonsLightIsNotDim() {
        Theme::instance().setChoice(ThemeChoice::Dark);
        auto scenario = scenario::loadScenario(QStringLiteral("gc-pause"));
        QVERIFY(scenario);
        session::SimulatedSession session(*scenario, 42);
        ViewContext context;
        context.setSession(&session);
        QTRY_VERIFY(context.trace()->reached() >= 0s);
        ProtocolPanel protocol(&context);
        protocol.resize(306, 320);
        protocol.show();
        QVERIFY(QTest::qWaitForWindowExposed(&protocol));
        auto* const steps = protocol.findChild<QListView*>();
        QTRY_VERIFY(protocol.model()->rowCount() > 1);
        const auto bright = [&](int row) {
            const QImage image = steps->viewport()->grab(steps->visualRect(steps->model()->index(row, 0))).toImage();
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    if (image.pixelColor(x, y) == color(Role::Text)) return true;
            return false;
        };
        QVERIFY(!bright(0));
        protocol.lookAt({1});
        QTRY_VERIFY(bright(0));
        QVERIFY(!bright(1));
        protocol.setBrief(true); // before a class: where a client stands, and what the lesson speaks of
        QVERIFY(!steps->isRowHidden(0));
        QVERIFY(steps->isRowHidden(1));
        protocol.lookAt({2});
        QVERIFY(steps->isRowHidden(0));
        QVERIFY(!steps->isRowHidden(1));
        Theme::instance().setChoice(ThemeChoice::Light);
    }
    void aSimulatedWorldFillsEveryPanel() {
        Theme::instance().setChoice(ThemeChoice::Light);
        auto scenario = scenario::loadScenario(QStringLiteral("gc-pause"));
        QVERIFY(scenario);
        session::SimulatedSession session(*scenario, 42);
        ViewContext context;
        context.setSession(&session);
        session.advanceTo(15s);
        QTRY_VERIFY(context.trace()->reached() >= 15s);
        QTRY_VERIFY(!context.verdict()->violations.empty());
        const Nanos then = context.verdict()->violations.front().from + 1ms;
        context.setPlayhead(then);

        LocksPanel locks(&context);
        LockDetailPanel detail(&context);
        ProtocolPanel protocol(&context);
        EventsPanel events(&context);
        ClusterPanel cluster(&context);
        VerdictPanel verdict(&context);
        BreakPanel breaks(&context);
        WorkloadPanel workload(&context);
        const std::vector<std::tuple<const char*, QWidget*, QSize>> panels{
            {"locks", &locks, {1185, 200}},   {"detail", &detail, {306, 480}},     {"protocol", &protocol, {306, 220}},
            {"events", &events, {1185, 300}}, {"cluster", &cluster, {900, 320}},   {"verdict", &verdict, {306, 420}},
            {"break", &breaks, {206, 430}},   {"workload", &workload, {206, 360}},
        };
        for (const auto& [name, panel, size] : panels) {
            panel->resize(size);
            panel->show();
            QVERIFY(QTest::qWaitForWindowExposed(panel));
            QCoreApplication::processEvents();
            const QImage image = panel->grab().toImage();
            QVERIFY2(coloursIn(image) > 20, name);
            if (const QString folder = qEnvironmentVariable("LOCKSCOPE_SHOTS"); !folder.isEmpty())
                image.save(QDir(folder).filePath(QStringLiteral("real-%1.png").arg(QLatin1String(name))));
        }
        QCOMPARE(locks.lockCount(), 1);
        QVERIFY(detail.fact(LockDetailPanel::Believers).contains(QStringLiteral(" and ")));
        QCOMPARE(protocol.model()->rowCount(), 5);
        int standing = 0;
        for (int step = 0; step < protocol.model()->rowCount(); ++step)
            standing += int(protocol.model()->badges(step).size());
        QVERIFY(standing >= 2);
        QCOMPARE(cluster.picture().items.size(), std::size_t(1 + 2 * scenario->workload.clients));
        QVERIFY(events.view()->currentIndex().isValid());
        // And breaking it by the button makes another future of the same names.
        const auto before = context.trace();
        context.select(context.trace()->clientOf(context.verdict()->violations.front().actors.front()));
        const QString selected = context.trace()->displayName(context.selection());
        breaks.breakActions().at(1)->trigger(); // kill
        QTRY_VERIFY(context.trace() != before);
        session.advanceTo(15s);
        QTRY_VERIFY(context.trace()->reached() >= then);
        QTRY_COMPARE(context.trace()->displayName(context.selection()), selected);
        context.setPlayhead(then + 10ms);
        QTRY_COMPARE(breaks.breakActions().at(1)->text(), QStringLiteral("Restart client"));
    }
    void theWorkloadIsAForm() { look<WorkloadPanel>("workload", {206, 360}, {Role::Field}); }
};

QTEST_MAIN(PanelsLook)
#include "tst_panels_look.moc"
