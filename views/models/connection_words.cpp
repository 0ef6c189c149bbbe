// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/connection_words.h"

#include "recipes/backend_name.h"
#include "recipes/recipe_info.h"
#include "session/connection_desk.h"
#include "theme/format.h"
#include "trace/connection.h"

#include <QCoreApplication>

namespace lockscope::views {

using trace::EntityId;
using trace::kNoEntity;

namespace {
struct Words {
    Q_DECLARE_TR_FUNCTIONS(ConnectionWords)
};
} // namespace

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
    QString name = recipes::backendName(QString::fromUtf8(trace::urlOfConnection(*trace, connection)));
    if (name.isEmpty()) {
        const recipes::RecipeInfo* const recipe = recipes::findRecipe(context.settings().recipe.toUtf8());
        if (recipe) name = recipes::backendName(QString::fromLatin1(recipe->backend));
    }
    return name.isEmpty() ? none() : name;
}

QString joiningRule(const trace::Trace& trace, EntityId party) {
    const EntityId rule = trace.entity(trace.clientOf(party)).other;
    return rule == kNoEntity ? QString() : QString::fromUtf8(trace.entity(rule).name);
}

QString ruleWords(const QString& rule) {
    if (rule == QLatin1String("name")) return Words::tr("by name");
    //: Clients on several servers were told to be one client by their network address.
    if (rule == QLatin1String("address")) return Words::tr("by address");
    //: %1 is a regular expression by which names on several servers were told to be one client.
    return Words::tr("by %1").arg(rule);
}

bool mayReject(const ViewContext& context, const QString& rule) {
    const session::ConnectionDesk* const desk = session::connectionDeskOf(context.session());
    return desk &&
           std::ranges::find(desk->clientRules(), rule, &inspect::ClientRule::text) != desk->clientRules().end();
}

void rejectRule(const ViewContext& context, const QString& rule) {
    if (!mayReject(context, rule)) return;
    session::ConnectionDesk* const desk = session::connectionDeskOf(context.session());
    std::vector<inspect::ClientRule> rules = desk->clientRules();
    std::erase_if(rules, [&](const inspect::ClientRule& one) { return one.text == rule; });
    desk->setClientRules(std::move(rules));
}

} // namespace lockscope::views
