// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "program.h"

#include "runtime/event_loop_runtime.h"
#include "sandbox/redis_server.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <qcoro/qcorotask.h>
#include <unistd.h>

namespace lockscope::tests {

/// Three Redis of our own, a manager's configuration for them, made of the example in tests/examples, and a folder for
/// what commands leave.
class ManagerPlace {
protected:
    /// From the example: its values, and those that a test takes instead.
    using Changes = std::map<QByteArray, QByteArray>;

    void startServers() {
        for (auto& server : m_servers) {
            server = std::make_unique<sandbox::RedisServer>(m_runtime);
            startServer(*server);
        }
    }
    static void startServer(sandbox::RedisServer& server) {
        const auto started = QCoro::waitFor(server.start());
        QVERIFY2(started.has_value(), started ? "" : qPrintable(started.error()));
    }
    /// All up and empty, with a new folder and a new configuration.
    void beginAnew(const Changes& changes = {}) {
        for (auto& server : m_servers) {
            if (!server->running()) startServer(*server);
            redis(*server, {QStringLiteral("FLUSHALL")});
        }
        m_folder = std::make_unique<QTemporaryDir>();
        configure(changes);
    }
    void configure(const Changes& changes) {
        QFile example(QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/examples/manager.json"));
        QVERIFY(example.open(QIODevice::ReadOnly));
        QByteArray text = example.readAll();
        Changes all{{"redis://10.0.0.1:6379", m_servers[0]->url().toUtf8()},
                    {"redis://10.0.0.2:6379", m_servers[1]->url().toUtf8()},
                    {"redis://10.0.0.3:6379", m_servers[2]->url().toUtf8()},
                    {"\"lease\": \"30s\"", "\"lease\": \"2s\""},
                    {"\"drain-for\": \"30s\"", "\"drain-for\": \"2s\""},
                    {"\"confirm-for\": \"5s\"", "\"confirm-for\": \"2s\""},
                    {"\"every\": \"1s\"", "\"every\": \"100ms\""}};
        for (const auto& [from, to] : changes)
            all[from] = to;
        for (const auto& [from, to] : all) {
            QVERIFY2(text.contains(from), from);
            text.replace(from, to);
        }
        put("locks.json", text);
    }
    static QByteArray redis(const sandbox::RedisServer& server, const QStringList& words) {
        return runProgram(QStringLiteral("redis-cli"),
                          QStringList{QStringLiteral("-p"), QString::number(server.port())} + words)
            .out.trimmed();
    }
    QString path(const char* name) const { return m_folder->filePath(QLatin1String(name)); }
    bool there(const char* name) const { return QFile::exists(path(name)); }
    QByteArray content(const char* name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void put(const char* name, const QByteArray& text = {}) const {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }

    /// lockscope manager CONFIG WORDS
    QStringList managerWords(const char* words) const {
        return QStringList{QStringLiteral("manager"), path("locks.json")} +
               QString::fromUtf8(words).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    }
    Ran manager(const char* words) const { return program(managerWords(words)); }
    /// The output of `status --json` about the only namespace.
    QJsonObject status() const { return manager("status --json").object()[u"namespaces"][0].toObject(); }
    int engine() const { return status()[u"engine"][u"index"].toInt(-1); }

    /// lockscope lock --manager CONFIG OPTIONS orders -- sh -c SCRIPT, in the folder.
    QStringList lockWords(const QStringList& options, const char* script) const {
        return QStringList{QStringLiteral("lock"), QStringLiteral("--manager"), path("locks.json")} + options +
               QStringList{QStringLiteral("orders"), QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
                           QStringLiteral("cd '%1'; ").arg(m_folder->path()) + QString::fromUtf8(script)};
    }
    Ran lock(const QStringList& options, const char* script) const { return program(lockWords(options, script)); }
    static std::unique_ptr<QProcess> start(const QStringList& words) {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(plainEnvironment());
        process->setChildProcessModifier([] { ::setsid(); }); // no terminal, wherever the tests run
        process->start(kProgram, words);
        return process;
    }
    static bool end(QProcess& process) {
        return QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 120'000);
    }

    EventLoopRuntime m_runtime;
    std::array<std::unique_ptr<sandbox::RedisServer>, 3> m_servers; ///< primary, fallback, witness
    std::unique_ptr<QTemporaryDir> m_folder;
};

} // namespace lockscope::tests
