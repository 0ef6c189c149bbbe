// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_lease.h"

#include "recipes/polling_rests.h"
#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/sql/sql_renewals.h"
#include "recipes/waiting.h"

namespace lockscope::recipes {

namespace {
const QByteArray kId = QByteArrayLiteral("sql-lease");
enum class Step : std::uint32_t { Take = 1, Wait, Work, Release };
} // namespace

RecipeInfo sqlLeaseInfo() {
    RecipeInfo info;
    info.id = kId;
    info.backend = "sql";
    info.summary = Text::tr("A row with an owner, an expiry by the server's clock, a heartbeat and a version as token");
    info.steps = stepTexts<Step>({
        {Step::Take, Text::tr("UPDATE owner = me, version + 1, expires = now + {lease} WHERE name = {name} AND (free "
                              "OR expired)")},
        {Step::Wait, Text::tr("0 rows → wait a little, at most what is left of the lease; again 1")},
        {Step::Work, Text::tr("hold, write with the version; heartbeat: expires = now + {lease} if mine")},
        {Step::Release, Text::tr("UPDATE owner = NULL WHERE name = {name} AND owner = me")},
    });
    info.workStep = Step::Work;
    info.heldBy = HeldBy::Lease;
    info.reentrant = true;
    info.watchdog = true;
    info.token = true;
    info.simulated = true;
    return info;
}

const RecipeInfo& SqlLease::info() const {
    static const RecipeInfo& info = *findRecipe(kId);
    return info;
}

/// Our request to take the row may or may not have run: if it did, undo it.
QCoro::Task<> SqlLease::withdraw(QByteArray owner, Nanos lease, bool stopped) {
    Runtime& runtime = m_lock.port.runtime();
    const sql::OwnedRow mine{m_lock.name, owner};
    const bool undone = co_await awaitWithdrawal(runtime, m_lock.port.takeBack(mine), stopped);
    if (!undone) m_leftBehind.note(owner, laterBy(runtime.monotonic(), lease));
}

QCoro::Task<> SqlLease::undoLeftBehind(Nanos giveUpAt, std::stop_token stop) {
    return m_leftBehind.undoWith(m_lock.port.runtime(), [this, giveUpAt, stop](QByteArray old) -> QCoro::Task<bool> {
        const sql::OwnedRow mine{m_lock.name, old};
        const auto undone = co_await m_lock.port.takeBack(mine, stop, patienceUntil(m_lock, giveUpAt));
        co_return undone.has_value();
    });
}

/// Each try that may have taken the row has an owner text of its own: an undoing that is late finds that one only.
class SqlLease::Contender final : public LockContender {
public:
    using Of = SqlLease;
    using Asked = Request;
    Contender(SqlLease& of, Asked asked)
        : LockContender(of.m_lock.port.runtime(), std::move(asked)),
          m(of),
          m_again(request.held > 0),
          m_rests(of.m_lock.pollHigh) {
        if (!m_again) m.m_mine.erase(request.thread);
    }

    Outcome<Tried<Grant>> attempt(std::stop_token stop) override {
        if (m_again) {
            auto more = co_await extend(stop);
            if (!more) co_return std::unexpected(more.error());
            if (m_again) co_return *std::move(more);
        }
        auto tried = co_await take(std::move(stop));
        co_return tried;
    }
    QCoro::Task<> undo(Then) override {
        if (m_owner.isEmpty()) co_return;
        const QByteArray owner = std::exchange(m_owner, QByteArray());
        co_await m.withdraw(owner, request.lease, m_stopped);
        request.steps.leave();
    }
    QCoro::Task<> rest(Tried<Grant> tried, std::stop_token stop) override {
        // No database wakes the clients that it kept out; the other's lease may end sooner.
        const Nanos nap =
            m_again ? nextNap(m.m_lock, giveUpAt) : napWithin(runtime, m_rests.next(runtime), giveUpAt, tried.rest);
        return runtime.sleep(nap, std::move(stop));
    }

private:
    /// One more hold of the row that this thread has; when it has none any more, m_again ends.
    Outcome<Tried<Grant>> extend(std::stop_token stop) {
        Tried<Grant> tried;
        const auto held = m.m_mine.find(request.thread);
        m_again = held != m.m_mine.end();
        if (!m_again) co_return tried;
        request.steps.at(Step::Take);
        const sql::OwnedRow mine{m.m_lock.name, held->second.owner};
        const Nanos askedAt = runtime.monotonic();
        const Nanos patience = patienceUntil(m.m_lock, giveUpAt, request.lease);
        const auto extended = co_await outcomeOf(m.m_lock.port.extend(mine, request.lease, stop, patience));
        if (!extended && !keptOut(extended.error())) co_return std::unexpected(extended.error());
        if (!extended) co_return tried;
        const auto present = m.m_mine.find(request.thread);
        const bool still = present != m.m_mine.end() && present->second.owner == mine.owner; // not given up meanwhile
        if (still && *extended) {
            request.steps.at(Step::Work);
            tried.granted =
                Grant{request.thread,          mine.owner,   askedAt, request.lease, ++present->second.holds,
                      present->second.version, request.steps};
            co_return tried;
        }
        if (still) m.m_mine.erase(present);
        m_again = false;
        co_return tried;
    }
    Outcome<Tried<Grant>> take(std::stop_token stop) {
        const sql::RowKey key{kId, m.m_lock.name};
        for (;;) {
            request.steps.at(Step::Take);
            if (!m.m_leftBehind.empty()) co_await m.undoLeftBehind(giveUpAt, stop);
            const Nanos askedAt = runtime.monotonic();
            const Nanos patience = patienceUntil(m.m_lock, giveUpAt, request.lease);
            m_owner = ownerOf(m.m_lock, request.thread);
            std::expected<std::int64_t, sql::Error> version;
            try {
                version = co_await m.m_lock.port.take(key, m_owner, request.lease, stop, patience);
            } catch (const sql::NothingRan&) {
                m_owner.clear();
                throw;
            } catch (const Cancelled&) {
                m_stopped = true;
                throw;
            }
            const LockError error = version ? LockError() : lockError(version.error());
            Tried<Grant> tried;
            if (version && *version > 0) {
                m.m_mine[request.thread] = {m_owner, *version, 1};
                request.steps.at(Step::Work);
                tried.granted = Grant{request.thread, m_owner, askedAt, request.lease, 1, *version, request.steps};
                co_return tried;
            }
            if (error.kind != LockError::Kind::OutcomeUnknown) m_owner.clear(); // the row is not ours
            if (!version && !keptOut(error)) co_return std::unexpected(error);
            const auto seen = co_await lookAtRow(m.m_lock, kId, patienceUntil(m.m_lock, giveUpAt), stop);
            if (!seen && !keptOut(seen.error())) co_return std::unexpected(seen.error());
            if (seen && !seen->there) {
                const auto made = co_await makeRow(m.m_lock, kId, giveUpAt, stop);
                if (!made) co_return std::unexpected(made.error());
                if (*made && m.m_lock.renewals) m.m_lock.renewals->tidy(); // one more row: are there some too many?
                if (*made) continue;
            }
            if (!timeIsOver()) request.steps.at(Step::Wait);
            if (seen) tried.rest = seen->left;
            co_return tried;
        }
    }

