// SPDX-License-Identifier: Apache-2.0
#include "sql_witness.h"

#include "client/connect.h"
#include "drivers/sql/driver.h"
#include "sql_audit.h"

#include <QFile>

namespace lockscope::torture {

namespace {

class AuditWitness final : public Witness {
public:
    AuditWitness(Runtime& runtime, const ConnectionUrl& url) : m_runtime(runtime), m_url(url), m_driver(runtime, url) {}

    Started begin() override {
        // The tables have to be there before they can be watched.
        const auto connection = makeConnection(m_runtime, m_url);
        const auto opened = co_await connection->open();
        if (!opened) co_return std::unexpected(opened.error().message);
        const auto prepared = co_await connection->prepare();
        if (!prepared) co_return std::unexpected(prepared.error().message);
        co_await connection->close();
        for (const QByteArray& text : sqlAuditSetup(m_driver.dialect())) {
            sql::Statement statement;
            statement.text = text;
            const sql::Result done = co_await m_driver.execute(statement);
            if (!done) co_return std::unexpected(done.error().message);
        }
        co_return {};
    }
    QCoro::Task<std::vector<Testimony>> testimonies() override {
        Testimony testimony;
        testimony.kind = Testimony::Kind::SqlRows;
        sql::Statement statement;
        statement.text = sqlAuditQuery(m_driver.dialect());
        const sql::Result all = co_await m_driver.execute(statement);
        if (!all) testimony.gap = all.error().message;
        for (std::size_t row = 0; all && row < all->rows.size(); ++row)
            testimony.parts << all->text(row);
        std::vector<Testimony> testimonies{testimony};
        co_return testimonies;
    }

private:
    Runtime& m_runtime;
    ConnectionUrl m_url;
    sql::SqlDriver m_driver;
};

class LogWitness final : public Witness {
public:
    explicit LogWitness(QString file) : m_file(std::move(file)) {}
    Started begin() override { co_return {}; }
    QCoro::Task<std::vector<Testimony>> testimonies() override {
        Testimony testimony;
        testimony.kind = Testimony::Kind::MariaDbLog;
        QFile file(m_file);
        if (file.open(QIODevice::ReadOnly))
            testimony.parts << file.readAll();
        else
            testimony.gap = file.errorString();
        std::vector<Testimony> all{testimony};
        co_return all;
    }

private:
    QString m_file;
};

class SessionWitness final : public Witness {
public:
    SessionWitness(Runtime& runtime, const ConnectionUrl& url, Nanos ahead)
        : m_runtime(runtime), m_driver(runtime, url), m_ahead(ahead) {
        m_testimony.kind = Testimony::Kind::KilledSessions;
    }
    Started begin() override { co_return {}; }
    QCoro::Task<> beforeDeath() override {
        sql::Statement statement;
        statement.text = "SELECT sessions_killed FROM pg_stat_database WHERE datname = current_database()";
        const sql::Result seen = co_await m_driver.execute(statement);
        if (!seen) m_testimony.gap = seen.error().message;
        if (!seen) co_return;
        const QByteArray now = QByteArray::number(qlonglong((m_runtime.monotonic() + m_ahead).count()));
        m_testimony.parts << now + ' ' + QByteArray::number(qlonglong(seen->number()));
    }
    QCoro::Task<std::vector<Testimony>> testimonies() override {
        co_await beforeDeath();
        std::vector<Testimony> all{m_testimony};
        co_return all;
    }

private:
    Runtime& m_runtime;
    sql::SqlDriver m_driver;
    Nanos m_ahead;
    Testimony m_testimony;
};

} // namespace

std::unique_ptr<Witness> makeAuditWitness(Runtime& runtime, const ConnectionUrl& url) {
    return std::make_unique<AuditWitness>(runtime, url);
}

std::unique_ptr<Witness> makeLogWitness(QString file) {
    return std::make_unique<LogWitness>(std::move(file));
}

std::unique_ptr<Witness> makeSessionWitness(Runtime& runtime, const ConnectionUrl& url, Nanos ahead) {
    return std::make_unique<SessionWitness>(runtime, url, ahead);
}

} // namespace lockscope::torture
