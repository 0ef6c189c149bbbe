// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/postgres_server.h"
#include "sandbox/process_supervisor.h"
#include "sandbox/server_account.h"
#include "sandbox/workspace.h"
#include "support/live.h"

namespace lockscope::test {

/// A real PgBouncer (Debian package pgbouncer) in front of a PostgreSQL.
class PgBouncer {
public:
    enum class Mode { Transaction, Session };
    PgBouncer(Runtime& runtime, const sandbox::PostgresServer& server, Mode mode)
        : m_runtime(runtime), m_server(server), m_mode(mode) {}

    /// Empty when it is up.
    QString start() {
        m_port = sandbox::freePort(m_runtime).value_or(0);
        const sandbox::SqlServerOptions& login = m_server.options();
        const QString settings =
            QStringLiteral("[databases]\npostgres = host=127.0.0.1 port=%1 dbname=postgres user=%2 password=%3\n"
                           "[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %4\nauth_type = any\n"
                           "pool_mode = %5\ndefault_pool_size = 8\nunix_socket_dir =\n")
                .arg(QString::number(m_server.port()), login.user, login.password, QString::number(m_port),
                     m_mode == Mode::Session ? QStringLiteral("session") : QStringLiteral("transaction"));
        const QString name = QStringLiteral("pgbouncer.ini");
        if (!m_workspace.write(name, settings.toUtf8()) ||
            !sandbox::giveToServerAccount(m_workspace.path(), {m_workspace.file(name)}))
            return QStringLiteral("its settings cannot be written");
        QStringList command = sandbox::asServerAccount(QStringLiteral("/usr/sbin/pgbouncer"), {m_workspace.file(name)});
        const QString program = command.takeFirst();
        if (!m_process.start(program, command, QStringLiteral("/"))) return m_process.lastOutput();
        const bool up = comesTrue([&] { return m_process.lastOutput().contains(QLatin1String("process up")); }, 10s);
        return up ? QString() : m_process.lastOutput();
    }
    /// As somebody writes it who knows nothing of the pooler.
    QString url() const {
        const sandbox::SqlServerOptions& login = m_server.options();
        return QStringLiteral("postgresql://%1:%2@127.0.0.1:%3/postgres")
            .arg(login.user, login.password, QString::number(m_port));
    }

private:
    Runtime& m_runtime;
    const sandbox::PostgresServer& m_server;
    Mode m_mode;
    sandbox::Workspace m_workspace;
    sandbox::ProcessSupervisor m_process;
    std::uint16_t m_port = 0;
};

} // namespace lockscope::test
