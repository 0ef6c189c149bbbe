// SPDX-License-Identifier: Apache-2.0
#include "scenario/fault_check.h"
#include "scenario/scenario_file.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>
#include <random>

using namespace lockscope;
using namespace lockscope::scenario;

namespace {

/// Each fault strikes while the scenario runs, and not too often.
void letAllStrike(Scenario& s) {
    const auto from = [](const Fault& f) { return f.at.value_or(f.when ? f.when->after : Nanos(0)); };
    for (const Fault& f : s.faults)
        s.until = std::max(s.until, from(f));
    for (Fault& f : s.faults) {
        if (f.when && f.when->on == Trigger::On::LeaseLeft) {
            const auto other = std::ranges::find_if(
                s.moreLocks, [&](const NamedLock& lock) { return lock.settings.name == f.when->lock; });
            f.when->left = std::min(f.when->left, other == s.moreLocks.end() ? s.lock.lease : other->settings.lease);
        }
        constexpr std::int64_t kMany = 90'000;
        if (f.every && f.times == 0 && (s.until - from(f)) / *f.every > kMany) f.times = 2;
    }
}

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

    /// With what only the second version of files can say.
    Scenario ofFormTwo() {
        Scenario s = scenario();
        s.lock.permits = number(1, 10'000);
        s.lock.name = QStringLiteral("first");
        for (int i = number(0, 2); i > 0; --i) {
            LockSettings more;
            more.name = QStringLiteral("more-%1").arg(i);
            more.lease = duration() + 1ms;
            more.permits = number(1, 9);
            s.moreLocks.push_back({more, coin() ? QStringLiteral("redis-rw") : QString()});
        }
        for (int i = number(0, 3); i > 0; --i)
            s.programs.push_back(program(i, s));
        s.workload.clients = number(3, 100); // faults name the first ones
        for (int i = number(s.programs.empty() ? 0 : 1, 3); i > 0; --i)
            s.groups.push_back({s.programs.empty() || coin() ? QString() : s.programs.front().name, number(1, 9)});
        if (coin()) s.recipes = QStringList{s.recipe, QStringLiteral("redis-rw")};
        if (coin()) {
            std::vector<ServiceSpec> services{service({"redis", "main"})};
            if (coin()) services.push_back(service({"second"}));
            s.setServices(services);
            if (coin()) s.lock.service = services.back().id;
            for (NamedLock& lock : s.moreLocks)
                if (coin()) lock.settings.service = services.front().id;
        }
        s.faults.clear();
        for (int i = number(0, 5); i > 0; --i)
            s.faults.push_back(conditional(s));
        if (coin()) s.expect[QStringLiteral("*")].requestsPerSecond = Span{number(0, 10), number(11, 1000)};
        if (coin()) s.expect[QStringLiteral("redis-rw")].longestWait = range();
        if (coin()) s.expect[QStringLiteral("zk-*")].reaches << u"zookeeper/session/kept"_qs << u"suspended"_qs;
        return s;
    }

private:
    ServiceSpec service(std::initializer_list<const char*> ids) {
        const ServiceKind& kind = serviceKinds()[std::size_t(number(0, int(serviceKinds().size()) - 1))];
        const ServiceKind::Form& form = kind.forms[std::size_t(number(0, int(kind.forms.size()) - 1))];
        ServiceSpec made = defaultService(kind.id, form.shape);
        made.id = pick(ids);
        made.nodes = number(form.least, form.most);
        if (kind.id == QLatin1String("redis")) made.persistence = ServiceSpec::Persistence(number(0, 2));
        for (const ServiceOption& option : serviceOptions()) {
            if (!concerns(option, made) || coin()) continue;
            if (const auto* const count = std::get_if<int ServiceSpec::*>(&option.value)) made.** count = number(1, 5);
            if (option.kind == QLatin1String("redis"))
                if (const auto* const time = std::get_if<Nanos ServiceSpec::*>(&option.value))
                    made.** time = duration();
        }
        if (kind.id == QLatin1String("zookeeper")) {
            made.tick = Nanos(number(10, 5000)) * 1'000'000;
            if (coin()) made.session = number(2, 20) * made.tick;
        }
        if (kind.id == QLatin1String("sql")) {
            made.dialect = ServiceSpec::Dialect(number(0, 1));
            made.uniqueIndex = coin();
            made.lockWait = duration();
            made.keepAlive = duration();
        }
        return made;
    }
    Program program(int index, const Scenario& s) {
        using Do = ProgramStep::Do;
        Program made;
        made.name = QStringLiteral("program %1").arg(index);
        for (int i = number(0, 6); i > 0; --i) {
            ProgramStep step;
            step.act = Do(number(0, int(Do::Signal)));
            const bool lasts = step.act == Do::Think || step.act == Do::Work;
            if (lasts && coin()) step.range = range();
            if (step.act == Do::Work && coin()) step.every = range();
            const bool names = !lasts && step.act != Do::Write;
            if (names && coin()) step.locks += s.lock.name;
            if (names && coin())
                for (const NamedLock& lock : s.moreLocks)
                    step.locks += lock.settings.name;
            if ((step.act == Do::Take || step.act == Do::Await) && coin()) step.wait = coin() ? kNever : duration();
            if (step.act == Do::Take) step.hold = ProgramStep::Hold(number(0, 2));
            if (step.hold == ProgramStep::Hold::Permits) step.permits = number(1, 10);
            made.steps.push_back(step);
        }
        made.steps.emplace_back().act = Do::Think; // a round takes time
        return made;
    }
    Fault conditional(const Scenario& s) {
        Fault f;
        Trigger when;
        when.on = Trigger::On(number(0, int(Trigger::On::Leader)));
        when.nth = number(1, 50);
        when.after = duration();
        const bool leader = when.on == Trigger::On::Leader;
        if (!leader && !s.moreLocks.empty() && coin()) when.lock = s.moreLocks.front().settings.name;
        if (!leader && coin()) when.client = pick({"holder", "waiter", "A", "B"});
        if (when.on == Trigger::On::Step) when.step = number(1, 100);
        if (when.on == Trigger::On::LeaseLeft) when.left = duration();
        if (leader && coin()) when.server = s.nodes.front().id;
        f.when = when;
        if (coin()) f.at = duration(); // counts from then on
        f.action = leader ? Action::KillNode : coin() ? Action::HangWork : coin() ? Action::LosePush : Action::CutLink;
        f.target = f.action == Action::CutLink ? QStringLiteral("same-") + s.nodes.front().id : QStringLiteral("same");
        return f;
    }
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
        if (f.action == Action::SwitchEngine) f.action = Action::HealAll; // there is no lock manager
        if (f.action == Action::ExhaustPool || f.action == Action::FreePool) f.action = Action::FlushNode; // no pool
        if (f.action == Action::StallDisk || f.action == Action::FreeDisk) f.action = Action::EvictKey;    // no disk
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
        case Action::JitterLink:
            f.value = coin() ? duration() : 0ns;
            [[fallthrough]];
        case Action::CutLink:
            undone = true;
            [[fallthrough]];
        case Action::MendLink:
        case Action::ResetLink:
            f.target = client + (coin() ? u'-' : u'|') + node;
            break;
        case Action::PauseNode:
        case Action::KillNode:
        case Action::CrashNode:
            undone = true;
            [[fallthrough]];
        case Action::ResumeNode:
        case Action::RestartNode:
        case Action::RestartNodeEmpty:
        case Action::EvictKey:
        case Action::FlushNode:
            f.target = node;
            break;
        case Action::DriftClock:
            f.value = Nanos(number(-999'999'999, 999'999'999));
            f.target = coin() ? client : client + u',' + node;
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
        if (number(0, 3) == 0) f.every = duration() + 1ns;
        if (f.every && coin()) f.times = number(2, 1000);
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
    void scenariosReadBackEqual_data() {
        QTest::addColumn<int>("version");
        QTest::newRow("of the first version") << 1;
        QTest::newRow("of the second") << 2;
    }
    void scenariosReadBackEqual() {
        QFETCH(int, version);
        for (std::uint64_t seed = 0; seed < 500; ++seed) {
            Maker maker(seed);
            Scenario made = version == 1 ? maker.scenario() : maker.ofFormTwo();
            letAllStrike(made);
            if (made.programs.empty()) made.groups.clear(); // they say who runs which program
            const QByteArray json = toJson(made);
            const auto read = parseScenario(json, QStringLiteral("made.json"));
            QVERIFY2(read.has_value(),
                     read ? "" : qPrintable(read.error().front().toString() + QString::fromUtf8(json)));
            QVERIFY2(*read == made, json.constData());
            QCOMPARE(toJson(*read), json);
        }
    }

    void aLockManagerReadsBackEqualOrIsComplainedOf() {
        Scenario made = loadScenario(QStringLiteral("engine-switch")).value();
        QVERIFY(made.manager);
        const QByteArray json = toJson(made);
        const auto read = parseScenario(json, QStringLiteral("made.json"));
        QVERIFY(read.has_value());
        QVERIFY(*read == made);
        const auto complaint = [&](auto change) {
            Scenario changed = made;
            change(changed);
            const auto refused = parseScenario(toJson(changed), QStringLiteral("made.json"));
            QStringList problems;
            if (!refused)
                for (const Problem& problem : refused.error())
                    problems += problem.toString();
            return problems.join(u'\n');
        };
        QVERIFY(complaint([](Scenario& s) {
                    s.manager->engines[1] = QStringLiteral("redis-9");
                }).contains(u"/manager/engines/1: “redis-9” cannot be used"_qs));
        QVERIFY(complaint([](Scenario& s) {
                    s.manager->witnesses = QStringList{QStringLiteral("redis-1")};
                }).contains(u"twice"_qs));
        QVERIFY(complaint([](Scenario& s) { s.lock.name = QStringLiteral("orders"); }).contains(u"/locks/0/name"_qs));
        QVERIFY(complaint([](Scenario& s) { s.manager->drainFor = Nanos(0); }).contains(u"/manager/drain_for"_qs));
        QVERIFY(complaint([](Scenario& s) { s.manager->confirmFor = 4'000'000'000s; }).contains(u"than a day"_qs));
        QVERIFY(complaint([](Scenario& s) { s.manager.reset(); }).contains(u"lock manager"_qs));
    }

    void eachModeOfALockManagerReadsBackByItsName() {
        Scenario made = loadScenario(QStringLiteral("engine-switch")).value();
        const std::array<std::pair<std::optional<SwitchMode>, QByteArray>, 3> modes{
            {{std::nullopt, "naive"}, {SwitchMode::Drain, "drain"}, {SwitchMode::Immediate, "immediate"}}};
        for (const auto& [mode, name] : modes) {
            made.manager->mode = mode;
            const QByteArray json = toJson(made);
            QVERIFY2(json.contains("\"mode\": \"" + name + '"'), json.constData());
            const auto read = parseScenario(json, QStringLiteral("made.json"));
            QVERIFY2(read && read->manager->mode == mode, json.constData());
        }
    }

    void enginesOfDifferentKindsReadBackEqual() {
        const Scenario made = loadScenario(QStringLiteral("engine-switch-kinds")).value();
        QCOMPARE(made.manager->engines, (QStringList{u"redis"_qs, u"zookeeper"_qs}));
        QCOMPARE(made.manager->recipes.at(u"zookeeper"_qs), u"zk-mutex"_qs);
        const auto read = parseScenario(toJson(made), QStringLiteral("made.json"));
        QVERIFY(read.has_value() && *read == made);
        Scenario alone = made; // a single server of a service that is one thing to its clients
        alone.manager->engines[1] = QStringLiteral("zk-1");
        alone.faults.clear();
        const auto refused = parseScenario(toJson(alone), QStringLiteral("made.json"));
        QVERIFY(!refused && refused.error().front().toString().contains(u"these can: redis, zookeeper, etcd"_qs));
    }

    void aLivenessPhaseReadsBackEqual() {
        Scenario made = loadScenario(QStringLiteral("etcd-quorum-loss")).value();
        made.liveness = 30s;
        const auto read = parseScenario(toJson(made), QStringLiteral("made.json"));
        QVERIFY(read.has_value() && *read == made);
        made.liveness = made.until;
        const auto refused = parseScenario(toJson(made), QStringLiteral("made.json"));
        QVERIFY(!refused && refused.error().front().toString().contains(u"/liveness"_qs));
    }

    void severalTargetsAndOneDirectionAreChecked() {
        Scenario base = loadScenario(QStringLiteral("zk-leader-loss")).value();
        const auto problem = [&base](Action action, const char* target) {
            Scenario made = base;
            Fault fault;
            fault.at = 1s;
            fault.action = action;
            fault.target = QString::fromUtf8(target);
            made.faults = {fault};
            const auto read = parseScenario(toJson(made), QStringLiteral("made.json"));
            return read ? QString() : read.error().front().toString();
        };
        QCOMPARE(problem(Action::KillNode, "zk-1,follower[0]"), QString());
        QCOMPARE(problem(Action::CutLink, "A,B|zk-1,leader"), QString());
        QCOMPARE(problem(Action::CutLink, "A>zk-1"), QString());
        QVERIFY(problem(Action::KillNode, "zk-1,zk-9").contains(u"zk-9"_qs));
        QVERIFY(problem(Action::CutLink, "A|zk-9").contains(u"zk-9"_qs));
        QVERIFY(problem(Action::KillNode, "A|zk-1").contains(u"two sets"_qs));
        QVERIFY(problem(Action::ResetLink, "A>zk-1").contains(u"both directions"_qs));
        QVERIFY(problem(Action::EvictKey, "zk-1").contains(u"only Redis and memcached"_qs));
        QVERIFY(problem(Action::ExhaustPool, "zk-1").contains(u"only the clients of a database"_qs));
        base = loadScenario(QStringLiteral("sql-pool-taken")).value();
        QCOMPARE(problem(Action::ExhaustPool, "sql-1"), QString());
        QCOMPARE(problem(Action::FreePool, "sql-1"), QString());
        base.services.front().pool = 0;
        QVERIFY(problem(Action::ExhaustPool, "sql-1").contains(u"with \"pool\""_qs));
    }

    /// A fault that strikes nothing here may stand in a file, which is for other servers, too; nobody plans it by hand.
    void whatStrikesNothingIsNotPlanned() {
        const auto refusal = [](const char* id, Action action, const char* target) {
            Fault fault;
            fault.at = 1s;
            fault.action = action;
            fault.target = QString::fromUtf8(target);
            return refusalOf(fault, loadScenario(QString::fromUtf8(id)).value());
        };
        QVERIFY(refusal("zk-leader-loss", Action::RepeatRequest, "A").contains(u"TCP"_qs));
        QCOMPARE(refusal("contention", Action::RepeatRequest, "A"), QString());
        QVERIFY(refusal("memcached-restart", Action::LosePush, "A").contains(u"clients ask"_qs));
        QCOMPARE(refusal("zk-leader-loss", Action::LosePush, "A"), QString());
        QVERIFY(refusal("zk-leader-loss", Action::ResetLink, "zk-1-zk-2").contains(u"connect again at once"_qs));
        QCOMPARE(refusal("zk-leader-loss", Action::ResetLink, "A-zk-2"), QString());
        Fault evict;
        evict.at = 1s;
        evict.action = Action::EvictKey;
        evict.target = QStringLiteral("redis-1");
        evict.text = QStringLiteral("stock");
        Scenario two = loadScenario(QStringLiteral("contention")).value();
        QVERIFY(refusalOf(evict, two).contains(u"there is no lock “stock”"_qs));
        two.moreLocks.resize(1);
        two.moreLocks.front().settings.name = evict.text;
        QCOMPARE(refusalOf(evict, two), QString());
        two.faults = {evict};
        const auto read = parseScenario(toJson(two), QStringLiteral("two.json"));
        QVERIFY2(read, read ? "" : qPrintable(read.error().front().toString()));
        QCOMPARE(read->faults, two.faults);
    }

    /// Recordings and saved files keep their form where it can say all.
    void whatTheFirstVersionCanSayIsWrittenInIt() {
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            Scenario made = Maker(seed).scenario();
            std::erase_if(made.faults, [](const Fault& f) {
                constexpr std::array kNewer{Action::LosePush,   Action::HangWork,     Action::EvictKey,
                                            Action::FlushNode,  Action::ResetLink,    Action::JitterLink,
                                            Action::DriftClock, Action::RepeatRequest};
                const bool several = f.target.contains(u'|') || f.target.contains(u',');
                return std::ranges::find(kNewer, f.action) != kNewer.end() || several || f.every;
            });
            QCOMPARE(QJsonDocument::fromJson(toJson(made))[u"lockscope"].toInt(), 1);
            made.moreLocks.emplace_back();
            QCOMPARE(QJsonDocument::fromJson(toJson(made))[u"lockscope"].toInt(), 2);
        }
    }

    void onlyThreeFieldsAreNeeded() {
        Scenario plain;
        plain.id = QStringLiteral("x");
        plain.title = QStringLiteral("X");
        for (const char version : {'1', '2'}) {
            const QByteArray text = QByteArray(R"({"lockscope": ?, "id": "x", "title": "X"})").replace('?', version);
            const auto read = parseScenario(text, QStringLiteral("x.json"));
            QVERIFY(read.has_value());
            QVERIFY(*read == plain);
        }
    }

    void builtInScenariosLoadInTeachingOrder() {
        const QStringList ids = builtinScenarios();
        QCOMPARE(ids.mid(0, 7), (QStringList{QStringLiteral("contention"), QStringLiteral("crash-holder"),
                                             QStringLiteral("delete-others-lock"), QStringLiteral("contention-permits"),
                                             QStringLiteral("crash-before-expire"), QStringLiteral("get-del-race"),
                                             QStringLiteral("gc-pause")})); // chapter by chapter
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
        const QJsonDocument schema = QJsonDocument::fromJson(scenarioSchema(2));
        QStringList actions;
        const QJsonValue fault = schema[u"definitions"][u"fault"];
        for (const QJsonValue& action : fault[u"properties"][u"do"][u"enum"].toArray())
            actions += action.toString();
        QStringList known;
        for (int i = 0; i <= int(Action::Set); ++i)
            known += QString::fromLatin1(actionId(Action(i)));
        QCOMPARE(actions, known);
        // The first version knows all but those that came with the second.
        for (const char* const newer :
             {"lose-push", "hang-work", "switch-engine", "evict-key", "flush-node", "exhaust-pool", "free-pool",
              "stall-disk", "free-disk", "jitter-link", "reset-link", "drift-clock", "repeat-request"})
            known.removeOne(QLatin1String(newer));
        const QJsonDocument first = QJsonDocument::fromJson(scenarioSchema(1));
        QStringList old;
        for (const QJsonValue& action : first[u"definitions"][u"fault"][u"properties"][u"do"][u"enum"].toArray())
            old += action.toString();
        QCOMPARE(old, known);
    }

    /// Both versions define their common parts alike.
    void theSchemasShareTheirDefinitions() {
        const QJsonObject first = QJsonDocument::fromJson(scenarioSchema(1))[u"definitions"].toObject();
        const QJsonObject second = QJsonDocument::fromJson(scenarioSchema(2))[u"definitions"].toObject();
        for (const QString& name : first.keys())
            if (name != QLatin1String("fault") && name != QLatin1String("expectation"))
                QCOMPARE(second[name], first[name]);
    }
};

QTEST_GUILESS_MAIN(tst_scenario_file)
#include "tst_scenario_file.moc"
