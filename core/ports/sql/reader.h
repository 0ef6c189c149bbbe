// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/port.h"
#include "ports/url.h"

#include <functional>

namespace lockscope::sql {

/// The databases, by whose language they speak.
enum class Language : std::uint8_t { MariaDb, MySql, PostgreSql, Sqlite };

/// The rows that a query returned, as text; a cell without a value is NULL.
struct Table {
    std::vector<std::vector<std::optional<QByteArray>>> rows;

    /// The text of a cell; empty for NULL. Precondition: there is such a cell.
    QByteArray text(std::size_t row, std::size_t column) const;
    /// The number in a cell; nullopt for NULL and for what is no whole number.
    std::optional<std::int64_t> number(std::size_t row, std::size_t column) const;
};

/// The part of a database that can be read: whoever has no more than this cannot change anything. Its connection is
/// told to be read-only before the first query, so that the server refuses writes too. Every call may throw Cancelled.
class Reader {
public:
    virtual ~Reader() = default;

    /// The runtime on whose thread it works.
    virtual Runtime& runtime() = 0;
    /// The language to ask in. MariaDb until the first answer of a MySQL.
    virtual Language language() const = 0;
    /// Runs one query, without waiting for locks of rows, and for a table that is locked as a whole for a moment only
    /// (Kind::WaitExceeded); each `?` in it stands for a value. Use few different texts:
    /// the server keeps what it has prepared for each.
    virtual Answer<Table> select(QByteArray query, std::vector<QByteArray> values, std::stop_token stop) = 0;
    /// As select(), of a query without values, and of one with a single value. Functions of their own, because GCC 12
    /// cannot build a list within an await.
    Answer<Table> ask(QByteArray query, std::stop_token stop);
    Answer<Table> askAbout(QByteArray query, QByteArray value, std::stop_token stop);
    /// Connects and logs in. Without it, queries connect when needed.
    virtual Answer<void> open(std::stop_token stop = {}) = 0;
    /// "host:port/database".
    virtual QString where() const = 0;
    /// The number of queries sent: the load on the server.
    virtual std::uint64_t queriesSent() const = 0;
};

/// Makes a reader, not connected yet, of the database that the URL names.
using ReaderDialler = std::function<std::unique_ptr<Reader>(Runtime& runtime, const ConnectionUrl& url)>;

} // namespace lockscope::sql
