// SPDX-License-Identifier: Apache-2.0
#include "own_redis.h"
#include "trial_answer.h"

#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

using namespace lockscope;
using namespace lockscope::test;
using live::ConnectionTrial;
using Outcome = ConnectionTrial::Outcome;

namespace {

/// The address with another scheme, or with another part replaced.
QString with(QString url, const char* before, const char* after) {
    return url.replace(QLatin1String(before), QLatin1String(after));
}

} // namespace

class TestConnectionTrial : public QObject {
    Q_OBJECT

    OwnRedis m_redis;

private Q_SLOTS:
    void cleanup() { m_redis.end(); }

    void aServerThatCanBeReadIsFine() {
        VERIFY_EMPTY(m_redis.startAnew());
        m_redis.ask({"HSET", "orders", "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:57", "1"});
        says(answerOf(m_redis->url()), {"fine: Connected to 127.0.0.1:", "version 7.", "1 lock"});
    }

    void nobodyListens() {
        VERIFY_EMPTY(m_redis.startAnew());
        const QString url = m_redis->url();
        m_redis.end();
        says(answerOf(url), {"failed: ", "refused the connection", "Is Redis running there"});
    }

    void theNameIsNotKnown() {
        says(answerOf(QStringLiteral("redis://no-such-host.invalid:6379?connect=5s")),
             {"failed: ", "no-such-host.invalid"});
        // Its name is looked up on a thread of its own, which leaves the sentence to the caller.
        for (const char* kind : {"postgresql", "mysql"})
            says(answerOf(QStringLiteral("%1://no-such-host.invalid/shop?connect=5s").arg(QLatin1String(kind))),
                 {"failed: ", "no-such-host.invalid", "could not translate host name"});
    }

    void nobodyAnswers() {
        QTcpServer silent;
        QVERIFY(silent.listen(QHostAddress::LocalHost));
        says(answerOf(QStringLiteral("redis://127.0.0.1:%1?connect=500ms").arg(silent.serverPort())),
             {"failed: ", "did not answer within 500 ms"});
    }

    void theLoginIsWrongOrMissing() {
        sandbox::RedisServerOptions options;
        options.password = QStringLiteral("right-one");
        VERIFY_EMPTY(m_redis.startAnew(options));
        const QString url = m_redis->url();
        const QString wrong = answerOf(with(url, "right-one", "wrong-one"));
        says(wrong, {"failed: ", "refused the login"});
        QVERIFY2(!wrong.contains(QLatin1String("wrong-one")), qPrintable(wrong));
        says(answerOf(with(url, ":right-one@", "")), {"failed: ", "wants a password"});
        says(answerOf(url), {"fine: "});
    }

    void aUserWithFewRightsIsToldWhatIsNotSeen() {
        sandbox::RedisServerOptions options;
        options.users = {{QStringLiteral("part"), QStringLiteral("p"), QStringLiteral("~mine:* &* +@all")},
                         {QStringLiteral("none"), QStringLiteral("n"), QStringLiteral("~* &* +ping +client|setname")}};
        VERIFY_EMPTY(m_redis.startAnew(options));
        m_redis.ask({"HSET", "orders", "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:57", "1"});
        const QString address = QStringLiteral("127.0.0.1:%1").arg(m_redis->port());
        says(answerOf(QStringLiteral("redis://part:p@") + address),
             {"partly: Connected to", "0 lock(s) seen.", "may not read some keys"});
        says(answerOf(QStringLiteral("redis://none:n@") + address),
             {"partly: Connected to", "did not go through everything", "may not go through the keys (SCAN)"});
    }

    void tlsAgainstPlainAndPlainAgainstTls() {
        VERIFY_EMPTY(m_redis.startAnew());
        says(answerOf(with(m_redis->url(), "redis://", "rediss://") + QStringLiteral("?connect=1s")),
             {"failed: ", "write redis:// instead of rediss://"});
        sandbox::RedisServerOptions options;
        options.tls = true;
        VERIFY_EMPTY(m_redis.startAnew(options));
        says(answerOf(QStringLiteral("redis://127.0.0.1:%1?connect=1s").arg(m_redis->port())),
             {"failed: ", "write rediss://"});
        says(answerOf(m_redis->url()), {"fine: "});
    }

    void anotherServiceListens() {
        QTcpServer web;
        QVERIFY(web.listen(QHostAddress::LocalHost));
        connect(&web, &QTcpServer::newConnection, this, [&web] {
            QTcpSocket* const client = web.nextPendingConnection();
            client->write("HTTP/1.1 400 Bad Request\r\n\r\n");
        });
        says(answerOf(QStringLiteral("redis://127.0.0.1:%1?connect=1s").arg(web.serverPort())),
             {"failed: ", "127.0.0.1", "Redis"});
    }

    void aTrialThatIsGivenUpSaysNothing() {
        QTcpServer silent;
        QVERIFY(silent.listen(QHostAddress::LocalHost));
        bool told = false;
        QElapsedTimer since;
        since.start();
        {
            const ConnectionTrial trial(
                *parseConnectionUrl(QStringLiteral("redis://127.0.0.1:%1?connect=10s").arg(silent.serverPort())),
                [&told](Outcome, const QString&) { told = true; });
            QVERIFY(QTest::qWaitFor([&silent] { return silent.hasPendingConnections(); }, 5'000));
        }
        QVERIFY2(since.elapsed() < 8'000, "destroying it waited for the time-out");
        QVERIFY(!told);
    }
};

QTEST_GUILESS_MAIN(TestConnectionTrial)
#include "tst_connection_trial.moc"
