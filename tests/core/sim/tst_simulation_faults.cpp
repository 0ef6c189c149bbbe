// SPDX-License-Identifier: Apache-2.0
// A world under any fault at any time goes on, runs again to the same end, and mends.
#include "experiment/run.h"
#include "scenario/scenario_file.h"
#include "session/bounds.h"
#include "sim/fitting_recipes.h"
#include "sim/world.h"

#include <QTest>
#include <random>
#include <set>

using namespace lockscope;
using scenario::Action;
using scenario::Fault;
using trace::EventKind;

namespace {

constexpr Nanos kTrouble = 30s;                  ///< faults strike until then
constexpr Nanos kAfter = 90s;                    ///< long enough for the slowest settings below
constexpr std::uint64_t kMostEvents = 3'000'000; ///< a run that needs more does not get on

int runs() {
    const int asked = qEnvironmentVariableIntValue("LOCKSCOPE_FUZZ_RUNS");
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr int kUsual = 10; // each takes ten times as long
#else
    constexpr int kUsual = 60;
#endif
    return asked > 0 ? asked : kUsual;
}

/// Draws what happens. Only whole numbers of std::mt19937_64, which are equal on every machine.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : m_random(seed) {}
    int upTo(int n) { return static_cast<int>(m_random() % static_cast<std::uint64_t>(n)); }
    bool once(int in) { return upTo(in) == 0; }
    Nanos between(Nanos low, Nanos high) {
        return low + Nanos(static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>((high - low).count())));
    }
    template <typename T>
    T oneOf(std::initializer_list<T> list) {
        return *(list.begin() + upTo(static_cast<int>(list.size())));
    }

private:
    std::mt19937_64 m_random;
};

scenario::Scenario randomScenario(const QString& recipe, Dice& dice) {
    scenario::Scenario scenario;
    scenario.id = QStringLiteral("fuzz");
    scenario.title = QStringLiteral("fuzz");
    scenario.recipe = recipe;
    scenario.until = kTrouble + kAfter;
    scenario.lock.lease = dice.oneOf<Nanos>({1s, 2s, 3500ms});
    scenario.lock.watchdog = std::min(dice.oneOf<Nanos>({Nanos(0), 300ms, 1s}), scenario.lock.lease / 2);
    scenario.lock.wait = dice.oneOf<Nanos>({kNever, 2s, Nanos(0)});
    scenario.lock.token = dice.once(2);
    scenario.workload.clients = 1 + dice.upTo(5);
    scenario.workload.hold = {10ms, dice.oneOf<Nanos>({200ms, 1s, 3s})};
    scenario.workload.think = {5ms, dice.oneOf<Nanos>({50ms, 1s})};
    scenario.network.lossPerMille = dice.oneOf({0, 0, 5, 30});
    scenario.network.clientLatency = dice.oneOf<scenario::Range>({{50us, 150us}, {Nanos(0), Nanos(0)}, {1ms, 40ms}});
    return scenario;
}

QString randomClient(Dice& dice) {
    return dice.oneOf<QString>({QStringLiteral("A"), QStringLiteral("B"), QStringLiteral("C"), QStringLiteral("D"),
                                QStringLiteral("holder"), QStringLiteral("holder"), QStringLiteral("waiter")});
}

/// The faults that a file may have undone after a time.
constexpr Action kUndone[] = {Action::PauseClient, Action::KillClient, Action::PauseNode, Action::KillNode,
                              Action::CutLink,     Action::DelayLink,  Action::JumpClock};

