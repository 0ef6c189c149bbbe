// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/connection_words.h"

#include "recipes/recipe_info.h"
#include "session/backend_name.h"
#include "session/connection_desk.h"
#include "theme/format.h"
#include "trace/connection.h"

namespace lockscope::views {

using trace::EntityId;
using trace::kNoEntity;

std::vector<EntityId> connectionsOf(const ViewContext& context) {
    const auto trace = context.trace();
    std::vector<EntityId> all = trace::connectionsOf(*trace, context.entities(trace::EntityKind::Node));
    // A connection of which no row tells yet is in the session's list.
    if (const session::ConnectionDesk* const desk = session::connectionDeskOf(context.session()))
        for (const session::ConnectionFacts& one : desk->all())
            if (std::ranges::find(all, one.id) == all.end()) all.push_back(one.id);
    return all;
}

int badgeOf(const ViewContext& context, EntityId entity) {
    const EntityId connection = trace::connectionOf(*context.trace(), entity);
    if (connection == kNoEntity) return -1;
    const std::vector<EntityId> all = connectionsOf(context);
    const auto found = std::ranges::find(all, connection);
    return all.size() < 2 || found == all.end() ? -1 : int(found - all.begin());
}

QString connectionName(const trace::Trace& trace, EntityId entity) {
    const EntityId connection = trace::connectionOf(trace, entity);
    return connection == kNoEntity ? QString() : trace.displayName(connection);
}

QString backendOf(const ViewContext& context, EntityId lock) {
    const auto trace = context.trace();
    const EntityId connection = trace::connectionOf(*trace, lock);
    QString name = session::backendName(QString::fromUtf8(trace::urlOfConnection(*trace, connection)));
    if (name.isEmpty()) {
        const recipes::RecipeInfo* const recipe = recipes::findRecipe(context.settings().recipe.toUtf8());
        if (recipe) name = session::backendName(QString::fromLatin1(recipe->backend));
    }
    return name.isEmpty() ? none() : name;
}

} // namespace lockscope::views
