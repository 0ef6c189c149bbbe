// SPDX-License-Identifier: Apache-2.0
// Behaviours of one etcd member, by their numbers: keys, transactions, leases, watches.
#include "etcd_group.h"

using namespace lockscope;
using tests::EtcdGroup;
using Kind = EtcdGroup::Kind;
using Request = EtcdGroup::Request;
using etcd::Operation;

namespace {
Request txn(std::vector<etcd::Transaction::Created> ifAll, std::vector<Operation> then,
            std::vector<Operation> otherwise = {}) {
    Request request;
    request.kind = Kind::Txn;
    request.txn = {std::move(ifAll), std::move(then), std::move(otherwise)};
    return request;
}
} // namespace

class TestSimulatedEtcdKeys : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void E10_shortestLease() {
        EtcdGroup g;
        for (const std::int64_t wanted : {-1, 0, 1, 2}) {
            const auto said = g.tell(g.at(0), EtcdGroup::lease(Kind::Grant, 10 + wanted, wanted));
            QCOMPARE(said.reply->lease.ttl, Nanos(2s));
        }
        QCOMPARE(g.tell(g.at(0), EtcdGroup::lease(Kind::Grant, 7, 5)).reply->lease.ttl, Nanos(5s));
        const auto again = g.tell(g.at(0), EtcdGroup::lease(Kind::Grant, 7, 5));
        QCOMPARE(again.reply->code, 9);
        QCOMPARE(again.text(), QByteArray("etcdserver: lease already exists"));
        QCOMPARE(g.tell(g.at(0), EtcdGroup::lease(Kind::Grant, 8, 9'000'000'001)).reply->code, 11);
    }

    void E11_theLeaderEndsLeases() {
        for (const std::int64_t seconds : {2, 3, 5}) {
            for (std::uint64_t seed = 1; seed <= 5; ++seed) {
                EtcdGroup g(1, seed);
                const Nanos begun = g.scheduler.now();
                g.tell(g.at(0), EtcdGroup::lease(Kind::Grant, 7, seconds));
                g.tell(g.at(0), EtcdGroup::put("k", "v", 7));
                QVERIFY(g.until([&] { return !g.has(g.at(0), "k"); }, 10s) != kNever);
                const Nanos lived = g.scheduler.now() - begun;
                QVERIFY2(lived >= std::chrono::seconds(seconds) && lived <= std::chrono::seconds(seconds) + 520ms,
                         QByteArray::number(double(lived.count()) / 1e9));
            }
        }
    }

    void E13_keepAlive() {
        EtcdGroup g;
        QCOMPARE(g.tell(g.at(0), EtcdGroup::lease(Kind::KeepAlive, 7)).reply->lease.ttl, Nanos(0)); // no such lease
        g.tell(g.at(0), EtcdGroup::lease(Kind::Grant, 7, 3));
        g.tell(g.at(0), EtcdGroup::put("k", "v", 7));
        const std::int64_t applied = g.at(0).applied();
        for (int i = 0; i < 5; ++i) {
            g.run(2s);
            const auto kept = g.tell(g.at(0), EtcdGroup::lease(Kind::KeepAlive, 7));
            QVERIFY(kept.reply->ok());
            QCOMPARE(kept.reply->lease.ttl, Nanos(3s));
        }
        QCOMPARE(g.at(0).applied(), applied); // it takes no entry in the log
        QVERIFY(g.has(g.at(0), "k"));
    }
    void E13_aKeepAliveAfterTheEndWaitsForTheRevocation() {
        int waited = 0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            EtcdGroup g(1, seed);
            g.tell(g.at(0), EtcdGroup::lease(Kind::Grant, 7, 2));
            const Nanos end = *g.at(0).endOf(7);
            g.scheduler.runUntil(end + 5ms);
            const auto kept = g.tell(g.at(0), EtcdGroup::lease(Kind::KeepAlive, 7));
            QCOMPARE(kept.reply->lease.ttl, Nanos(0));
            QVERIFY(g.at(0).store().leases().empty());
            waited += kept.after > 50ms ? 1 : 0;
        }
        QVERIFY(waited > 5);
    }

    void E14_timeToLive() {
        EtcdGroup g;
        const auto none = g.tell(g.at(0), EtcdGroup::lease(Kind::TimeToLive, 7));
        QVERIFY(none.reply->ok() && none.reply->lease.ttl == Nanos(0));
        g.tell(g.at(0), EtcdGroup::lease(Kind::Grant, 7, 60));
        g.tell(g.at(0), EtcdGroup::put("b", "v", 7));
        g.tell(g.at(0), EtcdGroup::put("a", "v", 7));
        const auto there = g.tell(g.at(0), EtcdGroup::lease(Kind::TimeToLive, 7));
        QCOMPARE(there.reply->lease.ttl, Nanos(59s)); // rounded down at once
        QCOMPARE(there.reply->lease.granted, Nanos(60s));
        QCOMPARE(there.reply->lease.keys, (std::vector<QByteArray>{"a", "b"}));
        const auto revoked = g.tell(g.at(0), EtcdGroup::lease(Kind::Revoke, 8));
        QCOMPARE(revoked.reply->status, 404);
        QCOMPARE(revoked.reply->code, 5);
    }

    void E15_aLeasesKeysGoAtOneRevision() {
        EtcdGroup g;
        const auto watch = g.begin(g.at(0), EtcdGroup::watch("k", 0, "l"));
        g.tell(g.at(0), EtcdGroup::lease(Kind::Grant, 7, 60));
        QCOMPARE(g.at(0).store().revision(), 1); // a grant does not move it
        for (const char* key : {"kc", "ka", "kb"})
            g.tell(g.at(0), EtcdGroup::put(key, "v", 7));
        g.tell(g.at(0), EtcdGroup::put("kb", "other")); // detached
        const std::int64_t before = g.at(0).store().revision();
        QVERIFY(g.tell(g.at(0), EtcdGroup::lease(Kind::Revoke, 7)).reply->ok());
        QCOMPARE(g.at(0).store().revision(), before + 1);
        QVERIFY(g.has(g.at(0), "kb"));
        g.run(10ms);
        const auto& last = watch->news.back().events;
        QCOMPARE(last.size(), 2);
        QCOMPARE(last[0].key.key, QByteArray("ka"));
        QCOMPARE(last[1].key.key, QByteArray("kc"));
        const auto unknown = g.tell(g.at(0), EtcdGroup::put("x", "v", 99));
        QCOMPARE(unknown.reply->code, 5);
        const auto inTxn = g.tell(g.at(0), txn({}, {Operation::put("y", "v", 0), Operation::put("x", "v", 99)}));
        QCOMPARE(inTxn.reply->code, 5);
        QVERIFY(!g.has(g.at(0), "y"));
    }

    void E19_revisions() {
        EtcdGroup g;
        QCOMPARE(g.at(0).store().revision(), 1);
        QCOMPARE(g.tell(g.at(0), EtcdGroup::put("k", "1")).reply->revision, 2);
        QCOMPARE(g.tell(g.at(0), EtcdGroup::put("k", "2")).reply->revision, 3);
        QCOMPARE(g.tell(g.at(0), EtcdGroup::remove("none")).reply->revision, 3);
        const auto key = g.tell(g.at(0), EtcdGroup::get("k")).reply->range.keys.front();
        QCOMPARE(key.createRevision, 2);
        QCOMPARE(key.modRevision, 3);
        QCOMPARE(key.version, 2);
        QCOMPARE(g.tell(g.at(0), EtcdGroup::remove("k")).reply->deleted, 1);
        QCOMPARE(g.tell(g.at(0), EtcdGroup::put("k", "3")).reply->revision, 5);
        QCOMPARE(g.tell(g.at(0), EtcdGroup::get("k")).reply->range.keys.front().version, 1);
        const auto several = g.tell(g.at(0), txn({}, {Operation::put("a", "1", 0), Operation::put("b", "1", 0)}));
        QCOMPARE(several.reply->txn.revision, 6);
        const auto failed = g.tell(g.at(0), txn({{"a", 0}}, {Operation::put("c", "1", 0)}));
        QVERIFY(!failed.reply->txn.succeeded);
        QCOMPARE(failed.reply->txn.revision, 6);
    }

    void E20_transactions() {
        EtcdGroup g;
        QVERIFY(g.tell(g.at(0), txn({{"l/", 0, "l0"}}, {Operation::put("l/a", "", 0)})).reply->txn.succeeded);
        QVERIFY(!g.tell(g.at(0), txn({{"l/", 0, "l0"}}, {Operation::put("l/b", "", 0)})).reply->txn.succeeded);
        QVERIFY(
            g.tell(g.at(0), txn({{"l/", 2, "l0"}, {"none", 0}}, {Operation::put("l/b", "", 0)})).reply->txn.succeeded);
        QVERIFY(!g.tell(g.at(0), txn({{"l/", 2, "l0"}}, {Operation::put("l/c", "", 0)})).reply->txn.succeeded);
        const auto twice = g.tell(g.at(0), txn({}, {Operation::put("a", "1", 0), Operation::put("a", "2", 0)}));
        QCOMPARE(twice.text(), QByteArray("etcdserver: duplicate key given in txn request"));
        QCOMPARE(g.tell(g.at(0), txn({}, {Operation::remove("a"), Operation::put("a", "2", 0)})).reply->code, 3);
        const std::vector<Operation> many(129, Operation::read(EtcdGroup::get("a").range));
        QCOMPARE(g.tell(g.at(0), txn({}, many)).reply->code, 3);
        etcd::Range own;
        own.key = "n";
        const auto sees = g.tell(g.at(0), txn({}, {Operation::put("n", "1", 0), Operation::read(own)}));
        QCOMPARE(sees.reply->txn.results[1].keys.front().createRevision, sees.reply->txn.revision);
    }

    void E21_ranges() {
        EtcdGroup g;
        for (const char* key : {"c", "a", "b", "e", "d"})
            g.tell(g.at(0), EtcdGroup::put(key));
        Request range = EtcdGroup::get("a");
        range.range.end = "f";
        range.range.maxCreateRevision = 2;
        const auto filtered = g.tell(g.at(0), range).reply->range;
        QCOMPARE(filtered.count, 5); // of all, filters aside
        QCOMPARE(filtered.keys.size(), 1);
        range.range.maxCreateRevision = 0;
        range.range.limit = 1;
        range.range.order = etcd::Range::Order::OldestFirst;
        QCOMPARE(g.tell(g.at(0), range).reply->range.keys.front().key, QByteArray("c"));
        range.range.order = etcd::Range::Order::NewestFirst;
        QCOMPARE(g.tell(g.at(0), range).reply->range.keys.front().key, QByteArray("d"));
        range.range.order = etcd::Range::Order::ByKey;
        range.range.limit = 0;
        QCOMPARE(g.tell(g.at(0), range).reply->range.keys.front().key, QByteArray("a"));
    }

    void E22_aWatchOfThePastWaitsForItsTick() {
        std::vector<Nanos> waits;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            EtcdGroup g(1, seed);
            g.tell(g.at(0), EtcdGroup::put("k"));
            const Nanos begun = g.scheduler.now();
            const auto past = g.begin(g.at(0), EtcdGroup::watch("k", 2));
            g.run(200ms);
            QCOMPARE(past->news.size(), 2); // the confirmation, and the put
            QVERIFY(past->news[0].created);
            waits.push_back(past->newsAt[1] - begun);
        }
        const auto [least, most] = std::ranges::minmax(waits);
        QVERIFY2(most <= 101ms && most - least > 30ms, QByteArray::number(qint64(most.count())));
    }
    void E22_aWatchFromNowOnIsTold() {
        EtcdGroup g;
        g.tell(g.at(0), EtcdGroup::put("k"));
        const auto now = g.begin(g.at(0), EtcdGroup::watch("k"));
        const auto next = g.begin(g.at(0), EtcdGroup::watch("k", 3));
        const auto later = g.begin(g.at(0), EtcdGroup::watch("k", 4)); // what comes before is hidden
        g.run(5ms);
        const Nanos begun = g.scheduler.now();
        g.tell(g.at(0), EtcdGroup::put("k"));
        g.run(5ms);
        for (const auto& watch : {now, next}) {
            QCOMPARE(watch->news.size(), 2);
            QVERIFY(watch->newsAt[1] - begun < 10ms);
        }
        QCOMPARE(later->news.size(), 1);
        g.tell(g.at(0), EtcdGroup::put("k"));
        g.run(5ms);
        QCOMPARE(later->news.size(), 2);
    }

