// SPDX-License-Identifier: GPL-3.0-or-later
// The whole course as a person takes it: each lesson from its place in the list to its end, by keys or by clicks alone.
#include "lesson/lesson_file.h"
#include "lessons/choice_button.h"
#include "lessons/failure_table.h"
#include "lessons/lesson_list.h"
#include "lessons/lesson_panel.h"
#include "theme/palette.h"
#include "timeline/timeline_view.h"
#include "trace/state.h"
#include "window/language.h"
#include "window/lesson_desk.h"
#include "window/presenter.h"
#include "window_scene.h"

#include <QAccessible>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>

using namespace lockscope;
using views::LessonGuide;

namespace {

enum class By : std::uint8_t { Keys, Clicks, PresenterKeys };

struct Taker : tests::WindowScene {
    By by = By::Keys;

    LessonGuide& guide() const { return *window->lessons()->guide(); }
    views::LessonPanel& panel() const { return *window->lessons()->panel(); }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) const {
        QWidget* const now = QApplication::focusWidget();
        QWidget* const focus =
            now && now->isVisible() ? now : window.get(); // a list that has just gone may be told last
        QTest::keyClick(focus, key, modifiers);
    }
    void click(QWidget* widget) const { QTest::mouseClick(widget, Qt::LeftButton); }
    /// From the list, as in the menu's first command.
    void begin(int lesson) {
        key(Qt::Key_L, Qt::ControlModifier);
        QTRY_VERIFY(window->lessons()->list() && window->lessons()->list()->isVisible());
        QVERIFY(QTest::qWaitForWindowActive(window->lessons()->list()));
        QListWidget* const list = window->lessons()->list()->list();
        if (by == By::Clicks) {
            const QRect place = list->visualItemRect(list->item(lesson));
            QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, place.center());
            QTest::mouseDClick(list->viewport(), Qt::LeftButton, {}, place.center());
        } else {
            list->setFocus();
            QTest::keyClick(list, Qt::Key_Home);
            for (int i = 0; i < lesson; ++i)
                QTest::keyClick(list, Qt::Key_Down);
            QTest::keyClick(list, Qt::Key_Return);
        }
        QTRY_COMPARE(guide().phase(), LessonGuide::Phase::Step);
        QTRY_VERIFY(!window->lessons()->list()->isVisible());
        window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window.get()));
        if (by == By::PresenterKeys) key(Qt::Key_F5);
        QCOMPARE(window->presenter()->isOn(), by == By::PresenterKeys);
    }
    void onward() const { by == By::Clicks ? click(panel().nextButton()) : key(Qt::Key_PageDown); }
    void bet() const {
        if (by == By::Clicks) {
            click(panel().choice(1));
            QCOMPARE(guide().chosen(), std::optional(0));
            click(panel().nextButton());
        } else {
            key(Qt::Key_1);
            key(Qt::Key_Return);
            QVERIFY(guide().locked());
            key(Qt::Key_Space);
        }
    }
};

/// A folder that gets a picture of each step, in both languages, for people to look at; empty: none is wanted.
QString pictures() {
    return qEnvironmentVariable("LOCKSCOPE_PICTURES");
}

/// Keeps what the window shows once its parts have come to rest: panels follow the playhead a few times a second.
void keepPicture(const Taker& taker, const QString& name) {
    QTest::qWait(700); // nothing is judged by it: a person looks at the picture
    QVERIFY(taker.window->grab().save(QStringLiteral("%1/%2.png").arg(pictures(), name)));
}

/// All of the widget's words are on the screen.
void isWhole(const QWidget* widget) {
    QVERIFY(widget->isVisible());
    const QRect place(widget->mapTo(widget->window(), QPoint()), widget->size());
    QVERIFY2(widget->window()->rect().contains(place), qPrintable(widget->objectName()));
    QVERIFY2(widget->width() >= widget->minimumSizeHint().width(), qPrintable(widget->objectName()));
}

/// The place of the spotlight can be seen: the uppermost of its lanes at least, and all where they have room.
void spotlightIsInSight(const Taker& taker) {
    const auto& spotlight = taker.context()->spotlight();
    QVERIFY(spotlight);
    const auto* const view = taker.window->findChild<views::TimelineView*>();
    const auto seen = [&] {
        const auto& rows = view->layoutOfLanes().rows();
        std::optional<QRect> lit;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            if (std::ranges::find(spotlight->lanes, rows[row].lane->entity) == spotlight->lanes.end()) continue;
            const QRect place = view->rowRect(int(row));
            lit = lit ? *lit | place : place;
        }
        if (!lit || lit->top() < 0) return false;
        const int room = view->viewport()->height();
        return lit->height() > room ? lit->top() < room / 2 : lit->bottom() < room;
    };
    QTRY_VERIFY(seen());
}

