// SPDX-License-Identifier: Apache-2.0
#include "offers/recipe_table.h"

namespace lockscope {

using recipes::HeldBy;
using recipes::RecipeInfo;

namespace {
constexpr Feature kFeatures[] = {Feature::Safe, Feature::Reentrant, Feature::Shared,    Feature::Permits,
                                 Feature::Fair, Feature::Token,     Feature::Condition, Feature::Watchdog};

const char* nameOf(Feature feature) {
    switch (feature) {
    case Feature::Safe:
        return "safe";
    case Feature::Reentrant:
        return "reentrant";
    case Feature::Shared:
        return "readers";
    case Feature::Permits:
        return "permits";
    case Feature::Fair:
        return "fair";
    case Feature::Token:
        return "token";
    case Feature::Condition:
        return "condition";
    case Feature::Watchdog:
        return "watchdog";
    }
    return "";
}

/// The recipe of the same backend to take for it, empty when there is none.
QByteArray instead(const RecipeInfo& recipe, Feature feature) {
    for (const RecipeInfo& other : recipes::allRecipes()) {
        if (other.backend == recipe.backend && !other.naive && has(other, feature)) return other.id;
    }
    return {};
}

const char* whyNotFair(const RecipeInfo& recipe) {
    if (recipe.heldBy == HeldBy::Connection)
        return "The database queues the waiters itself; it does not promise that nobody overtakes.";
    if (recipe.heldBy == HeldBy::Nothing) return "Nothing is waited for: who comes first, wins.";
    return "No queue on the server: after a release whoever asks first gets it.";
}

const char* whyNoToken(const RecipeInfo& recipe) {
    if (recipe.permits) return "Permits are held side by side: none of them is the latest.";
    if (recipe.id == "redis-redlock")
        return "Independent servers have no common counter; that is Kleppmann's objection.";
    if (recipe.id == "redis-multi") return "Several locks have a token each, not one together.";
    if (recipe.layout == "Redisson") return "Redisson's layout has a counter for its fenced lock only.";
    return "The server keeps no counter for it: nothing is written that would grow with each holder.";
}

const char* whyNoCondition(const RecipeInfo& recipe) {
    if (recipe.permits) return "A condition belongs to a lock that one holds alone.";
    if (recipe.id == "redis-redlock") return "A signal would have to be one on several servers at once.";
    if (recipe.id == "redis-multi") return "There is no one lock that it would belong to; each of them has its own.";
    if (recipe.backend == "sql") return "Waiters could only poll: the databases have no common way to wake one.";
    if (recipe.backend == "memcached") return "Waiters could only poll, and the server may forget their entries.";
    if (recipe.shared) return "Not built for its writers; `zk-mutex` has it.";
    return "Not built; Redis and ZooKeeper have it.";
}

const char* whyNoWatchdog(const RecipeInfo& recipe) {
    switch (recipe.heldBy) {
    case HeldBy::Session:
        return "Nothing to renew: the session keeps it, and is kept by the driver.";
    case HeldBy::Connection:
        return "Nothing to renew: the connection keeps it for as long as it lives.";
    case HeldBy::Nothing:
        return "Nothing to renew: it has no expiry.";
    case HeldBy::Lease:
        break;
    }
    return "It has no owner-checked renewal: the lease given is the lease there is.";
}
} // namespace

bool has(const RecipeInfo& recipe, Feature feature) {
    switch (feature) {
    case Feature::Safe:
        return !recipe.naive;
    case Feature::Reentrant:
        return recipe.reentrant;
    case Feature::Shared:
        return recipe.shared;
    case Feature::Permits:
        return recipe.permits;
    case Feature::Fair:
        return recipe.fair;
    case Feature::Token:
        return recipe.token;
    case Feature::Condition:
        return recipe.condition;
    case Feature::Watchdog:
        return recipe.watchdog;
    }
    return false;
}

QString whyNot(const RecipeInfo& recipe, Feature feature) {
    if (has(recipe, feature)) return {};
    if (recipe.naive)
        return QStringLiteral("Naive: built exactly as its source tells it, to be seen failing; it is not improved.");
    switch (feature) {
    case Feature::Reentrant:
        return recipe.permits ? QStringLiteral("A thread that takes again takes another permit.")
                              : QStringLiteral("It counts nothing: a holder that asks again waits for itself.");
    case Feature::Shared:
    case Feature::Permits: {
        const QByteArray other = instead(recipe, feature);
        const QString what = feature == Feature::Shared ? QStringLiteral("readers") : QStringLiteral("permits");
        if (other.isEmpty() && recipe.backend == "etcd")
            return QStringLiteral("Not built for %1; Redis and ZooKeeper have it.").arg(what);
        return other.isEmpty()
                   ? QStringLiteral("No recipe for %1 on this backend: its simplest form would poll.").arg(what)
                   : QStringLiteral("For %1 take `%2`.").arg(what, QString::fromLatin1(other));
    }
    case Feature::Fair:
        return QString::fromLatin1(whyNotFair(recipe));
    case Feature::Token:
        return QString::fromLatin1(whyNoToken(recipe));
    case Feature::Condition:
        return QString::fromLatin1(whyNoCondition(recipe));
    case Feature::Watchdog:
        return QString::fromLatin1(whyNoWatchdog(recipe));
    case Feature::Safe:
        break;
    }
    return {};
}

QString onlyWhere(const RecipeInfo& recipe, Feature feature) {
    if (recipe.id == "sql-advisory" && feature == Feature::Shared)
        return QStringLiteral("On PostgreSQL; the `GET_LOCK` of MariaDB and MySQL knows no shared locks.");
    return {};
}

QString recipeTable() {
    QStringList lines, reasons;
    QString head = QStringLiteral("| recipe |"), rule = QStringLiteral("| --- |");
    for (const Feature feature : kFeatures) {
        head += QStringLiteral(" %1 |").arg(QLatin1String(nameOf(feature)));
        rule += QStringLiteral(" --- |");
    }
    lines += head + QStringLiteral(" layout |");
    lines += rule + QStringLiteral(" --- |");
    for (const RecipeInfo& recipe : recipes::allRecipes()) {
        QString line = QStringLiteral("| `%1` |").arg(QString::fromLatin1(recipe.id));
        for (const Feature feature : kFeatures) {
            const bool offered = has(recipe, feature);
            const QString reason = offered ? onlyWhere(recipe, feature) : whyNot(recipe, feature);
            line += offered ? QStringLiteral(" yes") : QStringLiteral(" no");
            if (!reason.isEmpty()) {
                if (!reasons.contains(reason)) reasons += reason;
                line += QStringLiteral(" [%1]").arg(reasons.indexOf(reason) + 1);
            }
            line += QStringLiteral(" |");
        }
        const QString layout = recipe.layout.isEmpty() ? QStringLiteral("own") : QString::fromLatin1(recipe.layout);
        lines += line + QStringLiteral(" %1 |").arg(layout);
    }
    lines += QString();
    for (qsizetype i = 0; i < reasons.size(); ++i)
        lines += QStringLiteral("%1. %2").arg(i + 1).arg(reasons[i]);
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

} // namespace lockscope
