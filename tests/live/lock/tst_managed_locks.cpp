// SPDX-License-Identifier: Apache-2.0
#include "managed_process.h"
#include "managed_servers.h"

#include <QTemporaryDir>

using namespace lockscope;
using namespace lockscope::test;

/// The manager over real servers: two Redis to lock on, a third one for the record.
class TestManagedLocks : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    ManagedServers m_servers{m_runtime};

    ManagerConfig config(SwitchMode mode) const {
        ManagerConfig config = m_servers.config(mode);
        config.namespaces[0].onFailure = true;
        return config;
    }

private Q_SLOTS:
    void init() { VERIFY_EMPTY(m_servers.begin()); }

    void aSwitchUnderLoadLosesNoExclusion_data() {
        QTest::addColumn<int>("mode");
        QTest::newRow("drain") << int(SwitchMode::Drain);
        QTest::newRow("immediate") << int(SwitchMode::Immediate);
    }
    void aSwitchUnderLoadLosesNoExclusion() {
        QFETCH(int, mode);
        const auto trace = std::make_shared<trace::Trace>();
        trace::Recorder recorder(trace, [this] { return m_runtime.monotonic(); });
        ManagedProcess a(m_runtime, config(SwitchMode(mode)), &recorder), b(m_runtime, config(SwitchMode(mode)));
        QVERIFY(a.start() && b.start());
        Inside inside;
        int clashes = 0;
        bool stop = false;
        const bool toldFirst = SwitchMode(mode) == SwitchMode::Immediate;
        a.work(inside, clashes, stop, toldFirst);
        b.work(inside, clashes, stop, toldFirst);
        QVERIFY(soon([&] { return a.grants > 5 && b.grants > 5; }));
        const auto switched = run(a.manager->switchTo("shop", 1));
        QVERIFY2(switched.has_value(), switched ? "" : qPrintable(switched.error().message));
        QVERIFY(soon([&] { return a.manager->status("shop").epoch == 2 && b.manager->status("shop").epoch == 2; }));
        const int before = a.grants + b.grants;
        QVERIFY(soon([&] { return a.grants + b.grants > before + 10; }));
        stop = true;
        QVERIFY(soon([&] { return a.ended && b.ended; }));
        QCOMPARE(clashes, 0);
        QVERIFY(std::ranges::is_sorted(a.tokens) && std::ranges::is_sorted(b.tokens));
        QVERIFY((a.tokens.front() >> 48) == 1);
        QVERIFY(std::max(a.tokens.back(), b.tokens.back()) >> 48 == 2);
        // The history stands in the trace.
        const auto engines = config(SwitchMode(mode)).namespaces[0].engines;
        const QByteArray missing = missingFrom(historyIn(*trace), {lineOf("in-use", 1, engines[0], "start"),
                                                                   lineOf("leaving", 1, engines[0], "hand"),
                                                                   lineOf("in-use", 2, engines[1], "hand")});
        QVERIFY2(missing.isEmpty(), missing);
    }

    void aDeadServerIsLeftAndWorkGoesOn() {
        const auto trace = std::make_shared<trace::Trace>();
        trace::Recorder recorder(trace, [this] { return m_runtime.monotonic(); });
        ManagedProcess a(m_runtime, config(SwitchMode::Drain), &recorder), b(m_runtime, config(SwitchMode::Drain));
        QVERIFY(a.start() && b.start());
        Inside inside;
        int clashes = 0;
        bool stop = false;
        a.work(inside, clashes, stop);
        b.work(inside, clashes, stop);
        QVERIFY(soon([&] { return a.grants > 5; }));
        m_servers.first.kill();
        QVERIFY(
            soon([&] { return a.manager->status("shop").epoch >= 2 && b.manager->status("shop").epoch >= 2; }, 30'000));
        const int before = a.grants + b.grants;
        QVERIFY(soon([&] { return a.grants + b.grants > before + 10; }));
        QVERIFY(std::ranges::any_of(
            a.heard, [](const ManagerEvent& event) { return event.kind == ManagerEvent::Kind::Unhealthy; }));
        const auto engines = config(SwitchMode::Drain).namespaces[0].engines;
        const int epoch = int(a.manager->status("shop").epoch);
        const QByteArray missing = missingFrom(
            historyIn(*trace), {lineOf("unhealthy", 1, engines[0]), lineOf("in-use", epoch, engines[1], "health")});
        QVERIFY2(missing.isEmpty(), missing);
        stop = true;
        QVERIFY(soon([&] { return a.ended && b.ended; }));
        QCOMPARE(clashes, 0);
    }

    void aChangedFileIsASwitch_data() {
        QTest::addColumn<bool>("removed");
        QTest::newRow("written over") << false;
        QTest::newRow("removed, and written anew") << true;
    }
    void aChangedFileIsASwitch() {
        QFETCH(bool, removed);
        const auto text = [&](const QString& first, const QString& second) {
            return QStringLiteral("{'lockscope-manager': 1, 'namespaces': [{'name': 'shop', 'engines': ["
                                  "{'url': '%1', 'recipe': 'redis-reentrant'}, {'url': '%2', 'recipe': "
                                  "'redis-reentrant'}], 'witnesses': ['%3'], 'lease': '500ms', "
                                  "'switch': {'confirm-for': '400ms', 'drain-for': '100ms'}}]}")
                .arg(first, second, m_servers.witness.url())
                .replace(QLatin1Char('\''), QLatin1Char('"'))
                .toUtf8();
        };
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("locks.json"));
        const auto write = [&](const QByteArray& content) {
            QFile file(path);
            return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
        };
        QVERIFY(write(text(m_servers.first.url(), m_servers.second.url())));
        const auto config = readManagerConfig(text(m_servers.first.url(), m_servers.second.url()));
        QVERIFY2(config.has_value(), config ? "" : qPrintable(config.error()));
        const auto trace = std::make_shared<trace::Trace>();
        trace::Recorder recorder(trace, [this] { return m_runtime.monotonic(); });
        ManagedProcess a(m_runtime, *config, &recorder);
        QVERIFY(a.start());
        const auto complaint = a.manager->watchFile(path);
        QVERIFY2(!complaint, complaint ? qPrintable(*complaint) : "");
        QVERIFY(removed ? QFile::remove(path) : write("{ nonsense"));
        QVERIFY(soon([&] {
            return std::ranges::any_of(a.heard, [](const auto& e) { return e.kind == ManagerEvent::Kind::Refused; });
        }));
        QVERIFY(write(text(m_servers.second.url(), m_servers.first.url())));
        QVERIFY(soon([&] {
            const auto status = a.manager->status("shop");
            return status.usable && status.epoch == 2 &&
                   status.engine.contains(QByteArray::number(m_servers.second.port()));
        }));
        const auto& engines = config->namespaces[0].engines;
        const QByteArray missing = missingFrom(historyIn(*trace), {"manager refused file=" + path.toUtf8(),
                                                                   lineOf("in-use", 2, engines[1], "configuration")});
        QVERIFY2(missing.isEmpty(), missing);
    }
};

QTEST_GUILESS_MAIN(TestManagedLocks)
#include "tst_managed_locks.moc"