/// The timeline's words for a screen reader name everybody who holds or waits, by the trace itself.
void storyIsTrue(const Taker& taker) {
    auto* const view = taker.window->findChild<views::TimelineView*>();
    const QAccessibleInterface* const spoken = QAccessible::queryAccessibleInterface(view);
    QVERIFY(spoken);
    const QString story = spoken->text(QAccessible::Description);
    const auto trace = taker.context()->trace();
    trace::StateIndex index(trace);
    const trace::State state = index.at(taker.context()->playhead());
    const auto names = [&](trace::EntityId thread) {
        const QString name = trace->displayName(trace->clientOf(thread));
        const QRegularExpression word(QStringLiteral("\\b%1\\b").arg(QRegularExpression::escape(name)));
        return story.contains(word);
    };
    for (const auto& [lock, record] : state.records)
        if (record.copyOf == trace::kNoEntity && record.observed && record.owner != trace::kNoEntity)
            QVERIFY2(names(record.owner), qPrintable(story));
    std::vector<trace::EntityId> concerned;
    for (const auto& [key, belief] : state.beliefs) {
        const auto client = state.clients.find(trace->clientOf(key.second));
        const bool dead = client != state.clients.end() && client->second.life == trace::ClientState::Life::Dead;
        if (belief.phase != trace::Belief::Phase::Idle && !dead) concerned.push_back(key.second);
    }
    if (concerned.size() > 8) return; // a crowd is told by its number
    for (const trace::EntityId thread : concerned)
        QVERIFY2(names(thread), qPrintable(story));
}

} // namespace

class tst_lesson_course : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const bool dark = qEnvironmentVariable("LOCKSCOPE_THEME") == QLatin1String("dark");
        views::Theme::instance().setChoice(dark ? views::ThemeChoice::Dark : views::ThemeChoice::Light);
    }
    void cleanup() { app::speak(QStringLiteral("en")); }

    void eachLessonIsTakenFromItsFirstStepToItsEnd_data() {
        QTest::addColumn<int>("lesson");
        QTest::addColumn<int>("by");
        QTest::addColumn<QString>("language");
        constexpr const char* kBy[]{"keys", "clicks", "keys, for a class"};
        const QStringList course = lesson::builtinLessons();
        for (int i = 0; i < course.size(); ++i) {
            for (const char* const language : {"en", "zh_CN"}) {
                const bool usual = QLatin1String(language) == QLatin1String(i % 2 == 0 ? "en" : "zh_CN");
                if (!usual && pictures().isEmpty()) continue; // the other one takes as long again
                QTest::addRow("%s, by %s, %s", qPrintable(course[i]), kBy[i % 3], language)
                    << i << i % 3 << QString(QLatin1String(language));
            }
        }
    }
    void eachLessonIsTakenFromItsFirstStepToItsEnd() {
        QFETCH(int, lesson);
        QFETCH(int, by);
        QFETCH(QString, language);
        app::speak(language);
        Taker taker;
        taker.by = By(by);
        if (taker.by != By::PresenterKeys) taker.window->resize(1280, 800);
        taker.begin(lesson);
        const LessonGuide& guide = taker.guide();
        const QString id = guide.lesson()->id;
        QCOMPARE(id, lesson::builtinLessons().at(lesson));
        const int told = int(guide.lesson()->steps.size());
        int bets = 0;
        bool answered = false;
        for (int step = 0; step < told; ++step) {
            QCOMPARE(guide.step(), step);
            if (!guide.arrived()) taker.onward();
            QTRY_VERIFY_WITH_TIMEOUT(guide.arrived(), 20'000);
            QCOMPARE(guide.result().has_value(), answered);
            QVERIFY2(!guide.narration().isEmpty() && !guide.narration().contains(u'{'), qPrintable(guide.narration()));
            spotlightIsInSight(taker);
            const auto* const table = taker.panel().table();
            QCOMPARE(table->isVisible(), guide.lesson()->steps[std::size_t(step)].table.has_value());
            if (table->isVisible()) {
                QTRY_VERIFY_WITH_TIMEOUT(table->isComputed(), 20'000);
                QVERIFY2(table->sentence(0, 0).startsWith(guide.table()->recipes[0]),
                         qPrintable(table->sentence(0, 0)));
                QVERIFY(!table->sentence(0, 0).contains(u'…'));
            }
            storyIsTrue(taker);
            isWhole(taker.panel().nextButton());
            isWhole(taker.panel().backButton());
            for (const QLabel* label : taker.panel().findChildren<QLabel*>())
                if (label->isVisible() && !label->wordWrap())
                    QTRY_VERIFY2(label->width() >= label->sizeHint().width(), qPrintable(label->text()));
            if (!pictures().isEmpty())
                keepPicture(taker, QStringLiteral("%1-%2-%3").arg(id).arg(step + 1).arg(language));
            answered = !guide.question().isEmpty();
            if (!answered) {
                taker.onward();
                continue;
            }
            ++bets;
            const auto* const area = taker.panel().findChild<QScrollArea*>();
            for (int choice = 1; choice <= guide.choices().size(); ++choice) {
                const views::ChoiceButton* const button = taker.panel().choice(choice);
                QTRY_VERIFY2(
                    area->viewport()->rect().contains(QRect(button->mapTo(area->viewport(), QPoint()), button->size())),
                    qPrintable(button->text()));
            }
            taker.bet();
        }
        if (guide.lesson()->turn) {
            QCOMPARE(guide.phase(), LessonGuide::Phase::Turn);
            taker.onward();
        }
        QCOMPARE(guide.phase(), LessonGuide::Phase::End);
        QCOMPARE(guide.score().second, bets);
        QVERIFY(taker.window->settings()->lesson(id).done);
    }
};

QTEST_MAIN(tst_lesson_course)
#include "tst_lesson_course.moc"
