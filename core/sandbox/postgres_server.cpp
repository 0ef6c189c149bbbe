// SPDX-License-Identifier: Apache-2.0
#include "sandbox/postgres_server.h"

#include "sandbox/server_account.h"

#include <QDir>
#include <QStandardPaths>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockscope::sandbox {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Sandbox)
};

/// Debian keeps each version's programs in a folder of their own; the newest is taken.
QString programFile(const QString& name) {
    const QString base = QStringLiteral("/usr/lib/postgresql");
    QStringList versions = QDir(base).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    std::ranges::sort(versions, [](const QString& a, const QString& b) { return a.toDouble() > b.toDouble(); });
    for (const QString& version : versions) {
        const QString file = QStringLiteral("%1/%2/bin/%3").arg(base, version, name);
        if (QFileInfo(file).isExecutable()) return file;
    }
    const QString found = QStandardPaths::findExecutable(name);
    return found.isEmpty() ? name : found;
}

} // namespace

PostgresServer::PostgresServer(Runtime& runtime, SqlServerOptions options) : SqlServer(runtime, std::move(options)) {
}

PostgresServer::~PostgresServer() {
    if (running()) kill();
}

QCoro::Task<std::expected<void, QString>> PostgresServer::makeData(std::stop_token stop) {
    m_workspace.write(QStringLiteral("password"), m_options.password.toUtf8());
    QDir().mkpath(home());
    QStringList files{home(), m_workspace.file(QStringLiteral("password"))};
    if (m_options.tls) files << m_authority.serverKey;
    if (!giveToServerAccount(m_workspace.path(), files))
        co_return std::unexpected(Text::tr("The files can not be given to the user postgres."));
    QStringList command = asServerAccount(programFile(QStringLiteral("initdb")),
                                          {QStringLiteral("-D"), home() + QStringLiteral("/data"), QStringLiteral("-U"),
                                           m_options.user, QStringLiteral("-A"), QStringLiteral("scram-sha-256"),
                                           QStringLiteral("--pwfile=") + m_workspace.file(QStringLiteral("password")),
                                           QStringLiteral("-E"), QStringLiteral("UTF8"), QStringLiteral("--locale=C"),
                                           QStringLiteral("--no-sync")});
    const QString program = command.takeFirst();
    co_return co_await sandbox::run(m_runtime, program, command, home(), stop);
}

bool PostgresServer::run() {
    // Shared memory as files of its own directory: what a killed server leaves behind goes with that.
    QStringList settings{QStringLiteral("listen_addresses=127.0.0.1"),
                         QStringLiteral("unix_socket_directories="),
                         QStringLiteral("fsync=off"),
                         QStringLiteral("synchronous_commit=off"),
                         QStringLiteral("full_page_writes=off"),
                         QStringLiteral("shared_buffers=16MB"),
                         QStringLiteral("max_connections=80"),
                         QStringLiteral("dynamic_shared_memory_type=mmap")};
    if (m_options.tls)
        settings << QStringLiteral("ssl=on") << QStringLiteral("ssl_cert_file=") + m_authority.serverCertificate
                 << QStringLiteral("ssl_key_file=") + m_authority.serverKey;
    QStringList arguments{QStringLiteral("-D"), home() + QStringLiteral("/data"), QStringLiteral("-p"),
                          QString::number(m_port)};
    for (const QString& setting : settings)
        arguments << QStringLiteral("-c") << setting;
    arguments << m_options.extraArguments;
    QStringList command = asServerAccount(programFile(QStringLiteral("postgres")), arguments);
    const QString program = command.takeFirst();
    return m_process.start(program, command, home());
}

std::vector<qint64> PostgresServer::children() const {
    std::vector<qint64> all;
    QFile file(QStringLiteral("/proc/%1/task/%1/children").arg(m_process.pid()));
    if (!running() || !file.open(QIODevice::ReadOnly)) return all;
    for (const QByteArray& pid : file.readAll().simplified().split(' ')) {
        if (pid.toLongLong() > 1) all.push_back(pid.toLongLong());
    }
    return all;
}

void PostgresServer::signalChildren(int number) const {
    for (const qint64 pid : children())
        ::kill(pid_t(pid), number);
}

void PostgresServer::askToEnd() {
    m_process.terminate();                                 // “when all clients have left”
    if (running()) ::kill(pid_t(m_process.pid()), SIGINT); // “now”
}

void PostgresServer::kill() {
    // The first one last, or it would tell the others; and standing still, or it would start new ones.
    m_process.pause();
    std::vector<int> dying;
    for (const qint64 pid : children())
        dying.push_back(int(::syscall(SYS_pidfd_open, pid_t(pid), 0)));
    signalChildren(SIGKILL);
    m_process.kill();
    // As long as one of them is there, its shared memory is, and no server starts again in this directory.
    constexpr int patience = 5000; // ms
    for (const int fd : dying) {
        if (fd < 0) continue; // gone already
        pollfd ended{fd, POLLIN, 0};
        // The end of the first one interrupts this as a signal (SIGCHLD): that is no end of this one.
        while (::poll(&ended, 1, patience) < 0 && errno == EINTR) {
        }
        ::close(fd);
    }
}

void PostgresServer::pause() {
    m_process.pause();
    signalChildren(SIGSTOP);
}

void PostgresServer::resume() {
    signalChildren(SIGCONT);
    m_process.resume();
}

} // namespace lockscope::sandbox
