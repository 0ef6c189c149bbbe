// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include "redis_topology/fake_redis.h"
#include "runtime/event_loop_runtime.h"
#include "sandbox/redis_server.h"

#include <QDateTime>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <csignal>
#include <qcoro/qcorotask.h>

using namespace lockscope;
using namespace lockscope::tests;

namespace {

std::optional<QJsonObject> lockNamed(const QJsonArray& locks, const char* name) {
    for (const QJsonValue& lock : locks) {
        if (lock[u"name"].toString() == QLatin1String(name)) return lock.toObject();
    }
    return std::nullopt;
}

} // namespace

class tst_cli_watch : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    std::unique_ptr<sandbox::RedisServer> m_server;
    QTemporaryDir m_folder;

    QByteArray redis(const QStringList& words) const {
        const QStringList head{QStringLiteral("-p"), QString::number(m_server->port())};
        return runProgram(QStringLiteral("redis-cli"), head + words).out.trimmed();
    }
    std::unique_ptr<QProcess> start(const QStringList& words) const {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(plainEnvironment());
        process->start(kProgram, words);
        return process;
    }
    std::unique_ptr<QProcess> hold(const QString& id, const char* script) const {
        return start({QStringLiteral("lock"), QStringLiteral("--id"), id, m_server->url(), QStringLiteral("orders"),
                      QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
                      QStringLiteral("cd '%1'; ").arg(m_folder.path()) + QLatin1String(script)});
    }
    QJsonArray locks() const {
        return program({QStringLiteral("watch"), m_server->url(), QStringLiteral("--once"), QStringLiteral("--json")})
            .object()[u"locks"]
            .toArray();
    }
    void put(const char* name) const {
        QFile file(m_folder.filePath(QLatin1String(name)));
        QVERIFY(file.open(QIODevice::WriteOnly));
    }
    static bool end(QProcess& process) {
        return QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 30'000);
    }

