// SPDX-License-Identifier: Apache-2.0
#include "raw_sql.h"

#include <libpq-fe.h>

namespace lockscope::bench {

namespace {

class PostgreSqlClient final : public RawClient {
public:
    ~PostgreSqlClient() override { PQfinish(m_connection); }

    std::expected<void, QString> open(const ConnectionUrl& url, const QByteArray& recipe, const QByteArray& lock) {
        const Endpoint& endpoint = url.endpoints.front();
        const QByteArray host = endpoint.host.toUtf8(), port = QByteArray::number(endpoint.port),
                         user = url.user.toUtf8(), password = url.password.toUtf8(), name = url.path.toUtf8();
        const char* keys[] = {"host", "port", "user", "password", "dbname", nullptr};
        const char* values[] = {host.constData(),     port.constData(), user.constData(),
                                password.constData(), name.constData(), nullptr};
        m_connection = PQconnectdbParams(keys, values, 0);
        if (PQstatus(m_connection) != CONNECTION_OK) return failed();
        PQclear(PQexec(m_connection, "SET client_min_messages = warning"));
        for (const QByteArray& text : rawSqlPreparation(url, lock))
            if (!fine(PQexec(m_connection, text.constData()))) return failed();
        const SqlPair pair = rawSqlPair(url, recipe, lock);
        for (const auto* part : {&pair.take, &pair.give}) {
            auto& statements = part == &pair.take ? m_take : m_give;
            for (const QByteArray& text : *part) {
                const QByteArray statement = 's' + QByteArray::number(qulonglong(m_take.size() + m_give.size()));
                if (!fine(PQprepare(m_connection, statement.constData(), text.constData(), 0, nullptr)))
                    return failed();
                statements.push_back(statement);
            }
        }
        return {};
    }
    std::expected<void, QString> take() override { return run(m_take); }
    std::expected<void, QString> give() override { return run(m_give); }

private:
    std::expected<void, QString> run(const std::vector<QByteArray>& statements) {
        for (const QByteArray& statement : statements)
            if (!fine(PQexecPrepared(m_connection, statement.constData(), 0, nullptr, nullptr, nullptr, 0)))
                return failed();
        return {};
    }
    static bool fine(PGresult* result) {
        const ExecStatusType status = PQresultStatus(result);
        PQclear(result);
        return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    }
    std::expected<void, QString> failed() const {
        return std::unexpected(QStringLiteral("The bare client failed: %1.")
                                   .arg(QString::fromUtf8(PQerrorMessage(m_connection)).trimmed()));
    }
    PGconn* m_connection = nullptr;
    std::vector<QByteArray> m_take, m_give;
};

} // namespace

MadeRawClient makeRawPostgreSql(const ConnectionUrl& url, const QByteArray& recipe, const QByteArray& lock) {
    auto client = std::make_unique<PostgreSqlClient>();
    if (const auto opened = client->open(url, recipe, lock); !opened) return std::unexpected(opened.error());
    return client;
}

} // namespace lockscope::bench