    void E23_oneMessageForAllChangesOfARevision() {
        EtcdGroup g;
        const auto watch = g.begin(g.at(0), EtcdGroup::watch("k", 0, "l"));
        g.tell(g.at(0), txn({}, {Operation::put("k1", "1", 0), Operation::put("k2", "2", 0)}));
        g.tell(g.at(0), EtcdGroup::remove("k", "l"));
        g.run(5ms);
        QCOMPARE(watch->news.size(), 3);
        QCOMPARE(watch->news[1].events.size(), 2);
        QCOMPARE(watch->news[2].events.size(), 2);
        const auto& gone = watch->news[2].events[0];
        QVERIFY(gone.kind == etcd::WatchEvent::Kind::Deleted);
        QCOMPARE(gone.key.modRevision, 3);
        QVERIFY(gone.key.value.isEmpty());
    }

    void E24_compaction() {
        EtcdGroup g;
        for (int i = 0; i < 5; ++i)
            g.tell(g.at(0), EtcdGroup::put("k"));
        Request compact;
        compact.kind = Kind::Compact;
        QVERIFY(g.tell(g.at(0), compact).reply->ok()); // of revision 0, which compacts nothing: once
        QCOMPARE(g.tell(g.at(0), compact).reply->code, 11);
        compact.revision = 4;
        QVERIFY(g.tell(g.at(0), compact).reply->ok());
        QCOMPARE(g.tell(g.at(0), compact).reply->code, 11);
        compact.revision = 100;
        QCOMPARE(g.tell(g.at(0), compact).reply->code, 11);
        const auto old = g.begin(g.at(0), EtcdGroup::watch("k", 2));
        g.run(150ms);
        QCOMPARE(old->news.size(), 2);
        QVERIFY(old->news[0].created);
        QCOMPARE(old->news[1].compacted, 4);
        const auto kept = g.begin(g.at(0), EtcdGroup::watch("k", 4));
        g.run(150ms);
        QCOMPARE(kept->news[1].events.size(), 3);
    }

