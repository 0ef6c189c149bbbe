// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_version.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/waiting.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {
const QByteArray kId = QByteArrayLiteral("sql-version");
enum class Step : std::uint32_t { Read = 1, Work, CompareAndSet };

/// The version that was read. It is not the token, which other clients may have raised.
std::int64_t versionOf(const Grant& grant) {
    const auto* const version = std::get_if<ReadVersion>(&grant.own);
    return version ? version->number : -1;
}

LockError overtaken(const QByteArray& name) {
    return {LockError::Kind::NotOwner,
            QCoreApplication::translate("LockError",
                                        "Somebody else changed “%1” first: throw the result away and do it again.")
                .arg(QString::fromUtf8(name))};
}
} // namespace

RecipeInfo sqlVersionInfo() {
    RecipeInfo info;
    info.id = kId;
    info.backend = "sql";
    info.summary = Text::tr("Optimistic: read a version, and let the release succeed only if nobody raised it since");
    info.steps = stepTexts<Step>({
        {Step::Read, Text::tr("v := SELECT version WHERE name = {name}")},
        {Step::Work, Text::tr("work on what was read; nobody is kept out")},
        {Step::CompareAndSet,
         Text::tr("UPDATE version = v + 1 WHERE name = {name} AND version = v; 0 rows → do it again")},
    });
    info.workStep = Step::Work;
    info.heldBy = HeldBy::Nothing;
    info.token = true;
    info.simulated = true;
    return info;
}

const RecipeInfo& SqlVersion::info() const {
    static const RecipeInfo& info = *findRecipe(kId);
    return info;
}

/// Waits only where somebody has locked the table or the file.
class SqlVersion::Contender final : public LockContender {
public:
    using Of = SqlVersion;
    using Asked = Request;
    Contender(SqlVersion& of, Asked asked)
        : LockContender(of.m_lock.port.runtime(), std::move(asked)), m_lock(of.m_lock) {}

    Outcome<Tried<Grant>> attempt(std::stop_token stop) override {
        Tried<Grant> tried;
        for (;;) {
            request.steps.at(Step::Read);
            const Nanos askedAt = runtime.monotonic();
            const auto row = co_await lookAtRow(m_lock, kId, patienceUntil(m_lock, giveUpAt), stop);
            if (!row && !keptOut(row.error())) co_return std::unexpected(row.error());
            if (!row) co_return tried;
            if (row->there) {
                request.steps.at(Step::Work);
                // 0 means “no token”: what is 0 in a new row is 1 here.
                tried.granted =
                    Grant{request.thread, ownerOf(m_lock, request.thread), askedAt, kNever, 1, row->version + 1,
                          request.steps};
                tried.granted->own = ReadVersion{row->version};
                co_return tried;
            }
            const auto made = co_await makeRow(m_lock, kId, giveUpAt, stop);
            if (!made) co_return std::unexpected(made.error());
            if (!*made) co_return tried;
        }
    }
    QCoro::Task<> rest(Tried<Grant>, std::stop_token stop) override {
        // Others were quicker, or had the row locked: no database says when to try again.
        return runtime.sleep(nextNap(m_lock, giveUpAt), std::move(stop));
    }

private:
    const SqlLock& m_lock;
};

Outcome<std::optional<Grant>> SqlVersion::acquire(Request request, std::stop_token stop) {
    return contend<Contender>(*this, std::move(request), std::move(stop));
}

sql::Answer<bool> SqlVersion::raise(const Grant& grant, std::stop_token stop) {
    return m_lock.port.compareAndSet({kId, m_lock.name}, versionOf(grant), grant.value, std::move(stop));
}

/// The row says whose the new version is.
QCoro::Task<SqlVersion::Settled> SqlVersion::settle(Grant grant, std::stop_token stop) {
    const auto row = co_await m_lock.port.look(m_lock.name, stop);
    if (!row) co_return Settled::Unknown;
    if (row->version == versionOf(grant) + 1 && row->owner == grant.value) co_return Settled::Done;
    if (row->version == versionOf(grant)) co_return Settled::NotDone;
    co_return Settled::Unknown; // ours may have been one of those since
}

Outcome<int> SqlVersion::release(Grant grant, std::stop_token stop) {
    grant.steps.at(Step::CompareAndSet);
    auto raised = co_await raise(grant, stop);
    if (!raised && raised.error().outcomeUnknown()) {
        const Settled settled = co_await settle(grant, stop);
        if (settled == Settled::NotDone) raised = co_await raise(grant, stop);
        if (settled == Settled::Done) raised = true;
    }
    grant.steps.leave();
    if (!raised) co_return std::unexpected(lockError(raised.error()));
    if (!*raised) co_return std::unexpected(overtaken(m_lock.name));
    co_return 0;
}

Outcome<bool> SqlVersion::forceRelease(std::stop_token stop) {
    return outcomeOf(m_lock.port.raise({kId, m_lock.name}, std::move(stop)));
}

Outcome<bool> SqlVersion::isLocked(std::stop_token) {
    co_return false;
}

} // namespace lockscope::recipes
