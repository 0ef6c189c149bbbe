// SPDX-License-Identifier: Apache-2.0
#include "ports/etcd/port.h"
#include "ports/memcached/port.h"
#include "ports/redis/reading_port.h"
#include "ports/sql/reader.h"
#include "ports/zookeeper/port.h"
#include "pretend_redis.h"

#include <QTest>
#include <qcorotask.h>

using namespace lockscope;
using redis::argsOf;

namespace {

// Whether a class has a member of that name, also where it is overloaded: beside another one the name is ambiguous.
#define LOCKSCOPE_HAS(name)                                                                                            \
    struct Other_##name {                                                                                              \
        void name();                                                                                                   \
    };                                                                                                                 \
    template <typename T>                                                                                              \
    struct Both_##name : T, Other_##name {};                                                                           \
    template <typename T>                                                                                              \
    constexpr bool has_##name = !requires {                                                                            \
        &Both_##name<T>::name;                                                                                         \
    }
LOCKSCOPE_HAS(create);
LOCKSCOPE_HAS(remove);
LOCKSCOPE_HAS(set);
LOCKSCOPE_HAS(multi);
LOCKSCOPE_HAS(put);
LOCKSCOPE_HAS(run);
LOCKSCOPE_HAS(deleteRange);
LOCKSCOPE_HAS(grantLease);
LOCKSCOPE_HAS(revokeLease);
LOCKSCOPE_HAS(keepAlive);
LOCKSCOPE_HAS(add);
LOCKSCOPE_HAS(compareAndSet);
LOCKSCOPE_HAS(insert);
LOCKSCOPE_HAS(take);
LOCKSCOPE_HAS(erase);
LOCKSCOPE_HAS(takeAway);
LOCKSCOPE_HAS(execute);
LOCKSCOPE_HAS(eval);
LOCKSCOPE_HAS(call);
LOCKSCOPE_HAS(callOver);
#undef LOCKSCOPE_HAS

template <typename T>
constexpr bool writesNodes = has_create<T> || has_remove<T> || has_set<T> || has_multi<T>;
template <typename T>
constexpr bool writesKeys = has_put<T> || has_run<T> || has_remove<T> || has_deleteRange<T> || has_grantLease<T> ||
                            has_revokeLease<T> || has_keepAlive<T>;
template <typename T>
constexpr bool writesItems = has_add<T> || has_compareAndSet<T> || has_remove<T>;
template <typename T>
constexpr bool writesRows = has_insert<T> || has_take<T> || has_erase<T> || has_takeAway<T> || has_execute<T>;
template <typename T>
constexpr bool sendsAnything = has_eval<T> || has_call<T> || has_callOver<T>;

// Watchers have readers: the ports themselves show that the question tells one from the other.
static_assert(!writesNodes<zookeeper::Reader> && writesNodes<zookeeper::Port>);
static_assert(!writesKeys<etcd::Reader> && writesKeys<etcd::Port>);
static_assert(!writesItems<memcached::Reader> && writesItems<memcached::Port>);
static_assert(!writesRows<sql::Reader> && writesRows<sql::Port>);
static_assert(!sendsAnything<redis::ReadingPort> && sendsAnything<redis::Port>);
static_assert(!std::is_base_of_v<redis::Port, redis::ReadingPort>);

/// A client that counts what it is given.
class Counting : public tests::PretendRedis {
public:
    QCoro::Task<redis::Result> call(redis::Args /*args*/, std::stop_token /*stop*/) override {
        ++sent;
        redis::Result result(redis::Reply::number(1));
        co_return result;
    }

    int sent = 0;
};

} // namespace

/// The halves of ports that watchers have cannot write.
class TestReaders : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void commandsThatWriteAreKnown_data() {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<bool>("reads");
        for (const char* reads :
             {"SCAN 0 COUNT 10", "TYPE a", "GETRANGE a 0 9", "HGETALL a", "PTTL a", "MEMORY USAGE a", "CONFIG GET save",
              "CLIENT LIST", "CLIENT TRACKING ON", "PUBSUB CHANNELS *", "TIME"})
            QTest::newRow(reads) << QByteArray(reads) << true;
        for (const char* writes : {"SET a 1",          "DEL a",
                                   "GETDEL a",         "GETEX a",
                                   "EVAL x 0",         "EVALSHA x 0",
                                   "FCALL f 0",        "CONFIG SET save x",
                                   "CONFIG RESETSTAT", "CLIENT KILL ID 1",
                                   "CLIENT PAUSE 1",   "CLUSTER RESET",
                                   "MEMORY PURGE",     "PEXPIRE a 1",
                                   "FLUSHALL",         "MULTI",
                                   "SUBSCRIBE a",      "MEMORY",
                                   "scan 0",           ""})
            QTest::addRow("not: %s", writes) << QByteArray(writes) << false;
    }
    void commandsThatWriteAreKnown() {
        QFETCH(QByteArray, words);
        QFETCH(bool, reads);
        redis::Args command;
        for (const QByteArray& word : words.split(' '))
            command.push_back(word);
        QCOMPARE(redis::onlyReads(command), reads);
    }

    void oneThatWritesKeepsAllOfThemBack() {
        Counting client;
        redis::ReadingPort port(client);
        std::vector<redis::Args> reads, mixed;
        reads.push_back(argsOf("TYPE", "a"));
        reads.push_back(argsOf("PTTL", "a"));
        mixed = reads;
        mixed.push_back(argsOf("DEL", "a"));
        const auto answers = QCoro::waitFor(port.callAll(mixed));
        QCOMPARE(answers.size(), 3u);
        for (const redis::Result& answer : answers)
            QVERIFY(!answer && answer.error().code == "READONLYPORT");
        QCOMPARE(client.sent, 0);
        QVERIFY(QCoro::waitFor(port.callAll(reads)).back().has_value());
        QCOMPARE(client.sent, 2);
    }
};

QTEST_GUILESS_MAIN(TestReaders)
#include "tst_readers.moc"
