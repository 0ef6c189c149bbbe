// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_version.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {
constexpr const char* kId = "sql-version";

/// What was read: not the token, which others may have added to.
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

const RecipeInfo& SqlVersion::info() const {
    static const RecipeInfo& info = *findRecipe(kId);
    return info;
}

Outcome<std::optional<Grant>> SqlVersion::acquire(Request request, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    const Nanos giveUpAt = laterBy(runtime.monotonic(), request.wait);
    for (;;) {
        request.steps.at(1);
        const Nanos askedAt = runtime.monotonic();
        const sql::Result read = co_await m_lock.port.execute(
            statementOf(m_lock, kId, QByteArrayLiteral("SELECT recipe, version FROM {t} WHERE name = ?"),
                        valuesOf(m_lock.name)),
            stop, patienceUntil(m_lock, giveUpAt));
        if (read && read->rows.empty()) {
            const auto made = co_await makeRow(m_lock, kId, giveUpAt, stop);
            if (!made) co_return std::unexpected(made.error());
            if (*made) continue;
        }
        if (!read && read.error().kind != sql::Error::Kind::WaitExceeded)
            co_return std::unexpected(lockError(read.error()));
        if (!read || read->rows.empty()) { // somebody has locked the table or the file
            const bool again = co_await napUntil(m_lock, giveUpAt, stop);
            if (again) continue;
            request.steps.at(0);
            co_return std::nullopt;
        }
        if (read->text() != kId) co_return std::unexpected(foreignRow(m_lock.name, read->text()));
        request.steps.at(2);
        const std::int64_t version = read->number(0, 1);
        // 0 means “no token”: what is 0 in a new row is 1 here.
        Grant grant{request.thread, ownerOf(m_lock, request.thread), askedAt, kNever, 1, version + 1, request.steps};
        grant.own = ReadVersion{version};
        co_return grant;
    }
}

QCoro::Task<sql::Result> SqlVersion::raise(const Grant& grant, std::stop_token stop) {
    return m_lock.port.execute(
        statementOf(m_lock, kId,
                    QByteArrayLiteral("UPDATE {t} SET version = version + 1, owner = ?, acquired_at = {now} "
                                      "WHERE name = ? AND recipe = {recipe} AND version = ?"),
                    valuesOf(grant.value, m_lock.name, versionOf(grant))),
        std::move(stop));
}

/// After an UPDATE whose answer was lost: the row says whose the new version is.
Outcome<int> SqlVersion::settle(Grant grant, std::stop_token stop) {
    const sql::Result read = co_await m_lock.port.execute(
        statementOf(m_lock, kId, "SELECT version, owner FROM {t} WHERE name = ?", valuesOf(m_lock.name)), stop);
    if (!read) co_return std::unexpected(lockError(read.error()));
    if (read->number() == versionOf(grant) + 1 && read->text(0, 1) == grant.value) co_return 0;
    if (read->number() == versionOf(grant)) co_return 1; // not carried out
    co_return -1;                                        // ours may have been one of those since
}

Outcome<int> SqlVersion::release(Grant grant, std::stop_token stop) {
    grant.steps.at(3);
    sql::Result raised = co_await raise(grant, stop);
    if (!raised && raised.error().outcomeUnknown()) {
        const auto settled = co_await settle(grant, stop);
        if (settled && *settled == 1) raised = co_await raise(grant, stop);
        if (settled && *settled == 0) {
            grant.steps.at(0);
            co_return 0;
        }
    }
    grant.steps.at(0);
    if (!raised) co_return std::unexpected(lockError(raised.error()));
    if (raised->affected != 1) co_return std::unexpected(overtaken(m_lock.name));
    co_return 0;
}

Outcome<bool> SqlVersion::forceRelease(std::stop_token stop) {
    const sql::Result done = co_await m_lock.port.execute(
        statementOf(m_lock, kId,
                    "UPDATE {t} SET version = version + 1, owner = NULL WHERE name = ? AND recipe = {recipe}",
                    valuesOf(m_lock.name)),
        stop);
    if (!done) co_return std::unexpected(lockError(done.error()));
    co_return done->affected > 0;
}

Outcome<bool> SqlVersion::isLocked(std::stop_token) {
    co_return false;
}

} // namespace lockscope::recipes
