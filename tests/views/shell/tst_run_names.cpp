// SPDX-License-Identifier: GPL-3.0-or-later
// A run's name in the window: a title for people, whole or without its middle, and its id where there is no room.
#include "lessons/lesson_guide.h"
#include "lessons/presenter_bar.h"
#include "theme/widgets.h"
#include "window/lesson_desk.h"
#include "window/presenter.h"
#include "window_scene.h"

#include <QLineEdit>

using namespace lockscope;
using tests::WindowScene;

class tst_run_names : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A simulation is called by its title; where there is no room for the whole of it, its middle is left out, and
    /// where too little would be left, its id stands there. Nothing is cut.
    void aLongNameIsNeverCut_data() {
        QTest::addColumn<QString>("lesson");
        QTest::addColumn<int>("step");
        QTest::addColumn<int>("width");
        for (const int width : {1024, 1280, 1600}) {
            QTest::addRow("a title of two lines, %d", width) << QStringLiteral("switching") << 1 << width;
            QTest::addRow("a long title, %d", width) << QStringLiteral("redlock-critics") << 2 << width;
        }
    }
    void aLongNameIsNeverCut() {
        QFETCH(QString, lesson);
        QFETCH(int, step);
        QFETCH(int, width);
        WindowScene scene;
        scene.window->resize(width, 720);
        scene.window->lessons()->open(lesson, step, views::LessonGuide::Arrival::AtOnce);
        QTRY_VERIFY(scene.window->lessons()->guide()->arrived());
        const QString title = scene.context()->session()->title(), id = scene.context()->settings().id;
        QVERIFY(title != id);
        const auto names = [&](QString text) {
            text.remove(QStringLiteral("Simulated · ")).replace(QStringLiteral("..."), QStringLiteral("…"));
            const qsizetype gap = text.indexOf(QChar(0x2026));
            return text == id || text == title ||
                   (gap > 0 && title.startsWith(text.left(gap)) && title.endsWith(text.mid(gap + 1)));
        };
        const auto isWhole = [&] {
            const auto pills = scene.window->transport()->findChildren<views::Pill*>();
            const auto pill = std::ranges::find_if(pills, [&](const auto* one) { return names(one->text()); });
            return pill != pills.end() && (*pill)->isVisible() && (*pill)->width() >= (*pill)->sizeHint().width() &&
                   (*pill)->toolTip().contains(title) && (*pill)->toolTip().contains(id);
        };
        constexpr int kRoomy = 1280; // in a narrower row the verdict may leave no room for any name
        if (width >= kRoomy) QTRY_VERIFY(isWhole());
        scene.window->presenter()->setOn(true);
        const auto isTold = [&] {
            const auto labels = scene.window->findChild<views::PresenterBar*>()->findChildren<views::ElidedLabel*>();
            const auto label = std::ranges::find_if(labels, [&](const auto* one) { return names(one->text()); });
            constexpr int kLeastTitle = 180; // of a title without its middle
            return label != labels.end() && (*label)->width() >= std::min((*label)->sizeHint().width(), kLeastTitle);
        };
        QTRY_VERIFY(isTold());
    }

    /// A title in the row of buttons leaves the others their places, as an id did.
    void aTitleTakesNoRoomFromOtherParts() {
        WindowScene scene;
        scene.window->resize(1280, 800);
        views::TransportBar* const bar = scene.window->transport();
        for (const char* scenario : {"redlock-clock-jump", "contention"}) {
            scene.open(scenario);
            QTRY_VERIFY(bar->commandField()->isVisible());
            QTRY_VERIFY(bar->seedField()->isVisible());
        }
    }
};

QTEST_MAIN(tst_run_names)
#include "tst_run_names.moc"
