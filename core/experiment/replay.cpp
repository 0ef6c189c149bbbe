// SPDX-License-Identifier: Apache-2.0
#include "experiment/replay.h"

#include "experiment/observed_uses.h"
#include "experiment/replay_faults.h"
#include "experiment/replay_lock.h"
#include "recipes/recipe_info.h"
#include "scenario/scenario_file.h"
#include "scenario/settings.h"
#include "sim/fitting_recipes.h"
#include "trace/text.h"
#include "trace/time_text.h"
#include "trace/trace_time.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace lockscope::experiment {

namespace {

using scenario::ProgramStep;
using scenario::Scenario;
using trace::EntityId;
using trace::kNoEntity;

constexpr auto kMostClients = std::size_t(scenario::kMostClients);
constexpr Nanos kGrain = 100us;         ///< of times in programs: shorter ones are noise
constexpr Nanos kForGood = 24h;         ///< also when somebody prolongs the scenario
constexpr qsizetype kLongestName = 150; ///< of 200 that the schema allows: a number may follow

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Replay)
};

Nanos rounded(Nanos time) {
    return (time + kGrain / 2) / kGrain * kGrain;
}

/// A thread from its start, or from the end of the process before it, to its own end.
struct Life {
    EntityId thread = kNoEntity;
    std::vector<ObservedUse> uses; ///< in the order of requests
    Nanos death = kNever;
    bool deathTold = false;
};

/// The lives of a stretch: the busiest ones, if there are more than a scenario can have, in the order of their first
/// requests. Adds to `leftOut` how many are not among them.
std::vector<Life> livesIn(const ObservedUses& observed, std::size_t& leftOut) {
    std::map<EntityId, std::vector<ObservedUse>> byThread;
    for (const ObservedUse& use : observed.uses)
        byThread[use.thread].push_back(use);
    std::map<EntityId, std::vector<ObservedDeath>> deaths;
    for (const ObservedDeath& death : observed.deaths)
        deaths[death.thread].push_back(death);
    std::vector<Life> lives;
    for (const auto& [thread, uses] : byThread) {
        auto next = uses.begin();
        const auto take = [&](Nanos until, bool told) {
            Life life{thread, {}, until, told};
            for (; next != uses.end() && next->asked < until; ++next)
                life.uses.push_back(*next);
            if (!life.uses.empty()) lives.push_back(std::move(life));
        };
        for (const ObservedDeath& death : deaths[thread])
            take(death.at, death.told);
        take(kNever, false);
    }
    const auto first = [](const Life& life) { return life.uses.front().asked; };
    if (lives.size() > kMostClients) {
        leftOut = lives.size() - kMostClients;
        std::ranges::stable_sort(lives, std::greater(), [](const Life& life) { return life.uses.size(); });
        lives.resize(kMostClients);
    }
    std::ranges::stable_sort(lives, {}, first);
    return lives;
}

/// Something that a client does at an instant.
struct Deed {
    Nanos at{}, done{}; ///< done: when the next thing can follow
    bool takes = false;
    const ObservedUse* use = nullptr;
};

ProgramStep pauseOf(ProgramStep::Do act, Nanos time) {
    ProgramStep step;
    step.act = act;
    step.range = scenario::Range{time, time};
    return step;
}

class Maker {
public:
    /// `only`: the locks whose uses are replayed; missing: all.
    Maker(const trace::Trace& trace, const trace::RecordingMeta& meta, Nanos from, Nanos to,
          std::optional<std::set<EntityId>> only = {})
        : m_trace(trace), m_meta(meta), m_from(from), m_to(to), m_only(std::move(only)) {}

