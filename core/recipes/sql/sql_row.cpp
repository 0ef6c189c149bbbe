// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_row.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/waiting.h"

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
    info.simulated = true;
    return info;
}

const RecipeInfo& SqlRow::info() const {
    static const RecipeInfo& info = *findRecipe(kId);
    return info;
}

/// Deletes at once what a request may have inserted that nobody waits for any more.
class SqlRow::Contender final : public LockContender {
public:
    using Of = SqlRow;
    using Asked = Request;
    Contender(SqlRow& of, Asked asked)
        : LockContender(of.m_lock.port.runtime(), std::move(asked)),
          m(of),
          m_mine{of.m_lock.name, ownerOf(of.m_lock, request.thread)} {}

    Outcome<Tried<Grant>> attempt(std::stop_token stop) override {
        request.steps.at(Step::Insert);
        const Nanos askedAt = runtime.monotonic();
        const Nanos patience = patienceUntil(m.m_lock, giveUpAt);
        m_mayBeThere = true;
        const sql::RowKey key{kId, m.m_lock.name};
        std::expected<bool, sql::Error> inserted;
        try {
            inserted = co_await m.m_lock.port.insert(key, m_mine.owner, stop, patience);
        } catch (const sql::NothingRan&) {
            m_mayBeThere = false;
            throw;
        } catch (const Cancelled&) {
            m_stopped = true;
            throw;
        }
        const LockError error = inserted ? LockError() : lockError(inserted.error());
        Tried<Grant> tried;
        if (inserted && *inserted) {
            request.steps.at(Step::Work);
            tried.granted = Grant{request.thread, m_mine.owner, askedAt, kNever, 1, 0, request.steps};
            co_return tried;
        }
        m_mayBeThere = error.kind == LockError::Kind::OutcomeUnknown;
        if (!inserted && !keptOut(error)) co_return std::unexpected(error);
        const auto seen = co_await lookAtRow(m.m_lock, kId, patienceUntil(m.m_lock, giveUpAt), stop);
        if (!seen && !keptOut(seen.error())) co_return std::unexpected(seen.error());
        if (timeIsOver()) co_return tried;
        if (inserted && seen && !seen->there)
            tried.next = Tried<Grant>::Next::AtOnce; // freed meanwhile
        else
            request.steps.at(Step::Wait);
        co_return tried;
    }
    /// The flawed recipe does not wait for a server to come back either.
    bool mayPass(const LockError&) const override { return false; }
    QCoro::Task<> undo(Then) override {
        if (!m_mayBeThere) co_return;
        co_await awaitWithdrawal(runtime, m.m_lock.port.eraseOwned(m_mine), m_stopped);
        request.steps.leave();
    }
    QCoro::Task<> rest(Tried<Grant>, std::stop_token stop) override {
        // No database wakes the clients that it kept out.
        return runtime.sleep(nextNap(m.m_lock, giveUpAt), std::move(stop));
    }

private:
    SqlRow& m;
    const sql::OwnedRow m_mine;
    bool m_mayBeThere = false;
    bool m_stopped = false;
};

Outcome<std::optional<Grant>> SqlRow::acquire(Request request, std::stop_token stop) {
    return contend<Contender>(*this, std::move(request), std::move(stop));
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

Outcome<std::vector<HolderInfo>> SqlRow::holders(std::stop_token stop) {
    const auto seen = co_await lookAtRow(m_lock, kId, kNever, stop);
    if (!seen) co_return std::unexpected(seen.error());
    std::vector<HolderInfo> holders;
    if (seen->there) holders.push_back(ownerIn(*seen));
    co_return holders;
}

} // namespace lockscope::recipes
