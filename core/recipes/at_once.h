// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"

namespace lockscope::recipes {

/// A ready result as an Outcome.
inline Outcome<std::optional<Grant>> atOnce(std::expected<std::optional<Grant>, LockError> grant) {
    co_return grant;
}

} // namespace lockscope::recipes
