// SPDX-License-Identifier: Apache-2.0
#include "sandbox/mariadb_server.h"

#include <QStandardPaths>
#include <unistd.h>

namespace lockscope::sandbox {

namespace {

/// Debian keeps servers where ordinary users' PATH does not lead.
QString programFile(const QString& name) {
    QString found = QStandardPaths::findExecutable(name);
    if (found.isEmpty())
        found = QStandardPaths::findExecutable(name, {QStringLiteral("/usr/sbin"), QStringLiteral("/usr/local/sbin")});
    return found.isEmpty() ? name : found;
}

/// The directory is this user's alone, so the server is this user too; root has to say that it means it.
QStringList asThisUser() {
    return ::geteuid() == 0 ? QStringList{QStringLiteral("--user=root")} : QStringList();
}

/// Each server clears what looks like old tables of its own from there when it starts, also those of its neighbours.
QString ownTemporaries(const Workspace& workspace) {
    return QStringLiteral("--tmpdir=") + workspace.path();
}

} // namespace

MariaDbServer::MariaDbServer(Runtime& runtime, SqlServerOptions options) : SqlServer(runtime, std::move(options)) {
}

QCoro::Task<std::expected<void, QString>> MariaDbServer::makeData(std::stop_token stop) {
    // In a file, not on the command line: passwords would show in the list of processes.
    const QString login = QStringLiteral("CREATE DATABASE IF NOT EXISTS %1;\n"
                                         "CREATE USER IF NOT EXISTS '%2'@'%' IDENTIFIED BY '%3';\n"
                                         "GRANT ALL PRIVILEGES ON *.* TO '%2'@'%' WITH GRANT OPTION;\n")
                              .arg(database(), m_options.user, m_options.password);
    m_workspace.write(QStringLiteral("init.sql"), login.toUtf8());
    const QStringList arguments = QStringList{QStringLiteral("--no-defaults")} + asThisUser() +
                                  QStringList{QStringLiteral("--datadir=") + dataDirectory(),
                                              ownTemporaries(m_workspace),
                                              QStringLiteral("--auth-root-authentication-method=normal"),
                                              QStringLiteral("--skip-test-db"),
                                              QStringLiteral("--skip-name-resolve"),
                                              QStringLiteral("--innodb-log-file-size=8M"),
                                              QStringLiteral("--innodb-buffer-pool-size=16M")};
    co_return co_await sandbox::run(m_runtime, QStringLiteral("mariadb-install-db"), arguments, m_workspace.path(),
                                    stop);
}

bool MariaDbServer::run() {
    QStringList arguments = QStringList{QStringLiteral("--no-defaults")} + asThisUser();
    arguments << QStringLiteral("--datadir=") + dataDirectory() << ownTemporaries(m_workspace)
              << QStringLiteral("--socket=") + socketFile()
              << QStringLiteral("--pid-file=") + m_workspace.file(QStringLiteral("pid"))
              << QStringLiteral("--port=%1").arg(m_port) << QStringLiteral("--bind-address=127.0.0.1")
              << QStringLiteral("--skip-networking=0") << QStringLiteral("--skip-name-resolve")
              << QStringLiteral("--skip-log-bin") << QStringLiteral("--innodb-log-file-size=8M")
              << QStringLiteral("--innodb-buffer-pool-size=16M") << QStringLiteral("--innodb-flush-log-at-trx-commit=0")
              << QStringLiteral("--innodb-use-native-aio=0") << QStringLiteral("--innodb-fast-shutdown=2")
              << QStringLiteral("--init-file=") + m_workspace.file(QStringLiteral("init.sql"));
    if (m_options.tls)
        arguments << QStringLiteral("--ssl-ca=") + m_authority.ca
                  << QStringLiteral("--ssl-cert=") + m_authority.serverCertificate
                  << QStringLiteral("--ssl-key=") + m_authority.serverKey;
    arguments << m_options.extraArguments;
    return m_process.start(programFile(QStringLiteral("mariadbd")), arguments, m_workspace.path());
}

} // namespace lockscope::sandbox
