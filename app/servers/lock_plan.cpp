// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/lock_plan.h"

#include "cli/text.h"
#include "offers/backend_table.h"
#include "recipes/no_such_recipe.h"
#include "servers/password_prompt.h"

#include <QRandomGenerator>
#include <QRegularExpression>

namespace lockscope::cli {

namespace {
/// The recipe by its id; the complaint suggests one that works on these servers.
std::expected<QByteArray, QString> recipeOf(const QString& id, const ConnectionUrl& url) {
    if (recipes::findRecipe(id.toUtf8())) return id.toUtf8();
    const auto backend = std::ranges::find_if(allBackends(), [&](const BackendInfo& info) {
        return url.scheme == QLatin1String(info.scheme) ||
               url.scheme + QStringLiteral("://") == QLatin1String(info.tls);
    });
    QStringList known;
    for (const recipes::RecipeInfo& recipe : recipes::allRecipes())
        if (backend == allBackends().end() || serves(*backend, recipe)) known += QString::fromLatin1(recipe.id);
    return std::unexpected(recipes::noSuchRecipe(id, known));
}

/// How the lock is to be held; a complaint, or nothing.
std::optional<QString> readMode(const Arguments& arguments, LockPlan& plan) {
    const auto permits = arguments.value("permits");
    if (arguments.has("shared") && permits)
        return tr("--shared and --permits exclude each other: one is of read/write locks, one of semaphores");
    if (arguments.has("shared")) plan.mode = recipes::Mode::Shared;
    if (!permits) return std::nullopt;
    bool ok = false;
    plan.permits = permits->toInt(&ok);
    if (!ok || plan.permits < 1) return tr("--permits wants a whole number from 1, not “%1”").arg(*permits);
    plan.mode = recipes::Mode::Permit;
    return std::nullopt;
}

/// The library would name other recipes; here an option is missing.
std::optional<QString> permitsMissing(const LockPlan& plan) {
    const recipes::RecipeInfo* const recipe = recipes::findRecipe(plan.recipe);
    if (!recipe || !recipe->permits || plan.mode == recipes::Mode::Permit) return std::nullopt;
    return tr("%1 is a semaphore: give --permits N, how many permits there are in all")
        .arg(QString::fromLatin1(recipe->id));
}

/// A bare number means seconds, as users of flock(1) write a wait.
QString withUnit(const QString& time) {
    static const QRegularExpression number(QStringLiteral("^[0-9]+([.][0-9]+)?$"));
    return number.match(time).hasMatch() ? time + QLatin1Char('s') : time;
}

/// Readers by a recipe that the server's usual writers would not see, and that would not see them.
std::optional<QString> apartFromWriters(const LockPlan& plan) {
    if (plan.mode != recipes::Mode::Shared || !plan.recipe.isEmpty() || !plan.managerFile.isEmpty() ||
        plan.url.service != Service::PostgreSql)
        return std::nullopt;
    return tr("readers on PostgreSQL need --recipe sql-advisory, and so do the writers of the same lock: the usual "
              "recipe for those, sql-lease, does not see them");
}

/// An option that the manager's configuration decides, because all processes must agree on it, is refused here.
std::optional<QString> saidTwice(const Arguments& arguments) {
    for (const char* option : {"recipe", "lease", "no-token"}) {
        if (arguments.has(option))
            return tr("--%1 cannot stand beside --manager: all processes take that from the configuration")
                .arg(QLatin1String(option));
    }
    return std::nullopt;
}

/// Where to lock; a complaint, or nothing.
std::optional<QString> readServers(const Arguments& arguments, LockPlan& plan) {
    if (const auto file = arguments.value("manager")) {
        if (file->isEmpty()) return tr("--manager needs the file of a configuration");
        plan.managerFile = *file;
        plan.space = arguments.value("namespace").value_or(QString());
        return saidTwice(arguments);
    }
    if (arguments.has("namespace")) return tr("--namespace goes with --manager CONFIG");
    auto url = parseConnectionUrl(withAskedPassword(arguments.place(0)));
    if (!url) return url.error();
    plan.url = *std::move(url);
    return std::nullopt;
}
} // namespace

std::expected<LockPlan, QString> lockPlan(const QStringList& words, const std::vector<QByteArray>& command) {
    // Before anything else: without the dashes, all of it would be words of ours.
    if (command.empty()) return std::unexpected(tr("the command to run is missing; it stands behind “--”"));
    const std::vector<Option> options{
        {QStringLiteral("recipe")},  {QStringLiteral("shared"), false}, {QStringLiteral("permits")},
        {QStringLiteral("lease")},   {QStringLiteral("wait")},          {QStringLiteral("id")},
        {QStringLiteral("manager")}, {QStringLiteral("namespace")},     {QStringLiteral("no-token"), false}};
    static const QRegularExpression kManager(QStringLiteral("^--manager(=|$)"));
    const qsizetype end = words.indexOf(QStringLiteral("--"));
    const bool managed = !words.mid(0, end < 0 ? words.size() : end).filter(kManager).isEmpty();
    const QStringList places =
        managed ? QStringList{QStringLiteral("NAME")} : QStringList{QStringLiteral("URL"), QStringLiteral("NAME")};
    const auto arguments = Arguments::parse(words, options, places, Arguments::Behind::SomebodysCommand);
    if (!arguments) return std::unexpected(arguments.error());
    LockPlan plan;
    if (const auto complaint = readServers(*arguments, plan)) return std::unexpected(*complaint);
    plan.name = arguments->place(int(places.size()) - 1).toUtf8();
    if (plan.name.isEmpty()) return std::unexpected(tr("the lock needs a name"));
    plan.command = command;
    plan.token = !arguments->has("no-token");
    if (const auto complaint = readMode(*arguments, plan)) return std::unexpected(*complaint);
    if (const auto id = arguments->value("recipe")) {
        const auto recipe = recipeOf(*id, plan.url);
        if (!recipe) return std::unexpected(recipe.error());
        plan.recipe = *recipe;
    }
    if (const auto complaint = permitsMissing(plan)) return std::unexpected(*complaint);
    if (const auto complaint = apartFromWriters(plan)) return std::unexpected(*complaint);
    if (const auto lease = arguments->value("lease")) {
        const auto duration = durationOf("lease", *lease);
        if (!duration) return std::unexpected(duration.error());
        plan.lease = *duration;
        // On ZooKeeper the session is the lease.
        if (plan.url.service == Service::ZooKeeper && plan.url.option("session").isEmpty())
            plan.url.options[QStringLiteral("session")] = QStringLiteral("%1ms").arg(plan.lease / 1ms);
    }
    if (const auto wait = arguments->value("wait")) {
        const auto duration = durationOf("wait", withUnit(*wait), Nanos::zero());
        if (!duration) return std::unexpected(duration.error());
        plan.wait = *duration;
    }
    plan.client = arguments->value("id").value_or(QString()).toUtf8();
    if (!plan.client.isEmpty()) plan.thread = QByteArray::number(QRandomGenerator::system()->bounded(1, 1 << 30));
    return plan;
}

} // namespace lockscope::cli
