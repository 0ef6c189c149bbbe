// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QStringList>

namespace lockscope::recipes {

/// The ids of all recipes, as lists have them.
QStringList allRecipeIds();

/// The complaint about an id that none of `known` is, without a full stop: what may have been meant, or what there is.
QString noSuchRecipe(const QString& id, const QStringList& known = allRecipeIds());

} // namespace lockscope::recipes
