// SPDX-License-Identifier: GPL-3.0-or-later
// The presenter shows a class what a lesson points at.
#include "glossary/glossary_dialog.h"
#include "lessons/key_row.h"
#include "lessons/lesson_guide.h"
#include "locks/protocol_panel.h"
#include "models/lock_facts.h"
#include "theme/fonts.h"
#include "timeline/legend_bar.h"
#include "timeline/timeline_panel.h"
#include "timeline/timeline_view.h"
#include "waits/waits_panel.h"
#include "window/help_desk.h"
#include "window/lesson_desk.h"
#include "window/presenter.h"
#include "window_scene.h"

#include <QScrollArea>
#include <QScrollBar>

using namespace lockscope;
using tests::WindowScene;

namespace {

views::TimelineView* timelineOf(const WindowScene& scene) {
    return scene.window->findChild<views::TimelineView*>();
}

} // namespace

class tst_window_class : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { views::Theme::instance().setChoice(views::ThemeChoice::Light); }

    /// The big key says what it does now.
    void theKeyOfThePauseSaysWhomItResumes() {
        WindowScene scene;
        scene.open("contention");
        scene.context()->seek(3s);
        scene.window->presenter()->setOn(true);
        const auto words = [&] {
            const auto rows = scene.window->findChildren<views::KeyRow*>();
            return rows.isEmpty() ? QString() : rows.front()->button(views::KeyRow::Key::PauseHolder)->text();
        };
        QTRY_COMPARE(words(), QStringLiteral("pause the holder"));
        QAction* const pause = scene.action("break.pause-client");
        QTRY_VERIFY(pause && pause->isEnabled());
        scene.press(Qt::Key_P);
        QTRY_VERIFY2(words().startsWith(QLatin1String("resume ")), qPrintable(words()));
        scene.press(Qt::Key_P);
        QTRY_COMPARE(words(), QStringLiteral("pause the holder"));
    }

    /// A client that was clicked is struck in the holder's place: the key says so before.
    void theKeyOfThePauseNamesAnotherThanTheHolder() {
        WindowScene scene;
        scene.open("contention");
        scene.context()->seek(3s);
        scene.window->presenter()->setOn(true);
        const auto words = [&] {
            const auto rows = scene.window->findChildren<views::KeyRow*>();
            return rows.isEmpty() ? QString() : rows.front()->button(views::KeyRow::Key::PauseHolder)->text();
        };
        QTRY_COMPARE(words(), QStringLiteral("pause the holder"));
        const auto trace = scene.context()->trace();
        const auto clients = scene.context()->entities(trace::EntityKind::Client);
        const auto holder = trace->clientOf(views::lockFacts(scene.context()->focusedLock(), *scene.context()).owner);
        const auto waiter = std::ranges::find_if(clients, [&](trace::EntityId id) { return id != holder; });
        QVERIFY(holder != trace::kNoEntity && waiter != clients.end());
        scene.context()->select(*waiter);
        QTRY_COMPARE(words(), QStringLiteral("pause %1").arg(trace->displayName(*waiter)));
        scene.press(Qt::Key_P);
        QTRY_COMPARE(words(), QStringLiteral("resume %1").arg(trace->displayName(*waiter)));
        scene.press(Qt::Key_P);
        QTRY_COMPARE(words(), QStringLiteral("pause %1").arg(trace->displayName(*waiter)));
        scene.context()->select(trace::kNoEntity);
        QTRY_COMPARE(words(), QStringLiteral("pause the holder"));
    }

    /// The button to a word's lesson is not there in that lesson.
    void aWordDoesNotLeadToTheLessonThatIsOpen() {
        WindowScene scene;
        const auto button = [&] { return scene.window->findChild<views::GlossaryDialog*>()->lessonButton(); };
        scene.window->help()->showTerm(QStringLiteral("fencing-token"));
        QVERIFY(button()->isVisible());
        scene.window->lessons()->open(QStringLiteral("fencing"), 0, views::LessonGuide::Arrival::AtOnce);
        scene.window->help()->showTerm(QStringLiteral("fencing-token"));
        QVERIFY(!button()->isVisible());
        scene.window->help()->showTerm(QStringLiteral("watchdog"));
        QVERIFY(button()->isVisible());
    }

    /// A class's large letters leave nothing behind: the row of the window has its parts again.
    void theRowIsAsBeforeAfterAClass() {
        WindowScene scene;
        scene.open("contention");
        const auto parts = [&] {
            QStringList shown;
            for (const QWidget* part : scene.window->transport()->findChildren<QWidget*>())
                if (part->isVisible() && !part->accessibleName().isEmpty()) shown += part->accessibleName();
            return shown;
        };
        QTRY_VERIFY(parts().contains(QStringLiteral("Speed")));
        const QStringList before = parts();
        scene.window->presenter()->setOn(true);
        QTRY_VERIFY(views::textScale() > 1.2);
        scene.window->presenter()->setOn(false);
        QTRY_COMPARE(parts(), before);
    }

    void aClassSeesWhereClientsStandAndTheLegend() {
        WindowScene scene;
        scene.window->lessons()->open(QStringLiteral("the-pause"), 1, views::LessonGuide::Arrival::AtOnce);
        scene.window->presenter()->setOn(true);
        const Nanos stop = *scene.window->player()->limit();
        QTRY_VERIFY_WITH_TIMEOUT(scene.context()->playhead() >= stop, 20'000);
        const auto visible = [&]() -> views::ProtocolPanel* {
            for (auto* panel : scene.window->findChildren<views::ProtocolPanel*>())
                if (panel->isVisible()) return panel;
            return nullptr;
        };
        views::ProtocolPanel* shown = nullptr;
        QTRY_VERIFY((shown = visible())); // the presenter divides its room when the window has come to rest
        const auto rows = [&] {
            int standing = 0;
            for (int row = 0; row < shown->model()->rowCount(); ++row) {
                const bool empty = shown->model()->badges(row).empty();
                if (shown->view()->isRowHidden(row) != empty) return -1;
                if (empty) continue;
                ++standing;
                const QRect place = shown->view()->visualRect(shown->model()->index(row));
                if (!shown->view()->viewport()->rect().contains(place)) return -2;
            }
            return standing;
        };
        QTRY_VERIFY2(rows() >= 2, qPrintable(QString::number(rows())));
        auto* const panel = qobject_cast<views::TimelinePanel*>(scene.window->work()->timeline());
        QVERIFY(panel->legend()->isVisible());
        scene.window->presenter()->setOn(false);
        QVERIFY(!panel->legend()->isVisible());
    }

    /// The step of lesson 15 that speaks of the picture of waits shows it to a class, too, and no other step does.
    void aClassSeesTheCircleThatALessonSpeaksOf_data() {
        QTest::addColumn<QSize>("size");
        for (const QSize size : {QSize(1024, 768), QSize(1280, 720), QSize(1600, 1000)})
            QTest::addRow("%dx%d", size.width(), size.height()) << size;
    }
    void aClassSeesTheCircleThatALessonSpeaksOf() {
        QFETCH(QSize, size);
        WindowScene scene;
        scene.window->resize(size);
        auto& guide = *scene.window->lessons()->guide();
        scene.window->lessons()->open(QStringLiteral("deadlock"), 0, views::LessonGuide::Arrival::AtOnce);
        scene.window->presenter()->setOn(true);
        const auto shown = [&]() -> views::WaitsPanel* {
            for (auto* panel : scene.window->findChildren<views::WaitsPanel*>())
                if (panel->isVisible()) return panel;
            return nullptr;
        };
        int spoken = 0;
        for (int step = 0; step < int(guide.lesson()->steps.size()); ++step) {
            scene.window->lessons()->open(QStringLiteral("deadlock"), step, views::LessonGuide::Arrival::AtOnce);
            QTRY_VERIFY_WITH_TIMEOUT(guide.arrived(), 20'000);
            const bool wanted = guide.panel() == lesson::Look::Panel::Waits;
            QCOMPARE(shown() != nullptr, wanted);
            if (!wanted) continue;
            ++spoken;
            views::WaitsPanel* const panel = shown();
            QTRY_COMPARE(panel->graph().cycles.size(), std::size_t(1));
            // The circle is whole: nobody has to scroll.
            const auto* const area = panel->findChild<QScrollArea*>();
            const auto whole = [&] {
                return area->viewport()->width() >= panel->picture().size.width() &&
                       area->viewport()->height() >= panel->picture().size.height();
            };
            QTRY_VERIFY2(whole(), qPrintable(QStringLiteral("%1x%2 in %3x%4")
                                                 .arg(panel->picture().size.width())
                                                 .arg(panel->picture().size.height())
                                                 .arg(area->viewport()->width())
                                                 .arg(area->viewport()->height())));
        }
        QCOMPARE(spoken, 1);
        scene.window->presenter()->setOn(false);
        QTRY_VERIFY(!shown() || scene.window->work()->waits()->isVisible());
    }

    /// On a small projector the lanes that a lesson lights have room before the protocol has.
    void aClassSeesTheCopiesThatALessonLights_data() {
        QTest::addColumn<QSize>("size");
        QTest::newRow("1024x768") << QSize(1024, 768);
        QTest::newRow("1280x720") << QSize(1280, 720);
    }
    void aClassSeesTheCopiesThatALessonLights() {
        QFETCH(QSize, size);
        WindowScene scene;
        scene.window->resize(size);
        scene.window->lessons()->open(QStringLiteral("switching"), 1, views::LessonGuide::Arrival::AtOnce);
        scene.window->presenter()->setOn(true);
        const Nanos stop = *scene.window->player()->limit();
        QTRY_VERIFY_WITH_TIMEOUT(scene.context()->playhead() >= stop, 20'000);
        const views::TimelineView* const view = timelineOf(scene);
        const auto litInSight = [&] {
            const int top = view->verticalScrollBar()->value(), bottom = top + view->viewport()->height();
            const auto& lit = scene.context()->spotlight()->lanes;
            int copies = 0;
            for (const auto& row : view->layoutOfLanes().rows()) {
                if (std::ranges::find(lit, row.lane->entity) == lit.end()) continue;
                if (row.y < top || row.y + row.height > bottom) return false;
                copies += row.lane->kind == views::LaneKind::Copy;
            }
            return copies >= 2;
        };
        QVERIFY(scene.context()->spotlight());
        QTRY_VERIFY(litInSight());
    }
};

QTEST_MAIN(tst_window_class)
#include "tst_window_class.moc"
