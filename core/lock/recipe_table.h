// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe_info.h"

namespace lockscope {

/// What a recipe may offer beyond keeping others out.
enum class Feature : std::uint8_t { Safe, Reentrant, Shared, Permits, Fair, Token, Condition, Watchdog };

/// Whether a recipe offers something.
bool has(const recipes::RecipeInfo& recipe, Feature feature);
/// Why a recipe does not offer something, as a sentence in English; empty when it does, or when nobody has said why.
QString whyNot(const recipes::RecipeInfo& recipe, Feature feature);

/// Where only a recipe offers something, when that is not on all servers of its backend; empty: everywhere, or nowhere.
QString onlyWhere(const recipes::RecipeInfo& recipe, Feature feature);

/// All recipes and what they offer, as Markdown in English: a table, and a numbered reason for every "no". The part of
/// ARCHITECTURE.md between the lines `<!-- recipes -->` and `<!-- /recipes -->`.
QString recipeTable();

} // namespace lockscope
