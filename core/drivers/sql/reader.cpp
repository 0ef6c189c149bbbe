// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/reader.h"

#include "drivers/sql/driver.h"

namespace lockscope::sql {

namespace {

/// The statement that makes a connection read-only; the server then refuses writes.
const char* readOnlyWords(Dialect dialect) {
    switch (dialect) {
    case Dialect::MySql:
        return "SET SESSION TRANSACTION READ ONLY";
    case Dialect::PostgreSql:
        return "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY";
    case Dialect::Sqlite:
        break;
    }
    return "PRAGMA query_only = ON";
}

/// The statement that bounds how long a query waits for a table that somebody has to itself (ALTER TABLE, LOCK TABLE):
/// it would not only say nothing meanwhile, but stand in the table's queue. As short as can be, since the wait counts
/// as time that the server has worked. Empty: none does.
const char* tableWaitWords(Language language) {
    switch (language) {
    case Language::MariaDb:
        return "SET SESSION lock_wait_timeout = 0"; // seconds
    case Language::MySql:
        return "SET SESSION lock_wait_timeout = 1";
    case Language::PostgreSql:
        return "SET lock_timeout = 10"; // ms
    case Language::Sqlite:
        break;
    }
    return "";
}

Language languageOf(Dialect dialect) {
    return dialect == Dialect::MySql        ? Language::MariaDb
           : dialect == Dialect::PostgreSql ? Language::PostgreSql
                                            : Language::Sqlite;
}

std::optional<QByteArray> textOf(const Value& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return QByteArray::number(qlonglong(*number));
    if (const auto* text = std::get_if<QByteArray>(&value)) return *text;
    return std::nullopt;
}

} // namespace

SqlReader::SqlReader(Runtime& runtime, const ConnectionUrl& url)
    : m_runtime(runtime),
      m_driver(std::make_unique<SqlDriver>(runtime, url, DriverOptions{.makesFile = false})), // reading makes nothing
      m_language(languageOf(m_driver->dialect())) {
}

SqlReader::~SqlReader() = default;

QString SqlReader::where() const {
    return m_driver->where();
}

Answer<void> SqlReader::open(std::stop_token stop) {
    if (m_session && !m_session->broken()) co_return std::expected<void, Error>();
    m_session.reset();
    auto opened = co_await m_driver->textSession(stop);
    if (!opened) co_return std::unexpected(opened.error());
    std::shared_ptr<DriverSession> session = std::move(*opened).share();
    const Statement readOnly{readOnlyWords(m_driver->dialect()), {}, false};
    const Result done = co_await session->execute(readOnly, kNever, stop);
    if (!done) co_return std::unexpected(done.error());
    if (m_driver->dialect() == Dialect::MySql) {
        const Statement ask{"SELECT VERSION() LIKE '%MariaDB%'", {}, false};
        const Result mariaDb = co_await session->execute(ask, kNever, stop);
        if (!mariaDb) co_return std::unexpected(mariaDb.error());
        m_language = mariaDb->number() != 0 ? Language::MariaDb : Language::MySql;
    }
    // Behind a pooler the next client would have the setting.
    const Statement bound{tableWaitWords(m_language), {}, false};
    if (!bound.text.isEmpty() && !session->pooled()) {
        const Result set = co_await session->execute(bound, kNever, stop);
        if (!set) co_return std::unexpected(set.error());
    }
    m_session = std::move(session);
    co_return std::expected<void, Error>();
}

Answer<Table> SqlReader::select(QByteArray query, std::vector<QByteArray> values, std::stop_token stop) {
    const auto opened = co_await open(stop);
    if (!opened) co_return std::unexpected(opened.error());
    const std::shared_ptr<DriverSession> session = m_session;
    ++m_sent;
    Values bound;
    for (QByteArray& value : values)
        bound.emplace_back(std::move(value));
    const Statement statement{std::move(query), std::move(bound), false};
    const Result answer = co_await session->execute(statement, kNever, stop);
    if (!answer) {
        if (answer.error().connectionLost()) m_session.reset();
        co_return std::unexpected(answer.error());
    }
    Table table;
    for (const Values& row : answer->rows) {
        std::vector<std::optional<QByteArray>> cells;
        cells.reserve(row.size());
        for (const Value& value : row)
            cells.push_back(textOf(value));
        table.rows.push_back(std::move(cells));
    }
    co_return table;
}

} // namespace lockscope::sql
