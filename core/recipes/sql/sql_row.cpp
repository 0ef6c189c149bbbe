// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_row.h"

namespace lockscope::recipes {

namespace {
constexpr const char* kId = "sql-row";
}

const RecipeInfo& SqlRow::info() const {
    static const RecipeInfo& info = *findRecipe(kId);
    return info;
}

/// True when the row is ours now, false when there is one already.
Outcome<bool> SqlRow::insert(QByteArray owner, Nanos patience, std::stop_token stop) {
    // PostgreSQL would write an error into its log. The key by name: where the table has none, this is refused.
    QByteArray text =
        m_lock.tables.dialect != sql::Dialect::MySql
            ? QByteArrayLiteral("INSERT INTO {t} (name, recipe, owner, acquired_at) VALUES (?, {recipe}, ?, {now}) "
                                "ON CONFLICT (name) DO NOTHING")
            : QByteArrayLiteral("INSERT INTO {t} (name, recipe, owner, acquired_at) VALUES (?, {recipe}, ?, {now})");
    const sql::Result done =
        co_await m_lock.port.execute(statementOf(m_lock, kId, text, valuesOf(m_lock.name, owner)), stop, patience);
    if (done) co_return done->affected == 1;
    // InnoDB lets all who wait for a row that is being deleted share it then, and each wants it alone: a deadlock,
    // which it ends by refusing all but one of them.
    const bool beaten =
        done.error().kind == sql::Error::Kind::DuplicateKey || done.error().kind == sql::Error::Kind::Deadlock;
    if (!beaten) co_return std::unexpected(lockError(done.error()));
    co_return false;
}

/// Whether there is a row, of this recipe.
Outcome<bool> SqlRow::look(Nanos patience, std::stop_token stop) {
    const sql::Result seen = co_await m_lock.port.execute(
        statementOf(m_lock, kId, "SELECT recipe FROM {t} WHERE name = ?", valuesOf(m_lock.name)), stop, patience);
    if (!seen) co_return std::unexpected(lockError(seen.error()));
    if (seen->rows.empty()) co_return false;
    if (seen->text() != kId) co_return std::unexpected(foreignRow(m_lock.name, seen->text()));
    co_return true;
}

/// Whatever became of our INSERT: if it ran, undo it.
QCoro::Task<bool> SqlRow::withdraw(QByteArray owner, bool stopped) {
    auto undoing = m_lock.port.execute(
        statementOf(m_lock, kId, "DELETE FROM {t} WHERE name = ? AND owner = ?", valuesOf(m_lock.name, owner)));
    return awaitWithdrawal(m_lock.port.runtime(), std::move(undoing), stopped);
}

Outcome<std::optional<Grant>> SqlRow::acquire(Request request, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    const Nanos giveUpAt = laterBy(runtime.monotonic(), request.wait);
    const QByteArray owner = ownerOf(m_lock, request.thread);
    for (;;) {
        request.steps.at(1);
        const Nanos askedAt = runtime.monotonic();
        std::expected<bool, LockError> inserted = false;
        bool stopped = false;
        try {
            inserted = co_await insert(owner, patienceUntil(m_lock, giveUpAt), stop);
        } catch (const sql::NothingRan&) {
            request.steps.at(0);
            throw;
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Killed) throw;
            stopped = true;
        }
        if (stopped || (!inserted && inserted.error().kind == LockError::Kind::OutcomeUnknown)) {
            co_await withdraw(owner, stopped);
            request.steps.at(0);
            if (stopped) throw Cancelled(Cancelled::Why::Stopped);
        }
        if (!inserted && !keptOut(inserted.error())) co_return std::unexpected(inserted.error());
        if (inserted && *inserted) {
            request.steps.at(3);
            co_return Grant{request.thread, owner, askedAt, kNever, 1, 0, request.steps};
        }
        const auto there = co_await look(patienceUntil(m_lock, giveUpAt), stop);
        if (!there && !keptOut(there.error())) co_return std::unexpected(there.error());
        if (runtime.monotonic() >= giveUpAt) {
            request.steps.at(0);
            co_return std::nullopt;
        }
        if (inserted && there && !*there) continue; // freed meanwhile
        request.steps.at(2);
        const Nanos nap = nextNap(m_lock, giveUpAt);
        co_await runtime.sleep(nap, stop);
    }
}

Outcome<bool> SqlRow::erase(std::stop_token stop) {
    const sql::Result done = co_await m_lock.port.execute(
        statementOf(m_lock, kId, QByteArrayLiteral("DELETE FROM {t} WHERE name = ? AND recipe = {recipe}"),
                    valuesOf(m_lock.name)),
        stop);
    if (!done) co_return std::unexpected(lockError(done.error()));
    co_return done->affected > 0;
}

Outcome<int> SqlRow::release(Grant grant, std::stop_token stop) {
    grant.steps.at(4);
    const auto erased = co_await erase(stop); // whoever's it is: the flaw
    grant.steps.at(0);
    if (!erased) co_return std::unexpected(erased.error());
    if (!*erased) co_return std::unexpected(notSqlOwner(m_lock.name));
    co_return 0;
}

Outcome<bool> SqlRow::forceRelease(std::stop_token stop) {
    const auto erased = co_await erase(stop);
    co_return erased;
}

Outcome<bool> SqlRow::isLocked(std::stop_token stop) {
    return look(kNever, std::move(stop));
}

} // namespace lockscope::recipes