    SqlLease& m;
    bool m_again;       ///< the thread has the row, as far as is known
    QByteArray m_owner; ///< of the row, if the latest try took it
    bool m_stopped = false;
    PollingRests m_rests;
};

Outcome<std::optional<Grant>> SqlLease::acquire(Request request, std::stop_token stop) {
    return contend<Contender>(*this, std::move(request), std::move(stop));
}

Outcome<bool> SqlLease::renew(Grant grant, std::stop_token stop) {
    std::expected<bool, LockError> extended;
    if (m_lock.renewals)
        extended = co_await m_lock.renewals->renew(m_lock.name, grant.value, grant.lease, stop);
    else
        extended = co_await outcomeOf(m_lock.port.extend(ownedBy(grant), grant.lease, stop));
    // The database was started again with nothing in it: the client that makes the table makes a free row.
    if (!extended && extended.error().kind == LockError::Kind::NotPrepared) co_return false;
    co_return extended;
}

Outcome<void> SqlLease::listen(Grant, CallList::Callback ask, std::stop_token stop) {
    const std::expected<void, LockError> ended = co_await m_lock.renewals->listen(std::move(ask), std::move(stop));
    co_return ended;
}

Outcome<int> SqlLease::release(Grant grant, std::stop_token stop) {
    const auto mine = m_mine.find(grant.thread);
    if (mine != m_mine.end() && mine->second.owner == grant.value && mine->second.holds > 1)
        co_return --mine->second.holds;
    grant.steps.at(Step::Release);
    abandoned(grant);
    const sql::OwnedRow row = ownedBy(grant);
    auto freed = co_await m_lock.port.free(row, stop);
    bool unheard = false;
    if (!freed && freed.error().outcomeUnknown()) {
        // It does no harm twice; the second one's answer stands for both: not ours any more is what was wanted.
        const auto again = co_await m_lock.port.free(row, stop);
        unheard = again.has_value();
        if (again) freed = again;
    }
    grant.steps.leave();
    if (!freed) co_return std::unexpected(lockError(freed.error()));
    if (!*freed && !unheard) co_return std::unexpected(notSqlOwner(m_lock.name));
    co_return 0;
}

Outcome<bool> SqlLease::forceRelease(std::stop_token stop) {
    return outcomeOf(m_lock.port.freeByForce({kId, m_lock.name}, std::move(stop)));
}

Outcome<bool> SqlLease::isLocked(std::stop_token stop) {
    const auto seen = co_await lookAtRow(m_lock, kId, kNever, stop);
    if (!seen) co_return std::unexpected(seen.error());
    co_return seen->left > Nanos(0);
}

Outcome<std::vector<HolderInfo>> SqlLease::holders(std::stop_token stop) {
    const auto seen = co_await lookAtRow(m_lock, kId, kNever, stop);
    if (!seen) co_return std::unexpected(seen.error());
    if (seen->owner.isEmpty() || seen->left <= Nanos(0)) co_return std::vector<HolderInfo>();
    HolderInfo holder = ownerIn(*seen);
    holder.left = seen->left;
    holder.token = seen->version;
    co_return std::vector{holder};
}

void SqlLease::abandoned(const Grant& grant) {
    const auto mine = m_mine.find(grant.thread);
    if (mine != m_mine.end() && mine->second.owner == grant.value) m_mine.erase(mine);
}

} // namespace lockscope::recipes