    std::expected<Replay, QString> make() {
        ObservedUses observed = observedUses(m_trace, m_from, m_to);
        if (m_only) std::erase_if(observed.uses, [&](const ObservedUse& use) { return !m_only->contains(use.lock); });
        if (observed.uses.empty())
            return std::unexpected(Text::tr("Between %1 and %2 nobody used a lock: choose another stretch.")
                                       .arg(instantText(m_trace, m_from), instantText(m_trace, m_to)));
        const bool simulated = !m_trace.ofRealServers() && !m_meta.recipe.isEmpty();
        if (simulated) m_recorded = scenario::recordedScenario(m_meta.scenario);
        Scenario& to = m_replay.scenario;
        to = m_recorded ? takenFrom(*m_recorded) : Scenario();
        to.id = QStringLiteral("replay");
        to.title = Text::tr("Replay of %1").arg(m_recorded ? m_recorded->title : Text::tr("a recording"));
        to.until = std::clamp<Nanos>(rounded(m_to - m_from), 1s, kForGood);
        std::size_t leftOut = 0;
        std::vector<Life> lives = livesIn(observed, leftOut);
        // Clients of a simulation keep their names, where each had one life only.
        if (m_recorded) std::ranges::stable_sort(lives, {}, &Life::thread);
        nameLocks(lives);
        for (const Life& life : lives)
            addClient(life);
        to.workload.clients = int(lives.size());
        if (!m_recorded) to.network = observedNetwork(m_trace, m_from, m_to).value_or(to.network);
        addFaults();
        to.summary =
            Text::tr("%n client(s) over %1 of a recording, each with the requests and holds that it had. Change "
                     "the lease, the recipe or a fault to see what would have been.",
                     nullptr, int(lives.size()))
                .arg(durationText(to.until));
        note(observed, leftOut);
        return std::move(m_replay);
    }

private:
    /// The world of a scenario without its story.
    static Scenario takenFrom(const Scenario& recorded) {
        Scenario to;
        to.recipe = recorded.recipe;
        to.nodes = recorded.nodes;
        to.services = recorded.services;
        to.manager = recorded.manager;
        to.lock = recorded.lock;
        to.moreLocks = recorded.moreLocks;
        to.resource = recorded.resource;
        to.workload = recorded.workload;
        to.network = recorded.network;
        return to;
    }

    void nameLocks(const std::vector<Life>& lives) {
        Scenario& to = m_replay.scenario;
        std::vector<EntityId> locks; // the busiest first
        std::map<EntityId, std::size_t> uses;
        for (const Life& life : lives)
            for (const ObservedUse& use : life.uses)
                if (uses[use.lock]++ == 0) locks.push_back(use.lock);
        std::ranges::stable_sort(locks, std::greater(), [&](EntityId lock) { return uses.at(lock); });
        if (m_recorded) {
            for (const EntityId lock : locks)
                m_locks[lock] = QString::fromUtf8(m_trace.entity(lock).name);
            to.recipe = m_meta.recipe;
            to = sim::onFittingServers(std::move(to));
            return;
        }
        const std::map<EntityId, ReplayLock> known = replayLocks(m_trace, m_to);
        std::vector<ReplayLock> measured;
        for (const EntityId lock : locks) {
            const auto its = known.find(lock);
            measured.push_back(its == known.end() ? ReplayLock{{}, QStringLiteral("redis-set")} : its->second);
            m_locks[lock] = uniqueName(readableName(m_trace.entity(lock).name));
            measured.back().settings.name = m_locks[lock];
            ++m_recipes[measured.back().recipe];
        }
        m_leaseAtLeast = measured.front().leaseAtLeast;
        applyLocks(measured, to);
    }

    static QString readableName(const QByteArray& name) {
        const QString text = trace::readable(name).left(kLongestName);
        return text.isEmpty() ? Text::tr("nameless") : text;
    }

    QString uniqueName(const QString& wanted) {
        QString name = wanted;
        for (int number = 2; !m_names.insert(name).second; ++number)
            name = QStringLiteral("%1 (%2)").arg(wanted).arg(number);
        return name;
    }

    std::vector<Deed> deedsOf(const Life& life) const {
        std::vector<Deed> deeds;
        for (const ObservedUse& use : life.uses) {
            const Nanos got = use.got != kNever ? use.got : use.ended != kNever ? use.ended : m_to;
            deeds.push_back({use.asked, std::min(got, m_to), true, &use});
            // A client that dies with the lock does not give it back.
            const bool gives = use.got != kNever && !use.died && use.ended < m_to;
            if (gives) deeds.push_back({use.ended, use.done == kNever ? use.ended : use.done, false, &use});
        }
        std::ranges::stable_sort(deeds, {}, &Deed::at);
        return deeds;
    }

    /// Requests for several locks at one instant are one request: parts of a lock that is made of several.
    bool joins(const ProgramStep& last, const Deed& before, const Deed& deed) const {
        return deed.takes == before.takes && deed.at == before.at && deed.use->lock != before.use->lock &&
               last.act == (deed.takes ? ProgramStep::Do::Take : ProgramStep::Do::Release) &&
               last.locks.size() < kMostLocksOfAStep;
    }

