// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_file.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>
#include <random>

using namespace lockscope;
using namespace lockscope::scenario;

namespace {

/// Valid scenarios of every shape.
class Maker {
public:
    explicit Maker(std::uint64_t seed) : m_random(seed) {}

    Scenario scenario() {
        Scenario s;
        s.id = QStringLiteral("made-%1").arg(number(0, 999));
        s.title = text();
        s.summary = coin() ? text() : QString();
        if (coin()) s.titles[QStringLiteral("zh_CN")] = text();
        if (coin()) s.summaries[QStringLiteral("de")] = text();
        s.recipe = pick({"redis-set", "redis-reentrant", "redis-set-del"});
        s.until = duration() + 1ns;
        if (coin()) s.nodes.front().id = QStringLiteral("redis-2");
        s.lock = {text(), duration() + 1ms, coin() ? 0ns : duration(), coin() ? kNever : duration(), coin(), coin()};
        if (s.lock.watchdog >= s.lock.lease) s.lock.watchdog = s.lock.lease / 3; // else the file would be refused
        s.resource = {text(), coin()};
        s.workload = {number(1, 200), range(), range(), range(), coin()};
        s.network = {range(), number(0, 1000)};
        for (int i = number(0, 5); i > 0; --i)
            s.faults.push_back(fault(s));
        for (int i = number(0, 3); i > 0; --i)
            s.expect[i == 1 ? QStringLiteral("*") : QStringLiteral("redis-%1").arg(i)] = expectation();
        return s;
    }

private:
    int number(int low, int high) { return std::uniform_int_distribution(low, high)(m_random); }
    bool coin() { return number(0, 1) == 1; }
    QString pick(std::initializer_list<const char*> words) {
        return QString::fromUtf8(words.begin()[number(0, int(words.size()) - 1)]);
    }
    QString text() { return pick({"orders", "“q” \\ / ~1", "锁", "a\nb\t\u0001", "🔒 lock"}); }
    Nanos duration() { return Nanos(static_cast<std::int64_t>(m_random() >> number(8, 60))); }
    Range range() {
        const Nanos a = duration() + 1ns, b = duration() + 1ns;
        return {std::min(a, b), std::max(a, b)};
    }
    Fault fault(const Scenario& s) {
        Fault f;
        if (coin())
            f.at = duration();
        else
            f.when = Trigger{Trigger::On(number(0, 2)), number(1, 1000), duration()};
        f.action = Action(number(0, int(Action::Set)));
        if (f.action == Action::Failover) f.action = Action::RestartNode; // there are no Sentinels
        const QString client = coin() ? QStringLiteral("holder") : clientName(number(0, s.workload.clients - 1));
        const QString node = s.nodes.front().id;
        bool undone = false;
        switch (f.action) {
        case Action::HealAll:
            break;
        case Action::Set:
            f.setting = QStringLiteral("think");
            f.text = QStringLiteral("3s");
            break;
        case Action::DelayLink:
            f.value = coin() ? duration() : 0ns;
            [[fallthrough]];
        case Action::CutLink:
            undone = true;
            [[fallthrough]];
        case Action::MendLink:
            f.target = client + QLatin1Char('-') + node;
            break;
        case Action::PauseNode:
        case Action::KillNode:
        case Action::CrashNode:
            undone = true;
            [[fallthrough]];
        case Action::ResumeNode:
        case Action::RestartNode:
        case Action::RestartNodeEmpty:
            f.target = node;
            break;
        case Action::JumpClock:
            f.value = -duration();
            [[fallthrough]];
        case Action::PauseClient:
        case Action::KillClient:
            undone = true;
            [[fallthrough]];
        default:
            f.target = client;
        }
        if (undone && coin()) f.duration = duration();
        f.byHand = coin();
        return f;
    }
    Expectation expectation() {
        Expectation e;
        if (coin()) e.violates << QStringLiteral("ownership");
        if (coin()) e.holds << QStringLiteral("progress") << QStringLiteral("reentrancy");
        if (coin()) e.recoversWithin = duration();
        e.stalls = coin();
        return e;
    }

