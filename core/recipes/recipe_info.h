// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/step_number.h"
#include "trace/time.h"

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <vector>

namespace lockscope::recipes {

/// How a hold is kept alive.
enum class HeldBy : std::uint8_t {
    Lease,      ///< the server's clock; the holder renews it by name (Recipe::renew)
    Session,    ///< a session, which the connection keeps alive for all its holds (Recipe::news)
    Connection, ///< the connection itself (Recipe::news)
    Nothing,    ///< nothing: it lasts until somebody frees it
};

/// The facts of one recipe, for lists, the Protocol view and the documentation.
struct RecipeInfo {
    QByteArray id;       ///< "redis-set"
    QByteArray backend;  ///< "redis"
    QString summary;     ///< one translated sentence
    QStringList steps;   ///< numbered, translated, with commands verbatim; {name} and {lease} stand for the lock's
    StepNumber workStep; ///< the step at which the holder works
    bool naive = false;  ///< exists to be seen failing
    bool reentrant = false;
    bool watchdog = false; ///< can be renewed
    bool token = false;    ///< can give fencing tokens
    bool fair = false;
    Nanos deadWaiter{}; ///< with a queue: a waiter not heard of for so long is dead, and loses its place
    HeldBy heldBy = HeldBy::Lease;
    bool news = false;      ///< with HeldBy::Lease: some parts live otherwise, and Recipe::news reports on them
    bool exclusive = true;  ///< offers Mode::Exclusive
    bool shared = false;    ///< offers Mode::Shared
    bool permits = false;   ///< offers Mode::Permit
    bool condition = false; ///< DistributedCondition works with it
    QByteArray layout;      ///< the library whose layout it uses ("Redisson", "Curator", "etcd"); empty: its own
    bool simulated = false; ///< the simulator can run it
};

/// All recipes, in the documentation's order.
const std::vector<RecipeInfo>& allRecipes();
/// The recipes that the simulator can run, in the same order.
const std::vector<RecipeInfo>& simulatedRecipes();
/// nullptr when there is no recipe with that id.
const RecipeInfo* findRecipe(const QByteArray& id);

} // namespace lockscope::recipes