    void E26_repeatedRequests() {
        EtcdGroup g;
        g.tell(g.at(0), EtcdGroup::lease(Kind::Grant, 7, 60));
        const Request take =
            txn({{"l/7", 0}}, {Operation::put("l/7", "", 7)}, {Operation::read(EtcdGroup::get("l/7").range)});
        QVERIFY(g.tell(g.at(0), take).reply->txn.succeeded);
        const auto again = g.tell(g.at(0), take).reply->txn;
        QVERIFY(!again.succeeded);
        QCOMPARE(again.results.front().keys.front().lease, 7);
        QCOMPARE(g.tell(g.at(0), EtcdGroup::remove("l/7")).reply->deleted, 1);
        QCOMPARE(g.tell(g.at(0), EtcdGroup::remove("l/7")).reply->deleted, 0);
        const std::int64_t first = g.tell(g.at(0), EtcdGroup::put("k")).reply->revision;
        QCOMPARE(g.tell(g.at(0), EtcdGroup::put("k")).reply->revision, first + 1);
    }
    /// The wire sends a request again when its answer is lost, and says so.
    void E26_theWireSaysThatItWasRepeated() {
        EtcdGroup g;
        auto& a = g.client("A");
        QVERIFY(g.ask(a, [](etcd::Client& c) { return c.open(); }).has_value());
        g.network.between(a.entity, g.at(0).entity()).loseNextReply = true;
        QVERIFY(g.ask(a, [](etcd::Client& c) { return c.grantLease(7, 60s); }).has_value());
        g.network.between(a.entity, g.at(0).entity()).loseNextReply = true;
        const auto gone = g.ask(a, [](etcd::Client& c) { return c.remove("none"); });
        QVERIFY(gone && gone->repeated && !gone->removed);
        const auto twice = g.ask(a, [](etcd::Client& c) { return c.put("k", "v", 7); });
        QCOMPARE(*twice, 2);
    }

