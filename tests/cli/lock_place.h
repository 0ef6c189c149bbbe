// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "program.h"

#include "runtime/event_loop_runtime.h"
#include "sandbox/redis_server.h"

#include <QTemporaryDir>
#include <qcoro/qcorotask.h>

namespace lockscope::tests {

/// Where commands are run under locks: a Redis of our own, and a folder for what they leave.
class LockPlace {
protected:
    void startServer() {
        m_server = std::make_unique<sandbox::RedisServer>(m_runtime);
        const auto started = QCoro::waitFor(m_server->start());
        QVERIFY2(started.has_value(), started ? "" : qPrintable(started.error()));
    }
    void newFolder() { m_folder = std::make_unique<QTemporaryDir>(); }

    QString path(const char* name) const { return m_folder->filePath(QLatin1String(name)); }
    bool there(const char* name) const { return QFile::exists(path(name)); }
    QByteArray content(const char* name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void put(const char* name, const QByteArray& text) const {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    QByteArray redis(const QStringList& words) const {
        return runProgram(QStringLiteral("redis-cli"),
                          QStringList{QStringLiteral("-p"), QString::number(m_server->port())} + words)
            .out.trimmed();
    }

    EventLoopRuntime m_runtime;
    std::unique_ptr<sandbox::RedisServer> m_server;
    std::unique_ptr<QTemporaryDir> m_folder;
};

} // namespace lockscope::tests
