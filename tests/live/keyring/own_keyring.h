// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "own_bus.h"
#include "sandbox/workspace.h"

#include <QDir>
#include <QProcess>
#include <QTest>

namespace lockscope::test {

/// A session bus and GNOME's keyring on it, both our own: nothing of the person who runs the test is touched. One of
/// them for a program: libraries look for the bus once.
class OwnKeyring {
public:
    /// Starts both; empty, or what went wrong.
    QString start() {
        for (const char* folder : {"HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"}) {
            const QString path = m_workspace.file(QString::fromLatin1(folder).toLower());
            QDir().mkdir(path);
            QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
            qputenv(folder, path.toUtf8());
        }
        qputenv("XDG_CURRENT_DESKTOP", "GNOME"); // by which QtKeychain chooses
        qunsetenv("DISPLAY");                    // nobody is asked for a password
        // A bus that starts nothing by itself: else the first question would start a second, locked keyring.
        if (const QString problem = m_bus.start(); !problem.isEmpty()) return problem;
        m_daemon.setProcessChannelMode(QProcess::MergedChannels);
        m_daemon.start(
            QStringLiteral("gnome-keyring-daemon"),
            {QStringLiteral("--foreground"), QStringLiteral("--unlock"), QStringLiteral("--components=secrets")});
        m_daemon.write("the keyring's own password");
        m_daemon.closeWriteChannel();
        const auto answers = [this] { return ask({QStringLiteral("ReadAlias"), QStringLiteral("default")}); };
        if (!QTest::qWaitFor(answers, kPatience))
            return QStringLiteral("gnome-keyring-daemon: ") + QString::fromUtf8(m_daemon.readAll());
        return {};
    }
    ~OwnKeyring() {
        m_daemon.kill();
        m_daemon.waitForFinished();
    }
    /// As a person would who leaves the desk.
    bool lock() {
        return ask({QStringLiteral("Lock"), QStringLiteral("['/org/freedesktop/secrets/aliases/default']")});
    }
    /// The secret of that name as another program of this person reads it; empty: there is none.
    QByteArray secret(const QString& name) const {
        QProcess tool;
        tool.start(QStringLiteral("secret-tool"), {QStringLiteral("lookup"), QStringLiteral("user"), name,
                                                   QStringLiteral("server"), QStringLiteral("Lockscope")});
        return tool.waitForFinished(kPatience) ? tool.readAllStandardOutput() : "no answer";
    }
    /// Everything that the keyring wrote on disk.
    QByteArray onDisk() const {
        QByteArray all;
        const QDir folder(m_workspace.file(QStringLiteral("xdg_data_home/keyrings")));
        for (const QFileInfo& each : folder.entryInfoList(QDir::Files)) {
            QFile file(each.filePath());
            if (file.open(QIODevice::ReadOnly)) all += file.readAll();
        }
        return all;
    }

private:
    static constexpr int kPatience = 10'000; // ms
    static bool ask(QStringList call) {
        QProcess tool;
        const QString method = QStringLiteral("org.freedesktop.Secret.Service.") + call.takeFirst();
        tool.start(QStringLiteral("gdbus"),
                   QStringList{QStringLiteral("call"), QStringLiteral("--session"), QStringLiteral("--dest"),
                               QStringLiteral("org.freedesktop.secrets"), QStringLiteral("--object-path"),
                               QStringLiteral("/org/freedesktop/secrets"), QStringLiteral("--method"), method} +
                       call);
        return tool.waitForFinished(kPatience) && tool.exitCode() == 0 &&
               !tool.readAllStandardOutput().contains("(objectpath '/',)"); // there is no default keyring yet
    }
    sandbox::Workspace m_workspace;
    OwnBus m_bus;
    QProcess m_daemon;
};

} // namespace lockscope::test
