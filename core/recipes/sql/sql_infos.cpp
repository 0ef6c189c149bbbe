// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe_infos.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Recipe)
};

/// What a recipe has said of it; what else is true of it is set afterwards.
RecipeInfo sqlInfo(const char* id, const QString& summary, HeldBy heldBy, int workStep, const QStringList& steps) {
    RecipeInfo info;
    info.id = id;
    info.backend = "sql";
    info.summary = summary;
    info.heldBy = heldBy;
    info.workStep = workStep;
    info.steps = steps;
    return info;
}

QString queued() {
    return Text::tr("taken → wait in the server's queue");
}
QString workAndSign() {
    return Text::tr("work, write to the resource; sign of life on the same connection");
}

RecipeInfo sqlRow() {
    RecipeInfo info =
        sqlInfo("sql-row", Text::tr("A row under a unique key is the lock, without an expiry; waiters poll"),
                HeldBy::Nothing, 3,
                {Text::tr("INSERT ({name}, me)"), Text::tr("duplicate key → wait a little, again 1"),
                 Text::tr("work, write to the resource"), Text::tr("DELETE WHERE name = {name}, whoever's it is")});
    info.naive = true;
    return info;
}

RecipeInfo sqlLease() {
    RecipeInfo info = sqlInfo(
        "sql-lease",
        Text::tr("A row with an owner, an expiry by the server's clock, a heartbeat and a version as token"),
        HeldBy::Lease, 3,
        {Text::tr("UPDATE owner = me, version + 1, expires = now + {lease} WHERE name = {name} AND (free OR expired)"),
         Text::tr("0 rows → wait a little, at most what is left of the lease; again 1"),
         Text::tr("hold, write with the version; heartbeat: expires = now + {lease} if mine"),
         Text::tr("UPDATE owner = NULL WHERE name = {name} AND owner = me")});
    info.reentrant = true;
    info.watchdog = true;
    info.token = true;
    return info;
}

RecipeInfo sqlForUpdate() {
    RecipeInfo info =
        sqlInfo("sql-for-update",
                Text::tr("A transaction locks the row and holds it until its end; waiters stand in the server's queue"),
                HeldBy::Connection, 4,
                {Text::tr("no row → INSERT ({name})"), Text::tr("BEGIN; SELECT … WHERE name = {name} FOR UPDATE"),
                 queued(), workAndSign(), Text::tr("COMMIT")});
    info.reentrant = true;
    return info;
}

RecipeInfo sqlVersion() {
    RecipeInfo info = sqlInfo(
        "sql-version",
        Text::tr("Optimistic: read a version, and let the release succeed only if nobody raised it since"),
        HeldBy::Nothing, 2,
        {Text::tr("v := SELECT version WHERE name = {name}"), Text::tr("work on what was read; nobody is kept out"),
         Text::tr("UPDATE version = v + 1 WHERE name = {name} AND version = v; 0 rows → do it again")});
    info.token = true;
    return info;
}

RecipeInfo sqlAdvisory() {
    RecipeInfo info = sqlInfo("sql-advisory",
                              Text::tr("The server's own named lock, held by a connection; on PostgreSQL also shared"),
                              HeldBy::Connection, 3,
                              {Text::tr("GET_LOCK({name}) · pg_advisory_lock(hash of {name})"), queued(), workAndSign(),
                               Text::tr("RELEASE_LOCK({name}) · pg_advisory_unlock")});
    info.reentrant = true;
    info.shared = true;
    info.layout = "GET_LOCK, pg_advisory_lock";
    return info;
}

} // namespace

std::vector<RecipeInfo> sqlRecipes() {
    return {sqlRow(), sqlLease(), sqlForUpdate(), sqlVersion(), sqlAdvisory()};
}

} // namespace lockscope::recipes
