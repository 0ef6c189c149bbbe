// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_row.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"

namespace lockscope::recipes {

namespace {
const QByteArray kId = QByteArrayLiteral("sql-row");
enum class Step : std::uint32_t { Insert = 1, Wait, Work, Delete };
} // namespace

RecipeInfo sqlRowInfo() {
    RecipeInfo info;
    info.id = kId;
    info.backend = "sql";
    info.summary = Text::tr("A row under a unique key is the lock, without an expiry; waiters poll");
    info.steps = stepTexts<Step>({
        {Step::Insert, Text::tr("INSERT ({name}, me)")},
        {Step::Wait, Text::tr("duplicate key → wait a little, again 1")},
        {Step::Work, Text::tr("work, write to the resource")},
        {Step::Delete, Text::tr("DELETE WHERE name = {name}, whoever's it is")},
    });
    info.workStep = Step::Work;
    info.heldBy = HeldBy::Nothing;
    info.naive = true;
    return info;
}

const RecipeInfo& SqlRow::info() const {
    static const RecipeInfo& info = *findRecipe(kId);
    return info;
}

Outcome<std::optional<Grant>> SqlRow::acquire(Request request, std::stop_token stop) {
    sql::Port& port = m_lock.port;
    Runtime& runtime = port.runtime();
    const Nanos giveUpAt = laterBy(runtime.monotonic(), request.wait);
    const sql::RowKey key{kId, m_lock.name};
    const sql::OwnedRow mine{m_lock.name, ownerOf(m_lock, request.thread)};
    const auto withdraw = [&](bool stopped) { return awaitWithdrawal(runtime, port.eraseOwned(mine), stopped); };
    for (;;) {
        request.steps.at(Step::Insert);
        const Nanos askedAt = runtime.monotonic();
        const auto inserted = co_await attempt(port.insert(key, mine.owner, stop, patienceUntil(m_lock, giveUpAt)),
                                               request.steps, withdraw);
        if (!inserted && !keptOut(inserted.error())) co_return std::unexpected(inserted.error());
        if (inserted && *inserted) {
            request.steps.at(Step::Work);
            co_return Grant{request.thread, mine.owner, askedAt, kNever, 1, 0, request.steps};
        }
        const auto seen = co_await lookAtRow(m_lock, kId, patienceUntil(m_lock, giveUpAt), stop);
        if (!seen && !keptOut(seen.error())) co_return std::unexpected(seen.error());
        if (runtime.monotonic() >= giveUpAt) {
            request.steps.leave();
            co_return std::nullopt;
        }
        if (inserted && seen && !seen->there) continue; // freed meanwhile
        request.steps.at(Step::Wait);
        const Nanos nap = nextNap(m_lock, giveUpAt);
        co_await runtime.sleep(nap, stop);
    }
}

Outcome<int> SqlRow::release(Grant grant, std::stop_token stop) {
    grant.steps.at(Step::Delete);
    const auto erased = co_await forceRelease(stop); // the flaw: it may be another client's row
    grant.steps.leave();
    if (!erased) co_return std::unexpected(erased.error());
    if (!*erased) co_return std::unexpected(notSqlOwner(m_lock.name));
    co_return 0;
}

Outcome<bool> SqlRow::forceRelease(std::stop_token stop) {
    return outcomeOf(m_lock.port.erase({kId, m_lock.name}, std::move(stop)));
}

Outcome<bool> SqlRow::isLocked(std::stop_token stop) {
    const auto seen = co_await lookAtRow(m_lock, kId, kNever, stop);
    if (!seen) co_return std::unexpected(seen.error());
    co_return seen->there;
}

} // namespace lockscope::recipes
