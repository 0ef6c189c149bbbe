// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe_infos.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {

RecipeInfo sqlRow() {
    RecipeInfo info;
    info.id = "sql-row";
    info.backend = "sql";
    info.summary =
        QCoreApplication::translate("Recipe", "A row under a unique key is the lock, without an expiry; waiters poll");
    info.steps = {QStringLiteral("INSERT ({name}, me)"), QStringLiteral("duplicate key → wait a little, again 1"),
                  QStringLiteral("work, write to the resource"),
                  QStringLiteral("DELETE WHERE name = {name}, whoever's it is")};
    info.workStep = 3;
    info.naive = true;
    info.heldBy = HeldBy::Nothing;
    return info;
}

RecipeInfo sqlLease() {
    RecipeInfo info;
    info.id = "sql-lease";
    info.backend = "sql";
    info.summary = QCoreApplication::translate(
        "Recipe", "A row with an owner, an expiry by the server's clock, a heartbeat and a version as token");
    info.steps = {
        QStringLiteral(
            "UPDATE owner = me, version + 1, expires = now + {lease} WHERE name = {name} AND (free OR expired)"),
        QStringLiteral("0 rows → wait a little, at most what is left of the lease; again 1"),
        QStringLiteral("hold, write with the version; heartbeat: expires = now + {lease} if mine"),
        QStringLiteral("UPDATE owner = NULL WHERE name = {name} AND owner = me AND version = mine")};
    info.workStep = 3;
    info.reentrant = true;
    info.watchdog = true;
    info.token = true;
    return info;
}

RecipeInfo sqlForUpdate() {
    RecipeInfo info;
    info.id = "sql-for-update";
    info.backend = "sql";
    info.summary = QCoreApplication::translate(
        "Recipe", "A transaction locks the row and holds it until its end; waiters stand in the server's queue");
    info.steps = {
        QStringLiteral("no row → INSERT ({name})"), QStringLiteral("BEGIN; SELECT … WHERE name = {name} FOR UPDATE"),
        QStringLiteral("taken → wait in the server's queue"),
        QStringLiteral("work, write to the resource; sign of life on the same connection"), QStringLiteral("COMMIT")};
    info.workStep = 4;
    info.reentrant = true;
    info.heldBy = HeldBy::Connection;
    return info;
}

RecipeInfo sqlVersion() {
    RecipeInfo info;
    info.id = "sql-version";
    info.backend = "sql";
    info.summary = QCoreApplication::translate(
        "Recipe", "Optimistic: read a version, and let the release succeed only if nobody raised it since");
    info.steps = {QStringLiteral("v := SELECT version WHERE name = {name}"),
                  QStringLiteral("work on what was read; nobody is kept out"),
                  QStringLiteral("UPDATE version = v + 1 WHERE name = {name} AND version = v; 0 rows → do it again")};
    info.workStep = 2;
    info.token = true;
    info.heldBy = HeldBy::Nothing;
    return info;
}

RecipeInfo sqlAdvisory() {
    RecipeInfo info;
    info.id = "sql-advisory";
    info.backend = "sql";
    info.summary = QCoreApplication::translate(
        "Recipe", "The server's own named lock, held by a connection; on PostgreSQL also shared");
    info.steps = {QStringLiteral("GET_LOCK({name}) · pg_advisory_lock(hash of {name})"),
                  QStringLiteral("taken → wait in the server's queue"),
                  QStringLiteral("work, write to the resource; sign of life on the same connection"),
                  QStringLiteral("RELEASE_LOCK({name}) · pg_advisory_unlock")};
    info.workStep = 3;
    info.reentrant = true;
    info.shared = true;
    info.heldBy = HeldBy::Connection;
    info.layout = "GET_LOCK, pg_advisory_lock";
    return info;
}

} // namespace

std::vector<RecipeInfo> sqlRecipes() {
    return {sqlRow(), sqlLease(), sqlForUpdate(), sqlVersion(), sqlAdvisory()};
}

} // namespace lockscope::recipes
