// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe_info.h"

namespace lockscope {

/// The features that a recipe may offer beyond mutual exclusion.
enum class Feature : std::uint8_t { Safe, Reentrant, Shared, Permits, Fair, Token, Condition, Watchdog };

/// Whether the recipe offers the feature.
bool has(const recipes::RecipeInfo& recipe, Feature feature);
/// Why the recipe does not offer the feature, a sentence in English; empty when it does, or when no reason is recorded.
QString whyNot(const recipes::RecipeInfo& recipe, Feature feature);

/// The servers on which alone the recipe offers the feature; empty: all servers of its backend, or none.
QString onlyWhere(const recipes::RecipeInfo& recipe, Feature feature);

/// All recipes and what they offer, as Markdown in English: a table, and a numbered reason for every "no". It is the
/// part of core/offers/README.md between `<!-- recipes -->` and `<!-- /recipes -->`.
QString recipeTable();

} // namespace lockscope