Fault randomFault(Dice& dice) {
    Fault fault;
    fault.byHand = true;
    constexpr std::array kDrawn{Action::PauseClient,  Action::ResumeClient, Action::KillClient, Action::RestartClient,
                                Action::PauseNode,    Action::ResumeNode,   Action::KillNode,   Action::RestartNode,
                                Action::CutLink,      Action::MendLink,     Action::DelayLink,  Action::JumpClock,
                                Action::StopWatchdog, Action::LoseReply,    Action::LosePush,   Action::HangWork,
                                Action::EvictKey,     Action::FlushNode,    Action::HealAll,    Action::Set};
    fault.action = kDrawn[static_cast<std::size_t>(dice.upTo(static_cast<int>(kDrawn.size())))];
    fault.target = randomClient(dice);
    if (dice.once(2)) fault.duration = dice.once(2) ? dice.between(1ms, 6s) : Nanos(500ms * (1 + dice.upTo(10)));
    switch (fault.action) {
    case Action::PauseNode:
    case Action::ResumeNode:
    case Action::KillNode:
    case Action::RestartNode:
    case Action::CrashNode:
    case Action::EvictKey:
    case Action::FlushNode:
        fault.target = QStringLiteral("redis-1");
        break;
    case Action::CutLink:
    case Action::MendLink:
        fault.target += QStringLiteral("-redis-1");
        break;
    case Action::DelayLink:
        fault.value = dice.between(Nanos(0), 3s);
        break;
    case Action::JumpClock:
        if (dice.once(2)) fault.target = QStringLiteral("redis-1");
        fault.value = dice.between(-10s, 10s);
        break;
    case Action::HealAll:
        fault.target.clear();
        break;
    case Action::Set: {
        fault.target.clear();
        const auto set = dice.oneOf<std::pair<const char*, const char*>>({{"clients", "1"},
                                                                          {"clients", "4"},
                                                                          {"clients", "6"},
                                                                          {"lease", "1s"},
                                                                          {"lease", "4s"},
                                                                          {"watchdog", "off"},
                                                                          {"watchdog", "400ms"},
                                                                          {"hold", "0s-2s"},
                                                                          {"hold", "100ms"},
                                                                          {"think", "20ms"},
                                                                          {"wait", "forever"},
                                                                          {"wait", "500ms"},
                                                                          {"token", "on"},
                                                                          {"token_check", "on"},
                                                                          {"deadline", "ignored"},
                                                                          {"deadline", "honoured"},
                                                                          {"on_loss", "carry-on"},
                                                                          {"on_loss", "stop"},
                                                                          {"recipe", "redis-set"},
                                                                          {"recipe", "redis-reentrant"},
                                                                          {"recipe", "redis-set-del"}});
        fault.setting = QString::fromLatin1(set.first);
        fault.text = QString::fromLatin1(set.second);
        break;
    }
    default:
        break;
    }
    if (std::ranges::find(kUndone, fault.action) == std::end(kUndone)) fault.duration.reset();
    return fault;
}

/// Breaks mutual exclusion or ownership by itself, whatever the recipe does.
bool hurts(const Fault& fault) {
    switch (fault.action) {
    case Action::PauseClient: // it cannot look at its clock
    case Action::KillNode:    // forgets who holds
    case Action::RestartNode:
    case Action::CrashNode:
    case Action::EvictKey:
    case Action::FlushNode:
    case Action::JumpClock: // the server's, which counts leases
        return true;
    case Action::Set:
        return fault.setting == QLatin1String("deadline") || fault.setting == QLatin1String("recipe") ||
               fault.setting == QLatin1String("on_loss");
    default:
        return false;
    }
}

/// A world under way, with a count of its steps, so that one that never gets anywhere is found out.
class Run {
public:
    Run(const scenario::Scenario& scenario, std::uint64_t seed)
        : m_trace(std::make_shared<trace::Trace>()), m_world(scenario, seed, m_trace) {}

    bool until(Nanos t) {
        while (m_world.runNext(t)) {
            if (++m_steps > kMostEvents) return false;
        }
        m_world.runUntil(t);
        return true;
    }
    sim::World& world() { return m_world; }
    const std::shared_ptr<trace::Trace>& trace() const { return m_trace; }

private:
    std::shared_ptr<trace::Trace> m_trace;
    sim::World m_world;
    std::uint64_t m_steps = 0;
};

QString explainAll(const trace::Trace& trace, const verdict::Verdict& verdict) {
    QStringList lines;
    for (const auto& violation : verdict.violations)
        lines << QString::number(violation.from.count()) + QLatin1Char(' ') + verdict::explain(violation, trace);
    return lines.join(QLatin1Char('\n'));
}

} // namespace

class TestSimulationFaults : public QObject {
    Q_OBJECT

    static void everyRecipe() {
        QTest::addColumn<QString>("recipe");
        for (const auto& recipe : sim::recipesFor({}))
            QTest::newRow(recipe.id.constData()) << QString::fromLatin1(recipe.id);
    }

