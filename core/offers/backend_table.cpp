// SPDX-License-Identifier: Apache-2.0
#include "offers/backend_table.h"

namespace lockscope {

using recipes::RecipeInfo;

namespace {
/// With their names in the table. "Safe" is not among them: there is no backend without a safe recipe.
constexpr std::pair<Feature, const char*> kFeatures[] = {
    {Feature::Reentrant, "reentrant"}, {Feature::Shared, "readers"}, {Feature::Permits, "permits"},
    {Feature::Fair, "fair"},           {Feature::Token, "token"},    {Feature::Condition, "condition"},
};

/// The backend's default recipe, if it offers the feature; else the first recipe that does.
const RecipeInfo* offering(const BackendInfo& backend, Feature feature) {
    const RecipeInfo* const usual = recipes::findRecipe(backend.defaultRecipe);
    if (has(*usual, feature)) return usual;
    for (const RecipeInfo& recipe : recipes::allRecipes()) {
        const bool elsewhere = !onlyWhere(recipe, feature).isEmpty() && QByteArray(backend.scheme) != "postgresql";
        if (!recipe.naive && serves(backend, recipe) && has(recipe, feature) && !elsewhere) return &recipe;
    }
    return nullptr;
}

QString whyNot(const BackendInfo& backend, Feature feature) {
    const QByteArray scheme = backend.scheme;
    if (scheme == "redlock" && (feature == Feature::Shared || feature == Feature::Permits))
        return QStringLiteral("Redlock knows neither readers nor permits.");
    if (QByteArray(backend.backend) == "sql" && feature == Feature::Shared)
        return scheme == "sqlite"
                   ? QStringLiteral("SQLite has no advisory locks; a table of readers is not built.")
                   : QStringLiteral("`GET_LOCK` knows no shared locks; a table of readers is not built.");
    return whyNot(*recipes::findRecipe(backend.defaultRecipe), feature);
}

QString withoutTls(const BackendInfo& backend) {
    return QByteArray(backend.scheme) == "sqlite" ? QStringLiteral("It is a file: nothing goes over a network.")
                                                  : QStringLiteral("Debian builds its client library without TLS.");
}

QString ofOneRecord(const BackendInfo& backend) {
    return QByteArray(backend.scheme) == "redlock"
               ? QStringLiteral("None of the masters is the one that keeps it; name some of them as witnesses.")
               : QStringLiteral("A failover can lose what was written last; name other witnesses.");
}

QString ofOneServer(const BackendInfo& backend) {
    const QByteArray scheme = backend.scheme;
    if (scheme == "redis") return QStringLiteral("For several take `redis+sentinel`, `redis+cluster` or `redlock`.");
    if (scheme == "sqlite") return QStringLiteral("It is a file of one machine.");
    return QStringLiteral(
        "One address, as its client library has it: a proxy or a name that moves stands for several.");
}
} // namespace

const std::vector<BackendInfo>& allBackends() {
    static const std::vector<BackendInfo> all = {
        {"redis", "redis", "redis-reentrant", "rediss://", false, true, true},
        {"redis+sentinel", "redis", "redis-reentrant", "rediss+sentinel://", true, false, true},
        {"redis+cluster", "redis", "redis-reentrant", "rediss+cluster://", true, false, true},
        {"redlock", "redis", "redis-redlock", "redlocks://", true, false, false},
        {"zookeeper", "zookeeper", "zk-mutex", "", true, true, true},
        {"mysql", "sql", "sql-lease", "?tls=on", false, true, false},
        {"postgresql", "sql", "sql-lease", "?tls=on", false, true, false},
        {"sqlite", "sql", "sql-lease", "", false, true, false},
        {"memcached", "memcached", "memcached-lease", "memcacheds://", true, true, false},
        {"etcd", "etcd", "etcd-lease", "etcds://", true, true, true},
    };
    return all;
}

bool serves(const BackendInfo& backend, const RecipeInfo& recipe) {
    const QByteArray scheme = backend.scheme;
    if (recipe.backend != backend.backend) return false;
    if (recipe.backend == "redis") return (scheme == "redlock") == (recipe.id == "redis-redlock");
    return scheme != "sqlite" || recipe.heldBy != recipes::HeldBy::Connection;
}

QString backendTable() {
    QStringList lines, reasons;
    const auto cell = [&reasons](const QString& yes, const QString& reason) {
        if (reason.isEmpty()) return QStringLiteral(" %1 |").arg(yes);
        if (!reasons.contains(reason)) reasons += reason;
        return QStringLiteral(" %1 [%2] |").arg(yes).arg(reasons.indexOf(reason) + 1);
    };
    const QString no = QStringLiteral("no"), yes = QStringLiteral("yes");
    QString head = QStringLiteral("| URL |"), rule = QStringLiteral("| --- |");
    for (const auto& [feature, name] : kFeatures)
        head += QStringLiteral(" %1 |").arg(QLatin1String(name));
    head += QStringLiteral(" waiters are woken | several servers | TLS | manager's record |");
    for (qsizetype i = 0; i < qsizetype(std::size(kFeatures)) + 4; ++i)
        rule += QStringLiteral(" --- |");
    lines << head << rule;
    for (const BackendInfo& backend : allBackends()) {
        QString line = QStringLiteral("| `%1://` |").arg(QLatin1String(backend.scheme));
        for (const auto& [feature, name] : kFeatures) {
            const RecipeInfo* const recipe = offering(backend, feature);
            const bool usual = recipe && recipe->id == backend.defaultRecipe;
            const QString by = recipe ? QStringLiteral("`%1`").arg(QString::fromLatin1(recipe->id)) : no;
            line += cell(usual ? yes : by, recipe ? QString() : whyNot(backend, feature));
        }
        line +=
            backend.woken
                ? cell(yes, {})
                : cell(no, QStringLiteral("They look again after rests that are short at first: a server that tells "
                                          "nobody of a release, or would have to tell of several."));
        line += cell(backend.several ? yes : no, backend.several ? QString() : ofOneServer(backend));
        const QString tls = QStringLiteral("`%1`").arg(QLatin1String(backend.tls));
        line += *backend.tls ? cell(tls, {}) : cell(no, withoutTls(backend));
        line += backend.records ? cell(yes, {}) : cell(no, ofOneRecord(backend));
        lines += line;
    }
    lines += QString();
    for (qsizetype i = 0; i < reasons.size(); ++i)
        lines += QStringLiteral("%1. %2").arg(i + 1).arg(reasons[i]);
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

} // namespace lockscope
