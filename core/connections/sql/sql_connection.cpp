// SPDX-License-Identifier: Apache-2.0
#include "connections/factories.h"
#include "connections/kept.h"
#include "connections/sql/sql_records.h"
#include "ports/sql/errors.h"
#include "recipes/sql/sql_renewals.h"

#include <QCoreApplication>

namespace lockscope {

namespace {

class SqlConnection final : public Connection {
public:
    SqlConnection(Runtime& runtime, const sql::Dialler& dial, ConnectionUrl url, QByteArray client)
        : m_url(std::move(url)),
          m_client(client.isEmpty() ? runtime.randomUuid() : std::move(client)),
          m_database(dial(runtime, m_url)),
          m_tables(sql::tablesOf(m_database->dialect(), tableName())),
          m_renewals(std::make_shared<recipes::SqlRenewals>(m_database, m_tables)) {}

    Runtime& runtime() override { return m_database->runtime(); }
    const QByteArray& client() const override { return m_client; }
    const ConnectionUrl& url() const override { return m_url; }
    QByteArray backend() const override { return "sql"; }
    QByteArray defaultRecipe() const override { return "sql-lease"; }

    Outcome<void> open(std::stop_token stop) override {
        if (const auto wrong = wrongTable()) co_return std::unexpected(*wrong);
        const sql::Result opened = co_await m_database->open(stop);
        if (!opened) co_return std::unexpected(recipes::lockError(opened.error()));
        co_return {};
    }
    Outcome<void> close() override {
        m_database->closeIdle();
        co_return {};
    }
    Outcome<void> ping(std::stop_token stop) override {
        if (const auto wrong = wrongTable()) co_return std::unexpected(*wrong);
        sql::Statement writable;
        switch (m_database->dialect()) {
        case sql::Dialect::MySql:
            writable.text = "SELECT @@global.read_only";
            break;
        case sql::Dialect::PostgreSql:
            writable.text = "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'";
            break;
        case sql::Dialect::Sqlite:
            writable.text = "SELECT 0 FROM sqlite_schema"; // reads the file: a memory of it would not notice its end
            break;
        }
        const sql::Result readOnly = co_await m_database->execute(writable, stop);
        if (!readOnly) co_return std::unexpected(recipes::lockError(readOnly.error()));
        if (readOnly->number() == 1)
            co_return std::unexpected(recipes::lockError(sql::errors::takesNoWrites(m_database->where())));
        co_return {};
    }

    QString schema() const override { return m_tables.locks.isEmpty() ? QString() : sql::schemaText(m_tables); }
    Outcome<void> prepare(std::stop_token stop) override {
        if (const auto wrong = wrongTable()) co_return std::unexpected(*wrong);
        const sql::Result done = co_await sql::prepareSchema(*m_database, m_tables, stop);
        if (!done) co_return std::unexpected(recipes::lockError(done.error()));
        co_return {};
    }

    std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArray& id,
                                                                          LockSpec spec) override {
        if (const auto wrong = wrongTable()) return std::unexpected(*wrong);
        recipes::SqlLock lock{*m_database, spec.name, m_client, m_tables};
        lock.renewals = m_renewals;
        lock.keys = sql::keyKindOf(m_url.option("key")).value_or(sql::KeyKind::Usual);
        auto recipe = recipes::makeSqlRecipe(id, std::move(lock));
        if (!recipe) return recipe;
        if (!*recipe) return std::unexpected(noSuchRecipe(id, *this));
        return std::make_unique<KeptRecipe>(m_database, *std::move(recipe));
    }

    RecordStore* records() override { return wrongTable() ? nullptr : &m_records; }

private:
    QString tableName() const {
        const QString wish = m_url.option("table");
        return wish.isEmpty() ? QString::fromLatin1(sql::kDefaultTable) : wish;
    }
    std::optional<LockError> wrongTable() const {
        if (!m_tables.locks.isEmpty() && !m_tables.versions.isEmpty()) return std::nullopt;
        return LockError{LockError::Kind::Refused,
                         QCoreApplication::translate("LockError",
                                                     "“%1” cannot be the name of a table: write letters, digits and "
                                                     "underscores, at most 41, after table= in the URL.")
                             .arg(tableName())};
    }

    ConnectionUrl m_url;
    QByteArray m_client;
    std::shared_ptr<sql::Client> m_database; ///< shared with recipes
    sql::Tables m_tables;
    std::shared_ptr<recipes::SqlRenewals> m_renewals; ///< shared with recipes
    SqlRecords m_records{*m_database, m_tables};
};

} // namespace

std::unique_ptr<Connection> makeSqlConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                              QByteArray client) {
    return std::make_unique<SqlConnection>(runtime, diallers.sql, std::move(url), std::move(client));
}

} // namespace lockscope