    /// Does random things by hand until kTrouble, heals, lets it go on; `told` becomes the scenario with all of it.
    static void play(Run& run, scenario::Scenario& told, Dice& dice, bool harmlessOnly, bool& ok) {
        ok = false;
        for (Nanos at = dice.between(Nanos(0), 4s); at < kTrouble; at += dice.between(Nanos(0), 4s)) {
            if (dice.once(2)) at = Nanos((at / 500ms + 1) * 500ms); // together with what ends at that instant
            if (!run.until(at)) return;
            if (at >= kTrouble) break;
            for (int n = dice.once(5) ? 2 : 1; n > 0; --n) {
                Fault fault = randomFault(dice);
                if (harmlessOnly && hurts(fault)) continue;
                fault.at = at;
                const bool struck = run.world().apply(fault).has_value();
                // Striking nobody is part of a scenario; a client that never was is not.
                if (struck || fault.target.contains(QLatin1String("er"))) told.faults.push_back(fault);
            }
        }
        if (!run.until(kTrouble)) return;
        Fault heal;
        heal.action = Action::HealAll;
        heal.byHand = true;
        heal.at = kTrouble;
        if (!run.world().apply(heal)) return;
        told.faults.push_back(heal);
        ok = run.until(told.until);
    }

private Q_SLOTS:
    void whatWasDoneByHandRunsAgainFromItsFile_data() { everyRecipe(); }
    void whatWasDoneByHandRunsAgainFromItsFile() {
        QFETCH(QString, recipe);
        for (int seed = 0; seed < runs(); ++seed) {
            Dice dice(static_cast<std::uint64_t>(seed));
            scenario::Scenario told = randomScenario(recipe, dice);
            if (dice.once(3)) told.lock.honourDeadline = false;
            Run run(told, static_cast<std::uint64_t>(seed));
            bool ok = false;
            play(run, told, dice, false, ok);
            QVERIFY2(ok, qPrintable(QStringLiteral("seed %1 does not get on").arg(seed)));

            const QByteArray json = scenario::toJson(told);
            const auto read = scenario::parseScenario(json, QStringLiteral("fuzz.json"));
            QVERIFY2(read.has_value(), qPrintable(read ? QString() : read.error().at(0).toString()));
            QCOMPARE(*read, told);
            Run again(*read, static_cast<std::uint64_t>(seed));
            QVERIFY(again.until(read->until));
            if (again.trace()->digest() != run.trace()->digest()) {
                QFAIL(qPrintable(QStringLiteral("seed %1 runs differently from its file:\n").arg(seed) +
                                 QString::fromUtf8(json)));
            }
            verdict::Judge judge(run.trace(), session::boundsFor(told));
            judge.consume();
            for (const auto& violation : judge.verdict(true).violations)
                QVERIFY(!verdict::explain(violation, *run.trace()).isEmpty());
        }
    }

    void everyLiveClientGetsTheLockAgainAfterHealing_data() { everyRecipe(); }
    void everyLiveClientGetsTheLockAgainAfterHealing() {
        QFETCH(QString, recipe);
        if (recipes::findRecipe(recipe.toUtf8())->naive) return; // promises nothing
        for (int seed = 0; seed < runs(); ++seed) {
            Dice dice(1'000'000 + static_cast<std::uint64_t>(seed));
            scenario::Scenario told = randomScenario(recipe, dice);
            told.network.lossPerMille = 0; // a network that never mends is not healed
            Run run(told, static_cast<std::uint64_t>(seed));
            bool ok = false;
            play(run, told, dice, false, ok);
            QVERIFY2(ok, qPrintable(QStringLiteral("seed %1 does not get on").arg(seed)));
            if (run.world().settings().lock.wait == Nanos(0)) continue; // nobody waits: who gets it is luck
            std::set<QByteArray> got;
            const trace::Trace& trace = *run.trace();
            for (std::size_t i = trace.lowerBound(kTrouble); i < trace.size(); ++i) {
                const trace::Event event = trace.at(i);
                if (event.kind == EventKind::Granted) got.insert(trace.entity(trace.clientOf(event.actor)).name);
            }
            for (int i = 0; i < run.world().settings().workload.clients; ++i) {
                const QByteArray name = scenario::clientName(i).toUtf8();
                if (!got.contains(name)) {
                    QFAIL(qPrintable(QStringLiteral("seed %1: %2 never got the lock again:\n%3")
                                         .arg(seed)
                                         .arg(QString::fromUtf8(name), QString::fromUtf8(scenario::toJson(told)))));
                }
            }
        }
    }

    void safeRecipesStaySafeUnderFaultsThatTheyPromiseToSurvive_data() { everyRecipe(); }
    void safeRecipesStaySafeUnderFaultsThatTheyPromiseToSurvive() {
        QFETCH(QString, recipe);
        if (recipes::findRecipe(recipe.toUtf8())->naive) return; // promises nothing
        for (int seed = 0; seed < runs(); ++seed) {
            Dice dice(2'000'000 + static_cast<std::uint64_t>(seed));
            scenario::Scenario told = randomScenario(recipe, dice);
            Run run(told, static_cast<std::uint64_t>(seed));
            bool ok = false;
            play(run, told, dice, true, ok);
            QVERIFY2(ok, qPrintable(QStringLiteral("seed %1 does not get on").arg(seed)));
            verdict::Judge judge(run.trace(), session::boundsFor(told));
            judge.consume();
            const verdict::Verdict verdict = judge.verdict(true);
            for (const auto invariant :
                 {verdict::Invariant::MutualExclusion, verdict::Invariant::Ownership, verdict::Invariant::Reentrancy}) {
                if (verdict.outcomes[static_cast<std::size_t>(invariant)] != verdict::Outcome::Violated) continue;
                QFAIL(
                    qPrintable(QStringLiteral("seed %1: %2\n%3\n%4")
                                   .arg(seed)
                                   .arg(QString::fromLatin1(verdict::invariantId(invariant)),
                                        explainAll(*run.trace(), verdict), QString::fromUtf8(scenario::toJson(told)))));
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestSimulationFaults)
#include "tst_simulation_faults.moc"
