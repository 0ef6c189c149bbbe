// SPDX-License-Identifier: Apache-2.0
// How far the task of a lesson is, in words: what is done, what is missing, and what was done that is not allowed.
#include "lesson/goal.h"
#include "lesson/lesson_file.h"
#include "lesson/scene_run.h"

#include <QJsonDocument>
#include <QTest>

using namespace lockscope;
using namespace lockscope::lesson;
using State = GoalPart::State;

namespace {

std::vector<GoalPart> goalOf(const Lesson& lesson, const QJsonObject& change) {
    const auto run = playScene(*lesson.scene(lesson.turn->scene), change);
    if (!run) qFatal("%s", qPrintable(run.error()));
    return goalState(lesson.turn->goal, *run->facts, run->facts->trace().reached());
}

QJsonObject json(const char* text) {
    return QJsonDocument::fromJson(text).object();
}

QStringList wordsOf(const std::vector<GoalPart>& parts, State state) {
    QStringList words;
    for (const GoalPart& part : parts)
        if (part.state == state) words += part.words;
    return words;
}

} // namespace

class tst_goal : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachTask_data() {
        QTest::addColumn<QString>("id");
        for (const QString& id : builtinLessons())
            QTest::newRow(qPrintable(id)) << id;
    }

    /// Without the learner something is missing, no rule on what may be done is broken, and the solution leaves
    /// nothing to do.
    void eachTask() {
        QFETCH(QString, id);
        const auto lesson = loadLesson(id);
        QVERIFY(lesson);
        if (!lesson->turn) return;
        const auto untouched = goalOf(*lesson, {});
        QCOMPARE(untouched.size(), lesson->turn->goal.size());
        QVERIFY(!(wordsOf(untouched, State::Open) + wordsOf(untouched, State::Lost)).isEmpty());
        for (std::size_t i = 0; i < untouched.size(); ++i) {
            // In human words, and not by the name that the file has for it.
            QVERIFY2(untouched[i].words != QString::fromLatin1(factId(lesson->turn->goal[i].fact.kind)),
                     qPrintable(untouched[i].words));
            for (const char* const rule : {"mutual-exclusion", "stale-write", "ownership", "no-deadlock"})
                QVERIFY2(!untouched[i].words.contains(QLatin1String(rule)), qPrintable(untouched[i].words));
            // A scenario that fails by itself breaks the rule that it must not fail: that is the task.
            const bool byHand = lesson->turn->goal[i].fact.kind == Fact::Kind::ByHand;
            if (byHand) QCOMPARE(untouched[i].state, untouched[i].forbids ? State::Holds : State::Open);
        }
        const auto solved = goalOf(*lesson, lesson->turn->solution);
        QCOMPARE(wordsOf(solved, State::Open) + wordsOf(solved, State::Lost), QStringList());
    }

    void whatIsNotAllowedIsLostForGood() {
        const auto lesson = loadLesson(QStringLiteral("the-pause"));
        QVERIFY(lesson);
        const auto parts = goalOf(*lesson, json(R"({"faults": [
            {"at": "2s", "do": "kill-node", "target": "redis-1", "for": "1s", "by": "hand"}]})"));
        QCOMPARE(wordsOf(parts, State::Lost), QStringList{QStringLiteral("Things done to servers: none (now 1)")});
        QVERIFY(wordsOf(parts, State::Holds).contains(QStringLiteral("Things done by hand: at least 1")));
        QVERIFY(wordsOf(parts, State::Holds).contains(QStringLiteral("Settings changed: none")));
    }

    void aSecondClockIsOneTooMany() {
        const auto lesson = loadLesson(QStringLiteral("whose-clock"));
        QVERIFY(lesson);
        const auto parts = goalOf(*lesson, json(R"({"faults": [
            {"at": "2s", "do": "jump-clock", "target": "redis-1", "value": "1s", "by": "hand"},
            {"at": "4s", "do": "jump-clock", "target": "redis-1", "value": "40s", "by": "hand"}]})"));
        QVERIFY(wordsOf(parts, State::Lost).contains(QStringLiteral("Clocks moved: exactly 1 (now 2)")));
    }

    void onlyTheLeaseMayChange() {
        const auto lesson = loadLesson(QStringLiteral("delete-others"));
        QVERIFY(lesson);
        const auto other = goalOf(*lesson, json(R"({"faults": [
            {"at": "0s", "do": "set", "set": "recipe", "to": "redis-set", "by": "hand"}]})"));
        QVERIFY(wordsOf(other, State::Lost)
                    .contains(QStringLiteral("Changes of other settings than “lease”: none (now 1)")));
        QVERIFY(
            wordsOf(other, State::Open).contains(QStringLiteral("Changes of the setting “lease”: at least 1 (now 0)")));
    }

    /// For the time that an answer travels record and belief always differ: that is no beginning of a task's second.
    void aTimeIsToldOnceThereIsOneToCount() {
        const auto lesson = loadLesson(QStringLiteral("three-truths"));
        QVERIFY(lesson);
        const QString wanted = QStringLiteral("Record and belief disagree for 1 s");
        QVERIFY(wordsOf(goalOf(*lesson, {}), State::Open).contains(wanted));
        const auto begun = goalOf(*lesson, json(R"({"until": "1500ms", "faults": [
            {"at": "1s", "do": "kill-client", "target": "C", "by": "hand"}]})"));
        QCOMPARE(wordsOf(begun, State::Open), QStringList{wanted + QStringLiteral(" (now 500 ms)")});
    }

    /// A stretch that moves with the end of the run can still be without grants later.
    void aMovingStretchIsNotLost() {
        const auto lesson = loadLesson(QStringLiteral("redlock"));
        QVERIFY(lesson);
        const auto parts = goalOf(*lesson, {});
        const QString wanted = QStringLiteral("Nobody has got the lock for 15");
        QVERIFY(!wordsOf(parts, State::Open).filter(wanted).isEmpty());
    }
};

QTEST_GUILESS_MAIN(tst_goal)
#include "tst_goal.moc"
