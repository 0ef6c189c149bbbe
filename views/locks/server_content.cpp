// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/server_content.h"

#include "models/view_context.h"
#include "recipes/recipe_info.h"
#include "theme/format.h"
#include "trace/text.h"

#include <QCoreApplication>

namespace lockscope::views {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ServerContent)
};

/// The Redis type that a recipe or format keeps its lock in; empty when it is not known.
QString redisType(const QString& format) {
    if (const recipes::RecipeInfo* const info = recipes::findRecipe(format.toUtf8())) {
        if (info->backend != "redis" || info->permits) return {};
        return info->layout == "Redisson" ? QStringLiteral("hash") : QStringLiteral("string");
    }
    if (format.startsWith(QLatin1String("redisson"))) return QStringLiteral("hash");
    if (format.startsWith(QLatin1String("redis-")) || format == QLatin1String("string") ||
        format == QLatin1String("redlock"))
        return QStringLiteral("string");
    return {};
}

} // namespace

QStringList serverContent(const LockFacts& facts, const ViewContext& context) {
    const auto trace = context.trace();
    const QString name = trace->displayName(facts.lock);
    if (!facts.observed) return {Words::tr("the server is out of sight")};
    if (!facts.recorded) return {Words::tr("what the server holds of it was never looked at")};
    if (!facts.held()) return {Words::tr("no key “%1”: the lock is free").arg(name)};
    const QString type = redisType(lockFormat(facts.lock, context));
    const std::int64_t ms = std::max<std::int64_t>(facts.ttl.count(), 0) / 1'000'000;
    const QString ttl = QStringLiteral("pttl ") + (facts.expires ? QString::number(ms) : QStringLiteral("-1"));
    const QString owner = trace->displayName(facts.owner);
    QStringList lines{QStringList{name, type, ttl}.filter(QLatin1String("")).join(QLatin1Char(' ')).simplified()};
    if (type == QLatin1String("hash")) {
        const trace::Entity& thread = trace->entity(facts.owner);
        const QString client = trace->displayName(trace->clientOf(facts.owner));
        lines +=
            QStringLiteral("“%1:%2” → “%3”").arg(client, trace::readable(thread.name), QString::number(facts.holds));
    } else {
        lines += Words::tr("the unique value of %1").arg(owner);
    }
    if (facts.token) lines += Words::tr("token counter %1").arg(facts.token);
    return lines;
}

} // namespace lockscope::views
