// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "sandbox/workspace.h"

#include <QProcess>
#include <QTest>

namespace lockscope::test {

/// A session bus of our own, which starts no services by itself. One of them for a program: libraries look for the bus
/// once.
class OwnBus {
public:
    ~OwnBus() {
        m_process.kill();
        m_process.waitForFinished();
    }
    /// Empty, or what went wrong.
    QString start() {
        if (!m_workspace.write(QStringLiteral("bus.conf"), kConfiguration.arg(m_workspace.path()).toUtf8()))
            return QStringLiteral("no folder");
        m_process.start(QStringLiteral("dbus-daemon"),
                        {QStringLiteral("--nofork"), QStringLiteral("--print-address=1"),
                         QStringLiteral("--config-file=%1").arg(m_workspace.file(QStringLiteral("bus.conf")))});
        QByteArray address;
        if (!QTest::qWaitFor([&] { return (address += m_process.readAllStandardOutput()).contains('\n'); }, 10'000))
            return QStringLiteral("dbus-daemon: ") + m_process.errorString();
        qputenv("DBUS_SESSION_BUS_ADDRESS", address.trimmed());
        return {};
    }

private:
    static inline const QString kConfiguration = QStringLiteral(
        "<busconfig><type>session</type><listen>unix:dir=%1</listen><policy context='default'>"
        "<allow send_destination='*' eavesdrop='true'/><allow eavesdrop='true'/><allow own='*'/></policy></busconfig>");
    sandbox::Workspace m_workspace;
    QProcess m_process;
};

} // namespace lockscope::test
