// SPDX-License-Identifier: Apache-2.0
#include "connections/sql/sql_records.h"

#include "ports/sql/literal.h"
#include "recipes/sql/sql_recipe.h"

#include <QCoreApplication>

namespace lockscope {

using recipes::lockError;
using recipes::valuesOf;
using Kind = sql::Error::Kind;

namespace {
constexpr qsizetype kLongestName = 255; // of the table's key

std::optional<LockError> wrongName(const QByteArray& name) {
    if (sql::validName(name, kLongestName)) return std::nullopt;
    return LockError{LockError::Kind::Refused,
                     QCoreApplication::translate("LockError",
                                                 "“%1” cannot be the name of a record: it takes 1 to %2 bytes of "
                                                 "UTF-8 without a zero byte.")
                         .arg(QString::fromUtf8(name.left(80)), QString::number(kLongestName))};
}
} // namespace

recipes::Outcome<Record> SqlRecords::read(QByteArray name, std::stop_token stop) {
    if (const auto wrong = wrongName(name)) co_return std::unexpected(*wrong);
    sql::Statement look;
    look.text = "SELECT value, version FROM " + m_tables.records + " WHERE name = ?";
    look.values = valuesOf(name);
    const sql::Result found = co_await m_port.execute(look, stop);
    Record record;
    if (!found && found.error().kind == Kind::MissingTable) co_return record; // nobody has written one yet
    if (!found) co_return std::unexpected(lockError(found.error()));
    if (found->rows.empty()) co_return record;
    record.there = true;
    record.value = found->text(0, 0);
    record.version = found->text(0, 1);
    co_return record;
}

/// A statement over the table, which is made if there is none.
QCoro::Task<sql::Result> SqlRecords::change(sql::Statement statement, std::stop_token stop) {
    sql::Result done = co_await m_port.execute(statement, stop);
    if (done || done.error().kind != Kind::MissingTable) co_return done;
    const sql::Result made = co_await m_port.execute(sql::createRecords(m_tables), stop);
    // Two at once: PostgreSQL lets both try, and tells one that the other's is there already.
    if (!made && made.error().kind != Kind::DuplicateKey) co_return std::unexpected(made.error());
    done = co_await m_port.execute(statement, stop);
    co_return done;
}

recipes::Outcome<bool> SqlRecords::replace(QByteArray name, Record seen, QByteArray value, std::stop_token stop) {
    if (const auto wrong = wrongName(name)) co_return std::unexpected(*wrong);
    sql::Statement statement;
    if (seen.there) {
        statement.text =
            "UPDATE " + m_tables.records + " SET value = ?, version = version + 1 WHERE name = ? AND version = ?";
        statement.values = valuesOf(value, name, std::int64_t(seen.version.toLongLong()));
    } else {
        statement.text = "INSERT INTO " + m_tables.records + " (name, value) VALUES (?, ?)";
        if (m_tables.dialect != sql::Dialect::MySql) statement.text += " ON CONFLICT DO NOTHING";
        statement.values = valuesOf(name, value);
    }
    const sql::Result done = co_await change(statement, stop);
    if (!done && done.error().kind == Kind::DuplicateKey) co_return false;
    if (!done) co_return std::unexpected(lockError(done.error()));
    co_return done->affected == 1;
}

} // namespace lockscope
