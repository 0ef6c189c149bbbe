// SPDX-License-Identifier: Apache-2.0
#include "sandbox/workspace.h"

#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <QTcpServer>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
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

/// The ports of this process: no other process of ours takes any of them as long as it lives. A port that a server has
/// left would otherwise soon be that of another process's server, and a process that still looks for the first one (a
/// sentinel, a member of a cluster) would talk to it.
class PortRange {
public:
    PortRange() {
        constexpr int kRanges = (kLast - kFirst) / kPorts;
        for (int i = 0; i < kRanges; ++i) {
            const int range = (::getpid() + i) % kRanges;
            const QString name = QStringLiteral("%1/lockscope-ports-%2-%3")
                                     .arg(QDir::tempPath(), QString::number(::geteuid()), QString::number(range));
            // Never closed: the kernel gives it back when the process ends.
            const int file = ::open(QFile::encodeName(name).constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
            if (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0) {
                m_first = kFirst + range * kPorts;
                m_count = kPorts;
                return;
            }
            if (file >= 0) ::close(file);
        }
    }
    int first() const { return m_first; }
    int count() const { return m_count; }

private:
    static constexpr int kFirst = 20'000, kLast = 32'000, kPorts = 200;
    int m_first = kFirst;
    int m_count = kLast - kFirst; ///< all, where every range is taken
};

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
    static const PortRange range;
    static std::atomic<std::uint64_t> given = runtime.random(); // where in the range this process begins
    for (int tries = 0; tries < 2 * range.count(); ++tries) {
        const auto port = std::uint16_t(range.first() + int(given++ % std::uint64_t(range.count())));
        QTcpServer server;
        if (server.listen(QHostAddress::LocalHost, port)) return port;
    }
    return std::nullopt;
}

} // namespace lockscope::sandbox
