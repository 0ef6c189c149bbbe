// SPDX-License-Identifier: GPL-3.0-or-later
// A server that is killed and comes back with nothing under a command that holds a lock with the default lease: how
// long the command and its successor run beside each other.
#include "lock_place.h"

#include "sandbox/memcached_server.h"

#include <QDir>
#include <csignal>
#include <unistd.h>

using namespace lockscope;
using namespace lockscope::tests;

class tst_cli_lock_forgetful : public QObject, LockPlace {
    Q_OBJECT

    /// Writes the instant at each beat, in ns since 1970, until it is ended.
    static constexpr auto kBeats = "while :; do date +%s%N > beat.new; mv beat.new NAME; sleep 0.01; done";

    std::unique_ptr<QProcess> start(const QString& url, const char* name) const {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(plainEnvironment());
        process->setChildProcessModifier([] { ::setsid(); }); // no terminal, wherever the tests run
        QString script =
            QStringLiteral("cd '%1'; date +%s%N > NAME-in; ").arg(m_folder->path()) + QLatin1String(kBeats);
        script.replace(QLatin1String("beat.new"), QStringLiteral("NAME.new"));
        script.replace(QLatin1String("NAME"), QLatin1String(name));
        process->start(kProgram, {QStringLiteral("lock"), url, QStringLiteral("orders"), QStringLiteral("--"),
                                  QStringLiteral("sh"), QStringLiteral("-c"), script});
        return process;
    }
    std::int64_t instant(const char* name) const { return content(name).trimmed().toLongLong(); }

    template <typename Server>
    void measure(Server& server) {
        newFolder();
        const auto up = QCoro::waitFor(server.start());
        QVERIFY2(up.has_value(), up ? "" : qPrintable(up.error()));
        const auto holder = start(server.url(), "first");
        QTRY_VERIFY_WITH_TIMEOUT(there("first"), 20'000);
        const auto waiter = start(server.url(), "second");
        QTest::qWait(500); // it waits by now, or comes a little later: both are to be refused
        QVERIFY(!there("second-in"));

        server.kill();
        QTRY_VERIFY(!server.running());
        const auto again = QCoro::waitFor(server.start());
        QVERIFY2(again.has_value(), again ? "" : qPrintable(again.error()));
        QTRY_VERIFY_WITH_TIMEOUT(there("second-in"), 20'000);
        QTRY_COMPARE_WITH_TIMEOUT(holder->state(), QProcess::NotRunning, 20'000);
        QCOMPARE(holder->exitCode(), 123);

        const double overlap = double(instant("first") - instant("second-in")) / 1e6;
        qInfo("both ran together for %.0f ms", std::max(overlap, 0.0));
        // 0.3 s on a machine that has nothing else to do; without being asked, the holder would run for up to 10 s.
        QVERIFY2(overlap < 1500, QByteArray::number(overlap));
        waiter->terminate();
        QTRY_COMPARE_WITH_TIMEOUT(waiter->state(), QProcess::NotRunning, 20'000);
    }

private Q_SLOTS:
    void redis() {
        sandbox::RedisServer server(m_runtime);
        measure(server);
    }
    void memcached() {
        sandbox::MemcachedServer server(m_runtime);
        measure(server);
    }
};

QTEST_GUILESS_MAIN(tst_cli_lock_forgetful)
#include "tst_cli_lock_forgetful.moc"
