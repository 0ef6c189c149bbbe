// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QCoreApplication>

namespace lockscope::recipes {

/// Text::tr(): what people read about recipes, RecipeInfo::summary and RecipeInfo::steps.
struct Text {
    Q_DECLARE_TR_FUNCTIONS(Recipe)
};

} // namespace lockscope::recipes
