// SPDX-License-Identifier: Apache-2.0
#include "sandbox/workspace.h"

#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <QTcpServer>
#include <cerrno>
#include <csignal>
#include <unistd.h>

namespace lockscope::sandbox {

namespace {

QString base() {
    const QString memory = QStringLiteral("/dev/shm");
    return QFileInfo(memory).isWritable() ? memory : QDir::tempPath();
}

// Our own directories are named by the process they belong to; a name whose process is gone is litter.
void removeLitter(const QString& folder) {
    const auto entries = QDir(folder).entryInfoList({QStringLiteral("lockscope-*-*")}, QDir::Dirs | QDir::NoSymLinks);
    for (const QFileInfo& entry : entries) {
        bool isNumber = false;
        const auto pid = pid_t(entry.fileName().section(QLatin1Char('-'), 1, 1).toInt(&isNumber));
        if (!isNumber || pid <= 0 || entry.ownerId() != ::geteuid()) continue;
        if (::kill(pid, 0) < 0 && errno == ESRCH) QDir(entry.filePath()).removeRecursively();
    }
}

QString makeTemplate() {
    const QString folder = base();
    removeLitter(folder);
    return QStringLiteral("%1/lockscope-%2-XXXXXX").arg(folder, QString::number(::getpid()));
}

} // namespace

Workspace::Workspace() : m_directory(makeTemplate()) {
}

bool Workspace::write(const QString& name, const QByteArray& content) const {
    QFile out(file(name));
    if (!out.open(QIODevice::WriteOnly | QIODevice::Truncate)) return false;
    out.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner);
    return out.write(content) == content.size();
}

std::optional<std::uint16_t> freePort(Runtime& runtime) {
    constexpr std::uint64_t kFirst = 20'000, kLast = 32'000;
    for (int tries = 0; tries < 100; ++tries) {
        const auto port = std::uint16_t(kFirst + runtime.random() % (kLast - kFirst));
        QTcpServer server;
        if (server.listen(QHostAddress::LocalHost, port)) return port;
    }
    return std::nullopt;
}

} // namespace lockscope::sandbox
