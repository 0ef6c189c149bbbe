// SPDX-License-Identifier: Apache-2.0
#include "recogniser_keys.h"

#include <QElapsedTimer>
#include <QTest>

using namespace lockscope::inspect;
using namespace lockscope::test;
Q_DECLARE_METATYPE(lockscope::inspect::KeySnapshot)

class TestRedisRecogniser : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingIsNoLock() { QVERIFY(rowsOf({}).empty()); }

    void plainRedissonHash() {
        const auto rows = rowsOf({hash("orders", {{owner(kA, 1), "2"}}, 29'990)},
                                 Subscriptions{{"redisson_lock__channel:{orders}", 3}});
        QCOMPARE(rows.size(), 1u);
        const LockRow& row = rows[0];
        QCOMPARE(row.name, QByteArray("orders"));
        QCOMPARE(row.format, QByteArray("redisson"));
        QCOMPARE(row.mode, QByteArray("exclusive"));
        QVERIFY(row.state == LockRow::State::Held);
        QCOMPARE(row.ttlMs.value(), 29'990);
        QVERIFY(!row.neverExpires);
        QVERIFY(!row.token);
        QCOMPARE(row.holders, (std::vector<Party>{{kA, "1", 2, {}, "exclusive"}}));
        QVERIFY(!row.waiters); // who waits is not on the server
        QCOMPARE(row.waiterCount.value(), 3);
        QCOMPARE(rawKeys(row), (std::vector<QByteArray>{"orders"}));
    }
    void waiterCountIsUnknownWhenSubscriptionsAre() {
        QVERIFY(!rowsOf({hash("orders", {{owner(kA, 1), "1"}})}, std::nullopt)[0].waiterCount);
        QCOMPARE(rowsOf({hash("orders", {{owner(kA, 1), "1"}})})[0].waiterCount.value(), 0);
    }
    void ownWaitersAreCountedWhereTheyListen() {
        const Subscriptions waiting{{"lockscope_lock__channel:{orders}", 2}};
        const QByteArray value = owner(kA, 12);
        QCOMPARE(rowsOf({string("orders", value + ":0123456789abcdef")}, waiting).at(0).waiterCount.value(), 2);
        QCOMPARE(rowsOf({string("orders", value + ":0123456789abcdef")}, Subscriptions{}).at(0).waiterCount.value(), 0);
        QVERIFY(!rowsOf({string("orders", value + ":0123456789abcdef")}, std::nullopt).at(0).waiterCount);
        // Waiters for a naive lock just ask again and again: their number is not seen.
        QVERIFY(!rowsOf({string("orders", value)}, waiting).at(0).waiterCount);
    }
    void nodeRedissonHasUuidThreads() {
        const auto rows = rowsOf({hash("orders", {{QByteArray(kA) + ':' + kB, "1"}})});
        QCOMPARE(rows.at(0).holders.at(0).thread.value(), QByteArray(kB));
    }
    void hashWithoutTtlNeverExpires() {
        const auto rows = rowsOf({hash("orders", {{owner(kA, 1), "1"}}, {})});
        QVERIFY(rows.at(0).neverExpires);
        QVERIFY(!rows.at(0).ttlMs);
    }
    void nameWithBracesUsesThemAsTheyAre() {
        const auto rows = rowsOf({hash("{shop}:orders", {{owner(kA, 1), "1"}})},
                                 Subscriptions{{"redisson_lock__channel:{shop}:orders", 2}});
        QCOMPARE(rows.at(0).waiterCount.value(), 2);
    }
    void otherHashesAreNoLocks_data() {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<QByteArray>("value");
        QTest::newRow("user data") << QByteArray("name") << QByteArray("Ada");
        QTest::newRow("upper case") << owner(kA, 1).toUpper() << QByteArray("1");
        QTest::newRow("no thread") << QByteArray(kA) << QByteArray("1");
        QTest::newRow("word as thread") << QByteArray(kA) + ":main" << QByteArray("1");
        QTest::newRow("zero holds") << owner(kA, 1) << QByteArray("0");
        QTest::newRow("negative holds") << owner(kA, 1) << QByteArray("-1");
        QTest::newRow("text value") << owner(kA, 1) << QByteArray("x");
    }
    void otherHashesAreNoLocks() {
        QFETCH(QByteArray, field);
        QFETCH(QByteArray, value);
        QVERIFY(rowsOf({hash("orders", {{field, value}})}).empty());
        QVERIFY(rowsOf({hash("orders", {{owner(kB, 1), "1"}, {field, value}})}).empty());
    }
    void contentThatWasNotReadIsNoLock() {
        KeySnapshot big = hash("orders", {});
        big.tooBig = true;
        QVERIFY(rowsOf({big}).empty());
    }

    void fairLockHasItsQueueInOrder() {
        const auto rows = rowsOf({hash("orders", {{owner(kA, 1), "1"}}),
                                  list("redisson_lock_queue:{orders}", {owner(kB, 7), owner(kA, 2)}),
                                  zset("redisson_lock_timeout:{orders}",
                                       {{owner(kB, 7), double(kNow + 1)}, {owner(kA, 2), double(kNow + 2)}})});
        QCOMPARE(rows.size(), 1u);
        QCOMPARE(rows[0].format, QByteArray("redisson-fair"));
        QCOMPARE(rows[0].waiters.value(),
                 (std::vector<Party>{{kB, "7", {}, 0, "exclusive"}, {kA, "2", {}, 1, "exclusive"}}));
        QCOMPARE(rows[0].waiterCount.value(), 2);
        QCOMPARE(rawKeys(rows[0]),
                 (std::vector<QByteArray>{"orders", "redisson_lock_queue:{orders}", "redisson_lock_timeout:{orders}"}));
    }
    void fairQueueWithoutHolderIsQueued() {
        const auto rows = rowsOf({list("redisson_lock_queue:{orders}", {owner(kB, 7)})});
        QCOMPARE(rows.at(0).name, QByteArray("orders"));
        QVERIFY(rows[0].state == LockRow::State::Queued);
        QVERIFY(rows[0].holders.empty());
        QCOMPARE(rows[0].waiters.value().size(), 1u);
        QVERIFY(!rows[0].neverExpires);
    }
    void queueBelongsToTheNameThatExists() {
        const auto rows =
            rowsOf({hash("{orders}", {{owner(kA, 1), "1"}}), list("redisson_lock_queue:{orders}", {owner(kB, 7)})});
        QCOMPARE(rows.size(), 1u);
        QCOMPARE(rows[0].name, QByteArray("{orders}"));
        QCOMPARE(rows[0].format, QByteArray("redisson-fair"));
    }
    void fairWaitersOwnChannelsAreNotLocks() {
        const QByteArray channel = "redisson_lock__channel:{orders}:" + owner(kB, 7);
        QVERIFY(rowsOf({}, Subscriptions{{channel, 1}}).empty());
        QVERIFY(rowsOf({}, Subscriptions{{"redisson_lock__channel:{orders}:" + QByteArray(kA) + ':' + kB, 1}}).empty());
    }

    void fencedLockHasItsToken() {
        const auto rows =
            rowsOf({hash("orders", {{owner(kA, 1), "1"}}), string("redisson_lock_token:{orders}", "34", {})});
        QCOMPARE(rows.size(), 1u);
        QCOMPARE(rows[0].format, QByteArray("redisson-fenced"));
        QCOMPARE(rows[0].token.value(), 34);
    }
    void aCounterAloneIsNoLock() {
        QVERIFY(rowsOf({string("redisson_lock_token:{orders}", "34", {})}).empty());
        QVERIFY(rowsOf({string("lockscope_token:{lock:orders}", "34", {})}).empty());
        const auto rows = rowsOf({string("redisson_lock_token:{orders}", "34", {})},
                                 Subscriptions{{"redisson_lock__channel:{orders}", 2}});
        QCOMPARE(rows.size(), 1u); // somebody waits for it
        QVERIFY(rows[0].state == LockRow::State::Queued);
        QCOMPARE(rows[0].format, QByteArray("redisson-fenced"));
        QCOMPARE(rows[0].token.value(), 34);
    }
    void aFairWaiterByANameIsNoLock() {
        const QByteArray waiter = "beta:326476235";
        const std::vector<KeySnapshot> keys{hash("own:fair", {{"alpha:613528132", "1"}}),
                                            list("redisson_lock_queue:{own:fair}", {waiter}),
                                            zset("redisson_lock_timeout:{own:fair}", {{waiter, double(kNow + 5)}})};
        const auto rows = rowsOf(keys, Subscriptions{{"redisson_lock__channel:{own:fair}:" + waiter, 1}});
        QCOMPARE(rows.size(), 1u);
        QCOMPARE(rows[0].holders.at(0).client, QByteArray("alpha"));
        QCOMPARE(rows[0].waiters.value(), (std::vector<Party>{{"beta", "326476235", {}, 0, "exclusive"}}));
        QCOMPARE(rows[0].waiterCount.value(), 1);
    }
    /// Between two holders the lock may have no key, and its queue was read before: the channel is no lock's name.
    void aFairWaiterByANameIsNoLockWithoutTheLockEither() {
        const Subscriptions listening{{"redisson_lock__channel:{own:fair}:beta:326476235", 1}};
        QVERIFY(rowsOf({}, listening).empty());
        // A lock may have such a name all the same: its key says so.
        const auto rows = rowsOf({hash("{own:fair}:beta:326476235", {{owner(kA, 1), "1"}})}, listening);
        QCOMPARE(rows.size(), 1u);
        QCOMPARE(rows[0].waiterCount.value(), 1);
    }
    void aFairWaiterThatIsGoneIsDead() {
        const std::vector<KeySnapshot> keys{
            list("redisson_lock_queue:{orders}", {owner(kA, 1), owner(kB, 2), owner(kB, 3)}),
            zset("redisson_lock_timeout:{orders}", {{owner(kA, 1), double(kNow - 600'000)},
                                                    {owner(kB, 2), double(kNow - 600'000)},
                                                    {owner(kB, 3), double(kNow + 1)}})};
        // The second one's deadline has passed, too, but it listens: its holder renewed for long.
        const Subscriptions listening{{"redisson_lock__channel:{orders}:" + owner(kB, 2), 1}};
        auto rows = rowsOf(keys, listening);
        QCOMPARE(rows.size(), 1u);
        QVERIFY(rows[0].waiters->at(0).dead);
        QVERIFY(!rows[0].waiters->at(1).dead);
        QVERIFY(!rows[0].waiters->at(2).dead);
        QCOMPARE(rows[0].waiterCount.value(), 2);
        QCOMPARE(rows[0].deadWaiters, 1);
        rows = rowsOf(keys, std::nullopt); // who listens is not known, so nobody is called dead
        QCOMPARE(rows[0].deadWaiters, 0);
    }
    void whatWeMayNotReadIsNotKnown() {
        KeySnapshot queue = list("redisson_lock_queue:{orders}", {});
        queue.refused = true;
        auto rows = rowsOf({hash("orders", {{owner(kA, 1), "1"}}), queue});
        QCOMPARE(rows.size(), 1u);
        QVERIFY(!rows[0].waiterCount);
        QVERIFY(!rows[0].waiters);
        KeySnapshot lock = hash("stock", {});
        lock.refused = true;
        // It may be held: that somebody waits does not make it free.
        QVERIFY(rowsOf({lock}, Subscriptions{{"redisson_lock__channel:{stock}", 1}}).empty());
    }
    void certainty_data() {
        QTest::addColumn<KeySnapshot>("key");
        QTest::addColumn<int>("certainty");
        const QByteArray uuid4 = "9f86d081884c7d659a2feaa0c55ad015";
        const auto row = [](const char* name, const KeySnapshot& key, Certainty certainty) {
            QTest::newRow(name) << key << int(certainty);
        };
        row("redisson", hash("orders", {{owner(kA, 1), "1"}}), Certainty::Certain);
        row("a cart by user", hash("cart:1", {{owner(kA, 7), "3"}}, {}), Certainty::Guess);
        row("a cart by two users", hash("cart:1", {{owner(kA, 7), "3"}, {owner(kB, 7), "1"}}), Certainty::Guess);
        row("read/write", hash("doc", {{"mode", "write"}, {owner(kA, 1) + ":write", "1"}}), Certainty::Certain);
        row("ours", string("orders", owner(kA, 12) + ":0123456789abcdef"), Certainty::Certain);
        row("shedlock", string("x", "ADDED:2026-09-21T14:13:20.123Z@host-1"), Certainty::Certain);
        row("API key", string("apikey:7", uuid4), Certainty::Guess);
        row("node-redlock by name", string("locks:orders", uuid4), Certainty::Likely);
        row("session", string("session:7", kA), Certainty::Guess);
        row("CSRF token", string("csrf:7", "aB3dE6gH9jK2mN5pQ8sT1v"), Certainty::Guess);
        row("by name", string("lock:orders", "worker-3"), Certainty::Likely);
        row("redis-py", string("orders", "4ffd76c0b15411f19cd00242ac120002", {}), Certainty::Likely);
        row("npm semaphore", zset("semaphore:db", {{kA, double(kNow)}}), Certainty::Likely);
    }
    void certainty() {
        QFETCH(KeySnapshot, key);
        QFETCH(int, certainty);
        const auto rows = rowsOf({key});
        QCOMPARE(rows.size(), 1u);
        QCOMPARE(int(rows[0].certainty), certainty);
    }
    void npmSemaphoresEndWithTheirKey() {
        KeySnapshot key = zset("semaphore:db", {{kA, double(kNow)}});
        key.ttlMs.reset();
        QCOMPARE(rowsOf({key}).at(0).expires(), LockRow::Expires::Unknown); // no client leaves one like that
        key.ttlMs = 9'000;
        key.ends = EndsWithin{kNow + 9'000, kNow + 9'001};
        const auto rows = rowsOf({key});
        QCOMPARE(rows.at(0).ttlMs, std::optional<std::int64_t>(9'000));
        QVERIFY(rows.at(0).ends == key.ends);
        QVERIFY(!rows.at(0).holders.at(0).ttlMs); // its client's time-out is not known
    }
    void manyQueuesAreQuick() {
        std::vector<KeySnapshot> keys;
        Subscriptions waiting;
        for (int i = 0; i < 40'000; ++i) {
            const QByteArray name = "q" + QByteArray::number(i);
            keys.push_back(list("redisson_lock_queue:{" + name + '}', {owner(kB, 7)}));
            waiting["redisson_lock__channel:{w" + QByteArray::number(i) + '}'] = 1;
        }
        QElapsedTimer time;
        time.start();
        QCOMPARE(rowsOf(keys, waiting).size(), 80'000u);
        QVERIFY2(time.elapsed() < 15'000, qPrintable(QString::number(time.elapsed()))); // each with each: minutes
    }
    // Two rows of one name would have it held and free at the same time, in the window in turns.
    void aNameIsOneRowWhateverFormatsLeftThereBefore() {
        const KeySnapshot held = string("orders", owner(kA, 1) + ":163f3280d3a50103");
        const KeySnapshot counter = string("redisson_lock_token:{orders}", "7", std::nullopt);
        auto rows = rowsOf({held, counter});
        QCOMPARE(rows.size(), std::size_t(1));
        QCOMPARE(rows[0].format, QByteArray("lockscope"));
        QCOMPARE(rows[0].state, LockRow::State::Held);
        QVERIFY(!rows[0].token); // not the token of this format's holder

        rows = rowsOf({held, list("redisson_lock_queue:{orders}", {owner(kB, 1)})},
                      Subscriptions{{"redisson_lock__channel:{orders}", 2}});
        QCOMPARE(rows.size(), std::size_t(1));
        QCOMPARE(rows[0].state, LockRow::State::Held);
        QVERIFY(rows[0].waiters);
        QCOMPARE(rows[0].waiters->front().client, QByteArray(kB));

        rows = rowsOf({held}, Subscriptions{{"redisson_lock__channel:{orders}", 2}});
        QCOMPARE(rows.size(), std::size_t(1));
        QCOMPARE(rows[0].waiterCount, std::optional<std::int64_t>(2));
    }

    void waitersWithoutHolderAreQueued() {
        const auto rows = rowsOf({}, Subscriptions{{"redisson_lock__channel:{orders}", 2}, {"news", 5}});
        QCOMPARE(rows.size(), 1u);
        QVERIFY(rows[0].state == LockRow::State::Queued);
        QCOMPARE(rows[0].waiterCount.value(), 2);
        QVERIFY(rowsOf({}, Subscriptions{{"redisson_lock__channel:{orders}", 0}}).empty());
    }

    void waitersMayBeAnotherDatabases() {
        const Subscriptions waiting{{"redisson_lock__channel:{orders}", 2}};
        RecogniserOptions options;
        options.waitedForHere.emplace();
        QVERIFY(recognise({}, waiting, options).empty());
        options.waitedForHere->insert("orders"); // it was a lock of this database a moment ago
        const auto rows = recognise({}, waiting, options);
        QCOMPARE(rows.size(), 1u);
        QVERIFY(rows[0].state == LockRow::State::Queued);
    }

    void writerHoldsReadWriteLock() {
        const auto rows = rowsOf({hash("doc", {{"mode", "write"}, {owner(kA, 1) + ":write", "1"}})},
                                 Subscriptions{{"redisson_rwlock:{doc}", 4}});
        QCOMPARE(rows.at(0).format, QByteArray("redisson-rw"));
        QCOMPARE(rows[0].mode, QByteArray("exclusive"));
        QCOMPARE(rows[0].holders, (std::vector<Party>{{kA, "1", 1, {}, "exclusive"}}));
        QCOMPARE(rows[0].ttlMs.value(), 30'000);
        QCOMPARE(rows[0].waiterCount.value(), 4);
    }
    void readersLiveByTheirHoldKeys() {
        const auto rows = rowsOf({hash("doc", {{"mode", "read"}, {owner(kA, 1), "2"}, {owner(kB, 1), "1"}}, 90'000),
                                  string("{doc}:" + owner(kA, 1) + ":rwlock_timeout:1", "1", 5'000),
                                  string("{doc}:" + owner(kA, 1) + ":rwlock_timeout:2", "1", 8'000)});
        QCOMPARE(rows.size(), 1u); // hold keys are no locks
        QCOMPARE(rows[0].mode, QByteArray("shared"));
        QCOMPARE(rows[0].ttlMs.value(), 8'000); // not the hash's
        QCOMPARE(rows[0].holders,               // B's hold keys are gone: dead
                 (std::vector<Party>{{kA, "1", 2, {}, "shared", false, 8'000}}));
    }
    void deadReadersHaveNoTtl() {
        const auto rows = rowsOf({hash("doc", {{"mode", "read"}, {owner(kA, 1), "1"}}, 90'000)});
        QVERIFY(!rows.at(0).ttlMs);
        QVERIFY(!rows[0].neverExpires);
        QVERIFY(rows[0].holders.empty());
        QVERIFY(rows[0].holdersGone);
    }
    void readersMayHaveNamesOfTheirOwn() {
        const KeySnapshot lock = hash("doc", {{"mode", "read"}, {"billing-1:1", "1"}, {owner(kB, 1), "1"}}, 90'000);
        QCOMPARE(companionsOf(lock), (std::vector<QByteArray>{"{doc}:billing-1:1:rwlock_timeout:1",
                                                              "{doc}:" + owner(kB, 1) + ":rwlock_timeout:1"}));
        const auto rows = rowsOf({lock, string("{doc}:billing-1:1:rwlock_timeout:1", "1", 5'000)});
        QCOMPARE(rows.at(0).holders, (std::vector<Party>{{"billing-1", "1", 1, {}, "shared", false, 5'000}}));
        QVERIFY(!rows[0].holdersGone);
        const auto written = rowsOf({hash("doc", {{"mode", "write"}, {"billing-1:7:write", "2"}})});
        QCOMPARE(written.at(0).holders, (std::vector<Party>{{"billing-1", "7", 2, {}, "exclusive"}}));
    }
    void longKeysAreHeldByMoreThanWereRead() {
        KeySnapshot readers = hash("doc", {{"mode", "read"}, {owner(kA, 1), "1"}}, 90'000);
        readers.more = 300;
        auto rows = rowsOf({readers, string("{doc}:" + owner(kA, 1) + ":rwlock_timeout:1", "1", 5'000)});
        QCOMPARE(rows.at(0).state, LockRow::State::Held);
        QCOMPARE(rows[0].holders.size(), 1u);
        QCOMPARE(rows[0].moreHolders, 300);
        QCOMPARE(rows[0].raw.at(0).more, 300);

        rows = rowsOf({readers}); // those that were read are dead; of the others nobody knows
        QVERIFY(!rows.at(0).holdersGone);
        QCOMPARE(rows[0].ttlMs.value(), 90'000); // by then all of them have ended
        const QJsonObject json = toJson(rows[0]);
        QVERIFY(json.value(u"holders").isArray()); // null would say that the format keeps no names
        QCOMPARE(json.value(u"more_holders").toInt(), 300);

        KeySnapshot permits = zset("{pool}:timeout", {{QByteArray(16, 'x'), double(kNow - 5)}});
        permits.more = 12;
        rows = rowsOf({string("pool", "3", {}), permits});
        QCOMPARE(rows.at(0).format, QByteArray("redisson-permit"));
        QCOMPARE(rows[0].state, LockRow::State::Held);
        QCOMPARE(rows[0].moreHolders, 12);
        QVERIFY(!rows[0].neverExpires);
    }
    void aLongQueueIsCountedWhole() {
        KeySnapshot queue = list("redisson_lock_queue:{orders}", {owner(kB, 1), owner(kB, 2)});
        queue.more = 298;
        auto rows = rowsOf({hash("orders", {{owner(kA, 1), "1"}}), queue});
        QCOMPARE(rows.at(0).format, QByteArray("redisson-fair"));
        QCOMPARE(rows[0].waiterCount.value(), 300);
        QCOMPARE(rows[0].waiters.value().size(), 2u);
        rows = rowsOf({queue}); // between two holders
        QCOMPARE(rows.at(0).state, LockRow::State::Queued);
        QCOMPARE(rows[0].waiterCount.value(), 300);
    }
    void modeMustBeKnown() {
        QVERIFY(rowsOf({hash("doc", {{"mode", "append"}, {owner(kA, 1), "1"}})}).empty());
        QVERIFY(rowsOf({hash("doc", {{"mode", "read"}, {"colour", "1"}})}).empty());
    }

    void fastMultiLockIsARowForEachValue() {
        const QByteArray a = owner(kA, 1), b = owner(kB, 2);
        const auto rows = rowsOf({hash("group", {{"v1", a},
                                                 {"v1:" + a + ":expire_time", QByteArray::number(kNow + 4'000)},
                                                 {"v1:" + a + ":lock_count", "3"},
                                                 {"v2", b},
                                                 {"v2:" + b + ":expire_time", QByteArray::number(kNow - 1)},
                                                 {"v2:" + b + ":lock_count", "1"}})});
        QCOMPARE(rows.size(), 2u);
        QCOMPARE(rows[0].name, QByteArray("group:v1"));
        QCOMPARE(rows[0].format, QByteArray("redisson-fastmulti"));
        QCOMPARE(rows[0].ttlMs.value(), 4'000);
        QCOMPARE(rows[0].holders, (std::vector<Party>{{kA, "1", 3, {}, "exclusive"}}));
        QVERIFY(rows[1].state == LockRow::State::Free); // past its own end
    }

    void expirablePermitsCountWhatHasNotEnded() {
        const QByteArray live(16, '\x01'), dead(16, '\x02');
        const auto rows = rowsOf(
            {string("pool", "1", {}), zset("{pool}:timeout", {{dead, double(kNow - 5)}, {live, double(kNow + 700)}})},
            Subscriptions{{"redisson_sc:{pool}", 1}});
        QCOMPARE(rows.size(), 1u);
        QCOMPARE(rows[0].format, QByteArray("redisson-permit"));
        QCOMPARE(rows[0].mode, QByteArray("permit"));
        QCOMPARE(rows[0].ttlMs.value(), 700);
        const EndsWithin end{kNow + 700, kNow + 700};
        QCOMPARE(rows[0].holders, (std::vector<Party>{{live.toHex(), {}, {}, {}, "permit", false, 700, end}}));
        QCOMPARE(rows[0].permitsFree.value(), 2); // what has ended is free, taken back or not
        QCOMPARE(rows[0].permitsInAll.value(), 3);
        QCOMPARE(rows[0].waiterCount.value(), 1);
    }
    void permitsThatHaveAllEndedHoldNothing() {
        const QByteArray dead(16, '\x02');
        const auto rows = rowsOf({string("pool", "0", {}), zset("{pool}:timeout", {{dead, double(kNow - 5)}})});
        QVERIFY(rows.at(0).state == LockRow::State::Free); // taken back or not
        QVERIFY(rows[0].holders.empty());
        QCOMPARE(rows[0].permitsFree.value(), 1);
    }
    void permitsWithoutEndNeverExpire() {
        const auto rows =
            rowsOf({string("pool", "0", {}), zset("{pool}:timeout", {{QByteArray(16, 'x'), 922337203685477.0}})});
        QVERIFY(rows.at(0).neverExpires);
        QVERIFY(!rows[0].ttlMs);
    }
    void numberIsASemaphoreOnlyWhenSomebodyWaits() {
        QVERIFY(rowsOf({string("visitors", "3", {})}).empty());
        const auto rows = rowsOf({string("visitors", "0", {})}, Subscriptions{{"redisson_sc:{visitors}", 2}});
        QCOMPARE(rows.at(0).format, QByteArray("redisson-semaphore"));
        QVERIFY(rows[0].state == LockRow::State::Held);
        QVERIFY(rows[0].holders.empty());
        QCOMPARE(rows[0].waiterCount.value(), 2);
    }
    void latchIsHeldUntilZero() {
        const Subscriptions waiting{{"redisson_countdownlatch__channel__{start}", 5}};
        const auto rows = rowsOf({string("start", "2", {})}, waiting);
        QCOMPARE(rows.at(0).format, QByteArray("redisson-latch"));
        QVERIFY(rows[0].state == LockRow::State::Held);
    }
};

QTEST_GUILESS_MAIN(TestRedisRecogniser)
#include "tst_redis_recogniser.moc"
