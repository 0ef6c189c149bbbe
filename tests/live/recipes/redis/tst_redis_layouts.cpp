// SPDX-License-Identifier: Apache-2.0
// The recipes' data on a real server, to the byte, as Redisson's clients and monitors of such locks read them. And
// their behaviour on a key that carries something else.
#include "recipe_bench.h"
#include "recipes/token_start.h"

using namespace lockscope;
using namespace lockscope::test;

namespace {
constexpr std::int64_t kCounterLifeMs = recipes::kTokenCounterLife / 1ms;
using Hash = std::map<QByteArray, QByteArray>;

bool taken(const std::expected<std::optional<Grant>, LockError>& grant) {
    return grant.has_value() && grant->has_value();
}

Hash hashOf(const redis::Result& reply) {
    Hash hash;
    for (std::size_t i = 0; reply && i + 1 < reply->items.size(); i += 2)
        hash[reply->items[i].text] = reply->items[i + 1].text;
    return hash;
}
} // namespace

namespace QTest {
template <>
char* toString(const Hash& hash) {
    QByteArray text;
    for (const auto& [field, value] : hash)
        text += field + "=" + value + " ";
    return qstrdup(text.constData());
}
} // namespace QTest

class TestRedisLayouts : public QObject {
    Q_OBJECT

