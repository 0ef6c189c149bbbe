// SPDX-License-Identifier: Apache-2.0
// A person's own scenarios and lessons, and files of the first version in the words of the second.
#include "lesson/lesson_file.h"
#include "lesson/scene_run.h"
#include "own_data.h"
#include "scenario/form_two.h"
#include "scenario/scenario_file.h"
#include "scenario/user_files.h"
#include "trace/json_edit.h"

#include <QDir>
#include <QJsonDocument>
#include <QTest>

using namespace lockscope;
using scenario::Shelf;

namespace {

void put(const QString& path, const QByteArray& text) {
    QVERIFY(QDir().mkpath(QFileInfo(path).path()));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text), text.size());
}

QByteArray builtin(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class tst_own_files : public QObject {
    Q_OBJECT
    tests::OwnData m_data;

private Q_SLOTS:
    void init() { m_data.clear(); }

    void aScenarioIsFoundByItsName() {
        QVERIFY(scenario::userFiles(Shelf::Scenarios).isEmpty());
        QVERIFY(!scenario::loadScenario(QStringLiteral("mine")));
        const QString folder = scenario::userFolder(Shelf::Scenarios);
        put(folder + QStringLiteral("/mine.json"), R"({"lockscope": 1, "id": "mine", "title": "My own"})");
        QCOMPARE(scenario::userFiles(Shelf::Scenarios), QStringList{QStringLiteral("mine")});
        const auto loaded = scenario::loadScenario(QStringLiteral("mine"));
        QVERIFY(loaded);
        QCOMPARE(loaded->title, QStringLiteral("My own"));
        // A built-in one goes before.
        put(folder + QStringLiteral("/contention.json"), R"({"lockscope": 1, "id": "contention", "title": "Other"})");
        QVERIFY(scenario::loadScenario(QStringLiteral("contention"))->title != QStringLiteral("Other"));
    }

    void aLessonIsFoundByItsNameAndPlaysAScenarioOfOnesOwn() {
        put(scenario::userFolder(Shelf::Scenarios) + QStringLiteral("/mine.json"),
            R"({"lockscope": 1, "id": "mine", "title": "My own", "clients": {"count": 2}})");
        QByteArray text = builtin(QStringLiteral(":/lessons/01-three-truths.json"));
        text = withValue(text, QStringLiteral("/id"), QStringLiteral("own"));
        text = withValue(text, QStringLiteral("/scenes/1/scenario"), QStringLiteral("mine"));
        put(scenario::userFolder(Shelf::Lessons) + QStringLiteral("/own.json"), text);
        const auto lesson = lesson::loadLesson(QStringLiteral("own"));
        QVERIFY2(lesson, lesson ? "" : qPrintable(lesson.error().front().toString()));
        QCOMPARE(lesson->id, QStringLiteral("own"));
        const auto run = lesson::playScene(lesson->scenes[1]);
        QVERIFY2(run, run ? "" : qPrintable(run.error()));
        QCOMPARE(run->scenario.workload.clients, 2);
    }

    void aBrokenLessonSaysWhere() {
        put(scenario::userFolder(Shelf::Lessons) + QStringLiteral("/own.json"), "{\n\"lockscope_lesson\": 2}");
        const auto lesson = lesson::loadLesson(QStringLiteral("own"));
        QVERIFY(!lesson);
        QVERIFY(std::ranges::any_of(lesson.error(), [](const scenario::Problem& problem) { return problem.line > 0; }));
    }

    void theSecondVersionSaysTheSame_data() {
        QTest::addColumn<QString>("id");
        for (const QString& id : scenario::builtinScenarios())
            QTest::newRow(qPrintable(id)) << id;
    }
    void theSecondVersionSaysTheSame() {
        QFETCH(QString, id);
        const QByteArray text = builtin(QStringLiteral(":/scenarios/%1.json").arg(id));
        const QJsonObject document = scenario::inFormTwo(QJsonDocument::fromJson(text).object());
        QCOMPARE(document[u"lockscope"].toInt(), 2);
        const auto before = scenario::parseScenario(text, id);
        const auto after = scenario::parseScenario(jsonText(document, fieldOrder(scenario::scenarioSchema(2))), id);
        QVERIFY(before);
        QVERIFY2(after, after ? "" : qPrintable(after.error().front().toString()));
        QVERIFY(*before == *after);
    }
};

QTEST_GUILESS_MAIN(tst_own_files)
#include "tst_own_files.moc"
