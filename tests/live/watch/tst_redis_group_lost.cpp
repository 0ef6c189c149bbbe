// SPDX-License-Identifier: Apache-2.0
// A master that loses its locks, and is replaced by a replica that has not lost them.
#include "group_watch.h"
#include "sandbox/redis_sentinel.h"

using namespace lockscope;
using namespace lockscope::test;
using inspect::ServerEvent;
using What = LockChange::What;

namespace {

constexpr int kFailoverLimit = 60'000; ///< some seconds; many times that on a busy machine
const QByteArray kHolder = "285475da-9152-4c83-822a-67ee2f116a79:1";
/// No busy machine has the master replaced before it is killed.
sandbox::RedisSentinelOptions patient() {
    sandbox::RedisSentinelOptions options;
    options.downAfterMs = 4000;
    return options;
}

const QByteArray kOther = "82fafc6a-9152-4c83-822a-67ee2f116a79:1";

} // namespace

class TestRedisGroupLost : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    sandbox::RedisSentinels m_sentinels{m_runtime, patient()};

    std::unique_ptr<redis::Client> clientAt(int server) {
        const auto url =
            parseConnectionUrl(QStringLiteral("redis://127.0.0.1:%1").arg(m_sentinels.group().at(server).port()));
        return realDiallers().redis(m_runtime, *url, {});
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_sentinels); }

    void locksThatComeBackAreFoundByTheirNames() {
        const int master = run(m_sentinels.group().master());
        const auto client = clientAt(master);
        // So many others that a search through all of them takes its time. In small portions: a master that is busy
        // for too long is replaced.
        for (int portion = 0; portion < 300; ++portion)
            QVERIFY(run(client->call({"EVAL", "for i = 1, 1000 do redis.call('SET', ARGV[1] .. i, 'Ada') end", "0",
                                      "user:" + QByteArray::number(portion) + ':'})));
        QVERIFY(run(client->call({"HSET", "orders", kHolder, "1"})));
        QVERIFY(run(client->call({"HSET", "stock", kHolder, "1"})));
        QVERIFY(run(client->call({"PEXPIRE", "orders", "600000"})));
        QVERIFY(run(client->call({"PEXPIRE", "stock", "600000"})));
        // A replica that was just begun hears nothing before its first full copy. Asked in short questions: the answer
        // to a long one comes later than a connection waits for it.
        const auto copied = [&] { return run(client->call({"WAIT", "2", "500"})); };
        QTRY_COMPARE_WITH_TIMEOUT(copied().value_or(redis::Reply{}).integer, 2, 60'000);
        GroupWatch watch(m_runtime, m_sentinels.url());
        QTRY_VERIFY_WITH_TIMEOUT(watch.row("orders") && watch.row("stock"), 60'000);

        // From here on the replicas hear nothing of what happens to the master.
        for (int i = 0; i < 3; ++i)
            if (i != master) m_sentinels.group().at(i).pause();
        QVERIFY(run(client->call({"CLIENT", "KILL", "TYPE", "replica"})));
        QVERIFY(run(client->call({"DEL", "stock"})));
        QVERIFY(run(client->call({"HSET", "stock", kOther, "1"})));
        QTRY_VERIFY_WITH_TIMEOUT(watch.saw("stock", What::ChangedHands) || watch.saw("stock", What::Taken), 10'000);
        QVERIFY(run(client->call({"FLUSHALL", "ASYNC"})));
        QTRY_VERIFY_WITH_TIMEOUT(!watch.row("orders") && !watch.row("stock"), 10'000);
        const std::size_t before = watch.happened["stock"].size();
        m_sentinels.group().at(master).kill();
        for (int i = 0; i < 3; ++i)
            if (i != master) m_sentinels.group().at(i).resume();

        QTRY_VERIFY_WITH_TIMEOUT(watch.row("stock") && watch.row("orders"), kFailoverLimit);
        QVERIFY(!watch.last.complete); // they were not found by a search
        QVERIFY(std::ranges::find(watch.events, ServerEvent::FailedOver) != watch.events.end());
        QCOMPARE(watch.row("stock")->holders.at(0).client + ':' + *watch.row("stock")->holders.at(0).thread, kHolder);
        // Nobody took it: the former holder's value came back.
        QCOMPARE(watch.happened["stock"].at(before), What::Found);
    }
};

QTEST_GUILESS_MAIN(TestRedisGroupLost)
#include "tst_redis_group_lost.moc"
