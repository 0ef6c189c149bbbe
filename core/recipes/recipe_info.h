// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <vector>

namespace lockscope::recipes {

/// What keeps a hold alive.
enum class HeldBy : std::uint8_t {
    Lease,      ///< the server's clock; renewed by name (Recipe::renew)
    Session,    ///< a session that the connection keeps alive for all its holds (Recipe::news)
    Connection, ///< the connection itself (Recipe::news)
    Nothing,    ///< it stays until somebody frees it
};

/// What one recipe is, for lists, the Protocol view and the documentation.
struct RecipeInfo {
    QByteArray id;      ///< "redis-set"
    QByteArray backend; ///< "redis"
    QString summary;    ///< one translated sentence
    QStringList
        steps; ///< numbered, in the user's language, commands as they are; {name} and {lease} stand for the lock's
    int workStep = 0;   ///< number of the step at which the holder works, from 1
    bool naive = false; ///< exists to be seen failing
    bool reentrant = false;
    bool watchdog = false; ///< can be renewed
    bool token = false;    ///< can give fencing tokens
    bool fair = false;
    Nanos deadWaiter{}; ///< of a queue: a waiter that is not heard of for so long is dead, and gives way to the next
    HeldBy heldBy = HeldBy::Lease;
    bool news = false;      ///< of HeldBy::Lease: parts of it live otherwise, and Recipe::news tells of those
    bool exclusive = true;  ///< offers Mode::Exclusive
    bool shared = false;    ///< offers Mode::Shared
    bool permits = false;   ///< offers Mode::Permit
    bool condition = false; ///< DistributedCondition works over it
    QByteArray layout;      ///< whose layout it leaves on the server ("Redisson", "Curator", "etcd"); empty: its own
    bool simulated = false; ///< the simulator has its server
};

/// All recipes, in the order of the documentation.
const std::vector<RecipeInfo>& allRecipes();
/// Those that the simulator can run, in the same order.
const std::vector<RecipeInfo>& simulatedRecipes();
/// nullptr when there is none of that id.
const RecipeInfo* findRecipe(const QByteArray& id);
/// The same among those that the simulator can run.
const RecipeInfo* findSimulatedRecipe(const QByteArray& id);

} // namespace lockscope::recipes
