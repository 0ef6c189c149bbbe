// SPDX-License-Identifier: Apache-2.0
#include "lesson/lesson_file.h"
#include "lesson/lesson_reader.h"
#include "lesson/scene_run.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::lesson;

namespace {

const QByteArray kGood = R"({
  "lockscope_lesson": 1, "id": "x", "order": 1, "minutes": 1,
  "title": {"en": "T", "zh_CN": "题"}, "idea": {"en": "I", "zh_CN": "念"}, "remember": {"en": "R", "zh_CN": "记"},
  "sources": [{"text": {"en": "S", "zh_CN": "源"}}],
  "scenes": [{"id": "s", "scenario": "gc-pause", "seed": 1, "moments": [
    {"id": "stop", "on": "client-paused", "who": "H"}]}],
  "steps": [{"until": "stop+1s", "say": {"en": "{H} stops at {stop}.", "zh_CN": "{H} 停在 {stop}。"},
    "claims": [{"fact": "owner", "at": "stop", "is": "H"}]}]
})";

QString complaintsOf(const QByteArray& json) {
    const auto read = parseLesson(json, QStringLiteral("x.json"));
    if (read) return QStringLiteral("accepted");
    QStringList lines;
    for (const scenario::Problem& problem : read.error())
        lines += problem.toString();
    return lines.join(u'\n');
}

} // namespace

