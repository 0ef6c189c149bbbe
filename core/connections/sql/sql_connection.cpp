// SPDX-License-Identifier: Apache-2.0
#include "connections/factories.h"
#include "connections/kept.h"
#include "connections/sql/sql_records.h"
#include "recipes/no_such_recipe.h"
#include "recipes/of_question.h"
#include "recipes/sql/sql_renewals.h"

namespace lockscope {

namespace {

class SqlConnection final : public Connection {
public:
    SqlConnection(Runtime& runtime, const sql::Dialler& dial, ConnectionUrl url, QByteArray client)
        : m_url(std::move(url)),
          m_client(client.isEmpty() ? runtime.randomUuid() : std::move(client)),
          m_database(dial(runtime, m_url)),
          m_renewals(std::make_shared<recipes::SqlRenewals>(m_database)) {}

    Runtime& runtime() override { return m_database->runtime(); }
    const QByteArray& client() const override { return m_client; }
    const ConnectionUrl& url() const override { return m_url; }
    QByteArray backend() const override { return "sql"; }
    QByteArray defaultRecipe() const override { return "sql-lease"; }

    Outcome<void> open(std::stop_token stop) override {
        if (const auto wrong = wrongTable()) co_return std::unexpected(*wrong);
        const auto opened = co_await m_database->open(stop);
        if (!opened) co_return std::unexpected(recipes::lockError(opened.error()));
        co_return {};
    }
    Outcome<void> close() override {
        m_database->closeIdle();
        co_return {};
    }
    Outcome<void> ping(std::stop_token stop) override {
        if (const auto wrong = wrongTable()) co_return std::unexpected(*wrong);
        const auto writable = co_await m_database->checkWritable(stop);
        if (!writable) co_return std::unexpected(ofQuestion(recipes::lockError(writable.error())));
        co_return {};
    }

    QString schema() const override { return m_database->schema(); }
    Outcome<void> prepare(std::stop_token stop) override {
        if (const auto wrong = wrongTable()) co_return std::unexpected(*wrong);
        const auto done = co_await m_database->prepare(stop);
        if (!done) co_return std::unexpected(recipes::lockError(done.error()));
        co_return {};
    }

    std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArray& id,
                                                                          LockSpec spec) override {
        if (const auto wrong = wrongTable()) return std::unexpected(*wrong);
        recipes::SqlLock lock{*m_database, spec.name, m_client};
        lock.renewals = m_renewals;
        auto recipe = recipes::makeSqlRecipe(id, std::move(lock));
        if (!recipe) return recipe;
        if (!*recipe) return std::unexpected(LockError{LockError::Kind::NotSupported, noRecipe(id)});
        return std::make_unique<KeptRecipe>(m_database, *std::move(recipe));
    }

    RecordStore* records() override { return wrongTable() ? nullptr : &m_records; }

private:
    /// A file of SQLite has neither row locks nor named ones.
    QString noRecipe(const QByteArray& id) const {
        const sql::Abilities can = m_database->abilities();
        QStringList known;
        for (const recipes::RecipeInfo& info : recipes::allRecipes()) {
            const bool byConnection = info.heldBy == recipes::HeldBy::Connection;
            if (info.backend == backend() && (!byConnection || (can.rowLocks && can.namedLocks)))
                known += QString::fromLatin1(info.id);
        }
        return QStringLiteral("%1: %2").arg(m_url.display(), recipes::noSuchRecipe(QString::fromUtf8(id), known));
    }
    std::optional<LockError> wrongTable() const {
        const auto wrong = m_database->unusable();
        return wrong ? std::optional(recipes::lockError(*wrong)) : std::nullopt;
    }

    ConnectionUrl m_url;
    QByteArray m_client;
    std::shared_ptr<sql::Client> m_database;          ///< shared with recipes
    std::shared_ptr<recipes::SqlRenewals> m_renewals; ///< shared with recipes
    SqlRecords m_records{*m_database};
};

} // namespace

std::unique_ptr<Connection> makeSqlConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                              QByteArray client) {
    return std::make_unique<SqlConnection>(runtime, diallers.sql, std::move(url), std::move(client));
}

} // namespace lockscope
