// SPDX-License-Identifier: Apache-2.0
#include "raw_sql.h"

#include <mysql.h>

namespace lockscope::bench {

namespace {

class MySqlClient final : public RawClient {
public:
    MySqlClient() : m_mysql(mysql_init(nullptr)) {}
    ~MySqlClient() override {
        for (const auto* part : {&m_take, &m_give})
            for (MYSQL_STMT* statement : *part)
                mysql_stmt_close(statement);
        mysql_close(m_mysql);
    }
    MySqlClient(const MySqlClient&) = delete;
    MySqlClient& operator=(const MySqlClient&) = delete;

    std::expected<void, QString> open(const ConnectionUrl& url, const QByteArray& recipe, const QByteArray& lock) {
        const Endpoint& endpoint = url.endpoints.front();
        const QByteArray password = url.password.toUtf8();
        if (!mysql_real_connect(m_mysql, endpoint.host.toUtf8().constData(), url.user.toUtf8().constData(),
                                password.isEmpty() ? nullptr : password.constData(), url.path.toUtf8().constData(),
                                endpoint.port, nullptr, 0))
            return failed();
        for (const QByteArray& text : rawSqlPreparation(url, lock))
            if (mysql_query(m_mysql, text.constData()) != 0) return failed();
        const SqlPair pair = rawSqlPair(url, recipe, lock);
        for (const auto* part : {&pair.take, &pair.give}) {
            auto& statements = part == &pair.take ? m_take : m_give;
            for (const QByteArray& text : *part) {
                MYSQL_STMT* statement = mysql_stmt_init(m_mysql);
                statements.push_back(statement);
                if (mysql_stmt_prepare(statement, text.constData(), static_cast<unsigned long>(text.size())) != 0)
                    return failed();
            }
        }
        return {};
    }
    std::expected<void, QString> take() override { return run(m_take); }
    std::expected<void, QString> give() override { return run(m_give); }

private:
    std::expected<void, QString> run(const std::vector<MYSQL_STMT*>& statements) {
        for (MYSQL_STMT* statement : statements) {
            if (mysql_stmt_execute(statement) != 0 || mysql_stmt_store_result(statement) != 0)
                return std::unexpected(
                    QStringLiteral("The bare client failed: %1.").arg(QString::fromUtf8(mysql_stmt_error(statement))));
            mysql_stmt_free_result(statement);
        }
        return {};
    }
    std::expected<void, QString> failed() const {
        return std::unexpected(
            QStringLiteral("The bare client failed: %1.").arg(QString::fromUtf8(mysql_error(m_mysql))));
    }
    MYSQL* m_mysql;
    std::vector<MYSQL_STMT*> m_take, m_give;
};

} // namespace

MadeRawClient makeRawMySql(const ConnectionUrl& url, const QByteArray& recipe, const QByteArray& lock) {
    auto client = std::make_unique<MySqlClient>();
    if (const auto opened = client->open(url, recipe, lock); !opened) return std::unexpected(opened.error());
    return client;
}

} // namespace lockscope::bench
