// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_for_update.h"

#include "ports/sql/late_row.h"
#include "recipes/exhibits.h"
#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/sql/session_contender.h"

namespace lockscope::recipes {

namespace {
const QByteArray kId = QByteArrayLiteral("sql-for-update"); ///< rows of both bear it
const QByteArray kLateId = QByteArrayLiteral("sql-for-update-late");
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
    info.simulated = true;
    return info;
}

RecipeInfo sqlForUpdateLateInfo() {
    RecipeInfo info = sqlForUpdateInfo();
    info.id = kLateId;
    info.summary =
        Text::tr("A SELECT … FOR UPDATE that finds no row counts as the lock; the row is inserted at the end");
    info.steps = stepTexts<Step>({
        {Step::MakeRow, Text::tr("no row → INSERT ({name}) now, in the same transaction")},
        {Step::Lock, Text::tr("BEGIN; SELECT … WHERE name = {name} FOR UPDATE")},
        {Step::Wait, Text::tr("taken → wait in the server's queue")},
        {Step::Work, Text::tr("a row, or none: work, write to the resource")},
        {Step::Commit, Text::tr("COMMIT")},
    });
    info.naive = true;
    return info;
}

const RecipeInfo& SqlForUpdate::info() const {
    static const RecipeInfo &sound = *findRecipe(kId), &late = *findRecipe(kLateId);
    return m_missing == MissingRow::MakeFirst ? sound : late;
}

/// The server's queue is where a try waits. A try in vain leaves nothing locked and gives its connection back, or away.
class SqlForUpdate::Contender final : public SessionContender {
public:
    using Of = SqlForUpdate;
    using Asked = Request;
    Contender(SqlForUpdate& of, Asked asked)
        : SessionContender(of.m_holds, of.m_lock.port, std::move(asked), Step::Lock, Step::Work), m(of) {}

private:
    /// Locked again in the same transaction: it costs nothing there, and shows that the connection still holds it.
    sql::Answer<bool> askAgain(sql::Session& session) override {
        const auto locked = co_await session.lockRow(m.m_lock.name, Nanos(0));
        if (!locked) co_return std::unexpected(locked.error());
        co_return true;
    }
    Outcome<Tried<Grant>> take(std::stop_token stop) override {
        auto obtained = co_await obtain(stop);
        if (!obtained) co_return std::unexpected(obtained.error());
        std::shared_ptr<sql::Session> session = std::move(*obtained).share();
        for (;;) {
            request.steps.at(Step::Lock);
            const Nanos askedAt = runtime.monotonic();
            const Nanos left = leftUntil(giveUpAt, askedAt);
            if (left > Nanos(0)) request.steps.at(Step::Wait);
            const auto locked = co_await unlessStopped(session->lockRow(m.m_lock.name, left, stop));
            const bool thereIs = locked && *locked && (*locked)->there;
            Tried<Grant> tried;
            const bool noRow = locked && *locked && !thereIs;
            const bool asLocked = noRow && m.m_missing == MissingRow::TakeForLocked;
            if (asLocked || (thereIs && (*locked)->recipe == kId)) {
                // The answer may have waited for us until the server died.
                if (session->broken()) co_return std::unexpected(brokeBeforeTaken(m.m_lock.name));
                request.steps.at(Step::Work);
                tried.granted = m.m_holds.enter(request, std::move(session), askedAt);
                SessionHolds::holdOf(*tried.granted)->rowless = asLocked;
                co_return tried;
            }
            // Not taken, or not ours to take: nothing may stay locked.
            const auto undone = co_await session->rollback();
            if (!noRow || !undone) session->giveBack();
            if (!locked) throw Cancelled(Cancelled::Why::Stopped);
            if (!*locked) {
                const bool exceeded = locked->error().kind == sql::Error::Kind::WaitExceeded;
                if (exceeded && (timeIsOver() || left == Nanos(0))) co_return tried;
                co_return std::unexpected(sessionError(locked->error(), m.m_lock.name));
            }
            if (thereIs) co_return std::unexpected(foreignRow(m.m_lock.name, (*locked)->recipe));
            if (!undone) co_return std::unexpected(sessionError(undone.error(), m.m_lock.name));
            request.steps.at(Step::MakeRow);
            const auto made = co_await makeRow(m.m_lock, kId, giveUpAt, stop);
            if (!made) co_return std::unexpected(made.error());
            if (*made) continue;
            session->giveBack(); // somebody has locked the table
            co_return tried;
        }
    }

    SqlForUpdate& m;
};

Outcome<std::optional<Grant>> SqlForUpdate::acquire(Request request, std::stop_token stop) {
    return contend<Contender>(*this, std::move(request), std::move(stop));
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
    if (hold->rowless) {
        grant.steps.at(Step::MakeRow);
        if (const auto made = co_await insertLate(hold); !made) {
            m_holds.forget(grant.thread, hold);
            grant.steps.leave();
            co_return std::unexpected(made.error());
        }
    }
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

Outcome<void> SqlForUpdate::insertLate(SessionHolds::Shared hold) {
    const std::shared_ptr<sql::Session> session = hold->session;
    sql::LateRow* const inserter = sql::LateRow::of(*session);
    Q_ASSERT(inserter); // every session of a database with row locks is one
    const sql::RowKey key{kId, m_lock.name};
    const auto made = co_await inserter->insertRow(key);
    if (made && *made) co_return {};
    hold->session.reset();
    const auto undone = co_await session->rollback();
    if (undone) session->giveBack();
    if (!made) co_return std::unexpected(lockError(made.error()));
    co_return std::unexpected(notSqlOwner(m_lock.name)); // another one's row came first
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