class tst_lesson_file : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readsWhatIsRight() {
        const auto lesson = parseLesson(kGood, QStringLiteral("x.json"));
        QVERIFY2(lesson, qPrintable(complaintsOf(kGood)));
        QCOMPARE(lesson->steps.size(), std::size_t(1));
        QCOMPARE(lesson->steps[0].scene, QStringLiteral("s"));
        QCOMPARE(lesson->steps[0].until.moment, QStringLiteral("stop"));
        QCOMPARE(lesson->steps[0].until.offset, Nanos(1s));
        QCOMPARE(lesson->steps[0].claims[0].clients, QStringList{QStringLiteral("H")});
        const auto run = playScene(lesson->scenes[0]);
        QVERIFY(run);
        QVERIFY(run->facts->holds(lesson->steps[0].claims[0], {}));
        const QString filled = run->facts->filled(lesson->steps[0].say.in(QStringLiteral("en")), lesson->scenes[0], {});
        QVERIFY2(!filled.contains(u'{') && filled.contains(QStringLiteral("stops at ")), qPrintable(filled));
    }

    void readsWhatNotEveryLessonHas() {
        QByteArray json = kGood;
        json.replace(R"("steps": [{)", R"("aside": ["contention"], "steps": [{
            "look": {"lanes": ["belief"], "panel": "waits", "protocol": [2, 5]},)");
        json.replace(R"("is": "H"}]}])", R"("is": "H"}]}],
            "turn": {"task": {"en": "D", "zh_CN": "做"}, "hint": {"en": "L", "zh_CN": "看"}, "scene": "s",
                     "goal": [{"fact": "by-hand", "set": "lease", "at_least": 1},
                              {"fact": "by-hand", "set_other": "lease", "is": 0}], "solution": {}})");
        const auto lesson = parseLesson(json, QStringLiteral("x.json"));
        QVERIFY2(lesson, qPrintable(complaintsOf(json)));
        QCOMPARE(lesson->aside, QStringList{QStringLiteral("contention")});
        QCOMPARE(lesson->steps[0].look.panel, Look::Panel::Waits);
        QCOMPARE(lesson->steps[0].look.protocol, (std::vector<int>{2, 5}));
        QCOMPARE(lesson->turn->hint.in(QStringLiteral("zh_CN")), QStringLiteral("看"));
        QCOMPARE(lesson->turn->goal[0].fact.setting, QStringLiteral("lease"));
        QCOMPARE(lesson->turn->goal[1].fact.otherSetting, QStringLiteral("lease"));
        // Without them nothing of it is there.
        const auto plain = parseLesson(kGood, QStringLiteral("x.json"));
        QVERIFY(plain && plain->aside.isEmpty() && plain->steps[0].look.panel == Look::Panel::None);
    }

    void saysWhatIsWrongAndWhere_data() {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const char* from, const char* to, const char* words) {
            QTest::newRow(name) << QByteArray(from) << QByteArray(to) << QString::fromUtf8(words);
        };
        row("unknown field", R"("minutes": 1)", R"("minuts": 1)", "did you mean “minutes”?");
        row("one language", R"("zh_CN": "题")", R"("zh": "题")", "x.json:3: /title: ");
        row("no client of that name", R"("is": "H"})", R"("is": "N"})", "the scene defines no client “N”");
        row("no moment of that name", R"("at": "stop")", R"("at": "stopp")", "did you mean “stop”?");
        row("name in a text", "{H} stops at", "{X} stops at", "/steps/0/say/en: the scene defines no name “X”");
        row("kind of row", "client-paused", "client-pawsed", "did you mean “client-paused”?");
        row("kind of fact", R"("owner")", R"("ownr")", "did you mean “owner”?");
        row("no test", R"(, "is": "H"})", "}", "a condition has one test");
        row("two tests", R"("is": "H"})", R"("is": "H", "includes": "H"})", "a condition has one test");
        row("value of another kind", R"("is": "H"})", R"("is": 3})", "“owner” is compared with a client");
        row("no scene of that name", R"({"until")", R"({"scene": "t", "until")", "the lesson has no scene “t”");
        row("moment taken", R"("who": "H"})", R"("who": "H"}, {"id": "stop", "on": "granted"})", "“stop” is taken");
        row("moment before itself", R"("who": "H"})", R"("who": "H", "since": "wake"})", "must be an earlier moment");
        row("no scenario aside", R"("steps": [)", R"("aside": ["contentoin"], "steps": [)",
            "/aside/0: there is no scenario “contentoin”");
        row("no scenario", R"("scenario": "gc-pause")", R"("scenario": "gc-puase")",
            "/scenes/0/scenario: there is no scenario “gc-puase”; did you mean “gc-pause”?");
        row("no recipe", R"("seed": 1)", R"("recipe": "zk-mutx", "seed": 1)",
            "/scenes/0/recipe: there is no recipe “zk-mutx”; did you mean “zk-mutex”?");
        row("no panel", R"("claims")", R"("look": {"lanes": ["belief"], "panel": "wait"}, "claims")", "/panel: ");
        row("no instant", R"("stop+1s")", R"("stop+")", "should be a time such as");
    }

    void saysWhatIsWrongAndWhere() {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QString, words);
        QVERIFY(kGood.contains(from));
        QByteArray json = kGood;
        json.replace(from, to);
        const QString complaints = complaintsOf(json);
        QVERIFY2(complaints.contains(words), qPrintable(complaints));
    }

    /// Texts of one language that are still to be written hide no mistake, and are none themselves.
    void anUnfinishedOneSaysWhatElseIsWrong() {
        QByteArray json = kGood;
        json.replace(R"("zh_CN": "{H} 停在 {stop}。")", R"("zh_CN": "")").replace(R"("zh_CN": "题")", R"("zh_CN": "")");
        QVERIFY(!parseLesson(json, {}));
        QVERIFY(parseUnfinished(json, {}));
        const auto wrongIn = [](const QByteArray& text) {
            const auto read = parseUnfinished(text, QStringLiteral("x.json"));
            if (read) return QStringLiteral("accepted");
            QStringList lines;
            for (const scenario::Problem& problem : read.error())
                lines += problem.toString();
            return lines.join(u'\n');
        };
        QByteArray named = json;
        QCOMPARE(wrongIn(named.replace("{H} stops at", "{X} stops at")),
                 QStringLiteral("x.json:7: /steps/0/say/en: the scene defines no name “X”; did you mean “H”?"));
        QByteArray twice = json;
        QCOMPARE(wrongIn(twice.replace(R"("order": 1)", R"("order": 1, "order": 2)")),
                 QStringLiteral("x.json:2: /order: this field stands here for the second time; leave one out"));
    }

    void readsInstants() {
        QCOMPARE(parseInstant(QStringLiteral("6.4s")), (Instant{Instant::Base::Start, {}, 6400ms}));
        QCOMPARE(parseInstant(QStringLiteral("here-500ms")), (Instant{Instant::Base::Here, {}, -500ms}));
        QCOMPARE(parseInstant(QStringLiteral("next-grant-2s")),
                 (Instant{Instant::Base::Moment, QStringLiteral("next-grant"), -2s}));
        QCOMPARE(parseInstant(QStringLiteral("end")), (Instant{Instant::Base::End, {}, {}}));
    }

    void aMomentThatDoesNotHappenIsSaid() {
        QByteArray json = kGood;
        json.replace(R"("who": "H"})", R"("who": "H", "nth": 9})");
        const auto lesson = parseLesson(json, QStringLiteral("x.json"));
        QVERIFY(lesson);
        const auto run = playScene(lesson->scenes[0]);
        QVERIFY(!run);
        QVERIFY2(run.error().contains(QStringLiteral("“stop” does not happen")), qPrintable(run.error()));
    }

    void aChangeOfTheScenarioIsChecked() {
        QByteArray json = kGood;
        json.replace(R"("seed": 1,)", R"("seed": 1, "change": {"lock": {"lease": "soon"}},)");
        const auto lesson = parseLesson(json, QStringLiteral("x.json"));
        QVERIFY(lesson);
        const auto run = playScene(lesson->scenes[0]);
        QVERIFY(!run);
        QVERIFY2(run.error().contains(QStringLiteral("/lock/lease")), qPrintable(run.error()));
    }
};

QTEST_GUILESS_MAIN(tst_lesson_file)
#include "tst_lesson_file.moc"
