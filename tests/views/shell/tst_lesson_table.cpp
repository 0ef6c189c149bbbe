// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson's table of failures: each cell opens the run that it tells of, by mouse and by keyboard.
#include "lesson/lesson_file.h"
#include "lessons/failure_table.h"
#include "lessons/lesson_panel.h"
#include "window/lesson_desk.h"
#include "window/presenter.h"
#include "window_scene.h"

#include <QAccessible>

using namespace lockscope;
using views::LessonGuide;

namespace {

struct Scene : tests::WindowScene {
    LessonGuide& guide() const { return *window->lessons()->guide(); }
    views::FailureTable& table() const { return *window->lessons()->panel()->table(); }
    /// At the step with the table, all cells played.
    void toTable() {
        const auto lesson = lesson::loadLesson(QStringLiteral("which-one"));
        QVERIFY(lesson);
        const auto step = std::ranges::find_if(lesson->steps, [](const auto& one) { return one.table.has_value(); });
        QVERIFY(step != lesson->steps.end());
        window->lessons()->open(lesson->id, int(step - lesson->steps.begin()), LessonGuide::Arrival::AtOnce);
        QTRY_VERIFY(guide().arrived());
        QTRY_VERIFY_WITH_TIMEOUT(table().isComputed(), 20'000);
    }
    /// The first cell with these words; row and column from 0.
    std::pair<int, int> cellSaying(const QString& words) const {
        for (int row = 0; row < int(guide().table()->recipes.size()); ++row)
            for (int column = 0; column < int(guide().table()->columns.size()); ++column)
                if (table().cell(row, column)->text() == words) return {row, column};
        return {-1, -1};
    }
    QString recipe() const { return context()->settings().recipe; }
    /// By Tab alone; whether it came to a cell.
    bool tabToCell() const {
        for (int i = 0; i < 120; ++i) {
            strike(Qt::Key_Tab);
            if (views::FailureTable::needsKey(QApplication::focusWidget(), Qt::Key_Return)) return true;
        }
        return false;
    }
};

} // namespace

class tst_lesson_table : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Before a class on a projector no column is cut.
    void allColumnsFitOnAProjector() {
        Scene s;
        s.window->resize(1024, 768);
        s.toTable();
        s.window->presenter()->setOn(true);
        const int columns = int(s.guide().table()->columns.size()), rows = int(s.guide().table()->recipes.size());
        const auto cut = [&] {
            for (int row = 0; row < rows; ++row)
                for (int column = 0; column < columns; ++column) {
                    const QAbstractButton* const cell = s.table().cell(row, column);
                    const QRect words(cell->mapTo(s.window.get(), QPoint()), cell->size());
                    const int needed = cell->fontMetrics().horizontalAdvance(cell->text());
                    if (needed > cell->width() || cell->visibleRegion().boundingRect().width() < cell->width())
                        return cell->text();
                }
            return QString();
        };
        QTRY_VERIFY2(cut().isEmpty(), qPrintable(cut()));
    }

    /// A cell that says ✗ opens a run in which it is seen.
    void aClickOpensTheRunThatACellTellsOf() {
        Scene s;
        s.toTable();
        const int step = s.guide().step();
        const auto [row, column] = s.cellSaying(QStringLiteral("✗"));
        QVERIFY(row >= 0);
        const QString recipe = s.guide().table()->recipes[row];
        const QString tip = s.table().cell(row, column)->toolTip();
        QTest::mouseClick(s.table().cell(row, column), Qt::LeftButton);
        QCOMPARE(s.guide().phase(), LessonGuide::Phase::Away);
        QCOMPARE(s.recipe(), recipe);
        const session::Session& run = *s.context()->session();
        QVERIFY2(tip.contains(QStringLiteral("%1, seed %2").arg(run.title()).arg(run.seed())), qPrintable(tip));
        s.window->player()->pause();
        s.window->player()->seek(run.planned());
        QTRY_VERIFY_WITH_TIMEOUT(!s.context()->verdict()->violations.empty(), 20'000);
        s.guide().comeBack();
        QCOMPARE(s.guide().step(), step);
        QTRY_VERIFY(s.guide().table() != nullptr);
    }

    void theKeyboardGoesFromCellToCell() {
        Scene s;
        s.toTable();
        const int step = s.guide().step();
        QVERIFY(s.tabToCell());
        QCOMPARE(QApplication::focusWidget(), s.table().cell(0, 0));
        Scene::strike(Qt::Key_Right);
        Scene::strike(Qt::Key_Down);
        QCOMPARE(s.guide().step(), step); // the lesson does not take them
        QAbstractButton* const cell = s.table().cell(1, 1);
        QCOMPARE(QApplication::focusWidget(), cell);
        Scene::strike(Qt::Key_Left);
        Scene::strike(Qt::Key_Left); // there is none
        QCOMPARE(QApplication::focusWidget(), s.table().cell(1, 0));
        Scene::strike(Qt::Key_Up);
        QCOMPARE(QApplication::focusWidget(), s.table().cell(0, 0));
        QAccessibleInterface* const spoken = QAccessible::queryAccessibleInterface(s.table().cell(0, 0));
        QVERIFY(spoken);
        QCOMPARE(spoken->text(QAccessible::Name), s.table().sentence(0, 0));
        QVERIFY(spoken->text(QAccessible::Description).contains(QStringLiteral("Enter")));
        Scene::strike(Qt::Key_Return);
        QCOMPARE(s.guide().phase(), LessonGuide::Phase::Away);
        QCOMPARE(s.recipe(), s.guide().lesson()->steps[std::size_t(step)].table->recipes[0]);
    }

    /// Tab comes to one cell of the table, and leaves it with the next press.
    void theTableIsOneStopOfTab() {
        Scene s;
        s.toTable();
        QVERIFY(s.tabToCell());
        Scene::strike(Qt::Key_Tab);
        QVERIFY(!views::FailureTable::needsKey(QApplication::focusWidget(), Qt::Key_Return));
    }

    void aClassOpensARunToo() {
        Scene s;
        s.toTable();
        s.window->presenter()->setOn(true);
        QVERIFY(s.tabToCell());
        Scene::strike(Qt::Key_Down);
        QCOMPARE(QApplication::focusWidget(), s.table().cell(1, 0));
        const QString recipe = s.guide().table()->recipes[1];
        Scene::strike(Qt::Key_Space);
        QCOMPARE(s.guide().phase(), LessonGuide::Phase::Away);
        QCOMPARE(s.recipe(), recipe);
        QVERIFY(s.window->presenter()->isOn());
    }
};

QTEST_MAIN(tst_lesson_table)
#include "tst_lesson_table.moc"