private Q_SLOTS:
    void initTestCase() {
        m_server = std::make_unique<sandbox::RedisServer>(m_runtime);
        const auto started = QCoro::waitFor(m_server->start());
        QVERIFY2(started.has_value(), started ? "" : qPrintable(started.error()));
    }
    void cleanupTestCase() { m_server.reset(); }

    void anEmptyServerIsAnEmptyList() {
        const Ran ran =
            program({QStringLiteral("watch"), m_server->url(), QStringLiteral("--once"), QStringLiteral("--json")});
        QVERIFY2(ran.status == 0 && ran.err.isEmpty(), ran.told());
        const QJsonObject report = ran.object();
        QVERIFY2(report[u"endpoint"].toString().contains(QString::number(m_server->port())), ran.told());
        QVERIFY(QDateTime::fromString(report[u"observed_at"].toString(), Qt::ISODateWithMs).isValid());
        QVERIFY(report[u"locks"].isArray() && report[u"locks"].toArray().isEmpty());
    }

    void holderAndWaiterAreSeen() {
        const QString a = QStringLiteral("11111111-1111-4111-8111-111111111111"),
                      b = QStringLiteral("22222222-2222-4222-8222-222222222222");
        const auto holder = hold(a, "touch in; until [ -e go ]; do sleep 0.05; done");
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_folder.filePath(QStringLiteral("in"))), 10'000);
        const auto waiter = hold(b, "true");
        QTRY_COMPARE_WITH_TIMEOUT(lockNamed(locks(), "orders").value_or(QJsonObject())[u"waiter_count"], QJsonValue(1),
                                  10'000);

        const QJsonObject lock = *lockNamed(locks(), "orders");
        QCOMPARE(lock[u"format"].toString().left(8), QStringLiteral("redisson"));
        QCOMPARE(lock[u"state"], QJsonValue(QStringLiteral("held")));
        QCOMPARE(lock[u"mode"], QJsonValue(QStringLiteral("exclusive")));
        QVERIFY(lock[u"ttl_ms"].toInt() > 0 && lock[u"ttl_ms"].toInt() <= 30'000);
        QCOMPARE(lock[u"holders"].toArray().size(), 1);
        QCOMPARE(lock[u"holders"][0][u"client"], QJsonValue(a));
        QCOMPARE(lock[u"holders"][0][u"holds"], QJsonValue(1));
        QCOMPARE(lock[u"raw"][0][u"key"], QJsonValue(QStringLiteral("orders")));
        QCOMPARE(lock[u"raw"][0][u"type"], QJsonValue(QStringLiteral("hash")));

        const Ran people = program({QStringLiteral("watch"), m_server->url(), QStringLiteral("--once")});
        QVERIFY2(people.status == 0 && people.out.contains("orders") && people.out.contains("1 waiting"),
                 people.told());

        put("go");
        QVERIFY(end(*holder) && end(*waiter));
        QCOMPARE(holder->exitCode() + waiter->exitCode(), 0);
    }

    void whoWaitsForAPlainLockOfOursIsCounted() {
        const auto plain = [&](const char* script) {
            return start({QStringLiteral("lock"), QStringLiteral("--recipe"), QStringLiteral("redis-set"),
                          m_server->url(), QStringLiteral("plain"), QStringLiteral("--"), QStringLiteral("sh"),
                          QStringLiteral("-c"),
                          QStringLiteral("cd '%1'; ").arg(m_folder.path()) + QLatin1String(script)});
        };
        const auto holder = plain("touch plain-in; until [ -e plain-go ]; do sleep 0.05; done");
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_folder.filePath(QStringLiteral("plain-in"))), 10'000);
        const auto waiter = plain("true");
        QTRY_COMPARE_WITH_TIMEOUT(lockNamed(locks(), "plain").value_or(QJsonObject())[u"waiter_count"], QJsonValue(1),
                                  10'000);
        put("plain-go");
        QVERIFY(end(*holder) && end(*waiter));
        QCOMPARE(holder->exitCode() + waiter->exitCode(), 0);
    }

    void aHolderIsSeenUnderTheNameThatItGaveItself() {
        QFile::remove(m_folder.filePath(QStringLiteral("in")));
        QFile::remove(m_folder.filePath(QStringLiteral("go")));
        const auto holder = hold(QStringLiteral("billing-1"), "touch in; until [ -e go ]; do sleep 0.05; done");
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_folder.filePath(QStringLiteral("in"))), 10'000);
        const QJsonObject lock = lockNamed(locks(), "orders").value_or(QJsonObject());
        QCOMPARE(lock[u"state"], QJsonValue(QStringLiteral("held")));
        QCOMPARE(lock[u"holders"][0][u"client"], QJsonValue(QStringLiteral("billing-1")));
        QVERIFY(lock[u"holders"][0][u"thread"].toString().toInt() > 0); // another for each run
        put("go");
        QVERIFY(end(*holder));
    }

    void whatAPlainLockDoesNotSayIsNull() {
        redis({QStringLiteral("SET"), QStringLiteral("lock:plain"),
               QStringLiteral("3b241101-e2bb-4255-8caf-4136c566a962"), QStringLiteral("NX"), QStringLiteral("PX"),
               QStringLiteral("60000")});
        const auto lock = lockNamed(locks(), "lock:plain");
        QVERIFY(lock.has_value());
        QCOMPARE((*lock)[u"waiters"], QJsonValue(QJsonValue::Null));
        QCOMPARE((*lock)[u"waiter_count"], QJsonValue(QJsonValue::Null));
        QCOMPARE((*lock)[u"holders"][0][u"holds"], QJsonValue(QJsonValue::Null));
        redis({QStringLiteral("DEL"), QStringLiteral("lock:plain")});
    }

    void everyChangeIsALineUntilInterrupted() {
        const auto watcher = start({QStringLiteral("watch"), m_server->url(), QStringLiteral("--json")});
        QByteArray out;
        const auto seen = [&](const char* change, const char* name) {
            out += watcher->readAllStandardOutput();
            for (const QByteArray& line : out.trimmed().split('\n')) {
                const QJsonObject object = QJsonDocument::fromJson(line).object();
                if (object[u"change"].toString() == QLatin1String(change) &&
                    object[u"lock"][u"name"].toString() == QLatin1String(name))
                    return true;
            }
            return false;
        };
        redis({QStringLiteral("SET"), QStringLiteral("lock:seen"), QStringLiteral("me"), QStringLiteral("PX"),
               QStringLiteral("60000")});
        QTRY_VERIFY2_WITH_TIMEOUT(seen("appeared", "lock:seen"), out.constData(), 15'000);
        redis({QStringLiteral("SET"), QStringLiteral("lock:seen"), QStringLiteral("you"), QStringLiteral("PX"),
               QStringLiteral("60000")});
        QTRY_VERIFY2_WITH_TIMEOUT(seen("changed", "lock:seen"), out.constData(), 15'000);
        redis({QStringLiteral("DEL"), QStringLiteral("lock:seen")});
        QTRY_VERIFY2_WITH_TIMEOUT(seen("vanished", "lock:seen"), out.constData(), 15'000);
        ::kill(pid_t(watcher->processId()), SIGINT);
        QVERIFY(end(*watcher));
        QCOMPARE(watcher->exitStatus(), QProcess::NormalExit);
        QCOMPARE(watcher->exitCode(), 0);
    }

    /// A server that is never through with its keys.
    void aListThatMayBeIncompleteSaysSo() {
        const test::FakeRedis server(m_runtime, [](QTcpSocket&, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "SCAN") return "*2\r\n$1\r\n7\r\n*0\r\n";
            return command.front() == "TIME" ? test::listOf({"1700000000", "0"}) : QByteArray("*0\r\n");
        });
        const QString url = QStringLiteral("redis://") + server.at().display();
        const auto look = start({QStringLiteral("watch"), url, QStringLiteral("--once"), QStringLiteral("--json")});
        QSignalSpy ended(look.get(), &QProcess::finished); // a loop that answers at once, some ten thousand times
        QVERIFY(ended.wait(60'000));
        const QByteArray told = look->readAllStandardError();
        QVERIFY2(look->exitCode() == 4 && told.contains("there may be other locks"), told);
        const QJsonObject object = QJsonDocument::fromJson(look->readAllStandardOutput()).object();
        QCOMPARE(object[u"complete"], QJsonValue(false));
        QVERIFY(object[u"locks"].isArray());
    }

    void oneLookThatIsInterruptedIsNoEmptyList() {
        int scans = 0;
        const test::FakeRedis server(m_runtime, [&](QTcpSocket&, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "SCAN" && ++scans > 0) return {};
            return command.front() == "TIME" ? test::listOf({"1700000000", "0"}) : QByteArray("*0\r\n");
        });
        const auto look = start({QStringLiteral("watch"), QStringLiteral("redis://") + server.at().display(),
                                 QStringLiteral("--once"), QStringLiteral("--json")});
        QTRY_VERIFY_WITH_TIMEOUT(scans > 0, 10'000);
        look->terminate();
        QVERIFY(end(*look));
        QCOMPARE(look->exitStatus(), QProcess::NormalExit);
        QCOMPARE(look->exitCode(), 128 + SIGTERM);
        QCOMPARE(look->readAllStandardOutput(), QByteArray());
    }

    void anUnreachableServerIs3WithoutThePassword() {
        const Ran ran = program({QStringLiteral("watch"), QStringLiteral("redis://:sesame@127.0.0.1:1"),
                                 QStringLiteral("--once"), QStringLiteral("--json")});
        QVERIFY2(ran.status == 3 && ran.out.isEmpty() && ran.err.contains("127.0.0.1:1"), ran.told());
        QVERIFY2(!ran.err.contains("sesame"), ran.told());
    }

    void aWrongUrlIs2_data() {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("contains");
        QTest::newRow("scheme") << QStringLiteral("redsi://localhost") << QStringLiteral("redis://");
        QTest::newRow("no url") << QStringLiteral("localhost:6379") << QStringLiteral("redis://");
        QTest::newRow("port") << QStringLiteral("redis://localhost:port") << QStringLiteral("The port of “localhost”");
        QTest::newRow("password") << QStringLiteral("redis://me:ses%ame@localhost") << QStringLiteral("%25");
    }
    void aWrongUrlIs2() {
        QFETCH(QString, url);
        QFETCH(QString, contains);
        const Ran ran = program({QStringLiteral("watch"), url, QStringLiteral("--once")});
        QVERIFY2(ran.status == 2 && QString::fromUtf8(ran.err).contains(contains) && !ran.err.contains("ses%ame"),
                 ran.told());
    }
};

QTEST_GUILESS_MAIN(tst_cli_watch)
#include "tst_cli_watch.moc"
