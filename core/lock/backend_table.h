// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/recipe_table.h"

#include <vector>

namespace lockscope {

/// A kind of servers that a URL can name, and what is known of it before anybody connects.
struct BackendInfo {
    const char* scheme;        ///< of its URLs: "redis+sentinel"
    const char* backend;       ///< RecipeInfo::backend
    const char* defaultRecipe; ///< Connection::defaultRecipe()
    const char* tls;           ///< of a URL with TLS: another scheme, or an option; empty: it has none
    bool several;              ///< its URLs name several servers
    bool records;              ///< Connection::records(): a manager's record can be kept there
    bool woken;                ///< waiters of its default recipe are told; else they look again
};

/// All of them, in the order of the documentation.
const std::vector<BackendInfo>& allBackends();

/// Whether a recipe can be had there.
bool serves(const BackendInfo& backend, const recipes::RecipeInfo& recipe);

/// What each kind of servers offers by any of its safe recipes, as Markdown in English: a table, and a numbered reason
/// for every "no". The part of ARCHITECTURE.md between the lines `<!-- backends -->` and `<!-- /backends -->`.
QString backendTable();

} // namespace lockscope
