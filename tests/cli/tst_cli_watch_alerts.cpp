// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics_page.h"
#include "program.h"

#include "ports/url.h"
#include "runtime/event_loop_runtime.h"
#include "sandbox/memcached_server.h"
#include "sandbox/redis_server.h"

#include <QRegularExpression>
#include <QTcpSocket>
#include <csignal>
#include <qcoro/qcorotask.h>

using namespace lockscope;
using namespace lockscope::tests;

/// `lockscope watch` on several servers at once, with alerts and metrics.
class tst_cli_watch_alerts : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    std::unique_ptr<sandbox::RedisServer> m_redis;
    sandbox::MemcachedServer m_memcached{m_runtime};

    template <typename Server>
    void start(Server& server) {
        const std::expected<void, QString> started = QCoro::waitFor(server.start());
        QVERIFY2(started.has_value(), started ? "" : qPrintable(started.error()));
    }
    std::unique_ptr<QProcess> start(const QStringList& words) const {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(plainEnvironment());
        process->start(kProgram, words);
        return process;
    }
    QByteArray redis(const QStringList& words) const {
        const QStringList head{QStringLiteral("-p"), QString::number(m_redis->port())};
        return runProgram(QStringLiteral("redis-cli"), head + words).out.trimmed();
    }
    void set(const char* ms) const {
        redis({QStringLiteral("SET"), QStringLiteral("lock:a"), QStringLiteral("me"), QStringLiteral("PX"),
               QLatin1String(ms)});
    }
    /// Makes a fair lock of Redisson's with a holder and a waiter.
    static void holds(int port, const char* lock, const char* holder, const char* waiter) {
        const auto ask = [port](const QStringList& words) {
            runProgram(QStringLiteral("redis-cli"), QStringList{QStringLiteral("-p"), QString::number(port)} + words);
        };
        const QString name = QLatin1String(lock), queue = QStringLiteral("redisson_lock_queue:{%1}").arg(name);
        ask({QStringLiteral("HSET"), name, QLatin1String(holder), QStringLiteral("1")});
        ask({QStringLiteral("PEXPIRE"), name, QStringLiteral("600000")});
        ask({QStringLiteral("RPUSH"), queue, QLatin1String(waiter)});
        ask({QStringLiteral("ZADD"), QStringLiteral("redisson_lock_timeout:{%1}").arg(name),
             QStringLiteral("99999999999999"), QLatin1String(waiter)});
    }
    static bool ends(QProcess& process) {
        return QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 30'000);
    }
    QStringList both(const QStringList& more) const {
        return QStringList{QStringLiteral("watch"), m_redis->url(), m_memcached.url()} + more;
    }

