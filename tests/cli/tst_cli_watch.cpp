// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include "redis_topology/fake_redis.h"
#include "runtime/event_loop_runtime.h"
#include "sandbox/redis_server.h"

#include <QDateTime>
#include <QDir>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <array>
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
        QVERIFY2(people.status == 0 && people.out.contains("orders") &&
                     people.out.contains("1 subscribed to its release"),
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
        // A renewal is no news, unless somebody wants to know.
        redis({QStringLiteral("PEXPIRE"), QStringLiteral("lock:seen"), QStringLiteral("90000")});
        redis({QStringLiteral("SET"), QStringLiteral("lock:seen"), QStringLiteral("you"), QStringLiteral("PX"),
               QStringLiteral("60000")});
        QTRY_VERIFY2_WITH_TIMEOUT(seen("changed", "lock:seen"), out.constData(), 15'000);
        redis({QStringLiteral("DEL"), QStringLiteral("lock:seen")});
        QTRY_VERIFY2_WITH_TIMEOUT(seen("vanished", "lock:seen"), out.constData(), 15'000);
        ::kill(pid_t(watcher->processId()), SIGINT);
        QVERIFY(end(*watcher));
        QCOMPARE(watcher->exitStatus(), QProcess::NormalExit);
        QCOMPARE(watcher->exitCode(), 0);
        out += watcher->readAllStandardOutput();
        for (const char* event : {"changed-hands", "released"})
            QVERIFY2(out.contains(QByteArray("\"event\": \"") + event + '"'), out.constData());
        QVERIFY2(!out.contains("\"renewed\""), out.constData());
        const QByteArray told = watcher->readAllStandardError(); // what it cost
        QVERIFY2(told.contains(" a second, at most "), told.constData());
    }

    void renewalsThatStopAreToldWithTheirCause() {
        const auto watcher =
            start({u"watch"_qs, m_server->url(), u"--json"_qs, u"--renewals"_qs, u"--match"_qs, u"job"_qs});
        const auto holder = start({u"lock"_qs, u"--id"_qs, u"worker-9"_qs, u"--lease"_qs, u"9s"_qs, m_server->url(),
                                   u"job"_qs, u"--"_qs, u"sleep"_qs, u"120"_qs});
        QByteArray out;
        const auto told = [&](const char* event) {
            out += watcher->readAllStandardOutput();
            std::vector<QJsonObject> lines;
            for (const QByteArray& line : out.trimmed().split('\n'))
                if (const QJsonObject one = QJsonDocument::fromJson(line).object();
                    one[u"event"] == QLatin1String(event))
                    lines.push_back(one);
            return lines;
        };
        QTRY_VERIFY2_WITH_TIMEOUT(told("renewed").size() >= 3, out.constData(), 30'000);
        ::kill(pid_t(holder->processId()), SIGSTOP); // its connection stays
        QTRY_COMPARE_WITH_TIMEOUT(told("renewals-stopped").size(), 1u, 20'000);
        const QJsonObject stopped = told("renewals-stopped").front();
        // A third of the lease; on a busy machine some are late. The ends of its leases say by how much, from the first
        // one on, however late the looks at them came.
        const auto at = [](const QJsonObject& line) {
            return QDateTime::fromString(line[u"observed_at"].toString(), Qt::ISODateWithMs).toMSecsSinceEpoch();
        };
        std::vector<qint64> ends;
        for (const char* event : {"taken", "found", "renewed"})
            for (const QJsonObject& line : told(event))
                ends.push_back(at(line) + line[u"lock"][u"ttl_ms"].toInteger());
        QVERIFY2(ends.size() >= 4, out.constData());
        std::vector<qint64> apart;
        for (std::size_t i = 1; i < ends.size(); ++i)
            apart.push_back(ends[i] - ends[i - 1]);
        const auto [shortest, longest] = std::ranges::minmax(apart);
        const int every = stopped[u"every_ms"].toInt();
        QVERIFY2(every > shortest - 500 && every < longest + 500, out.constData());
        // One is missed at the end, and none before it but those that truly came late.
        const std::vector<QJsonObject> missed = told("renewal-missed");
        QVERIFY2(!missed.empty() && at(missed.back()) > at(told("renewed").back()), out.constData());
        const auto late = std::ranges::count_if(apart, [](qint64 ms) { return ms > 3500; });
        QVERIFY2(std::ssize(missed) <= 1 + late, out.constData());
        QCOMPARE(stopped[u"cause"], QJsonValue(u"client-connected"_qs));
        QCOMPARE(stopped[u"lock"][u"name"], QJsonValue(u"job"_qs));
        QTRY_COMPARE_WITH_TIMEOUT(told("expired").size(), 1u, 20'000);
        ::kill(pid_t(holder->processId()), SIGCONT);
        QVERIFY(end(*holder)); // it has lost the lock
        ::kill(pid_t(watcher->processId()), SIGINT);
        QVERIFY(end(*watcher));
    }

    void aReleaseByForceIsNoRelease() {
        QTemporaryDir data; // of this user, with nothing in it
        QProcessEnvironment environment = plainEnvironment();
        environment.insert(u"XDG_DATA_HOME"_qs, data.path());
        QProcess watcher;
        watcher.setProcessEnvironment(environment);
        watcher.start(kProgram, {u"watch"_qs, m_server->url(), u"--json"_qs, u"--match"_qs, u"lock:force*"_qs});
        QByteArray out;
        const auto told = [&](const char* event, const char* name) {
            out += watcher.readAllStandardOutput();
            for (const QByteArray& line : out.trimmed().split('\n'))
                if (const QJsonObject one = QJsonDocument::fromJson(line).object();
                    one[u"event"] == QLatin1String(event) && one[u"lock"][u"name"] == QLatin1String(name))
                    return true;
            return false;
        };
        const auto note = [&](const char* name, const QString& server, const char* result) {
            const QString folder = data.filePath(u"Lockscope/Lockscope"_qs);
            QVERIFY(QDir().mkpath(folder));
            QFile file(folder + u"/releases.jsonl"_qs);
            QVERIFY(file.open(QIODevice::Append));
            const QJsonObject entry{{u"at"_qs, QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs)},
                                    {u"server"_qs, server},
                                    {u"lock"_qs, QJsonObject{{u"name"_qs, QLatin1String(name)}}},
                                    {u"result"_qs, QLatin1String(result)}};
            file.write(QJsonDocument(entry).toJson(QJsonDocument::Compact) + '\n');
        };
        constexpr std::array kNames{"lock:forced", "lock:force-of-another", "lock:force-in-vain"};
        for (const char* name : kNames)
            redis({u"SET"_qs, QLatin1String(name), u"me"_qs, u"PX"_qs, u"60000"_qs});
        for (const char* name : kNames)
            QTRY_VERIFY2_WITH_TIMEOUT(told("found", name) || told("taken", name), out.constData(), 15'000);
        note("lock:forced", m_server->url(), "sent");
        note("lock:force-of-another", u"redis://127.0.0.2:1"_qs, "freed");
        note("lock:force-in-vain", m_server->url(), "sent");
        note("lock:force-in-vain", m_server->url(), "“lock:force-in-vain” was free already.");
        redis({u"DEL"_qs, u"lock:forced"_qs, u"lock:force-of-another"_qs, u"lock:force-in-vain"_qs});
        QTRY_VERIFY2_WITH_TIMEOUT(told("forced", "lock:forced"), out.constData(), 15'000);
        QTRY_VERIFY2_WITH_TIMEOUT(told("released", "lock:force-of-another"), out.constData(), 15'000);
        QTRY_VERIFY2_WITH_TIMEOUT(told("released", "lock:force-in-vain"), out.constData(), 15'000);
        ::kill(pid_t(watcher.processId()), SIGINT);
        QVERIFY(end(watcher));
    }

    void aLineSaysWhatHappened() {
        const auto watcher =
            start({QStringLiteral("watch"), m_server->url(), QStringLiteral("--renewals"), QStringLiteral("--match"),
                   QStringLiteral("lock:*"), QStringLiteral("--ignore"), QStringLiteral("*:noise")});
        QByteArray out;
        const auto told = [&](const char* word, const char* name) {
            out += watcher->readAllStandardOutput();
            const QList<QByteArray> lines = out.split('\n');
            return std::any_of(lines.begin(), lines.end(), [&](const QByteArray& line) {
                return line.contains(QByteArray("  ") + word) && line.contains(name);
            });
        };
        const auto set = [this](const char* name, const char* value, const char* ms) {
            redis({QStringLiteral("SET"), QLatin1String(name), QLatin1String(value), QStringLiteral("PX"),
                   QLatin1String(ms)});
        };
        QTRY_VERIFY_WITH_TIMEOUT(
            redis({QStringLiteral("CLIENT"), QStringLiteral("LIST")}).contains("cmd=pttl") ||
                redis({QStringLiteral("CLIENT"), QStringLiteral("LIST")}).contains("name=lockscope"),
            10'000);
        set("lock:noise", "me", "60000");
        set("lock:a", "me", "60000");
        QTRY_VERIFY2_WITH_TIMEOUT(told("taken", "lock:a") || told("found", "lock:a"), out.constData(), 15'000);
        set("lock:a", "me", "90000");
        QTRY_VERIFY2_WITH_TIMEOUT(told("renewed", "lock:a"), out.constData(), 15'000);
        set("lock:a", "you", "1500");
        QTRY_VERIFY2_WITH_TIMEOUT(told("changed hands", "lock:a"), out.constData(), 15'000);
        QTRY_VERIFY2_WITH_TIMEOUT(told("expired", "lock:a"), out.constData(), 15'000);
        set("lock:a", "me", "60000");
        out.clear();
        QTRY_VERIFY2_WITH_TIMEOUT(told("taken", "lock:a"), out.constData(), 15'000);
        redis({QStringLiteral("FLUSHALL")});
        QTRY_VERIFY2_WITH_TIMEOUT(told("server emptied", ""), out.constData(), 15'000);
        QTRY_VERIFY2_WITH_TIMEOUT(told("lost", "lock:a"), out.constData(), 15'000);
        QVERIFY2(!out.contains("noise") && !out.contains("released"), out.constData());
        watcher->terminate();
        QVERIFY(end(*watcher));
    }

    void theUrlMaySayWhichLocksAreWanted() {
        for (const char* name : {"lock:a", "lock:b", "lock:c"})
            redis({QStringLiteral("SET"), QLatin1String(name), QStringLiteral("me")});
        const Ran ran =
            program({QStringLiteral("watch"), m_server->url() + QStringLiteral("?match=lock:%2A&ignore=%2Ab"),
                     QStringLiteral("--once")});
        QVERIFY2(ran.status == 0 && ran.out.contains("lock:a") && ran.out.contains("lock:c"), ran.told());
        QVERIFY2(!ran.out.contains("lock:b"), ran.told());
        const Ran none = program({QStringLiteral("watch"), m_server->url(), QStringLiteral("--match"),
                                  QStringLiteral("nosuch"), QStringLiteral("--once")});
        QVERIFY2(none.status == 0 && none.err.contains("no lock that matches on redis://"), none.told());
        redis({QStringLiteral("FLUSHALL")});
    }

    /// As they are on the server, for programs; a backslash in a pattern is one unless it has to stand for another.
    void namesOfPhpAreFoundAndTold() {
        redis({QStringLiteral("SET"), QStringLiteral("App\\Jobs:lock"), QStringLiteral("me"), QStringLiteral("EX"),
               QStringLiteral("34560000")});
        const QStringList words{QStringLiteral("watch"), m_server->url(), QStringLiteral("--match"),
                                QStringLiteral("App\\Jobs:lock"), QStringLiteral("--once")};
        const Ran json = program(words + QStringList{QStringLiteral("--json")});
        QVERIFY2(lockNamed(json.object()[u"locks"].toArray(), "App\\Jobs:lock"), json.told());
        const Ran text = program(words);
        QVERIFY2(text.out.contains("App\\\\Jobs:lock") && text.out.contains("399 d 23 h left"), text.told());
        redis({QStringLiteral("FLUSHALL")});
    }

    void namesThatDoNotFitALineAreToldForPeople() {
        const QString longest = QStringLiteral("n").repeated(3000), once = QStringLiteral("--once");
        for (const QString& name : {QString(), longest})
            redis({QStringLiteral("hset"), name, QStringLiteral("3c1f0a52-1111-4222-8333-aabbcc8f01aa:1"), u"1"_qs});
        const Ran people = program({QStringLiteral("watch"), m_server->url(), once});
        QVERIFY2(people.out.startsWith("(empty)  redisson") && people.out.contains("n…n"), people.out.constData());
        QVERIFY2(people.out.size() < 800, people.out.constData());
        QVERIFY(lockNamed(locks(), "") && lockNamed(locks(), longest.toLatin1()));
        redis({QStringLiteral("del"), QString(), longest});
    }

    void limitsAreSaid() {
        redis({QStringLiteral("EVAL"),
               QStringLiteral("redis.call('SET', 'lock:long', string.rep('x', 2000)) "
                              "redis.call('SET', 'pool', 0) "
                              "for i = 1, 700 do redis.call('ZADD', '{pool}:timeout', 99999999999999, "
                              "string.format('%016d', i)) end"),
               QStringLiteral("0")});
        const Ran people = program({QStringLiteral("watch"), m_server->url(), QStringLiteral("--once")});
        QVERIFY2(people.status == 0 && people.out.contains("and 692 more"), people.told());
        QVERIFY2(people.out.size() < 1000 && people.err.contains("lock:long"), people.told());
        const QJsonObject json =
            program({QStringLiteral("watch"), m_server->url(), QStringLiteral("--once"), QStringLiteral("--json")})
                .object();
        QCOMPARE(json[u"notes"][0][u"kind"], QJsonValue(QStringLiteral("long-values")));
        QCOMPARE(json[u"notes"][0][u"keys"][0], QJsonValue(QStringLiteral("lock:long")));
        QCOMPARE(json[u"server"][u"role"], QJsonValue(QStringLiteral("master")));
        QVERIFY(json[u"load"][u"commands"].toInt() > 0);
        redis({QStringLiteral("FLUSHALL")});
    }

    void aSentinelIsToldFromARedis() {
        const test::FakeRedis sentinel(m_runtime, [](QTcpSocket&, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "PING" || command.front() == "CLIENT") return "+OK\r\n";
            if (command.front() != "INFO") return "-ERR unknown command\r\n";
            const QByteArray text = "redis_mode:sentinel\r\nrun_id:abc\r\n";
            return '$' + QByteArray::number(text.size()) + "\r\n" + text + "\r\n";
        });
        const auto look = start(
            {QStringLiteral("watch"), QStringLiteral("redis://") + sentinel.at().display(), QStringLiteral("--once")});
        QVERIFY(end(*look));
        const QByteArray told = look->readAllStandardError();
        QVERIFY2(look->exitCode() == 3 && told.contains("is a Sentinel"), told);
    }

    void aServerWithoutTlsIsSuspected() {
        const Ran ran = program({QStringLiteral("watch"), QStringLiteral("rediss://127.0.0.1:%1").arg(m_server->port()),
                                 QStringLiteral("--once")});
        QVERIFY2(ran.status == 3 && ran.err.contains("write redis:// instead of rediss://"), ran.told());
    }

    /// Against what redis-cli needs to list the keys and to read the locks. Generous: machines and their load differ.
    void manyKeysAreSeenInAFewTimesWhatRedisCliNeeds() {
        redis({QStringLiteral("EVAL"),
               QStringLiteral("for i = 1, 100000 do redis.call('SET', 'user:' .. i, 'a value ' .. i) end "
                              "for i = 1, 10000 do redis.call('HSET', 'svc:' .. i, ARGV[1] .. i, 1) "
                              "redis.call('PEXPIRE', 'svc:' .. i, 3600000) end"),
               QStringLiteral("0"), QStringLiteral("285475da-9152-4c83-822a-67ee2f116a79:")});
        QFile reads(m_folder.filePath(QStringLiteral("reads")));
        QVERIFY(reads.open(QIODevice::WriteOnly));
        for (int i = 1; i <= 10'000; ++i)
            reads.write("HGETALL svc:" + QByteArray::number(i) + "\r\nPTTL svc:" + QByteArray::number(i) + "\r\n");
        reads.close();
        const QString port = QString::number(m_server->port());
        QElapsedTimer time;
        time.start();
        const Ran plain = runProgram(
            QStringLiteral("sh"),
            {QStringLiteral("-c"), QStringLiteral("redis-cli -p %1 --scan >/dev/null && redis-cli -p %1 --pipe <'%2'")
                                       .arg(port, reads.fileName())});
        const qint64 cli = time.restart();
        QVERIFY2(plain.status == 0, plain.told());
        const Ran ran =
            program({QStringLiteral("watch"), m_server->url(), QStringLiteral("--once"), QStringLiteral("--json")});
        const qint64 ours = time.elapsed();
        QVERIFY2(ran.status == 0, ran.told());
        QCOMPARE(ran.object()[u"locks"].toArray().size(), 10'000);
        qInfo("redis-cli %lld ms, watch --once %lld ms", static_cast<long long>(cli), static_cast<long long>(ours));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // redis-cli is not slowed down like us
        QVERIFY2(ours < 6 * cli + 1000, qPrintable(QStringLiteral("%1 against %2 ms").arg(ours).arg(cli)));
#endif
        redis({QStringLiteral("FLUSHALL")});
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
        QTest::newRow("no scheme") << QStringLiteral("localhost:6379") << QStringLiteral("redis://localhost:6379");
        QTest::newRow("no scheme, address")
            << QStringLiteral("127.0.0.1:6379") << QStringLiteral("write redis://127.0.0.1:6379");
        QTest::newRow("a login") << QStringLiteral("me:ses%ame@localhost:6379") << QStringLiteral("redis://127.0.0.1");
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
