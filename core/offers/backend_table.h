// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "offers/recipe_table.h"

#include <vector>

namespace lockscope {

/// A kind of server that a URL can name, with the facts that hold before connecting.
struct BackendInfo {
    const char* scheme;        ///< URL scheme, "redis+sentinel"
    const char* backend;       ///< RecipeInfo::backend
    const char* defaultRecipe; ///< Connection::defaultRecipe()
    const char* tls;           ///< the scheme or option for TLS; empty: no TLS
    bool several;              ///< its URLs name several servers
    bool records;              ///< Connection::records(): it can keep a manager's record
    bool woken;                ///< waiters of its default recipe are notified; else they poll
};

/// All backends, in the documentation's order.
const std::vector<BackendInfo>& allBackends();

/// Whether the backend has the recipe.
bool serves(const BackendInfo& backend, const recipes::RecipeInfo& recipe);

/// The features that each backend offers by any of its safe recipes, as Markdown in English: a table, and a numbered
/// reason for every "no". It is the part of core/offers/README.md between `<!-- backends -->` and `<!-- /backends -->`.
QString backendTable();

} // namespace lockscope