    std::mt19937_64 m_random;
};

} // namespace

class tst_scenario_file : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsWrittenReadsBackEqual() {
        for (std::uint64_t seed = 0; seed < 500; ++seed) {
            const Scenario made = Maker(seed).scenario();
            const QByteArray json = toJson(made);
            const auto read = parseScenario(json, QStringLiteral("made.json"));
            QVERIFY2(read.has_value(),
                     read ? "" : qPrintable(read.error().front().toString() + QString::fromUtf8(json)));
            QVERIFY2(*read == made, json.constData());
            QCOMPARE(toJson(*read), json);
        }
    }

    void onlyThreeFieldsAreNeeded() {
        const auto read = parseScenario(R"({"lockscope": 1, "id": "x", "title": "X"})", QStringLiteral("x.json"));
        QVERIFY(read.has_value());
        Scenario plain;
        plain.id = QStringLiteral("x");
        plain.title = QStringLiteral("X");
        QVERIFY(*read == plain);
    }

    void builtInScenariosLoadInTeachingOrder() {
        const QStringList ids = builtinScenarios();
        QCOMPARE(ids.mid(0, 6), (QStringList{QStringLiteral("contention"), QStringLiteral("gc-pause"),
                                             QStringLiteral("crash-holder"), QStringLiteral("delete-others-lock"),
                                             QStringLiteral("watchdog-dies"), QStringLiteral("partition-holder")}));
        for (const QString& id : ids) {
            const auto scenario = loadScenario(id);
            QVERIFY2(scenario.has_value(), scenario ? "" : qPrintable(scenario.error().front().toString()));
            QCOMPARE(scenario->id, id);
            QVERIFY2(!scenario->expect.empty(), qPrintable(id));
            QVERIFY2(scenario->titleIn(QStringLiteral("zh_CN")) != scenario->title, qPrintable(id));
            QVERIFY2(scenario->summaryIn(QStringLiteral("zh_CN")) != scenario->summary, qPrintable(id));
        }
    }

    void aLanguageFallsBackToItsMainOneThenToEnglish() {
        Scenario s;
        s.title = QStringLiteral("Lock");
        s.titles = {{QStringLiteral("de"), QStringLiteral("Sperre")}, {QStringLiteral("zh_CN"), QStringLiteral("锁")}};
        QCOMPARE(s.titleIn(QStringLiteral("zh_CN")), QStringLiteral("锁"));
        QCOMPARE(s.titleIn(QStringLiteral("de_AT")), QStringLiteral("Sperre"));
        QCOMPARE(s.titleIn(QStringLiteral("fr_FR")), QStringLiteral("Lock"));
    }

    void savesToAFileAndLoadsIt() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("mine.json"));
        const Scenario made = Maker(1).scenario();
        QVERIFY(saveScenario(made, path).has_value());
        const auto read = loadScenario(path);
        QVERIFY(read.has_value());
        QVERIFY(*read == made);
        const auto refused = saveScenario(made, folder.filePath(QStringLiteral("no/such/folder.json")));
        QVERIFY(!refused.has_value());
        QVERIFY(refused.error().contains(QStringLiteral("no/such/folder.json")));
    }

    void theSchemaIsPublishedAndCoversEveryAction() {
        const QJsonDocument schema = QJsonDocument::fromJson(scenarioSchema());
        QStringList actions;
        const QJsonValue fault = schema[u"definitions"][u"fault"];
        for (const QJsonValue& action : fault[u"properties"][u"do"][u"enum"].toArray())
            actions += action.toString();
        QStringList known;
        for (int i = 0; i <= int(Action::Set); ++i)
            known += QString::fromLatin1(actionId(Action(i)));
        QCOMPARE(actions, known);
    }
};

QTEST_GUILESS_MAIN(tst_scenario_file)
#include "tst_scenario_file.moc"
