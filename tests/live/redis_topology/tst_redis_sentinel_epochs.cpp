// SPDX-License-Identifier: Apache-2.0
// Sentinels that disagree: each names a master and the epoch of the configuration that it knows it from. And a master
// that they replace between two commands.
#include "connections/redis/sentinel_port.h"
#include "drivers/dial.h"
#include "fake_redis.h"
#include "recipes/redis/redis_recipe.h"

using namespace lockscope;
using namespace lockscope::redis;
using namespace lockscope::test;

namespace {
/// Three sentinels, and what each of them says.
struct Sentinels {
    struct Word {
        std::uint16_t master = 0;
        int epoch = 0;
        bool away = false;
    };
    explicit Sentinels(Runtime& runtime) {
        for (Word& word : words)
            all.push_back(
                std::make_unique<FakeRedis>(runtime, [&word](QTcpSocket& socket, const QByteArrayList& command) {
                    return answer(word, socket, command);
                }));
    }
    static QByteArray answer(const Word& word, QTcpSocket& socket, const QByteArrayList& command) {
        if (word.away) {
            socket.abort();
            return {};
        }
        const QByteArray port = QByteArray::number(word.master);
        if (command.front() == "SUBSCRIBE") return "*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n";
        if (command.value(1) != "MASTER") return listOf({"127.0.0.1", port});
        return listOf({"ip", "127.0.0.1", "port", port, "config-epoch", QByteArray::number(word.epoch)});
    }
    void all3Say(const FakeRedis& master, int epoch) { words.fill({master.port(), epoch}); }
    /// Subscribers have missed something, and ask.
    void hangUp() {
        for (const auto& one : all)
            one->hangUp();
    }
    ConnectionUrl url() const {
        ConnectionUrl url;
        url.service = Service::RedisSentinel;
        url.scheme = QStringLiteral("redis+sentinel");
        url.path = QStringLiteral("mymaster");
        for (const auto& one : all)
            url.endpoints.push_back(one->at());
        return url;
    }
    std::array<Word, 3> words;
    std::vector<std::unique_ptr<FakeRedis>> all;
};

/// Calls itself a master, as one does that does not know that it was replaced.
QByteArray master(QTcpSocket&, const QByteArrayList& command) {
    return command.front() == "ROLE" ? listOf({"master", "0"}) : QByteArray(":1\r\n");
}

DriverOptions quick() {
    DriverOptions options;
    options.commandTimeout = 600ms;
    options.retryLongest = 100ms;
    return options;
}
} // namespace

class TestRedisSentinelEpochs : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneThatWasCutOffIsNotBelieved() {
        FakeRedis old(m_runtime, master), fresh(m_runtime, master);
        Sentinels sentinels(m_runtime);
        sentinels.all3Say(fresh, 7);
        SentinelPort port(m_runtime, realDiallers().redis, sentinels.url(), quick());
        VERIFY_OK(run(port.open()));
        // The two that know are away, and so is the connection to their master.
        sentinels.words = {{{old.port(), 6}, {fresh.port(), 7, true}, {fresh.port(), 7, true}}};
        sentinels.hangUp();
        fresh.hangUp();
        QVERIFY(!run(port.call({"SET", "x", "1"})));
        QVERIFY(!run(port.call({"SET", "x", "1"})));
        QCOMPARE(old.connections, 0);
        sentinels.words[1].away = sentinels.words[2].away = false;
        QVERIFY(comesTrue([&] { return port.master() && port.master()->port == fresh.port(); }));
    }
    void oneThatWasCutOffIsNotFollowed() {
        FakeRedis old(m_runtime, master), fresh(m_runtime, master);
        Sentinels sentinels(m_runtime);
        sentinels.words = {{{old.port(), 6}, {fresh.port(), 7}, {fresh.port(), 7}}};
        SentinelPort port(m_runtime, realDiallers().redis, sentinels.url(), quick());
        VERIFY_OK(run(port.open()));
        const int asked = sentinels.all[0]->asked;
        sentinels.hangUp();
        QVERIFY(comesTrue([&] { return sentinels.all[0]->asked >= asked + 3; })); // it has listened and asked again
        QCOMPARE(run(port.call({"SET", "x", "1"})).value().integer, 1);
        QCOMPARE(port.master()->port, fresh.port());
        QCOMPARE(old.connections, 0);
    }
    /// As when all of them were set up anew, and count from the beginning.
    void mostOfThemAreBelieved() {
        FakeRedis first(m_runtime, master), second(m_runtime, master);
        Sentinels sentinels(m_runtime);
        sentinels.all3Say(first, 7);
        SentinelPort port(m_runtime, realDiallers().redis, sentinels.url(), quick());
        VERIFY_OK(run(port.open()));
        sentinels.all3Say(second, 0);
        sentinels.hangUp();
        QVERIFY(comesTrue([&] { return port.master() && port.master()->port == second.port(); }));
    }

    /// It has the lock, and is a replica by the time that it is asked who else has it: the next one is asked for both.
    void oneThatIsReplacedBeforeItsReplicasConfirm_data() {
        QTest::addColumn<QByteArray>("answer");
        QTest::newRow("before it is asked") << QByteArray("-ERR WAIT cannot be used with replica instances.\r\n");
        QTest::newRow("while it is asked") << QByteArray("-UNBLOCKED force unblock from blocking operation, instance "
                                                         "state changed (master -> replica?)\r\n");
    }
    void oneThatIsReplacedBeforeItsReplicasConfirm() {
        QFETCH(QByteArray, answer);
        bool replaced = false;
        Sentinels sentinels(m_runtime);
        FakeRedis next(m_runtime, [](QTcpSocket& socket, const QByteArrayList& command) {
            return command.front() == "SET" ? QByteArray("+OK\r\n") : master(socket, command);
        });
        FakeRedis first(m_runtime, [&](QTcpSocket&, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "ROLE") return listOf({replaced ? "slave" : "master", "0"});
            if (command.front() != "WAIT") return replaced ? "-READONLY You can't write against one.\r\n" : "+OK\r\n";
            replaced = true;
            sentinels.all3Say(next, 2);
            return answer;
        });
        sentinels.all3Say(first, 1);
        SentinelPort port(m_runtime, realDiallers().redis, sentinels.url(), quick());
        recipes::RedisLock spec{port, "orders", "client"};
        spec.replicas = 1;
        const auto recipe = recipes::makeRedisRecipe("redis-set", std::move(spec));
        recipes::Request request;
        request.wait = 20s;
        const auto grant = run(recipe->acquire(request, {}));
        VERIFY_OK(grant);
        QVERIFY(*grant && replaced);
        QCOMPARE(port.master()->port, next.port());
    }

private:
    EventLoopRuntime m_runtime;
};

QTEST_GUILESS_MAIN(TestRedisSentinelEpochs)
#include "tst_redis_sentinel_epochs.moc"
