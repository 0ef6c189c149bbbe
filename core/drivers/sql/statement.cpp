// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/statement.h"

namespace lockscope::sql {

namespace {
const Value* at(const Reply& reply, std::size_t row, std::size_t column) {
    return row < reply.rows.size() && column < reply.rows[row].size() ? &reply.rows[row][column] : nullptr;
}
} // namespace

std::int64_t Reply::number(std::size_t row, std::size_t column) const {
    const Value* const value = at(*this, row, column);
    if (!value) return 0;
    if (const auto* number = std::get_if<std::int64_t>(value)) return *number;
    const auto* digits = std::get_if<QByteArray>(value);
    return digits ? digits->toLongLong() : 0;
}

QByteArray Reply::text(std::size_t row, std::size_t column) const {
    const Value* const value = at(*this, row, column);
    if (!value) return {};
    if (const auto* bytes = std::get_if<QByteArray>(value)) return *bytes;
    const auto* number = std::get_if<std::int64_t>(value);
    return number ? QByteArray::number(qlonglong(*number)) : QByteArray();
}

bool Reply::isNull(std::size_t row, std::size_t column) const {
    const Value* const value = at(*this, row, column);
    return !value || std::holds_alternative<std::monostate>(*value);
}

Answer<void> success(QCoro::Task<Result> asked) {
    const Result done = co_await std::move(asked);
    if (!done) co_return std::unexpected(done.error());
    co_return {};
}

} // namespace lockscope::sql
