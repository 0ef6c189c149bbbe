// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe_info.h"
#include "runtime/runtime.h"

#include <expected>
#include <functional>
#include <memory>

namespace lockscope::torture {

using Started = QCoro::Task<std::expected<void, QString>>;

/// The server that a recipe is tortured on.
class Server {
public:
    virtual ~Server() = default;
    virtual Started start() = 0;
    virtual QString url() const = 0;
    /// It dies, as by a power cut; start() brings it back. For servers that keep their locks over that.
    virtual void kill() {}
    virtual bool running() const { return true; }
    /// Ends once something has been done to it that its locks survive without being gone for a while: a part of it
    /// stood still. False: there is nothing of that kind.
    virtual QCoro::Task<bool> disturb() { co_return false; }
    /// Where it keeps its data; empty: nowhere that anybody reads.
    virtual QString folder() const { return {}; }
};

/// The subject of a torture: a recipe on a server.
struct Subject {
    QString id; ///< "redis-set", "sql-lease@postgresql"
    recipes::RecipeInfo recipe;
    bool survivesRestart = false; ///< the server keeps locks over its own death
    std::function<std::unique_ptr<Server>(Runtime&)> makeServer;
    /// Naive ones: the invariants each of which is to be seen violated. Empty: none ever may.
    QStringList breaks;
    bool boundedWaits = false; ///< a dead waiter keeps its place for as long as it wanted to wait: nobody asks for ever
    QString excluded;          ///< why it is not run; empty: it is
};

/// Every recipe, on each of its servers.
std::vector<Subject> allSubjects();

} // namespace lockscope::torture