    void addClient(const Life& life) {
        scenario::Program program;
        program.name = uniqueName(readableName(m_trace.displayName(life.thread).toUtf8()));
        Nanos cursor = m_from;
        int held = 0;
        const Deed* before = nullptr;
        const std::vector<Deed> deeds = deedsOf(life);
        for (const Deed& deed : deeds) {
            const QString lock = m_locks.at(deed.use->lock);
            if (before && !program.steps.empty() && joins(program.steps.back(), *before, deed)) {
                program.steps.back().locks += lock;
                held += deed.takes ? int(deed.use->got != kNever) : -1;
                cursor = std::max(cursor, deed.done);
                before = &deed;
                continue;
            }
            const Nanos pause = rounded(std::max<Nanos>(deed.at - cursor, 0ns));
            if (pause > 0ns)
                program.steps.push_back(pauseOf(held > 0 ? ProgramStep::Do::Work : ProgramStep::Do::Think, pause));
            ProgramStep step;
            step.act = deed.takes ? ProgramStep::Do::Take : ProgramStep::Do::Release;
            step.locks = {lock};
            if (deed.takes) {
                step.wait = deed.use->wait == kNever ? kNever : rounded(deed.use->wait);
                // The wait that somebody else's client gave up after is known by its end only.
                if (deed.use->gaveUp && deed.use->wait == kNever)
                    step.wait = rounded(deed.use->ended - deed.use->asked);
                using Hold = ProgramStep::Hold;
                const trace::HoldMode mode = deed.use->mode;
                if (mode == trace::HoldMode::Shared) step.hold = Hold::Shared;
                if (mode == trace::HoldMode::Permit) step.hold = Hold::Permits;
                if (mode == trace::HoldMode::Permit) step.permits = std::max(int(deed.use->permits), 1);
                held += deed.use->got != kNever;
            } else {
                --held;
            }
            program.steps.push_back(std::move(step));
            cursor = std::max(cursor, deed.done);
            before = &deed;
        }
        if (held > 0) program.steps.push_back(pauseOf(ProgramStep::Do::Work, kForGood));
        program.steps.push_back(pauseOf(ProgramStep::Do::Think, kForGood)); // it goes through its steps once
        Scenario& to = m_replay.scenario;
        const QString client = scenario::clientName(int(m_clients.size()));
        m_clients.push_back({client, life.thread, life.death});
        if (life.death < m_to && !life.deathTold) {
            scenario::Fault fault;
            fault.at = rounded(life.death - m_from);
            fault.action = scenario::Action::KillClient;
            fault.target = client;
            to.faults.push_back(fault);
            ++m_silent;
        }
        to.groups.push_back({program.name, 1});
        to.programs.push_back(std::move(program));
    }

    void addFaults() {
        Scenario& to = m_replay.scenario;
        ReplayFaults faults = replayFaults(m_trace, to, m_clients, m_from, m_to);
        std::ranges::move(faults.faults, std::back_inserter(to.faults));
        std::ranges::stable_sort(to.faults, {},
                                 [](const scenario::Fault& fault) { return fault.at.value_or(Nanos(0)); });
        m_replay.notes += faults.notes;
    }

    void note(const ObservedUses& observed, std::size_t leftOut) {
        QStringList& notes = m_replay.notes;
        if (leftOut > 0)
            notes += Text::tr("A scenario has %1 clients at most: %n client(s) with the fewest requests are left out.",
                              nullptr, int(leftOut))
                         .arg(kMostClients);
        if (observed.gaps)
            notes += Text::tr("For a part of this stretch the servers could not be seen: what happened meanwhile is "
                              "missing.");
        if (m_silent > 0)
            notes += Text::tr("%n lease(s) ran out without a release: each of these holders is stopped after its last "
                              "renewal.",
                              nullptr, m_silent);
        if (m_recorded) return;
        const QString lease = spanText(m_replay.scenario.lock.lease);
        const recipes::RecipeInfo* const info = recipes::findRecipe(m_replay.scenario.recipe.toUtf8());
        Q_ASSERT(info);
        if (info->heldBy == recipes::HeldBy::Connection)
            notes += Text::tr("The recipe is the one that the locks on the server look like: %1, held until their "
                              "connection ends.")
                         .arg(m_replay.scenario.recipe);
        else
            notes +=
                Text::tr("Recipe, lease and watchdog are those that the locks on the server look like: %1, lease %2.")
                    .arg(m_replay.scenario.recipe,
                         //: Of a lease of which only the rest was seen.
                         m_leaseAtLeast ? Text::tr("at least %1").arg(lease) : lease);
        if (m_recipes.size() < 2) return;
        QStringList all;
        for (const auto& [recipe, locks] : m_recipes)
            all += Text::tr("%1 for %n lock(s)", nullptr, locks).arg(recipe);
        notes += Text::tr("Each lock has the recipe, the lease and the server of its own kind: %1.")
                     .arg(all.join(Text::tr(", ", "between recipes")));
    }

    static constexpr qsizetype kMostLocksOfAStep = 16;

    const trace::Trace& m_trace;
    const trace::RecordingMeta& m_meta;
    Nanos m_from, m_to;
    std::optional<std::set<EntityId>> m_only;
    std::map<QString, int> m_recipes; ///< of measured locks, and how many have it
    bool m_leaseAtLeast = false;
    std::optional<Scenario> m_recorded;
    Replay m_replay;
    std::map<EntityId, QString> m_locks;
    std::set<QString> m_names; ///< of locks and programs
    std::vector<ReplayClient> m_clients;
    int m_silent = 0;
};

