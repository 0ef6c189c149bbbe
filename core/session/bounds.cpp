// SPDX-License-Identifier: Apache-2.0
// The bounds that a run is judged by: its recipe's promises under its settings, and the cost of time-outs, pauses and
// losses.
#include "session/bounds.h"

#include "recipes/backoff.h"
#include "recipes/recipe_info.h"
#include "recipes/redis/redis_recipe.h"
#include "scenario/scenario_file.h"
#include "sim/fitting_recipes.h"
#include "sim/kinds.h"
#include "sim/redis_wire.h"
#include "workload/engines.h"
#include "workload/lock_plan.h"

namespace lockscope::session {

namespace {

const Nanos kCommandTimeout = sim::RedisWire::Settings{}.commandTimeout;

/// The time that a try without an answer costs.
constexpr Nanos kPause = recipes::Backoff::kLongest;

/// How many tries in a row may fail before it is no chance any more. Without loss: one whose answer a fault took away,
/// and one more that takes back what that may have got.
int failingTries(int lossPerMille) {
    constexpr int kWithoutLoss = 2, kMost = 1000;
    constexpr std::int64_t kMillion = 1'000'000;
    const std::int64_t arrives = 1000 - lossPerMille;
    const std::int64_t fails = kMillion - arrives * arrives; // the request or its answer is lost
    int tries = kWithoutLoss;
    for (std::int64_t chance = 1000 * kMillion; fails > 0 && chance > 1 && tries < kMost; ++tries)
        chance = chance * fails / kMillion;
    return tries;
}

/// The most locks that one step of a program takes as one.
std::int64_t mostAtOnce(const scenario::Scenario& scenario) {
    std::int64_t most = 1;
    for (const scenario::Program& program : workload::programsOf(scenario))
        for (const scenario::ProgramStep& step : program.steps)
            most = std::max<std::int64_t>(most, step.locks.size());
    return most;
}

/// The settings that can change in the middle of a run, and the bounds that follow from them.
struct Promise {
    QByteArray recipe, lockName;
    std::vector<QByteArray> otherRecipes; ///< of locks that have one of their own
    std::int64_t atOnce = 1;
    Nanos lease{}; ///< the longest so far: the dead may have it
    Nanos hold{};  ///< how long the dead may hold on servers of kinds that keep leases or sessions in their own way
    Nanos queue{}; ///< the longest so far that a dead first waiter stood in the way
    Nanos switchTime{};   ///< in which a lock manager grants nothing
    bool engines = false; ///< the lock may move to another one
    int tries = 0;

    explicit Promise(const scenario::Scenario& scenario)
        : recipe(scenario.recipe.toUtf8()),
          lockName(scenario.lock.name.toUtf8()),
          atOnce(mostAtOnce(scenario)),
          lease(scenario.lock.lease),
          switchTime(workload::switchTime(scenario)),
          engines(scenario.manager.has_value()),
          tries(failingTries(scenario.network.lossPerMille)) {
        for (const scenario::NamedLock& lock : scenario.moreLocks) {
            lease = std::max(lease, lock.settings.lease);
            if (!lock.recipe.isEmpty()) otherRecipes.push_back(lock.recipe.toUtf8());
        }
        for (int i = 0; scenario.manager && i < int(scenario.manager->engines.size()); ++i)
            otherRecipes.push_back(workload::engineRecipe(scenario, i));
        for (const scenario::ServiceSpec& service : scenario.services)
            hold = std::max(hold, sim::longestHold(service, lease));
    }

    void applyTo(verdict::Bounds& bounds) {
        // Each promise is about all locks. Several locks that are taken as one do not queue.
        bounds.fair = atOnce == 1 && !engines; // a queue does not move from engine to engine
        bounds.reentrant = true;
        bounds.recorded = false;
        promise(recipe, bounds);
        for (const QByteArray& other : otherRecipes)
            promise(other, bounds);
        // A lock of several parts is taken one after the other.
        const auto parts = std::max<std::int64_t>(atOnce, std::int64_t(recipes::lockKeys(recipe, lockName).size()));
        const Nanos retries = tries * parts * (kCommandTimeout + kPause);
        bounds.progress =
            std::max(bounds.progress, laterBy(laterBy(laterBy(std::max(lease, hold), queue), retries), switchTime));
        bounds.slowLink = std::min(kCommandTimeout, lease / 2);
    }

    void promise(const QByteArray& id, verdict::Bounds& bounds) {
        const recipes::RecipeInfo* const info = recipes::findRecipe(id);
        bounds.fair = bounds.fair && info && info->fair;
        bounds.reentrant =
            bounds.reentrant && (!info || info->reentrant); // nothing is claimed of one that is not known
        bounds.recorded = bounds.recorded || !info || !sim::keepsNobodyOut(*info);
        if (info) queue = std::max(queue, info->deadWaiter);
    }

    void follow(verdict::Bounds& bounds, const QByteArray& change) {
        const qsizetype equals = change.indexOf('=');
        const QByteArray setting = change.left(equals), text = change.mid(equals + 1);
        if (setting == "recipe") recipe = text;
        if (setting == "lease")
            if (const auto longer = scenario::parseDuration(QString::fromUtf8(text))) lease = std::max(lease, *longer);
        if (setting == "recipe" || setting == "lease") applyTo(bounds);
    }
};

} // namespace

verdict::Bounds boundsFor(const scenario::Scenario& written) {
    const scenario::Scenario scenario = sim::onFittingServers(written);
    Promise promise(scenario);
    verdict::Bounds bounds;
    bounds.progress = Nanos(0);
    bounds.roundTrip = laterBy(scenario.network.clientLatency.high, scenario.network.clientLatency.high);
    promise.applyTo(bounds);
    // A waiter that was away has a request under way that nobody answers any more, and a pause; then it withdraws what
    // may be left of that, subscribes, and asks.
    constexpr int kExchanges = 4;
    constexpr Nanos kReconnect = 500ms;
    bounds.fifoSlack = (promise.tries - 1) * (kCommandTimeout + kPause) + kReconnect;
    for (int i = 0; i < kExchanges; ++i)
        bounds.fifoSlack = laterBy(bounds.fifoSlack, bounds.roundTrip);
    bounds.follow = [promise](verdict::Bounds& now, const QByteArray& change) mutable { promise.follow(now, change); };
    return bounds;
}

scenario::Scenario withLiveness(scenario::Scenario scenario) {
    constexpr Nanos kMargin = 1s; // for the waiters to ask
    if (scenario.liveness) return scenario;
    scenario.liveness = scenario.until;
    scenario.until = laterBy(laterBy(scenario.until, boundsFor(scenario).progress), kMargin);
    return scenario;
}

Nanos sessionTimeout(const scenario::Scenario& scenario, const QString& server) {
    const auto service = scenario.serviceNamed(server);
    if (!service || *service >= scenario.services.size()) return Nanos(0);
    return sim::sessionTimeout(scenario.services[*service], scenario.lock.lease);
}

verdict::Bounds boundsFor(const trace::RecordingMeta& meta) {
    scenario::Scenario settings;
    // A recording of running servers holds no scenario that could run, but it has the settings that were used.
    if (const auto recorded = scenario::recordedScenario(meta.scenario)) settings = *recorded;
    settings.recipe = meta.recipe;
    verdict::Bounds bounds = boundsFor(settings);
    bounds.progress = meta.progressBoundNs > 0 ? Nanos(meta.progressBoundNs) : verdict::Bounds{}.progress;
    return bounds;
}

} // namespace lockscope::session
