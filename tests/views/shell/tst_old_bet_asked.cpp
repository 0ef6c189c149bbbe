// SPDX-License-Identifier: GPL-3.0-or-later
// A learner who comes back is first asked a bet of an earlier lesson, in another run.
#include "lesson/lesson_file.h"
#include "lessons/lesson_panel.h"
#include "window/lesson_desk.h"
#include "window/presenter.h"
#include "window_scene.h"

using namespace lockscope;
using views::LessonGuide;

namespace {

constexpr int kAsked = 2; ///< the step of the lesson of the pause that asks, from 0
const QString kOld = QStringLiteral("the-pause"), kNext = QStringLiteral("failover");

app::KeptLesson seenWithABet() {
    app::KeptLesson kept;
    kept.step = 7;
    kept.done = true;
    kept.bets = {{kAsked, 0}};
    return kept;
}

/// Its learner has bet in the lesson of the pause.
struct Scene : tests::WindowScene {
    Scene() { settings->setLesson(kOld, seenWithABet()); }
    app::LessonDesk* desk() const { return window->lessons(); }
    LessonGuide* guide() const { return desk()->guide(); }
    void key(Qt::Key key) const {
        QWidget* const focus = QApplication::focusWidget();
        QTest::keyClick(focus ? focus : window.get(), key);
    }
    void toStop() const {
        if (!guide()->arrived()) key(Qt::Key_Right);
        QTRY_VERIFY_WITH_TIMEOUT(guide()->arrived(), 20'000);
    }
    QString shown() const { return guide()->lesson() ? guide()->lesson()->id : QStringLiteral("none"); }
};

} // namespace

class tst_old_bet_asked : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itComesBeforeTheLessonAndCountsInIt() {
        Scene s;
        const auto lesson = lesson::loadLesson(kOld);
        QVERIFY(lesson && lesson->steps[kAsked].ask);
        s.desk()->begin(kNext);
        QVERIFY(s.guide()->asksOldBet());
        QCOMPARE(s.guide()->number(), QStringLiteral("First a bet from lesson 6"));
        QCOMPARE(s.guide()->title(), lesson->title.in(QStringLiteral("en")));
        QVERIFY(s.context()->session()->seed() != lesson->scene(lesson->steps[kAsked].scene)->seed);
        s.toStop();
        QCOMPARE(s.guide()->choices().size(), qsizetype(lesson->steps[kAsked].ask->choices.size()));
        QVERIFY(!s.guide()->chosen()); // what was bet then is no bet now
        s.key(Qt::Key_2);
        s.key(Qt::Key_Return);
        QVERIFY(s.guide()->locked());
        s.key(Qt::Key_Space);
        s.toStop();
        QVERIFY(s.guide()->result() && s.guide()->result()->right);
        s.key(Qt::Key_Space);
        QVERIFY(!s.guide()->asksOldBet());
        QCOMPARE(s.shown(), kNext);
        QCOMPARE(s.guide()->step(), 0);
        QCOMPARE(s.guide()->score(), (std::pair{1, 1}));
        QCOMPARE(s.settings->lesson(kNext).old, std::optional(true));
        QCOMPARE(s.settings->lesson(kOld), seenWithABet());
        // From the beginning once more, by a way without such a question: it counts no longer.
        s.desk()->open(kNext);
        QCOMPARE(s.guide()->score(), (std::pair{0, 0}));
    }

    void aWrongOneCountsAsOne() {
        Scene s;
        s.desk()->begin(kNext);
        s.toStop();
        s.key(Qt::Key_1);
        s.key(Qt::Key_Return);
        s.key(Qt::Key_Space);
        s.toStop();
        s.key(Qt::Key_Space);
        QCOMPARE(s.shown(), kNext);
        QCOMPARE(s.guide()->score(), (std::pair{0, 1}));
    }

    /// A learner who does not know goes on.
    void leftOutItCostsNothing() {
        Scene s;
        s.desk()->begin(kNext);
        for (int step = 0; step < 2; ++step) {
            s.toStop();
            QVERIFY(s.guide()->asksOldBet());
            s.key(Qt::Key_Right);
        }
        QCOMPARE(s.shown(), kNext);
        QCOMPARE(s.guide()->score(), (std::pair{0, 0}));
        QCOMPARE(s.settings->lesson(kNext).old, std::nullopt);
    }

    void eachTimeItIsAnotherRun() {
        Scene s;
        s.desk()->begin(kNext);
        QVERIFY(s.guide()->asksOldBet());
        const quint64 seed = s.context()->session()->seed();
        s.desk()->begin(kNext);
        QVERIFY(s.guide()->asksOldBet());
        QVERIFY(s.context()->session()->seed() != seed);
    }

    void anotherWindowGoesOnWithIt() {
        Scene s;
        s.desk()->begin(kNext);
        s.toStop();
        s.key(Qt::Key_2);
        const LessonGuide::Place place = s.guide()->place();
        s.guide()->close();
        QVERIFY(!s.guide()->asksOldBet());
        s.desk()->restore(place);
        QVERIFY(s.guide()->asksOldBet());
        QCOMPARE(s.guide()->chosen(), std::optional(1));
        s.guide()->skip(); // the bet is locked, and the answer plays
        if (!s.guide()->arrived()) s.guide()->skip();
        QTRY_VERIFY_WITH_TIMEOUT(s.guide()->arrived(), 20'000);
        s.guide()->skip();
        QCOMPARE(s.shown(), kNext);
        QCOMPARE(s.guide()->score(), (std::pair{1, 1}));
    }

    void itIsNotAskedWhereItWouldBeInTheWay() {
        Scene s;
        s.desk()->begin(kNext, 3); // in the middle
        QCOMPARE(s.shown(), kNext);
        s.desk()->begin(kOld); // its own bets
        QCOMPARE(s.shown(), kOld);
        s.settings->setLesson(kOld, seenWithABet());
        s.desk()->begin(kNext); // right behind that lesson
        QCOMPARE(s.shown(), kNext);
        s.guide()->close();
        s.open("contention");
        s.window->presenter()->setOn(true);
        s.desk()->begin(kNext); // before a class
        QCOMPARE(s.shown(), kNext);
    }

    void aBeginnerIsAskedNothing() {
        Scene s;
        s.settings->setLesson(kOld, {});
        s.desk()->begin(kNext);
        QCOMPARE(s.shown(), kNext);
        QCOMPARE(s.settings->oldBets(), 0);
    }
};

QTEST_MAIN(tst_old_bet_asked)
#include "tst_old_bet_asked.moc"
