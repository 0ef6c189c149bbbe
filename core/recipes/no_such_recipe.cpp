// SPDX-License-Identifier: Apache-2.0
#include "recipes/no_such_recipe.h"

#include "recipes/recipe_info.h"
#include "trace/suggestion.h"

#include <QCoreApplication>

namespace lockscope::recipes {

QStringList allRecipeIds() {
    QStringList ids;
    for (const RecipeInfo& known : allRecipes())
        ids += QString::fromLatin1(known.id);
    return ids;
}

QString noSuchRecipe(const QString& id, const QStringList& known) {
    return QCoreApplication::translate("Recipes", "there is no recipe “%1”%2").arg(id, suggestion(id, known));
}

} // namespace lockscope::recipes