    redis::Result ask(redis::Args args) { return call(m_a->driver, std::move(args)); }
    Hash hash(const QByteArray& key) { return hashOf(ask({"HGETALL", key})); }
    std::int64_t pttl(const QByteArray& key) { return ask({"PTTL", key}).value().integer; }
    std::int64_t serverMs() {
        const redis::Result time = ask({"TIME"});
        return time->items[0].text.toLongLong() * 1000 + time->items[1].text.toLongLong() / 1000;
    }
    QList<QByteArray> keys() {
        QList<QByteArray> all;
        const redis::Result found = ask({"KEYS", "*"});
        for (const redis::Reply& key : found->items)
            all += key.text;
        std::ranges::sort(all);
        return all;
    }
    static bool about(std::int64_t ms, std::int64_t wanted) { return ms <= wanted && ms > wanted - 2000; }
    /// A grant in the thread's name; the test fails without one.
    Grant take(recipes::Recipe& recipe, Mode mode = Mode::Exclusive, Nanos lease = 30s, int held = 0,
               const QByteArray& thread = "1") {
        Request request = requestFor(recipe, 0s, lease);
        request.mode = mode;
        request.held = held;
        request.thread = thread;
        const auto grant = run(recipe.acquire(request, {}));
        if (taken(grant)) return **grant;
        QTest::qFail(grant ? "not taken" : qPrintable(grant.error().message), __FILE__, __LINE__);
        return {};
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() {
        m_a = std::make_unique<Process>(m_runtime, m_server);
        m_b = std::make_unique<Process>(m_runtime, m_server);
        QVERIFY(ask({"FLUSHALL"}));
    }

    void fenced_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("tag");
        QTest::newRow("plain") << QByteArray("orders") << QByteArray("{orders}");
        QTest::newRow("braces somewhere") << QByteArray("shop{7}:orders") << QByteArray("shop{7}:orders");
    }
    void fenced() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, tag);
        const auto recipe = m_a->recipe("redis-fenced", name);
        const Grant first = take(*recipe), second = take(*recipe, Mode::Exclusive, 30s, 1);
        QCOMPARE(hash(name), (Hash{{m_a->uuid + ":1", "2"}}));
        QVERIFY(about(pttl(name), 30'000));
        QCOMPARE(second.token, first.token + 1); // the counter grows with re-entries, too
        const QByteArray counter = "redisson_lock_token:" + tag;
        QCOMPARE(ask({"GET", counter}).value().text, QByteArray::number(qlonglong(second.token)));
        QVERIFY(about(pttl(counter), kCounterLifeMs));
        QVERIFY(run(recipe->release(second, {})).has_value());
        Grant last = second;
        last.holds = 1;
        QVERIFY(run(recipe->release(last, {})).has_value());
        QCOMPARE(keys(), QList<QByteArray>{counter});
        QCOMPARE(take(*m_b->recipe("redis-fenced", name)).token, second.token + 1);
    }

    void aBrokenFencingCounterCostsNoLock() {
        QVERIFY(ask({"SET", "redisson_lock_token:{orders}", "many"}));
        const auto recipe = m_a->recipe("redis-fenced", "orders");
        const auto grant = run(recipe->acquire(requestFor(*recipe, 0s), {}));
        QVERIFY(!grant && grant.error().kind == LockError::Kind::Refused);
        QCOMPARE(ask({"EXISTS", "orders"}).value().integer, 0);
    }

    void fair() {
        const QByteArray queue = "redisson_lock_queue:{orders}", deadlines = "redisson_lock_timeout:{orders}";
        const auto holder = m_a->recipe("redis-fair", "orders");
        const Grant grant = take(*holder, Mode::Exclusive, 20s);
        QCOMPARE(hash("orders"), (Hash{{m_a->uuid + ":1", "1"}}));
        QVERIFY(!run(m_b->recipe("redis-fair", "orders")->acquire(requestFor(*holder, 0s), {})).value().has_value());
        QCOMPARE(keys(), QList<QByteArray>{"orders"}); // a try does not queue

        recipes::RedisLock patient = m_b->lock("orders");
        patient.patience = 5min; // as Redisson
        const auto second = recipes::makeRedisRecipe("redis-fair", patient);
        const auto third = recipes::makeRedisRecipe("redis-fair", patient);
        const std::int64_t now = serverMs();
        std::stop_source stop;
        Request timed = requestFor(*second, 7s), endless = requestFor(*third);
        endless.thread = "2";
        auto waiting = second->acquire(timed, {});
        auto waitingToo = third->acquire(endless, stop.get_token());
        const QByteArray b1 = m_b->uuid + ":1", b2 = m_b->uuid + ":2";
        QTRY_COMPARE(ask({"LLEN", queue}).value().integer, 2);
        QTRY_COMPARE(ask({"PUBSUB", "CHANNELS"}).value().items.size(), std::size_t(2));
        QCOMPARE(ask({"LRANGE", queue, "0", "-1"}).value().items[0].text, b1);
        QCOMPARE(ask({"LRANGE", queue, "0", "-1"}).value().items[1].text, b2);
        // now + what is left of the lease + the waiter's own wait; then the one behind it: + 5 min.
        const std::int64_t score1 = ask({"ZSCORE", deadlines, b1}).value().text.toLongLong();
        const std::int64_t score2 = ask({"ZSCORE", deadlines, b2}).value().text.toLongLong();
        QVERIFY2(std::abs(score1 - now - 27'000) < 2000, qPrintable(QString::number(score1 - now)));
        QCOMPARE(score2 - score1, 300'000);
        QCOMPARE(ask({"PUBSUB", "NUMSUB", "redisson_lock__channel:{orders}:" + b1}).value().items[1].integer, 1);
        QCOMPARE(pttl(queue), -1);

        // Released: the first gets it, and the others' deadlines move by what it would have waited.
        QVERIFY(run(holder->release(grant, {})).has_value());
        const auto next = run(std::move(waiting));
        QVERIFY(taken(next));
        QCOMPARE(ask({"LRANGE", queue, "0", "-1"}).value().items.size(), std::size_t(1));
        QCOMPARE(ask({"ZSCORE", deadlines, b2}).value().text.toLongLong(), score2 - 7000);

        stop.request_stop();
        QCOMPARE(run(howCancelled(std::move(waitingToo))), std::optional(Cancelled::Why::Stopped));
        QCOMPARE(keys(), QList<QByteArray>{"orders"});
        QVERIFY(run(second->release(**next, {})).has_value());
        QCOMPARE(keys(), QList<QByteArray>());
    }

    void fairWakesTheNextWhenTheFirstGivesUp() {
        // The lock is free, the first in the queue is told, but has stopped waiting: the next must not sleep on.
        const QByteArray queue = "redisson_lock_queue:{orders}";
        const auto holder = m_a->recipe("redis-fair", "orders");
        const Grant grant = take(*holder, Mode::Exclusive, 30s);
        std::stop_source stop;
        const auto second = m_b->recipe("redis-fair", "orders"), third = m_b->recipe("redis-fair", "orders");
        Request other = requestFor(*third);
        other.thread = "2";
        auto waiting = second->acquire(requestFor(*second), stop.get_token());
        QTRY_COMPARE(ask({"LLEN", queue}).value().integer, 1);
        auto waitingToo = third->acquire(other, {});
        QTRY_COMPARE(ask({"LLEN", queue}).value().integer, 2);
        stop.request_stop();
        QCOMPARE(run(howCancelled(std::move(waiting))), std::optional(Cancelled::Why::Stopped));
        QVERIFY(run(holder->release(grant, {})).has_value());
        const Nanos begun = m_runtime.monotonic();
        const auto got = run(std::move(waitingToo));
        QVERIFY(taken(got));
        QVERIFY(m_runtime.monotonic() - begun < 3s); // a place in the queue lasts 5 s
    }

    void fairWaitsForNoDeadWaiterLongerThanItsPatience() {
        // It died while the lock had a long lease; its deadline says so, and the lock is free long before.
        const QByteArray queue = "redisson_lock_queue:{orders}", dead = "0123abcd-0000-4000-8000-000000000000:1";
        recipes::RedisLock holding = m_a->lock("orders"), waiting = m_b->lock("orders");
        holding.patience = waiting.patience = 300ms;
        const auto holder = recipes::makeRedisRecipe("redis-fair", std::move(holding));
        const auto waiter = recipes::makeRedisRecipe("redis-fair", std::move(waiting));
        const Grant grant = take(*holder, Mode::Exclusive, 3600s);
        const QByteArray deadline = QByteArray::number(qlonglong(serverMs() + 3'900'000));
        QVERIFY(ask({"RPUSH", queue, dead}));
        QVERIFY(ask({"ZADD", "redisson_lock_timeout:{orders}", deadline, dead}));
        auto acquiring = waiter->acquire(requestFor(*waiter), {});
        QTRY_COMPARE(ask({"LLEN", queue}).value().integer, 2);
        const Nanos begun = m_runtime.monotonic();
        QCOMPARE(run(holder->release(grant, {})).value_or(-1), 0);
        const auto got = run(std::move(acquiring));
        QVERIFY(taken(got));
        const Nanos took = m_runtime.monotonic() - begun;
        QVERIFY2(took > 200ms && took < 3s, qPrintable(QString::number(took / 1ms)));
        QCOMPARE(run(waiter->release(**got, {})).value_or(-1), 0);
        QCOMPARE(keys(), QList<QByteArray>());
    }

    void fairHealsAQueueWithoutDeadlines() {
        QVERIFY(ask({"RPUSH", "redisson_lock_queue:{orders}", "0123abcd-0000-4000-8000-000000000000:1"}));
        recipes::RedisLock spec = m_a->lock("orders");
        spec.patience = 200ms;
        const auto recipe = recipes::makeRedisRecipe("redis-fair", std::move(spec));
        const auto grant = run(recipe->acquire(requestFor(*recipe), {}));
        QVERIFY(taken(grant)); // not never
        QVERIFY(run(recipe->release(**grant, {})).has_value());
        QCOMPARE(keys(), QList<QByteArray>());
    }

    void readers() {
        const auto a = m_a->recipe("redis-rw", "orders"), b = m_b->recipe("redis-rw", "orders");
        const QByteArray me = m_a->uuid + ":1", other = m_b->uuid + ":1";
        const QByteArray hold1 = "{orders}:" + me + ":rwlock_timeout:1", hold2 = "{orders}:" + me + ":rwlock_timeout:2";
        const QByteArray theirs = "{orders}:" + other + ":rwlock_timeout:1";
        const Grant first = take(*a, Mode::Shared, 10s);
        QCOMPARE(hash("orders"), (Hash{{"mode", "read"}, {me, "1"}}));
        QCOMPARE(ask({"GET", hold1}).value().text, QByteArray("1"));
        QVERIFY(about(pttl(hold1), 10'000) && about(pttl("orders"), 10'000));
        const Grant second = take(*a, Mode::Shared, 5s, 1);
        QCOMPARE(second.holds, 2);
        QVERIFY(about(pttl(hold2), 5000) && about(pttl("orders"), 10'000)); // the longest counts
        const Grant beside = take(*b, Mode::Shared, 60s);
        QCOMPARE(hash("orders"), (Hash{{"mode", "read"}, {me, "2"}, {other, "1"}}));
        QVERIFY(about(pttl("orders"), 60'000));
        // No reader becomes the writer, not even alone.
        QVERIFY(!run(a->acquire(requestFor(*a, 0s), {})).value().has_value());

        // A renewal is of one's own hold keys, and shortens nothing for others.
        QVERIFY(run(a->renew(first, {})).value_or(false));
        QVERIFY(about(pttl(hold2), 10'000) && about(pttl("orders"), 60'000));

        QCOMPARE(run(b->release(beside, {})).value_or(-1), 0);
        QCOMPARE(ask({"EXISTS", theirs}).value().integer, 0);
        QVERIFY(about(pttl("orders"), 10'000)); // as long as the longest hold that is left
        QCOMPARE(run(a->release(second, {})).value_or(-1), 1);
        QCOMPARE(ask({"EXISTS", hold2}).value().integer, 0);
        QCOMPARE(hash("orders"), (Hash{{"mode", "read"}, {me, "1"}}));
        QCOMPARE(run(a->release(first, {})).value_or(-1), 0);
        QCOMPARE(keys(), QList<QByteArray>());
    }

    void writerAndItsOwnReads() {
        const auto a = m_a->recipe("redis-rw", "orders"), b = m_b->recipe("redis-rw", "orders");
        const QByteArray me = m_a->uuid + ":1";
        const Grant writing = take(*a, Mode::Exclusive, 10s);
        QCOMPARE(hash("orders"), (Hash{{"mode", "write"}, {me + ":write", "1"}}));
        const Grant again = take(*a, Mode::Exclusive, 10s, 1);
        QCOMPARE(hash("orders"), (Hash{{"mode", "write"}, {me + ":write", "2"}}));
        QVERIFY(about(pttl("orders"), 20'000)); // adds
        QCOMPARE(run(a->release(again, {})).value_or(-1), 1);
        QVERIFY(about(pttl("orders"), 20'000)); // what is left may be the longer one: nothing cuts it

        const Grant reading = take(*a, Mode::Shared, 10s);
        QCOMPARE(reading.holds, 1);
        QCOMPARE(hash("orders"), (Hash{{"mode", "write"}, {me, "1"}, {me + ":write", "1"}}));
        Request read = requestFor(*b, 0s);
        read.mode = Mode::Shared;
        QVERIFY(!run(b->acquire(read, {})).value().has_value());

        // The writing is given up, the reading goes on, and who waits to read is told.
        read.wait = 10s;
        auto waiting = b->acquire(read, {});
        QTRY_COMPARE(ask({"PUBSUB", "NUMSUB", "redisson_rwlock:{orders}"}).value().items[1].integer, 1);
        const Nanos begun = m_runtime.monotonic();
        QCOMPARE(run(a->release(writing, {})).value_or(-1), 0);
        const auto beside = run(std::move(waiting));
        QVERIFY(taken(beside));
        QVERIFY(m_runtime.monotonic() - begun < 2s);
        QCOMPARE(hash("orders"), (Hash{{"mode", "read"}, {me, "1"}, {m_b->uuid + ":1", "1"}}));
        QCOMPARE(run(b->release(**beside, {})).value_or(-1), 0);
        QCOMPARE(run(a->release(reading, {})).value_or(-1), 0);
        QCOMPARE(keys(), QList<QByteArray>());
    }

    void aDeadReaderIsNotKeptAliveByTheLiving() {
        const auto dead = m_a->recipe("redis-rw", "orders"), alive = m_b->recipe("redis-rw", "orders");
        take(*dead, Mode::Shared, 100ms);
        const Grant grant = take(*alive, Mode::Shared, 400ms);
        for (int i = 0; i < 4; ++i) {
            QTest::qWait(60);
            QVERIFY(run(alive->renew(grant, {})).value_or(false));
        }
        QCOMPARE(hash("orders").size(), std::size_t(3)); // its field is still there, its hold is not
        QCOMPARE(run(alive->release(grant, {})).value_or(-1), 0);
        QCOMPARE(keys(), QList<QByteArray>());
    }

    void aReaderWhoseHoldEndedBeginsANewOne() {
        const auto a = m_a->recipe("redis-rw", "orders"), b = m_b->recipe("redis-rw", "orders");
        take(*a, Mode::Shared, 60ms);
        const Grant other = take(*b, Mode::Shared, 10s);
        QTest::qWait(120);
        const Grant again = take(*a, Mode::Shared, 10s);
        QCOMPARE(again.holds, 1);
        QCOMPARE(run(a->release(again, {})).value_or(-1), 0);
        QCOMPARE(run(b->release(other, {})).value_or(-1), 0);
        QCOMPARE(keys(), QList<QByteArray>());
    }

    void permits() {
        const auto a = m_a->recipe("redis-semaphore", "pool", 3), b = m_b->recipe("redis-semaphore", "pool", 3);
        Request two = requestFor(*a, 0s, 20s);
        two.permits = 2;
        const std::int64_t now = serverMs();
        const auto grant = run(a->acquire(two, {}));
        QVERIFY(taken(grant));
        QCOMPARE((*grant)->permits, 2);
        QCOMPARE(ask({"GET", "pool"}).value().text, QByteArray("1"));
        const auto ids = ask({"ZRANGE", "{pool}:timeout", "0", "-1", "WITHSCORES"});
        QCOMPARE(ids->items.size(), std::size_t(4));
        QCOMPARE(ids->items[0].text.size(), 16);
        QVERIFY(std::abs(ids->items[1].text.toLongLong() - now - 20'000) < 2000);
        QVERIFY(!run(b->acquire(two, {})).value().has_value()); // all or none
        QCOMPARE(ask({"GET", "pool"}).value().text, QByteArray("1"));

        Request four = requestFor(*b);
        four.permits = 4;
        const auto never = run(b->acquire(four, {}));
        QVERIFY(!never && never.error().kind == LockError::Kind::Refused);
        QVERIFY(never.error().message.contains(QStringLiteral("3")));

        auto news = run(m_b->driver.subscribe("redisson_sc:{pool}"));
        QVERIFY(news.has_value());
        QCOMPARE(run(a->release(**grant, {})).value_or(-1), 0);
        QCOMPARE(run((*news)->next(5s)).value().payload, QByteArray("3")); // the free permits
        QCOMPARE(keys(), (QList<QByteArray>{"lockscope_permits:{pool}", "pool"}));

        // An ended permit is one more for the next who comes.
        Request three = requestFor(*a, 0s, 60ms);
        three.permits = 3;
        QVERIFY(taken(run(a->acquire(three, {}))));
        three.wait = 5s;
        three.lease = 20s;
        const auto others = run(b->acquire(three, {}));
        QVERIFY(taken(others));
        QCOMPARE(run(b->release(**others, {})).value_or(-1), 0);
        QCOMPARE(ask({"GET", "pool"}).value().text, QByteArray("3"));
    }

    void naiveValues() {
        const auto setnx = m_a->recipe("redis-setnx", "a");
        const std::int64_t now = m_runtime.wallMs();
        take(*setnx, Mode::Exclusive, 20s);
        const std::int64_t expiry = ask({"GET", "a"}).value().text.toLongLong();
        QVERIFY(std::abs(expiry - now - 20'000) < 2000);
        QCOMPARE(pttl("a"), -1);
        // For a client whose clock is ahead, the time is past.
        EventLoopRuntime ahead;
        ahead.setWallOffset(1min);
        Process early(ahead, m_server);
        QVERIFY(taken(run(early.recipe("redis-setnx", "a")->acquire(requestFor(*setnx, 0s), {}))));

        take(*m_a->recipe("redis-setnx-expire", "b"), Mode::Exclusive, 20s);
        QCOMPARE(ask({"GET", "b"}).value().text, m_a->uuid + ":1");
        QVERIFY(about(pttl("b"), 20'000));

        const auto getdel = m_a->recipe("redis-set-getdel", "c");
        const Grant grant = take(*getdel, Mode::Exclusive, 20s);
        QCOMPARE(ask({"GET", "c"}).value().text, grant.value);
        QVERIFY(ask({"SET", "c", "another's"}));
        const auto released = run(getdel->release(grant, {}));
        QVERIFY(!released && released.error().kind == LockError::Kind::NotOwner);
        QCOMPARE(ask({"GET", "c"}).value().text, QByteArray("another's"));
    }

    void anotherFormatIsNamedAndLeftAlone_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<QByteArrayList>("there");
        QTest::addColumn<QString>("word"); ///< empty: it is waited for, as for any other holder
        const QByteArray owner = "6b1a6ad6-4d5b-4b6c-9c3f-0e5d8a1f2b3c:1";
        const QByteArrayList string{"SET", "orders", "something"}, number{"SET", "orders", "4102444800000"};
        const QByteArrayList plain{"HSET", "orders", owner, "1"}, list{"RPUSH", "orders", "x"};
        const QByteArrayList node{"HSET", "orders", owner.chopped(1) + owner.chopped(2), "1"}; // a UUID as its thread
        const QByteArrayList readWrite{"HSET", "orders", "mode", "read", owner, "1"};
        const QByteArrayList hash{"HSET", "orders", "colour", "red"}, set{"ZADD", "orders", "1", "x"};
        const auto row = [](const char* id, const char* name, const QByteArrayList& there, const char* word) {
            QTest::addRow("%s on %s", id, name) << QByteArray(id) << there << QString::fromUtf8(word);
        };
        for (const char* id : {"redis-reentrant", "redis-fenced", "redis-fair", "redis-multi"}) {
            row(id, "a string", string, "a string");
            row(id, "a list", list, "a list");
            row(id, "some hash", hash, "a hash");
            row(id, "a plain Redisson lock", plain, "");
            row(id, "a lock of node-redisson", node, "");
            row(id, "a read/write lock", readWrite, "");
        }
        row("redis-rw", "a string", string, "a string");
        row("redis-rw", "a plain Redisson lock", plain, "(redisson)");
        row("redis-rw", "some hash", hash, "a hash");
        row("redis-rw", "a read/write lock", readWrite, "");
        row("redis-semaphore", "a string", string, "a string");
        row("redis-semaphore", "a SETNX lock", number, "a number");
        row("redis-semaphore", "a plain Redisson lock", plain, "(redisson)");
        row("redis-semaphore", "a sorted set", set, "a sorted set");
        row("redis-setnx", "a string", string, "a string");
        row("redis-setnx", "a read/write lock", readWrite, "(redisson-rw)");
        row("redis-setnx", "a number", number, "");
        for (const char* id : {"redis-set", "redis-set-del", "redis-set-getdel", "redis-setnx-expire"}) {
            row(id, "a plain Redisson lock", plain, "");
            row(id, "a number", number, "");
        }
        row("redis-set", "a string", string, "");
        row("redis-set", "a read/write lock", readWrite, "");
        row("redis-set", "a list", list, "a list");
        row("redis-set", "a sorted set", set, "a sorted set");
        row("redis-set", "some hash", hash, "a hash");
    }
    void anotherFormatIsNamedAndLeftAlone() {
        QFETCH(QByteArray, id);
        QFETCH(QByteArrayList, there);
        QFETCH(QString, word);
        QVERIFY(ask(redis::Args(there.begin(), there.end())));
        const QByteArray before = ask({"DUMP", "orders"}).value().text;
        const auto recipe = m_a->recipe(id, "orders");
        const auto grant = run(recipe->acquire(requestFor(*recipe, 30ms), {}));
        QVERIFY(!taken(grant)); // never do both believe that they hold it
        if (word.isEmpty()) {
            QVERIFY2(grant.has_value(), qPrintable(grant ? QString() : grant.error().message));
        } else {
            QVERIFY(!grant.has_value());
            QCOMPARE(lockErrorId(grant.error().kind), lockErrorId(LockError::Kind::ForeignFormat));
            QVERIFY2(grant.error().message.contains(word), qPrintable(grant.error().message));
            QVERIFY(grant.error().message.contains(QStringLiteral("orders")));
        }
        QCOMPARE(ask({"DUMP", "orders"}).value().text, before);
        QCOMPARE(keys(), QList<QByteArray>{"orders"});
    }

    void nothingElseIsFreedByForce_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<QByteArrayList>("there");
        const QByteArray owner = "6b1a6ad6-4d5b-4b6c-9c3f-0e5d8a1f2b3c:1";
        const std::pair<const char*, QByteArrayList> things[] = {
            {"a text", {"SET", "orders", "something"}},
            {"a number", {"SET", "orders", "1234"}},
            {"a hash", {"HSET", "orders", "colour", "red"}},
            {"a hash with a mode", {"HSET", "orders", "mode", "dark", owner, "1"}},
            {"a hash about an owner", {"HSET", "orders", owner, "Ann"}},
            {"a plain lock", {"HSET", "orders", owner, "1"}},
            {"a read/write lock", {"HSET", "orders", "mode", "read", owner, "1"}},
            {"a list", {"RPUSH", "orders", "x"}},
            {"a sorted set", {"ZADD", "orders", "1", "x"}},
        };
        const std::map<QByteArray, QByteArrayList> own{
            {"redis-set", {"a text"}},          {"redis-set-del", {"a text"}},
            {"redis-set-getdel", {"a text"}},   {"redis-setnx-expire", {"a text"}},
            {"redis-setnx", {"a number"}},      {"redis-reentrant", {"a plain lock"}},
            {"redis-fenced", {"a plain lock"}}, {"redis-fair", {"a plain lock"}},
            {"redis-multi", {"a plain lock"}},  {"redis-rw", {"a read/write lock"}},
        };
        for (const auto& [id, its] : own) {
            for (const auto& [name, there] : things) {
                if (!its.contains(name)) QTest::addRow("%s on %s", id.constData(), name) << id << there;
            }
        }
    }
    void nothingElseIsFreedByForce() {
        QFETCH(QByteArray, id);
        QFETCH(QByteArrayList, there);
        QVERIFY(ask(redis::Args(there.begin(), there.end())));
        const QByteArray before = ask({"DUMP", "orders"}).value().text;
        const auto freed = run(m_a->recipe(id, "orders")->forceRelease({}));
        QCOMPARE(ask({"DUMP", "orders"}).value().text, before);
        QVERIFY(!freed);
        QCOMPARE(lockErrorId(freed.error().kind), lockErrorId(LockError::Kind::ForeignFormat));
        QVERIFY2(freed.error().message.contains(QStringLiteral("left alone")), qPrintable(freed.error().message));
    }

    void aReaderIsNoHolderOfAPlainLock() {
        // Client and thread are the same: their field is in the hash, but it belongs to another lock.
        const auto rw = m_a->recipe("redis-rw", "orders");
        take(*rw, Mode::Shared);
        for (const char* id : {"redis-reentrant", "redis-fair"}) {
            const auto plain = m_a->recipe(id, "orders");
            const auto grant = run(plain->acquire(requestFor(*plain, 0s), {}));
            QVERIFY2(grant.has_value() && !grant->has_value(), id);
        }
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_server{m_runtime};
    std::unique_ptr<Process> m_a, m_b;
};

QTEST_GUILESS_MAIN(TestRedisLayouts)
#include "tst_redis_layouts.moc"
