// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"

#include <lockscope/holder.h>

namespace lockscope::detail {

/// The public name of a mode as the one that is used inside.
constexpr recipes::Mode modeOf(LockMode mode) {
    return static_cast<recipes::Mode>(mode);
}
/// A mode by its public name: the public headers know no other one.
constexpr LockMode lockModeOf(recipes::Mode mode) {
    return static_cast<LockMode>(mode);
}
static_assert(modeOf(LockMode::Exclusive) == recipes::Mode::Exclusive &&
              modeOf(LockMode::Shared) == recipes::Mode::Shared && modeOf(LockMode::Permit) == recipes::Mode::Permit);

} // namespace lockscope::detail
