// SPDX-License-Identifier: GPL-3.0-or-later
// "What is this?", sharing a run, and two runs side by side, by the keys and clicks that a person uses.
#include "compare/compare_window.h"
#include "experiment/run.h"
#include "faults/break_button.h"
#include "focus_walk.h"
#include "glossary/glossary_dialog.h"
#include "lessons/lesson_panel.h"
#include "locks/locks_panel.h"
#include "locks/protocol_panel.h"
#include "session/shared_run.h"
#include "session/simulated_session.h"
#include "theme/fonts.h"
#include "theme/screen_room.h"
#include "timeline/layout.h"
#include "timeline/legend.h"
#include "timeline/legend_bar.h"
#include "timeline/run_movie.h"
#include "timeline/timeline_panel.h"
#include "timeline/timeline_view.h"
#include "window/compare_desk.h"
#include "window/exporter.h"
#include "window/help_desk.h"
#include "window/lesson_desk.h"
#include "window/sharer.h"
#include "window/what_is_this.h"
#include "window_scene.h"

#include <QBuffer>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QImage>
#include <QLabel>
#include <QListView>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QSignalSpy>
#include <QTreeView>
#include <QXmlStreamReader>

using namespace lockscope;

namespace {

struct Scene : tests::WindowScene {
    views::GlossaryDialog* glossary() const { return window->help()->glossary(); }
    views::TimelinePanel* timeline() const { return qobject_cast<views::TimelinePanel*>(window->work()->timeline()); }
    /// Computed to its planned end.
    QByteArray digest() const {
        const auto trace = context()->trace();
        const Nanos end = context()->session()->planned();
        context()->session()->advanceTo(end);
        if (!QTest::qWaitFor([&] { return trace->reached() >= end; }, 30'000)) return {};
        return trace->digest();
    }
};

/// The menu that a right click there opens; its words are those of the entries.
QMenu* menuAt(QWidget* widget, const QPoint& at) {
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget->mapToGlobal(at));
    QApplication::sendEvent(widget, &event);
    return qobject_cast<QMenu*>(QApplication::activePopupWidget());
}
QStringList wordsOf(const QMenu& menu) {
    QStringList words;
    for (const QAction* action : menu.actions())
        words += action->text();
    return words;
}

} // namespace

class tst_help_desk : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void f1ExplainsWhatHasTheFocus() {
        Scene s;
        s.open("gc-pause");
        s.press(Qt::Key_F1);
        QVERIFY(s.glossary() && s.glossary()->isVisible());
        s.glossary()->close();
        QTRY_VERIFY(!s.glossary());
        s.window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(s.window.get()));
        // A lane that the keyboard has gone to is a belief.
        s.digest();
        views::TimelineView* const view = s.timeline()->view();
        QTRY_VERIFY(!view->layoutOfLanes().rows().empty());
        view->setFocus();
        view->setFocusRow(0);
        s.press(Qt::Key_F1);
        QVERIFY(s.glossary());
        QCOMPARE(s.glossary()->shownTerm(), QStringLiteral("belief"));
    }

    void eachMenuSaysWhatIsThere() {
        Scene s;
        s.open("gc-pause");
        s.digest();
        s.window->player()->seek(10s);
        QTRY_COMPARE(s.context()->playhead(), Nanos(10s));
        views::TimelineView* const view = s.timeline()->view();
        QTRY_VERIFY(!view->layoutOfLanes().rows().empty());
        // A lane's name; the recipe's steps; a row of the verdict; a cell of the table.
        QMenu* menu = menuAt(view->viewport(), view->rowRect(0).topLeft() + QPoint(20, 20));
        QVERIFY(menu);
        const lesson::Term* const belief = lesson::findTerm(QStringLiteral("belief"));
        QVERIFY2(wordsOf(*menu).contains(belief->name.in(QStringLiteral("en")) + QStringLiteral(": ") +
                                         belief->sentence(QStringLiteral("en"))),
                 qPrintable(wordsOf(*menu).join(u'|')));
        // The faults of the lane stand there as before.
        QVERIFY2(!wordsOf(*menu).filter(QStringLiteral("watchdog"), Qt::CaseInsensitive).isEmpty(),
                 qPrintable(wordsOf(*menu).join(u'|')));
        menu->close();
        auto* const protocol = s.window->findChild<views::ProtocolPanel*>();
        menu = menuAt(protocol->view()->viewport(), QPoint(30, 10));
        QVERIFY(menu && wordsOf(*menu).first().isEmpty()); // a line, then what it is
        QVERIFY2(wordsOf(*menu).join(u'|').contains(QStringLiteral("redis-set")),
                 qPrintable(wordsOf(*menu).join(u'|')));
        menu->close();
        auto* const table = s.window->findChild<views::LocksPanel*>();
        const QModelIndex holder = table->view()->model()->index(0, views::LocksModel::HolderColumn);
        menu = menuAt(table->view()->viewport(), table->view()->visualRect(holder).center());
        QVERIFY(menu);
        QVERIFY2(wordsOf(*menu).join(u'|').contains(QStringLiteral("holder: ")), qPrintable(wordsOf(*menu).join(u'|')));
        // Its last entries lead on: to the lesson, to all words.
        QAction* toLesson = nullptr;
        for (QAction* action : menu->actions())
            if (action->text().startsWith(QStringLiteral("See it in lesson"))) toLesson = action;
        QVERIFY(toLesson);
        toLesson->trigger();
        menu->close();
        QVERIFY(s.window->lessons()->guide()->isOn());
    }

    void everyPanelIsExplained() {
        Scene s;
        s.open("contention");
        s.window->player()->seek(3s);
        QTRY_COMPARE(s.context()->playhead(), Nanos(3s));
        const auto termAt = [&](const QWidget* widget) {
            return app::whatIsThis(*s.window, *s.context(), widget->mapToGlobal(widget->rect().center()));
        };
        app::WorkArea* const work = s.window->work();
        for (const auto& [dock, term] : {std::pair{work->waits(), "wait-for-graph"},
                                         {work->statistics(), "waiter"},
                                         {work->cluster(), "server"}}) {
            dock->show();
            dock->raise();
            QTRY_VERIFY(!app::WorkArea::isBehind(dock));
            QTRY_COMPARE(termAt(dock->widget()), QLatin1String(term));
        }
        QCOMPARE(termAt(s.window->transport()->seedField()), QStringLiteral("seed"));
        work->events()->show();
        work->events()->raise();
        QTRY_COMPARE(termAt(work->events()->widget()), QStringLiteral("event"));
        // Each button that breaks something has the term of what it does.
        QSet<QString> faults;
        for (const auto* button : work->controls()->findChildren<views::BreakButton*>())
            if (!button->visibleRegion().isEmpty()) faults << termAt(button);
        for (const char* term : {"pause", "partition", "clock-skew", "watchdog", "mark-fault"})
            QVERIFY2(faults.contains(QLatin1String(term)), term);
        for (const QString& term : faults)
            QVERIFY2(lesson::findTerm(term), qPrintable(term));
        QSet<QString> told;
        for (const auto* label : work->inspector()->findChildren<QLabel*>())
            if (label->isVisible()) told << termAt(label);
        for (const char* term : {"belief", "fencing-token", "holder", "renewal", "record"})
            QVERIFY2(told.contains(QLatin1String(term)), term);
        for (const QString& term : told)
            QVERIFY2(term.isEmpty() || lesson::findTerm(term), qPrintable(term));
    }

    void aTermLeadsToItsLesson() {
        Scene s;
        s.window->help()->showTerm(QStringLiteral("watchdog"));
        QCOMPARE(s.glossary()->shownTerm(), QStringLiteral("watchdog"));
        QTest::keyClicks(s.glossary()->field(), QStringLiteral("fenc"));
        QCOMPARE(s.glossary()->shownTerm(), QStringLiteral("fencing-token"));
        QTest::keyClick(s.glossary()->field(), Qt::Key_Down);
        QVERIFY(s.glossary()->shownTerm() != QStringLiteral("fencing-token"));
        QTest::keyClick(s.glossary()->field(), Qt::Key_Up);
        QVERIFY(s.glossary()->lessonButton()->text().contains(QStringLiteral("8")));
        QTest::mouseClick(s.glossary()->lessonButton(), Qt::LeftButton);
        QVERIFY(s.window->lessons()->guide()->lesson());
        QCOMPARE(s.window->lessons()->guide()->lesson()->id, QStringLiteral("fencing"));
    }

    void nothingFoundIsSaid() {
        Scene s;
        s.window->help()->showTerm({});
        QVERIFY(!s.glossary()->shownTerm().isEmpty());
        QTest::keyClicks(s.glossary()->field(), QStringLiteral("xyzzy"));
        QVERIFY(s.glossary()->shownTerm().isEmpty());
        QVERIFY(!s.glossary()->lessonButton()->isVisible());
        QTest::keyClick(s.glossary()->field(), Qt::Key_Down); // does no harm
    }

    void theCommandFieldFindsTermsAndRuns() {
        Scene s;
        s.open("contention");
        s.action("transport.find")->trigger();
        views::CommandField* const field = s.window->transport()->commandField();
        QTest::keyClicks(field, QStringLiteral("lease"));
        const QAbstractItemModel* const model = field->list()->model();
        QString row;
        for (int i = 0; i < model->rowCount(); ++i)
            if (model->index(i, 0).data().toString().contains(QStringLiteral("What is this? › lease")))
                row = model->index(i, 0).data().toString();
        QVERIFY(!row.isEmpty());
        field->setText(QStringLiteral("lockscope:gc-pause?seed=5"));
        QTest::keyClick(field, Qt::Key_Space); // as typed: the list fills
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(s.context()->scenario().id, QStringLiteral("gc-pause"));
        QCOMPARE(s.context()->session()->seed(), std::uint64_t(5));
    }

    void theLegendComesAndStays() {
        Scene s;
        s.open("gc-pause");
        QVERIFY(!s.timeline()->legend()->isVisible());
        s.action("view.legend")->trigger();
        QVERIFY(s.timeline()->legend()->isVisible());
        const auto entries = s.timeline()->legend()->findChildren<views::LegendEntry*>();
        QVERIFY(entries.size() >= 8);
        QVERIFY(entries.first()->isVisible());
        QTest::mouseClick(entries.first(), Qt::LeftButton);
        QCOMPARE(s.glossary()->shownTerm(), QStringLiteral("mark-wedge"));
        // Every entry has a term of its own in the glossary.
        for (views::LegendEntry* entry : entries) {
            entry->click();
            QVERIFY2(lesson::findTerm(s.glossary()->shownTerm()), qPrintable(entry->text()));
        }
        s.window.reset();
        s.window = std::make_unique<app::MainWindow>(s.settings.get());
        s.window->show();
        QVERIFY(QTest::qWaitForWindowActive(s.window.get()));
        s.open("gc-pause");
        QVERIFY(s.timeline()->legend()->isVisible());
    }

    void aboutNamesTheVersion() {
        Scene s;
        QCoreApplication::setApplicationVersion(QStringLiteral("7.6.5"));
        s.action("help.about")->trigger();
        auto* const box = s.window->findChild<QMessageBox*>();
        QVERIFY(box && box->isVisible());
        QVERIFY(box->text().contains(QStringLiteral("7.6.5")));
        QTest::keyClick(box, Qt::Key_Escape);
    }

    void aRunGoesThroughTheClipboard() {
        Scene s;
        s.open("contention");
        s.context()->session()->advanceTo(4s);
        QTRY_VERIFY(s.context()->trace()->reached() >= Nanos(4s));
        s.context()->setPlayhead(3s);
        scenario::Fault pause;
        pause.action = scenario::Action::PauseClient;
        pause.target = QStringLiteral("A");
        s.context()->breakIt(pause);
        QCOMPARE(s.context()->session()->doneByHand().size(), std::size_t(1));
        const QByteArray digest = s.digest();
        s.press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        const QString text = QApplication::clipboard()->text();
        QVERIFY2(text.startsWith(QStringLiteral("lockscope:contention?")), qPrintable(text));
        s.open("gc-pause");
        s.press(Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(s.context()->scenario().id, QStringLiteral("contention"));
        QCOMPARE(s.context()->session()->doneByHand().size(), std::size_t(1));
        QCOMPARE(s.digest(), digest);
        QTRY_COMPARE(s.context()->playhead(), Nanos(3s));
        QVERIFY(!s.window->player()->isPlaying());
    }

    void aWrongClipboardIsTold() {
        Scene s;
        QApplication::clipboard()->setText(QStringLiteral("just words"));
        s.press(Qt::Key_V, Qt::ControlModifier);
        QVERIFY(s.window->messages()->message().contains(QStringLiteral("lockscope:")));
        QApplication::clipboard()->setText(QStringLiteral("lockscope:gc-pause?seed=x"));
        s.press(Qt::Key_V, Qt::ControlModifier);
        QVERIFY(s.window->messages()->message().contains(QStringLiteral("character 25")));
        QVERIFY(!s.context()->session());
    }

    void thePictureIsWhatIsInSight() {
        Scene s;
        s.open("gc-pause");
        s.digest();
        s.press(Qt::Key_C, Qt::ControlModifier | Qt::AltModifier);
        const QImage image = QApplication::clipboard()->image();
        QVERIFY(image.width() >= 2 * s.timeline()->width() - 2);
        QVERIFY(image.height() > 400);
        const views::RunPicture picture = s.window->sharer()->picture();
        QVERIFY(picture.title.contains(QStringLiteral("redis-set")));
        QVERIFY(picture.title.contains(QString::number(s.context()->session()->seed())));
        s.timeline()->view()->fit();
        QTRY_VERIFY(s.context()->verdict()->rows == s.context()->trace()->size());
        const views::RunPicture whole = s.window->sharer()->picture();
        QVERIFY(whole.violated && !whole.sentence.isEmpty());
    }

    void drawingsAndPagesAreWrittenToo() {
        Scene s;
        s.open("gc-pause");
        s.digest();
        const auto save = [&s](const QString& path) {
            s.action("share.save-picture")->trigger();
            const QPointer<QFileDialog> dialog = s.window->findChild<QFileDialog*>();
            if (!dialog || dialog->nameFilters().size() != 3) return QByteArray("no dialogue");
            Q_EMIT dialog->fileSelected(path);
            delete dialog.data();
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const QByteArray svg = save(s.folder.filePath(QStringLiteral("run.svg")));
        QXmlStreamReader drawing(svg);
        QVERIFY(drawing.readNextStartElement() && drawing.name() == u"svg");
        while (!drawing.atEnd())
            drawing.readNext();
        QVERIFY2(!drawing.hasError(), qPrintable(drawing.errorString()));
        QVERIFY(svg.contains("redis-set")); // its title
        QVERIFY(s.window->messages()->message().contains(QStringLiteral("run.svg")));
        const QByteArray pdf = save(s.folder.filePath(QStringLiteral("run.pdf")));
        QVERIFY(pdf.startsWith("%PDF-") && pdf.trimmed().endsWith("%%EOF"));
        QVERIFY(QImage::fromData(save(s.folder.filePath(QStringLiteral("run.png")))).width() > 400);
        QCOMPARE(save(s.folder.filePath(QStringLiteral("no/folder.svg"))), QByteArray());
        QVERIFY(s.window->messages()->message().contains(QStringLiteral("no/folder.svg")));
    }

    void filesForOtherProgramsAreWrittenBesidesTheWindow() {
        Scene s;
        s.open("gc-pause");
        s.digest();
        app::Exporter* const exporter = s.window->sharer()->exporter();
        QSignalSpy finished(exporter, &app::Exporter::finished);
        for (const trace::ExportFormat& format : trace::kExportFormats) {
            const QString path = s.folder.filePath(QLatin1String(format.id));
            exporter->writeTrace(path, format);
            QVERIFY(exporter->isBusy());
            QVERIFY(!s.action("export.trace")->isEnabled());
            QTRY_COMPARE(finished.size(), 1);
            QCOMPARE(finished.takeFirst().at(1).toString(), QString());
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QBuffer wanted;
            QVERIFY(wanted.open(QIODevice::WriteOnly));
            QVERIFY(format.write(*s.context()->trace(), wanted, {}));
            QVERIFY(!wanted.data().isEmpty());
            QCOMPARE(file.readAll(), wanted.data());
        }
        exporter->writeTrace(s.folder.filePath(QStringLiteral("no/folder")), trace::kExportFormats.front());
        QTRY_COMPARE(finished.size(), 1);
        QVERIFY(!finished.first().at(1).toString().isEmpty());
        QVERIFY(s.window->messages()->message().contains(QStringLiteral("no/folder")));
    }

    void anAnimatedPictureIsWritten() {
        Scene s;
        s.open("gc-pause");
        s.digest();
        s.window->player()->seek(10s);
        QTRY_COMPARE(s.context()->playhead(), Nanos(10s));
        views::TimelineView::Sight sight = s.timeline()->view()->sight();
        sight.from = 9'000'000'000;
        sight.to = 10'000'000'000;
        sight.fitted = false;
        s.timeline()->view()->setSight(sight);
        const views::RunMovie movie(s.window->sharer()->picture(), 600, 600);
        QCOMPARE(movie.frames(), 9); // a second, eight times a second, and its end
        QVERIFY(movie.frame(0) != movie.frame(8));
        // The future does not show, in the overview either: its columns right of the playhead are all alike.
        const QImage first = movie.frame(0);
        const views::TimelineMetrics metrics(QFontMetricsF(views::uiFont()).height());
        const int bottom = first.height() - views::legendHeight(), top = bottom - metrics.overviewHeight();
        const double axis = first.width() - metrics.labelWidth();
        const int now = metrics.labelWidth() + int(axis * 9e9 / double(s.context()->trace()->reached().count())) + 3;
        QVERIFY(now < first.width() - 10);
        int past = 0, future = 0;
        for (int x = metrics.labelWidth() + 3; x < first.width() - 1; ++x)
            for (int y = top; y < bottom; ++y)
                (x < now ? past : future) += first.pixelColor(x, y) != first.pixelColor(first.width() - 1, y);
        QVERIFY(past > 100);
        QCOMPARE(future, 0);
        const QString path = s.folder.filePath(QStringLiteral("run.webp"));
        QSignalSpy finished(s.window->sharer()->exporter(), &app::Exporter::finished);
        app::Exporter* const exporter = s.window->sharer()->exporter();
        exporter->writeMovie(path);
        // While it takes, it is told of, and the window does not close over it.
        QVERIFY(exporter->isBusy() && exporter->pill()->isVisible());
        QTRY_VERIFY(exporter->pill()->text().contains(QStringLiteral(" %")));
        QVERIFY(s.window->messages()->message().startsWith(QStringLiteral("Writing run.webp")));
        s.window->close();
        QVERIFY(s.window->isVisible());
        QVERIFY(s.window->messages()->message().contains(QStringLiteral("still being written")));
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60'000);
        QCOMPARE(finished.first().at(1).toString(), QString());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        QVERIFY(bytes.startsWith("RIFF") && bytes.mid(8, 4) == "WEBP" && bytes.contains("ANIM"));
        QVERIFY(bytes.count("ANMF") >= 3); // frames that look the same may be joined
        QVERIFY(!exporter->pill()->isVisible());

        // Stopped, nothing is lost of a file that was there; a place that cannot be written to says so at once.
        finished.clear();
        exporter->writeMovie(path);
        QTest::mouseClick(exporter->pill(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60'000);
        QVERIFY(!finished.takeFirst().at(1).toString().isEmpty());
        QVERIFY(s.window->messages()->message().startsWith(QStringLiteral("Stopped")));
        QVERIFY(file.seek(0));
        QCOMPARE(file.readAll(), bytes);
        exporter->writeMovie(s.folder.filePath(QStringLiteral("no/run.webp")));
        QVERIFY(!exporter->isBusy());
        QCOMPARE(finished.size(), 1);
        QVERIFY(s.window->messages()->message().contains(QStringLiteral("no/run.webp")));
    }

    void aSmallWindowOfTwoRunsIsReachedByTheKeyboard() {
        Scene s;
        s.window->openScenario(QStringLiteral("gc-pause"));
        s.window->player()->pause();
        views::CompareWindow* const compare =
            s.window->comparison()->open(experiment::Contrast{QStringLiteral("token_check"), QStringLiteral("on")});
        QVERIFY(compare);
        compare->resize(views::kSmallestWindow);
        QTRY_COMPARE(compare->size(), views::kSmallestWindow);
        QTRY_VERIFY(compare->isActiveWindow());
        QTRY_VERIFY_WITH_TIMEOUT(compare->isReady(), 30'000);
        const tests::FocusWalk walk(compare);
        QVERIFY2(walk.isFine(), walk.told());
        for (const int run : {0, 1})
            QVERIFY(walk.reached.contains(compare->timeline(run)));
        // Nothing is pushed out of the window, and the outcome is told whole.
        for (const QWidget* part : compare->findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
            if (!part->isHidden() && !part->isWindow())
                QVERIFY2(compare->rect().contains(part->geometry()), part->metaObject()->className());
    }

    void aLessonShowsItsPairOfRunsSideBySide() {
        Scene s;
        s.window->lessons()->open(QStringLiteral("the-pause"), 4, views::LessonGuide::Arrival::AtOnce);
        const views::LessonGuide* const guide = s.window->lessons()->guide();
        const QPushButton* const button = s.window->lessons()->panel()->pairButton();
        QTRY_VERIFY(guide->arrived());
        QVERIFY(!button->isVisible()); // a bet comes first
        s.window->lessons()->open(QStringLiteral("the-pause"), 5, views::LessonGuide::Arrival::AtOnce);
        QTRY_VERIFY(guide->arrived() && button->isVisible());
        s.press(Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(qobject_cast<views::CompareWindow*>(QApplication::activeWindow()));
        auto* const compare = qobject_cast<views::CompareWindow*>(QApplication::activeWindow());
        QTRY_VERIFY_WITH_TIMEOUT(compare->isReady(), 30'000);
        QCOMPARE(compare->choice()->currentData().toString(), QStringLiteral("deadline=honoured"));
        QVERIFY2(compare->outcome().contains(QStringLiteral("write accepted")), qPrintable(compare->outcome()));
        compare->close();
        QCOMPARE(guide->phase(), views::LessonGuide::Phase::Step); // the lesson waited
    }

    void twoRunsSideBySide() {
        Scene s;
        s.window->openScenario(QStringLiteral("gc-pause"));
        s.window->player()->pause();
        s.press(Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(qobject_cast<views::CompareWindow*>(QApplication::activeWindow()));
        views::CompareWindow* const compare =
            s.window->comparison()->open(experiment::Contrast{QStringLiteral("token_check"), QStringLiteral("on")});
        QTRY_VERIFY_WITH_TIMEOUT(compare && compare->isReady() && compare->difference(), 30'000);
        QVERIFY(compare->outcome().contains(QStringLiteral("stale write")));
        QVERIFY2(compare->outcome().contains(u"By the end: above breaks"), qPrintable(compare->outcome()));
        const auto isHeading = [](const QLabel* label) { return label->text().startsWith(u"With fencing"); };
        QVERIFY(std::ranges::any_of(compare->findChildren<QLabel*>(), isHeading));
        // Both show the place where they part, at one scale, and one playhead moves both.
        QTRY_COMPARE(compare->context(0)->playhead(), compare->difference()->at);
        QTRY_COMPARE(compare->context(1)->playhead(), compare->difference()->at);
        QTRY_COMPARE(compare->timeline(1)->sight().from, compare->timeline(0)->sight().from);
        compare->timeline(1)->zoomIn();
        QCOMPARE(compare->timeline(0)->sight().from, compare->timeline(1)->sight().from);
        QCOMPARE(compare->timeline(0)->sight().to, compare->timeline(1)->sight().to);
        compare->context(1)->seek(2s);
        QTRY_COMPARE(compare->context(0)->playhead(), Nanos(2s));
        // Another difference, and the lower run goes to the main window.
        const int recipe = compare->choice()->findData(QStringLiteral("recipe=zk-mutex"));
        QVERIFY(recipe >= 0);
        compare->choice()->setCurrentIndex(recipe);
        Q_EMIT compare->choice()->activated(recipe);
        QVERIFY(!compare->isReady());
        QTRY_VERIFY_WITH_TIMEOUT(compare->isReady(), 30'000);
        for (QPushButton* button : compare->findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Open the lower run")) button->click();
        QCOMPARE(s.context()->scenario().recipe, QStringLiteral("zk-mutex"));
    }
};

QTEST_MAIN(tst_help_desk)
#include "tst_help_desk.moc"
