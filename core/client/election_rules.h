// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/lock_error.h"
#include "recipes/recipe_info.h"
#include "runtime/runtime.h"

#include <lockscope/lock_options.h>
#include <optional>

namespace lockscope {

/// How long a candidate rests after a refusal, before its next try.
inline constexpr Nanos kElectionRest = 1s;

/// LeaderElection::defaults(): a dead leader is replaced when its lease ends.
LockOptions electionOptions();
/// Why nobody can be elected with such options; nullopt: somebody can.
std::optional<LockError> wrongForElections(const LockOptions& options);
/// Why nobody can be elected by such a recipe; nullopt: somebody can.
std::optional<LockError> wrongForElections(const recipes::RecipeInfo& recipe);

} // namespace lockscope
