// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/dialect.h"
#include "ports/sql/port.h"

#include <variant>

namespace lockscope::sql {

/// NULL, a whole number, or UTF-8 text without a zero byte.
using Value = std::variant<std::monostate, std::int64_t, QByteArray>;
using Values = std::vector<Value>;

/// A list of values from numbers and byte arrays. A function, because GCC 12 cannot build a list within an await.
template <typename... V>
Values valuesOf(V... value) {
    Values values;
    values.reserve(sizeof...(V));
    (values.emplace_back(std::move(value)), ...);
    return values;
}

/// One statement; each `?` in the text is a placeholder for a value and nothing else. Use few different texts: each
/// connection keeps the server's prepared statements for them.
struct Statement {
    QByteArray text;
    Values values;
    bool waits = true; ///< in a session: it waits for locks, bounded by the server's limit
};

struct Reply {
    std::vector<Values> rows;
    std::int64_t affected = 0; ///< rows inserted, deleted, or matched by an UPDATE
    std::int64_t insertId = 0; ///< MySQL: the argument of LAST_INSERT_ID(…) in the statement

    /// The number in a row; 0 when there is none.
    std::int64_t number(std::size_t row = 0, std::size_t column = 0) const;
    /// The text in a row; empty when there is none.
    QByteArray text(std::size_t row = 0, std::size_t column = 0) const;
    bool isNull(std::size_t row = 0, std::size_t column = 0) const;
};

using Result = std::expected<Reply, Error>;

/// Whether it succeeded.
Answer<void> success(QCoro::Task<Result> asked);

} // namespace lockscope::sql
