// SPDX-License-Identifier: Apache-2.0
#include "connections/sql/sql_records.h"

#include "recipes/sql/sql_recipe.h"

#include <QCoreApplication>

namespace lockscope {

using recipes::lockError;

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
    const auto found = co_await m_port.readRecord(name, stop);
    if (!found) co_return std::unexpected(lockError(found.error()));
    Record record;
    record.there = found->there;
    record.value = found->value;
    if (found->there) record.version = QByteArray::number(qlonglong(found->version));
    co_return record;
}

recipes::Outcome<bool> SqlRecords::replace(QByteArray name, Record seen, QByteArray value, std::stop_token stop) {
    if (const auto wrong = wrongName(name)) co_return std::unexpected(*wrong);
    sql::StoredRecord before;
    before.there = seen.there;
    before.version = seen.version.toLongLong();
    const auto done = co_await m_port.replaceRecord(name, before, value, stop);
    if (!done) co_return std::unexpected(lockError(done.error()));
    co_return *done;
}

} // namespace lockscope
