// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QString>
#include <QStringList>
#include <vector>

namespace lockscope::recipes {

/// What one recipe is, for lists, the Protocol view and the documentation.
struct RecipeInfo {
    QByteArray id;      ///< "redis-set"
    QByteArray backend; ///< "redis"
    QString summary;    ///< one translated sentence
    QStringList steps;  ///< the numbered steps, as code: "SET orders value NX PX 5000" with {name}, {lease}
    int workStep = 0;   ///< number of the step at which the holder works, from 1
    bool naive = false; ///< exists to be seen failing
    bool reentrant = false;
    bool watchdog = false; ///< can be renewed
    bool token = false;    ///< can give fencing tokens
    bool fair = false;
};

/// All recipes, in the order of the documentation.
const std::vector<RecipeInfo>& allRecipes();
/// nullptr when there is none of that id.
const RecipeInfo* findRecipe(const QByteArray& id);

} // namespace lockscope::recipes
