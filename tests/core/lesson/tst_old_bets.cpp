// SPDX-License-Identifier: Apache-2.0
// The bets of lessons once more, in runs with other seeds.
#include "lesson/lesson_file.h"
#include "lesson/lesson_proof.h"
#include "lesson/old_bet.h"
#include "lesson/scene_run.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::lesson;

class tst_old_bets : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachLessonHasOneToComeBackTo_data() {
        QTest::addColumn<QString>("id");
        for (const QString& id : builtinLessons())
            QTest::newRow(qPrintable(id)) << id;
    }

    /// It is asked in another run than the lesson's, of which all is true that it says.
    void eachLessonHasOneToComeBackTo() {
        QFETCH(QString, id);
        const auto lesson = loadLesson(id);
        QVERIFY(lesson);
        std::optional<Lesson> first;
        int step = 0;
        while (!first && step < int(lesson->steps.size()))
            first = oldBet(*lesson, step++, 0);
        QVERIFY(first);
        QVERIFY(first->id.isEmpty());
        QCOMPARE(first->title, lesson->title);
        QCOMPARE(first->steps.size(), std::size_t(2));
        QVERIFY(first->steps[0].ask && !first->steps[1].ask);
        const std::vector<Untruth> wrong = untruthsOf(*first);
        QVERIFY2(wrong.empty(), wrong.empty() ? "" : qPrintable(wrong.front().what));
        const Scene &other = first->scenes.front(), &own = *lesson->scene(other.id);
        QVERIFY(other.seed != own.seed);
        const auto mine = playScene(own), theirs = playScene(other);
        QVERIFY(mine && theirs);
        QVERIFY(mine->facts->trace().digest() != theirs->facts->trace().digest());
    }

    void eachTimeItIsAnotherRun() {
        const auto lesson = loadLesson(QStringLiteral("the-pause"));
        QVERIFY(lesson);
        const auto ask = std::ranges::find_if(lesson->steps, [](const Step& step) { return step.ask.has_value(); });
        const int step = int(ask - lesson->steps.begin());
        const auto first = oldBet(*lesson, step, 0), second = oldBet(*lesson, step, 1),
                   again = oldBet(*lesson, step, 0);
        QVERIFY(first && second && again);
        QVERIFY(first->scenes.front().seed != second->scenes.front().seed);
        QVERIFY(*first == *again);
    }

    void whereNothingIsAskedThereIsNone() {
        const auto lesson = loadLesson(QStringLiteral("the-pause"));
        QVERIFY(lesson);
        QVERIFY(!lesson->steps.front().ask);
        for (const int step : {-1, 0, int(lesson->steps.size()) - 1, int(lesson->steps.size())})
            QVERIFY(!oldBet(*lesson, step, 0));
        // Nor where no run is as the lesson says.
        Lesson wrong = *lesson;
        for (Step& step : wrong.steps)
            for (Condition& claim : step.claims)
                if (claim.test == Condition::Test::Is) claim.test = Condition::Test::IsNot;
        for (int step = 0; step < int(wrong.steps.size()); ++step)
            QVERIFY(!oldBet(wrong, step, 0));
    }
};

QTEST_GUILESS_MAIN(tst_old_bets)
#include "tst_old_bets.moc"