/// Whether the simulator would play it.
bool canBePlayed(const Scenario& scenario) {
    return sim::canRun(scenario, scenario.recipe) &&
           std::ranges::all_of(scenario.moreLocks, [&](const scenario::NamedLock& lock) {
               return lock.recipe.isEmpty() || sim::worksForLock(scenario, lock);
           });
}

/// Locks that may go together where not all can, and the word for them.
struct Choice {
    QString name;
    std::set<EntityId> locks;
};

/// The locks that were used, by their recipes.
std::map<QString, std::set<EntityId>> locksByRecipe(const trace::Trace& trace, Nanos from, Nanos to) {
    const std::map<EntityId, ReplayLock> known = replayLocks(trace, to);
    std::map<QString, std::set<EntityId>> locks;
    for (const ObservedUse& use : observedUses(trace, from, to).uses) {
        const auto its = known.find(use.lock);
        locks[its == known.end() ? QStringLiteral("redis-set") : its->second.recipe].insert(use.lock);
    }
    return locks;
}

/// The kind of server with the most locks, and after it the recipe with the most.
std::vector<Choice> choicesAmong(const std::map<QString, std::set<EntityId>>& byRecipe) {
    std::map<QString, std::set<EntityId>> byKind;
    for (const auto& [recipe, locks] : byRecipe)
        if (const recipes::RecipeInfo* const info = recipes::findRecipe(recipe.toUtf8()))
            byKind[QString::fromLatin1(info->backend)].insert(locks.begin(), locks.end());
    std::vector<Choice> choices;
    for (const auto* const groups : {&std::as_const(byKind), &byRecipe}) {
        const auto most = std::ranges::max_element(*groups, {}, [](const auto& group) { return group.second.size(); });
        if (most != groups->end()) choices.push_back({most->first, most->second});
    }
    return choices;
}

QString leftOutText(const Choice& choice, const std::map<QString, std::set<EntityId>>& byRecipe) {
    QStringList others;
    std::size_t all = 0;
    for (const auto& [recipe, locks] : byRecipe) {
        all += locks.size();
        const auto missing = std::ranges::count_if(locks, [&](EntityId lock) { return !choice.locks.contains(lock); });
        if (missing > 0) others += Text::tr("%1 for %n lock(s)", nullptr, int(missing)).arg(recipe);
    }
    //: %1 a number, %2 a kind of server or a recipe, %3 recipes with the numbers of their locks.
    return Text::tr("Only the %1 of %n lock(s) of “%2” are in the scenario: one scenario cannot play all of them. Left "
                    "out: %3.",
                    nullptr, int(all))
        .arg(QString::number(choice.locks.size()), choice.name, others.join(Text::tr(", ", "between recipes")));
}

/// The replay of those locks only that one scenario can play, the most of them.
std::expected<Replay, QString> playablePart(const trace::Trace& trace, const trace::RecordingMeta& meta, Nanos from,
                                            Nanos to, const QString& recipe) {
    const auto byRecipe = locksByRecipe(trace, from, to);
    for (const Choice& choice : choicesAmong(byRecipe)) {
        auto part = Maker(trace, meta, from, to, choice.locks).make();
        if (!part || !canBePlayed(part->scenario)) continue;
        part->notes.prepend(leftOutText(choice, byRecipe));
        return part;
    }
    return std::unexpected(
        Text::tr("No recipe of the simulator does what these clients did with “%1”: choose another stretch.")
            .arg(recipe));
}

} // namespace

std::expected<Replay, QString> replayOf(const trace::Trace& trace, const trace::RecordingMeta& meta, Nanos from,
                                        Nanos to) {
    to = std::min(to, trace.reached());
    if (from >= to) return std::unexpected(Text::tr("The stretch is empty: its end must be later than its beginning."));
    auto replay = Maker(trace, meta, from, to).make();
    if (!replay) return replay;
    // A simulation has been played already.
    const bool simulated = !trace.ofRealServers() && !meta.recipe.isEmpty();
    if (!simulated && !canBePlayed(replay->scenario)) {
        replay = playablePart(trace, meta, from, to, replay->scenario.recipe);
        if (!replay) return replay;
    }
    // The file must be readable again: a lock's lease may end before its watchdog, as it was measured.
    if (const auto read = scenario::parseScenario(scenario::toJson(replay->scenario), QString()); !read)
        return std::unexpected(read.error().front().message);
    return replay;
}

} // namespace lockscope::experiment
