// SPDX-License-Identifier: Apache-2.0
// Taking a hold away from its client: only what was seen, and the statements as people may read them first.
#include "drivers/sql/driver.h"
#include "drivers/sql/named_lock.h"
#include "drivers/sql/pool.h"
#include "drivers/sql/schema.h"

namespace lockscope::sql {

namespace {

using By = SeenHold::By;

constexpr const char* kEndTransaction = "SELECT pg_terminate_backend(pid), pid FROM pg_stat_activity WHERE pid = ? AND "
                                        "(extract(epoch FROM xact_start) * 1000)::bigint = ?";
constexpr const char* kTransaction =
    "SELECT trx_mysql_thread_id FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = ? AND "
    "CAST(UNIX_TIMESTAMP(trx_started) * 1000 AS SIGNED) = ?";

/// The statement with its values in the places of the question marks.
QByteArray readable(const Statement& statement) {
    QByteArray text;
    std::size_t next = 0;
    for (const char c : statement.text) {
        if (c != '?' || next >= statement.values.size()) {
            text += c;
            continue;
        }
        const Value& value = statement.values[next++];
        if (const auto* number = std::get_if<std::int64_t>(&value)) {
            text += QByteArray::number(qlonglong(*number));
        } else {
            QByteArray quoted = std::get<QByteArray>(value);
            text += '\'' + quoted.replace('\'', "''") + '\'';
        }
    }
    return text + ';';
}

} // namespace

/// One statement, or two: the second one, on MySQL, ends the session that the first one finds.
std::vector<Statement> SqlDriver::takingAway(const SeenHold& hold) const {
    const Statements& known = m_pool->statements;
    const bool mySql = m_pool->tables.dialect == Dialect::MySql;
    std::vector<Statement> all;
    switch (hold.by) {
    case By::Lease:
        all.push_back({known.takeBack, valuesOf(hold.name, hold.owner)});
        return all;
    case By::Row:
        all.push_back({known.eraseOwned, valuesOf(hold.name, hold.owner)});
        return all;
    case By::Foreign: {
        Statement change{hold.statement, {}};
        for (const QByteArray& value : hold.values)
            change.values.emplace_back(value);
        all.push_back(std::move(change));
        return all;
    }
    case By::NamedLock:
        if (mySql)
            all.push_back(namedHolders(Dialect::MySql, NamedKey{hold.name}));
        else if (const auto key = listedKey(hold.name))
            all.push_back(endNamedHolder(*key, hold.session));
        break;
    case By::Transaction:
        all.push_back({mySql ? kTransaction : kEndTransaction, valuesOf(hold.session, hold.began)});
        break;
    }
    if (mySql) all.push_back({known.end, valuesOf(hold.session)});
    return all;
}

QByteArrayList SqlDriver::takeAwayText(const SeenHold& hold) const {
    QByteArrayList texts;
    for (const Statement& statement : takingAway(hold))
        texts << readable(statement);
    return texts;
}

Answer<bool> SqlDriver::takeAway(SeenHold hold, std::stop_token stop) {
    const std::vector<Statement> statements = takingAway(hold);
    if (statements.empty()) co_return false;
    const bool ofRow = hold.by == By::Lease || hold.by == By::Row || hold.by == By::Foreign;
    const bool mySql = m_pool->tables.dialect == Dialect::MySql;
    const Result first = co_await execute(statements.front(), stop);
    if (!first) co_return std::unexpected(first.error());
    if (ofRow) co_return first->affected > 0;
    if (mySql) {
        if (first->number() != hold.session) co_return false;
        const auto ended = co_await endConnection(hold.session);
        if (!ended) co_return std::unexpected(ended.error());
    } else if (first->number() != 1) {
        co_return false;
    }
    QByteArrayList gone;
    gone << QByteArray::number(qlonglong(hold.session));
    co_await awaitEndOf(gone, stop);
    co_return true;
}

} // namespace lockscope::sql
