// SPDX-License-Identifier: Apache-2.0
#include "raw_sql.h"

#include <sqlite3.h>

namespace lockscope::bench {

namespace {

class SqliteClient final : public RawClient {
public:
    ~SqliteClient() override {
        for (const auto* part : {&m_take, &m_give})
            for (sqlite3_stmt* statement : *part)
                sqlite3_finalize(statement);
        sqlite3_close(m_database);
    }

    std::expected<void, QString> open(const ConnectionUrl& url, const QByteArray& recipe, const QByteArray& lock) {
        if (sqlite3_open(url.path.toUtf8().constData(), &m_database) != SQLITE_OK) return failed();
        for (const QByteArray& text : rawSqlPreparation(url, lock))
            if (sqlite3_exec(m_database, text.constData(), nullptr, nullptr, nullptr) != SQLITE_OK) return failed();
        const SqlPair pair = rawSqlPair(url, recipe, lock);
        for (const auto* part : {&pair.take, &pair.give}) {
            auto& statements = part == &pair.take ? m_take : m_give;
            for (const QByteArray& text : *part) {
                sqlite3_stmt* statement = nullptr;
                if (sqlite3_prepare_v2(m_database, text.constData(), -1, &statement, nullptr) != SQLITE_OK)
                    return failed();
                statements.push_back(statement);
            }
        }
        return {};
    }
    std::expected<void, QString> take() override { return run(m_take); }
    std::expected<void, QString> give() override { return run(m_give); }

private:
    std::expected<void, QString> run(const std::vector<sqlite3_stmt*>& statements) {
        for (sqlite3_stmt* statement : statements) {
            int status = SQLITE_ROW;
            while (status == SQLITE_ROW)
                status = sqlite3_step(statement);
            if (status != SQLITE_DONE) return failed();
            sqlite3_reset(statement);
        }
        return {};
    }
    std::expected<void, QString> failed() const {
        return std::unexpected(
            QStringLiteral("The bare client failed: %1.").arg(QString::fromUtf8(sqlite3_errmsg(m_database))));
    }
    sqlite3* m_database = nullptr;
    std::vector<sqlite3_stmt*> m_take, m_give;
};

} // namespace

MadeRawClient makeRawSqlite(const ConnectionUrl& url, const QByteArray& recipe, const QByteArray& lock) {
    auto client = std::make_unique<SqliteClient>();
    if (const auto opened = client->open(url, recipe, lock); !opened) return std::unexpected(opened.error());
    return client;
}

} // namespace lockscope::bench