    void aWatchOverTheWire() {
        EtcdGroup g;
        auto& a = g.client("A");
        const auto events = std::make_shared<std::vector<etcd::WatchEvent>>();
        a.runtime->spawn([&a, events]() -> QCoro::Task<> {
            const auto watch = co_await a.wire->watch("k", true);
            while (watch) {
                const auto event = co_await (*watch)->next(kNever);
                if (event) events->push_back(*event);
                if (event && event->kind == etcd::WatchEvent::Kind::Gap) break;
            }
        });
        g.run(10ms);
        QCOMPARE(g.at(0).watches(), 1);
        g.tell(g.at(0), EtcdGroup::put("k"));
        g.tell(g.at(0), EtcdGroup::remove("k"));
        g.run(10ms);
        QCOMPARE(events->size(), 1); // deletions only
        g.at(0).kill();
        g.run(10ms);
        QCOMPARE(events->size(), 2);
        QVERIFY(events->back().kind == etcd::WatchEvent::Kind::Gap);
    }
    void aDroppedWatchEndsOnTheServer() {
        EtcdGroup g;
        auto& a = g.client("A");
        a.runtime->spawn([&a]() -> QCoro::Task<> {
            const auto watch = co_await a.wire->watch("k", false);
            co_await a.runtime->sleep(100ms);
        });
        g.run(50ms);
        QCOMPARE(g.at(0).watches(), 1);
        g.run(100ms);
        QCOMPARE(g.at(0).watches(), 0);
    }
};

QTEST_GUILESS_MAIN(TestSimulatedEtcdKeys)
#include "tst_simulated_etcd_keys.moc"
