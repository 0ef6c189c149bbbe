// SPDX-License-Identifier: Apache-2.0
// The course: every built-in lesson is played from its first step to its last, and each of its words is checked.
#include "experiment/contrast.h"
#include "lesson/lesson_check.h"
#include "lesson/lesson_file.h"
#include "lesson/lesson_proof.h"
#include "lesson/lesson_table.h"
#include "lesson/scene_run.h"

#include <QJsonArray>
#include <QRegularExpression>
#include <QTest>
#include <set>

using namespace lockscope;
using namespace lockscope::lesson;

namespace {

bool hasChinese(const QString& text) {
    return std::ranges::any_of(text, [](QChar c) { return c.script() == QChar::Script_Han; });
}

QStringList distinctNames(const QString& text) {
    QStringList names = namesIn(text);
    names.removeDuplicates();
    names.sort();
    return names;
}

/// All texts of a lesson.
std::vector<Texts> textsOf(const Lesson& lesson) {
    std::vector<Texts> all{lesson.title, lesson.idea, lesson.remember};
    for (const Source& source : lesson.sources)
        all.push_back(source.text);
    for (const Step& step : lesson.steps) {
        all.push_back(step.say);
        if (step.table)
            for (const Table::Column& column : step.table->columns)
                all.push_back(column.title);
        if (!step.ask) continue;
        all.push_back(step.ask->text);
        for (const Choice& choice : step.ask->choices)
            all.push_back(choice.text);
    }
    if (!lesson.turn) return all;
    all.push_back(lesson.turn->task);
    if (!lesson.turn->hint.isEmpty()) all.push_back(lesson.turn->hint);
    return all;
}

QStringList sentencesOf(const std::vector<Untruth>& untruths) {
    QStringList sentences;
    for (const Untruth& one : untruths)
        sentences += one.what;
    return sentences;
}

} // namespace