private Q_SLOTS:
    void initTestCase() { start(m_memcached); }
    void init() {
        m_redis = std::make_unique<sandbox::RedisServer>(m_runtime);
        start(*m_redis);
    }
    void cleanup() { m_redis.reset(); }

    void eachServerHasItsHeading() {
        set("60000");
        const Ran ran = program(both({QStringLiteral("--match"), QStringLiteral("lock:a"), QStringLiteral("--once")}));
        QVERIFY2(ran.status == 0, ran.told());
        const QList<QByteArray> lines = ran.out.trimmed().split('\n');
        QCOMPARE(lines.size(), 3);
        QVERIFY2(lines[0].startsWith("redis://") && lines[1].startsWith("  lock:a") &&
                     lines[2].startsWith("memcached://"),
                 ran.told());
        const Ran json = program(both(
            {QStringLiteral("--match"), QStringLiteral("lock:a"), QStringLiteral("--once"), QStringLiteral("--json")}));
        QCOMPARE(json.out.trimmed().split('\n').size(), 2); // an object for each
    }

    void oneServerThatIsAwayHidesNothingOfTheOther() {
        set("60000");
        const Ran ran = program({QStringLiteral("watch"), QStringLiteral("redis://:sesame@127.0.0.1:1"), m_redis->url(),
                                 QStringLiteral("--once")});
        QVERIFY2(ran.status == 3 && ran.out.contains("lock:a") && ran.err.contains("127.0.0.1:1"), ran.told());
        QVERIFY2(!ran.err.contains("sesame") && !ran.out.contains("sesame"), ran.told());
    }

    void anAlertIsALineAndIsOver() {
        const auto watcher =
            start(both({QStringLiteral("--json"), QStringLiteral("--match"), QStringLiteral("lock:a"),
                        QStringLiteral("--alert"), QStringLiteral("held>400ms"), QStringLiteral("--alert"),
                        QStringLiteral("no-expiry"), QStringLiteral("--interval"), QStringLiteral("100ms")}));
        QByteArray out;
        const auto told = [&](const char* event, const char* alert) {
            out += watcher->readAllStandardOutput();
            for (const QByteArray& line : out.split('\n')) {
                const QJsonObject object = QJsonDocument::fromJson(line).object();
                if (object[u"change"] == QJsonValue(u"alert"_qs) &&
                    object[u"event"] == QJsonValue(QLatin1String(event)) &&
                    object[u"alert"] == QJsonValue(QLatin1String(alert)) && object[u"name"] == QJsonValue(u"lock:a"_qs))
                    return true;
            }
            return false;
        };
        set("60000");
        QTRY_VERIFY2_WITH_TIMEOUT(told("raised", "held>400ms"), out.constData(), 20'000);
        QVERIFY(!told("raised", "no-expiry"));
        redis({QStringLiteral("DEL"), QStringLiteral("lock:a")});
        QTRY_VERIFY2_WITH_TIMEOUT(told("over", "held>400ms"), out.constData(), 20'000);
        watcher->terminate();
        QVERIFY(ends(*watcher));
        QCOMPARE(watcher->exitCode(), 0);
    }

    void withFailTheFirstAlertIsTheEnd() {
        const auto watcher =
            start(both({QStringLiteral("--alert"), QStringLiteral("held>300ms"), QStringLiteral("--fail")}));
        set("60000");
        QVERIFY(ends(*watcher));
        QCOMPARE(watcher->exitCode(), 1);
        const QByteArray out = watcher->readAllStandardOutput();
        QCOMPARE(out.count("Local times, UTC"), 1); // before the first of them
        static const QRegularExpression kTime(QStringLiteral("^Local times, UTC\\S*\n\\d{4}-\\d\\d-\\d\\d (\\d\\d:){2}"
                                                             "\\d\\d\\.\\d{3}  \\S"));
        QVERIFY2(kTime.match(QString::fromUtf8(out)).hasMatch(), out.constData());
        QVERIFY2(out.contains("ALERT") && out.contains("held>300ms: “lock:a” is held by"), out.constData());
        const Ran once = program({QStringLiteral("watch"), m_redis->url(), QStringLiteral("--once"),
                                  QStringLiteral("--alert"), QStringLiteral("left<5m"), QStringLiteral("--fail")});
        QVERIFY2(once.status == 1 && once.out.contains("left<5m"), once.told());
    }

    void metricsAreThoseOfTheLocks() {
        const auto watcher =
            start(both({QStringLiteral("--match"), QStringLiteral("lock:a"), QStringLiteral("--metrics"),
                        QStringLiteral("0"), QStringLiteral("--alert"), QStringLiteral("held>1ms"),
                        QStringLiteral("--interval"), QStringLiteral("100ms")}));
        QByteArray err;
        QTRY_VERIFY2_WITH_TIMEOUT((err += watcher->readAllStandardError(), metricsPort(err) > 0), err.constData(),
                                  20'000);
        const int port = metricsPort(err);
        set("60000");
        const QByteArray here = "endpoint=\"" + parseConnectionUrl(m_redis->url())->display().toUtf8() + '"';
        QByteArray text;
        const auto has = [&](const QByteArray& line) {
            text = got(port, "/metrics");
            return text.contains('\n' + line + '\n');
        };
        QTRY_VERIFY2_WITH_TIMEOUT(has("lockscope_locks{" + here + ",state=\"held\"} 1"), text.constData(), 20'000);
        QVERIFY2(text.contains("\nlockscope_up{" + here + "} 1\n"), text.constData());
        QVERIFY2(text.contains("lockscope_lock_ttl_seconds{" + here + ",lock=\"lock:a\""), text.constData());
        QVERIFY2(text.contains(",lock=\"lock:a\",format=\"string\",certainty=\"likely\"} 1\n") ||
                     text.contains(",lock=\"lock:a\",format=\"string\",certainty=\"guess\"} 1\n"),
                 text.constData());
        QVERIFY2(text.contains("\nlockscope_locks_without_samples{" + here + "} 0\n"), text.constData());
        QVERIFY2(text.contains("version=0.0.4"), text.constData());
        QTRY_VERIFY2_WITH_TIMEOUT(has("lockscope_alerts{" + here + "} 1"), text.constData(), 20'000);
        redis({QStringLiteral("DEL"), QStringLiteral("lock:a")});
        QTRY_VERIFY2_WITH_TIMEOUT(has("lockscope_lock_events_total{" + here + ",event=\"released\"} 1"),
                                  text.constData(), 20'000);
        m_redis->pause(); // its connection stands, and nothing is known of it: long before a question times out
        QTRY_VERIFY_WITH_TIMEOUT((err += watcher->readAllStandardError()).contains("has not answered"), 20'000);
        QVERIFY2(has("lockscope_up{" + here + "} 0"), text.constData());
        m_redis->resume();
        QTRY_VERIFY2_WITH_TIMEOUT(has("lockscope_up{" + here + "} 1"), text.constData(), 20'000);
        m_redis->kill();
        QTRY_VERIFY2_WITH_TIMEOUT(has("lockscope_up{" + here + "} 0"), text.constData(), 20'000);
        QVERIFY2(!text.contains("lockscope_locks{" + here), text.constData()); // not known any more
        QVERIFY(got(port, "/other").startsWith("HTTP/1.1 404"));
        watcher->terminate();
        QVERIFY(ends(*watcher));
    }

    void wrongWordsAreToldBeforeAnythingIsAsked_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QByteArray>("part");
        QTest::newRow("alert") << QStringList{u"--alert"_qs, u"helt>5m"_qs} << QByteArray("did you mean “held”");
        QTest::newRow("fail") << QStringList{u"--fail"_qs} << QByteArray("--fail needs an --alert");
        QTest::newRow("rule") << QStringList{u"--same-client"_qs, u"shop"_qs} << QByteArray("is no rule");
        QTest::newRow("interval") << QStringList{u"--interval"_qs, u"5"_qs} << QByteArray("with its unit");
        QTest::newRow("no pattern") << QStringList{u"--match"_qs, QString()} << QByteArray("leave it out");
        QTest::newRow("metrics") << QStringList{u"--metrics"_qs, u"everywhere"_qs} << QByteArray("should be a port");
        QTest::newRow("once") << QStringList{u"--metrics"_qs, u"0"_qs, u"--once"_qs} << QByteArray("leave --once out");
    }
    void wrongWordsAreToldBeforeAnythingIsAsked() {
        QFETCH(QStringList, words);
        QFETCH(QByteArray, part);
        const Ran ran = program(both(words));
        QVERIFY2(ran.status == 2 && ran.err.contains(part), ran.told());
    }

    /// It concerns two locks, and is one.
    void aDeadlockOfOneServerIsToldOnce() {
        holds(m_redis->port(), "stock", "order-3:1", "batch-2:1");
        holds(m_redis->port(), "bank", "batch-2:1", "order-3:1");
        const Ran once = runProgram(kProgram, {QStringLiteral("watch"), m_redis->url(), QStringLiteral("--alert"),
                                               QStringLiteral("deadlock"), QStringLiteral("--once")});
        QVERIFY2(once.out.count("ALERT") == 1 && once.out.contains("waits for “stock”"), once.told());
    }

    void aDeadlockOverTwoServersIsToldByBoth() {
        sandbox::RedisServer second(m_runtime);
        start(second);
        holds(m_redis->port(), "stock", "order-3:1", "batch-2:1");
        holds(second.port(), "bank", "batch-2:1", "order-3:1");
        const QStringList words{
            QStringLiteral("watch"),    m_redis->url(),          second.url(), QStringLiteral("--alert"),
            QStringLiteral("deadlock"), QStringLiteral("--fail")};
        const Ran once = runProgram(kProgram, words + QStringList{QStringLiteral("--once")});
        QCOMPARE(once.status, 1);
        for (const QByteArray& part : {"waits for “stock” on " + m_redis->url().toUtf8(),
                                       "waits for “bank” on " + second.url().toUtf8(), QByteArray("Stop ")})
            QVERIFY2(once.out.count(part) == 2, once.told());
        const auto watching = std::as_const(*this).start(words); // a program, no server
        QVERIFY(ends(*watching));
        QCOMPARE(watching->exitCode(), 1);
        QVERIFY(watching->readAllStandardOutput().contains("waits for “bank” on "));
    }

    /// Each pool of connections gives a client another name: a rule says which part of it is the client.
    void aRuleSaysWhichNamesAreOneClient() {
        sandbox::RedisServer second(m_runtime);
        start(second);
        holds(m_redis->port(), "cellar", "shop-3-pool-a:1", "mill-2-pool-a:1");
        holds(second.port(), "till", "mill-2-pool-b:1", "shop-3-pool-b:1");
        const QStringList words{QStringLiteral("watch"),
                                m_redis->url(),
                                second.url(),
                                QStringLiteral("--match"),
                                QStringLiteral("cellar,till"),
                                QStringLiteral("--alert"),
                                QStringLiteral("deadlock"),
                                QStringLiteral("--fail"),
                                QStringLiteral("--once")};
        const Ran byName = program(words);
        QVERIFY2(byName.status == 0 && !byName.out.contains("waits for"), byName.told());
        const QStringList rules{QStringLiteral("--same-client"), QStringLiteral("address"),
                                QStringLiteral("--same-client"), QStringLiteral("^([a-z]+-\\d+)-pool")};
        const Ran byRule = program(words + rules);
        QVERIFY2(byRule.status == 1 && byRule.out.contains("waits for “till” on "), byRule.told());
        // Both locks on one server: two connections of a client are one client there, too.
        holds(second.port(), "cellar", "shop-3-pool-a:1", "mill-2-pool-a:1");
        QStringList one = words + rules;
        one.removeAt(1);
        const Ran alone = program(one);
        QVERIFY2(alone.status == 1 && alone.out.contains("waits for “till”"), alone.told());
    }
};

QTEST_GUILESS_MAIN(tst_cli_watch_alerts)
#include "tst_cli_watch_alerts.moc"
