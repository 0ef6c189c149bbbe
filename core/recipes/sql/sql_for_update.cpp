// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_for_update.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"

namespace lockscope::recipes {

namespace {
const QByteArray kId = QByteArrayLiteral("sql-for-update");
enum class Step : std::uint32_t { MakeRow = 1, Lock, Wait, Work, Commit };
} // namespace

RecipeInfo sqlForUpdateInfo() {
    RecipeInfo info;
    info.id = kId;
    info.backend = "sql";
    info.summary =
        Text::tr("A transaction locks the row and holds it until its end; waiters stand in the server's queue");
    info.steps = stepTexts<Step>({
        {Step::MakeRow, Text::tr("no row → INSERT ({name})")},
        {Step::Lock, Text::tr("BEGIN; SELECT … WHERE name = {name} FOR UPDATE")},
        {Step::Wait, Text::tr("taken → wait in the server's queue")},
        {Step::Work, Text::tr("work, write to the resource; sign of life on the same connection")},
        {Step::Commit, Text::tr("COMMIT")},
    });
    info.workStep = Step::Work;
    info.heldBy = HeldBy::Connection;
    info.reentrant = true;
    return info;
}

const RecipeInfo& SqlForUpdate::info() const {
    static const RecipeInfo& info = *findRecipe(kId);
    return info;
}

Outcome<std::optional<Grant>> SqlForUpdate::acquire(Request request, std::stop_token stop) {
    const Nanos giveUpAt = laterBy(m_lock.port.runtime().monotonic(), request.wait);
    if (request.held > 0) return acquireAgain(std::move(request), giveUpAt, std::move(stop));
    return acquireAnew(std::move(request), giveUpAt, std::move(stop));
}

Outcome<std::optional<Grant>> SqlForUpdate::acquireAgain(Request request, Nanos giveUpAt, std::stop_token stop) {
    // Locked again in the same transaction: it costs nothing there, and shows that the connection still holds it.
    if (const auto hold = m_holds.of(request.thread)) {
        if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
        request.steps.at(Step::Lock);
        const Nanos askedAt = m_lock.port.runtime().monotonic();
        // Not to be stopped, which it need not be, since it waits for nobody: PostgreSQL ends the transaction with
        // the statement, and with it the hold that there is.
        const std::shared_ptr<sql::Session> session = hold->session;
        const auto locked = co_await session->lockRow(m_lock.name, Nanos(0));
        if (locked && hold->lives()) {
            request.steps.at(Step::Work);
            co_return SessionHolds::again(request, hold, askedAt);
        }
        if (!locked && hold->lives()) co_return std::unexpected(lockError(locked.error()));
        m_holds.forget(request.thread, hold); // lost, or given up meanwhile
    }
    const auto granted = co_await acquireAnew(request, giveUpAt, stop);
    co_return granted;
}

Outcome<std::optional<Grant>> SqlForUpdate::acquireAnew(Request request, Nanos giveUpAt, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    const auto failed = [&request](LockError error) {
        request.steps.leave();
        return std::unexpected(std::move(error));
    };
    std::shared_ptr<sql::Session> session = SessionHolds::idle(m_lock.port);
    if (!session) {
        auto opened = co_await SessionHolds::connect(m_lock.port, stop);
        if (!opened) co_return failed(opened.error());
        session = std::move(*opened).share();
    }
    for (;;) {
        request.steps.at(Step::Lock);
        const Nanos askedAt = runtime.monotonic();
        const Nanos left = leftUntil(giveUpAt, askedAt);
        if (left > Nanos(0)) request.steps.at(Step::Wait);
        std::expected<sql::Row, sql::Error> locked;
        bool stopped = false;
        try {
            locked = co_await session->lockRow(m_lock.name, left, stop);
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Killed) throw;
            stopped = true;
        }
        if (!stopped && locked && locked->there && locked->recipe == kId) {
            // The answer may have waited for us until the server died.
            if (session->broken()) co_return failed(brokeBeforeTaken(m_lock.name));
            request.steps.at(Step::Work);
            co_return m_holds.enter(request, std::move(session), askedAt);
        }
        // Not taken, or not ours to take: nothing may stay locked.
        const auto undone = co_await session->rollback();
        const bool again = !stopped && locked && !locked->there && undone.has_value();
        if (!again) session->giveBack();
        if (stopped) {
            request.steps.leave();
            throw Cancelled(Cancelled::Why::Stopped);
        }
        if (!locked) {
            const bool timeIsOver = runtime.monotonic() >= giveUpAt || left == Nanos(0);
            if (locked.error().kind == sql::Error::Kind::WaitExceeded && timeIsOver) {
                request.steps.leave();
                co_return std::nullopt;
            }
            co_return failed(sessionError(locked.error(), m_lock.name));
        }
        if (locked->there) co_return failed(foreignRow(m_lock.name, locked->recipe));
        if (!undone) co_return failed(sessionError(undone.error(), m_lock.name));
        request.steps.at(Step::MakeRow);
        const auto made = co_await makeRow(m_lock, kId, giveUpAt, stop);
        if (!made) co_return failed(made.error());
        if (*made) continue;
        session->giveBack(); // somebody has locked the table
        request.steps.leave();
        co_return std::nullopt;
    }
}

Outcome<HoldNews> SqlForUpdate::news(Grant grant, std::stop_token stop) {
    return SessionHolds::news(std::move(grant), m_lock.pingEvery, std::move(stop));
}

Outcome<int> SqlForUpdate::release(Grant grant, std::stop_token) {
    const SessionHolds::Shared hold = SessionHolds::holdOf(grant);
    // The last one asks the server.
    if (!hold || !hold->given() || (hold->count > 1 && !hold->lives())) {
        m_holds.forget(grant.thread, hold);
        co_return std::unexpected(notSqlOwner(m_lock.name));
    }
    if (--hold->count > 0) co_return hold->count;
    grant.steps.at(Step::Commit);
    m_holds.forget(grant.thread, hold);
    const std::shared_ptr<sql::Session> session = std::move(hold->session);
    // Not to be stopped: half of it would be a connection that holds the lock and that nobody has.
    const auto done = co_await session->commit();
    grant.steps.leave();
    if (!done) {
        // The connection is closed now, by us if by nobody else, and frees the lock; was it still ours before?
        if (done.error().outcomeUnknown()) co_return std::unexpected(notSqlOwner(m_lock.name));
        co_return std::unexpected(lockError(done.error()));
    }
    session->giveBack();
    co_return 0;
}

Outcome<bool> SqlForUpdate::forceRelease(std::stop_token stop) {
    return outcomeOf(m_lock.port.endRowHolder(m_lock.name, std::move(stop)));
}

Outcome<bool> SqlForUpdate::isLocked(std::stop_token stop) {
    const auto lock = co_await m_lock.port.rowLock(m_lock.name, stop);
    if (!lock) co_return std::unexpected(lockError(lock.error()));
    if (lock->row.there && lock->row.recipe != kId)
        co_return std::unexpected(foreignRow(m_lock.name, lock->row.recipe));
    co_return lock->locked;
}

} // namespace lockscope::recipes