class tst_lessons : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Where a lesson plays a run again with one thing changed, the two can be seen side by side, and do part.
    void pairsOfRunsPart() {
        QStringList pairs;
        for (const QString& id : builtinLessons()) {
            const auto lesson = loadLesson(id);
            QVERIFY(lesson);
            for (std::size_t i = 1; i < lesson->steps.size(); ++i) {
                const Scene &before = *lesson->scene(lesson->steps[i - 1].scene),
                            &here = *lesson->scene(lesson->steps[i].scene);
                if (before.id == here.id || before.scenario != here.scenario) continue;
                const auto first = playScene(before), second = playScene(here);
                QVERIFY(first && second);
                const QString one = oneDifference(before, *first, here, *second);
                if (one.isEmpty()) continue;
                pairs << id + u' ' + one;
                QVERIFY2(experiment::firstDifference(first->facts->trace(), second->facts->trace()),
                         qPrintable(pairs.back()));
            }
        }
        for (const QString& wanted :
             {u"a-row recipe=sql-lease"_qs, u"herd recipe=redis-reentrant"_qs, u"the-pause deadline=honoured"_qs,
              u"watchdog deadline=honoured"_qs, u"fencing token_check=off"_qs})
            QVERIFY2(pairs.contains(wanted), qPrintable(pairs.join(QStringLiteral(", "))));
    }

    void eachLesson_data() {
        QTest::addColumn<QString>("id");
        QVERIFY(!builtinLessons().isEmpty());
        for (const QString& id : builtinLessons())
            QTest::newRow(qPrintable(id)) << id;
    }

    void eachLesson() {
        QFETCH(QString, id);
        const auto lesson = loadLesson(id);
        QVERIFY2(lesson, lesson ? "" : qPrintable(lesson.error().front().toString()));
        QCOMPARE(lesson->id, id);
        QCOMPARE(builtinLessons().indexOf(id) + 1, std::ranges::count_if(builtinLessons(), [&](const QString& other) {
                     return loadLesson(other)->order <= lesson->order;
                 }));
        const QStringList wrong = sentencesOf(untruthsOf(*lesson));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    /// Where a bet's answer is that a rule breaks, the picture does not show it broken yet.
    void noBetIsAnsweredByThePicture_data() { eachLesson_data(); }
    void noBetIsAnsweredByThePicture() {
        QFETCH(QString, id);
        const auto lesson = loadLesson(id);
        QVERIFY(lesson);
        for (const Step& step : lesson->steps) {
            if (!step.ask) continue;
            const auto run = playScene(*lesson->scene(step.scene));
            QVERIFY(run);
            const Nanos here = run->facts->time(step.until, {});
            const auto answer = run->facts->answer(*step.ask, here);
            QVERIFY(answer);
            for (Condition condition : step.ask->choices[std::size_t(*answer)].when) {
                const bool breaks = condition.fact.kind == Fact::Kind::Violated &&
                                    condition.test == Condition::Test::Is && condition.number != 0;
                if (!breaks) continue;
                condition.fact.to = Instant{.base = Instant::Base::Here};
                QVERIFY2(!run->facts->holds(condition, here),
                         qPrintable(step.ask->text.in(QStringLiteral("en")) + QStringLiteral(": ") +
                                    told(condition, *run->facts, here)));
            }
        }
    }

    void eachTextInBothLanguages_data() { eachLesson_data(); }
    void eachTextInBothLanguages() {
        QFETCH(QString, id);
        const auto lesson = loadLesson(id);
        QVERIFY(lesson);
        for (const Texts& texts : textsOf(*lesson)) {
            QVERIFY2(!hasChinese(texts.in(QStringLiteral("en"))), qPrintable(texts.in(QStringLiteral("en"))));
            const QString chinese = texts.in(QStringLiteral("zh_CN"));
            // A choice may be nothing but a name or a number.
            QString letters = chinese;
            for (const QString& name : namesIn(chinese))
                letters.remove(u'{' + name + u'}');
            const bool words = std::ranges::any_of(letters, [](QChar c) { return c.isLetter(); });
            QVERIFY2(!words || hasChinese(chinese), qPrintable(chinese));
            QCOMPARE(distinctNames(chinese), distinctNames(texts.in(QStringLiteral("en"))));
        }
    }

    /// A reader has the sources' titles, and not the numbers that the texts once had for them.
    void aSourceHasATitle_data() { eachLesson_data(); }
    void aSourceHasATitle() {
        QFETCH(QString, id);
        const auto lesson = loadLesson(id);
        QVERIFY(lesson);
        static const QRegularExpression kNumber(QStringLiteral("Article \\d{3}|文章 \\d{3}"));
        for (const Texts& texts : textsOf(*lesson))
            for (const auto& [language, text] : texts.byLanguage)
                QVERIFY2(!text.contains(kNumber), qPrintable(text));
    }

    /// Nobody is left alone with a task, or at the end of a lesson.
    void eachLessonLeadsOn_data() { eachLesson_data(); }
    void eachLessonLeadsOn() {
        QFETCH(QString, id);
        const auto lesson = loadLesson(id);
        QVERIFY(lesson);
        QVERIFY(!lesson->turn || !lesson->turn->hint.isEmpty());
        QVERIFY(!lesson->aside.isEmpty());
    }

    void eachTurnCanBeDoneAndIsNotDoneByItself_data() { eachLesson_data(); }
    void eachTurnCanBeDoneAndIsNotDoneByItself() {
        QFETCH(QString, id);
        const auto lesson = loadLesson(id);
        QVERIFY(lesson);
        if (!lesson->turn) return;
        const Turn& turn = *lesson->turn;
        const Scene& scene = *lesson->scene(turn.scene);
        const auto untouched = playScene(scene);
        QVERIFY2(untouched, untouched ? "" : qPrintable(untouched.error()));
        const Nanos end = untouched->facts->trace().reached();
        QVERIFY2(!untouched->facts->holdAll(turn.goal, end), "the goal is reached without doing anything");
        QVERIFY2(!turn.solution.isEmpty(), "no solution is given");
        const auto solved = playScene(scene, turn.solution);
        QVERIFY2(solved, solved ? "" : qPrintable(solved.error()));
        for (const Condition& condition : turn.goal)
            QVERIFY2(solved->facts->holds(condition, end), qPrintable(told(condition, *solved->facts, end)));
    }

    /// Another run has other answers: they come from the trace.
    void theAnswerFollowsTheRun() {
        const auto lesson = loadLesson(QStringLiteral("the-pause"));
        QVERIFY(lesson);
        const Step& bet = lesson->steps[2];
        QVERIFY(bet.ask);
        const auto run = playScene(lesson->scenes[0]);
        QVERIFY(run);
        const Nanos here = run->facts->time(bet.until, {});
        QCOMPARE(run->facts->answer(*bet.ask, here), std::optional(1));
        Scene fenced = lesson->scenes[0];
        fenced.recipe = QStringLiteral("redis-fenced");
        fenced.change = QJsonObject{{QStringLiteral("lock"), QJsonObject{{QStringLiteral("token"), true}}},
                                    {QStringLiteral("resource"), QJsonObject{{QStringLiteral("token_check"), true}}}};
        fenced.moments.pop_back(); // no stale write is accepted
        const auto other = playScene(fenced);
        QVERIFY2(other, other ? "" : qPrintable(other.error()));
        QCOMPARE(other->facts->answer(*bet.ask, here), std::optional(0));
    }

    /// The first recipe that comes to hand does not do it, nor a change of something else: one has to see why.
    void onlyTheIdeaSolvesTheTask_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<bool>("solves");
        const auto row = [](const char* id, const char* recipe, bool solves) {
            QTest::addRow("%s, %s", id, recipe)
                << QString(QLatin1String(id)) << QString(QLatin1String(recipe)) << solves;
        };
        // The window offers recipes for the scenario's kind of server. A lease ends by itself, and too late.
        for (const char* const late : {"sql-row", "sql-lease", "sql-version"})
            row("a-row", late, false);
        for (const char* const atOnce : {"sql-for-update", "sql-advisory"})
            row("a-row", atOnce, true);
        for (const char* const noQueue : {"redis-set-del", "redis-set", "redis-reentrant", "redis-rw", "redis-multi"})
            row("herd", noQueue, false); // they ask again and again, or all are woken
        row("herd", "redis-fair", true);
    }
    void onlyTheIdeaSolvesTheTask() {
        QFETCH(QString, id);
        QFETCH(QString, recipe);
        QFETCH(bool, solves);
        const auto lesson = loadLesson(id);
        QVERIFY(lesson);
        QJsonObject way = lesson->turn->solution;
        QJsonArray faults = way[QLatin1String("faults")].toArray();
        QJsonObject choice = faults[0].toObject();
        QCOMPARE(choice[QLatin1String("set")].toString(), QStringLiteral("recipe"));
        choice[QLatin1String("to")] = recipe;
        faults[0] = choice;
        way[QLatin1String("faults")] = faults;
        const auto run = playScene(*lesson->scene(lesson->turn->scene), way);
        QVERIFY2(run, run ? "" : qPrintable(run.error()));
        QStringList missed;
        for (const Condition& condition : lesson->turn->goal)
            if (!run->facts->holds(condition, run->facts->trace().reached()))
                missed += told(condition, *run->facts, run->facts->trace().reached());
        QVERIFY2(missed.isEmpty() == solves, qPrintable(missed.join(u'\n')));
    }

    /// The table that a choice is made by: each failure tells recipes apart, and each recipe has a weak place, as the
    /// words say. It shows every failure that it names to every recipe,
    /// and a check of tokens to those that give some.
    void theTableHasNoPerfectRow() {
        int tables = 0;
        for (const QString& id : builtinLessons()) {
            const auto lesson = loadLesson(id);
            QVERIFY(lesson);
            for (const Step& step : lesson->steps) {
                if (!step.table) continue;
                ++tables;
                const auto rows = computed(*step.table);
                QCOMPARE(rows.size(), std::size_t(step.table->recipes.size()));
                using Outcome = experiment::CellOutcome;
                for (const auto& row : rows) {
                    for (std::size_t column = 0; column < row.size(); ++column)
                        QVERIFY(!row[column].scenario.isEmpty() ||
                                (row[column].notPlayed == NotPlayed::NoTokens && step.table->columns[column].tokens));
                    QVERIFY(std::ranges::any_of(row, [](const TableCell& cell) {
                        return (cell.outcome == Outcome::Violated && !cell.harmless) ||
                               cell.outcome == Outcome::Stalled;
                    }));
                }
                for (std::size_t column = 0; column < step.table->columns.size(); ++column) {
                    std::set<Outcome> outcomes;
                    for (const auto& row : rows)
                        outcomes.insert(row[column].outcome);
                    QVERIFY(outcomes.size() > 1);
                }
                QCOMPARE(computed(*step.table), rows);
            }
        }
        QVERIFY(tables > 0);
    }

    void whatIsFalseIsFound() {
        auto lesson = loadLesson(QStringLiteral("three-truths"));
        QVERIFY(lesson);
        QVERIFY(untruthsOf(*lesson).empty());
        lesson->steps[1].claims[0].clients = QStringList{QStringLiteral("N")};
        lesson->steps[2].say.byLanguage[QStringLiteral("en")] = QString(300, u'x');
        lesson->steps[3].say.byLanguage[QStringLiteral("zh_CN")] = QStringLiteral("一。二。三！四？");
        lesson->steps[3].say.byLanguage[QStringLiteral("en")] = QStringLiteral("After 0.7 s. Two! Three?");
        lesson->steps[4].ask->choices[1].when = lesson->steps[4].ask->choices[0].when; // two right answers
        lesson->steps[5].until = {.base = Instant::Base::Start, .moment = {}, .offset = 1s};
        const QStringList wrong = sentencesOf(untruthsOf(*lesson));
        for (const char* step : {"step 2: a claim is false: owner is", "step 3: this text is longer",
                                 "step 4: this text has more than 3 sentences",
                                 "step 5: not exactly one answer is right", "step 6: it ends before it begins"})
            QCOMPARE(wrong.filter(QLatin1String(step)).size(), 1);
    }

    void equalRunsForEverybody() {
        const auto lesson = loadLesson(QStringLiteral("the-pause"));
        QVERIFY(lesson);
        const auto first = playScene(lesson->scenes[0]), second = playScene(lesson->scenes[0]);
        QVERIFY(first && second);
        QCOMPARE(first->facts->trace().digest(), second->facts->trace().digest());
    }
};

QTEST_GUILESS_MAIN(tst_lessons)
#include "tst_lessons.moc"
