// SPDX-License-Identifier: Apache-2.0
// Several locks as one: all of them or none, whatever happens on the way.
#include "multi_bench.h"
#include "pretend_recipe.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::tests;

namespace {
std::expected<bool, LockError> isLocked(MultiBench& bench, Runtime& runtime, Recipe& recipe) {
    std::expected<bool, LockError> held = std::unexpected(LockError{});
    runtime.spawn([&recipe, &held]() -> QCoro::Task<> { held = co_await recipe.isLocked({}); });
    bench.run(100ms);
    return held;
}
} // namespace

class TestMultiRecipe : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void allOfThemAndBack() {
        MultiBench bench;
        LockWorld::Process a(bench, "A");
        const auto multi = bench.single(a, " c,a,,b,a ", "redis-multi");
        Got got;
        start(a.runtime, *multi, within(0s), got);
        bench.run(100ms);
        QVERIFY(got.taken());
        QCOMPARE(bench.keys(), 3); // once each
        for (const char* name : {"a", "b", "c"})
            QCOMPARE(bench.ask({"HGET", name, a.uuid + ":1"}).text, QByteArray("1"));
        QVERIFY(renew(bench, a.runtime, *multi, **got.grant));
        QCOMPARE(release(bench, a.runtime, *multi, **got.grant), 0);
        QCOMPARE(bench.keys(), 0);
    }

    void itIsHeldWhenAnyOfThemIs() {
        MultiBench bench;
        LockWorld::Process a(bench, "A"), b(bench, "B");
        const auto multi = bench.several(a, {"a", "b", "c"});
        const auto other = bench.single(b, "b");
        Got theirs;
        QCOMPARE(isLocked(bench, a.runtime, *multi).value_or(true), false);
        start(b.runtime, *other, within(0s), theirs);
        bench.run(100ms);
        QVERIFY(theirs.taken());
        QCOMPARE(isLocked(bench, a.runtime, *multi).value_or(false), true);
        // An unknown part does not change the answer of a locked one.
        bench.ask({"RPUSH", "a", "somebody's"});
        QCOMPARE(isLocked(bench, a.runtime, *multi).value_or(false), true);
        QCOMPARE(release(bench, b.runtime, *other, **theirs.grant), 0);
        const auto unknown = isLocked(bench, a.runtime, *multi);
        QVERIFY(!unknown && unknown.error().kind == LockError::Kind::ForeignFormat);
    }

    void noneOfThemWhenOneIsTaken() {
        MultiBench bench;
        LockWorld::Process a(bench, "A"), b(bench, "B");
        const auto multi = bench.several(a, {"a", "b", "c"});
        const auto other = bench.single(b, "c");
        Got theirs, tried, timed, waited;
        start(b.runtime, *other, within(kNever), theirs);
        bench.run(100ms);
        start(a.runtime, *multi, within(0s), tried);
        bench.run(100ms);
        QVERIFY(tried.done && !tried.taken());
        QCOMPARE(bench.keys(), 1);
        start(a.runtime, *multi, within(10s), timed);
        bench.run(11s);
        QVERIFY(timed.done && !timed.taken() && timed.grant.has_value());
        QCOMPARE(bench.keys(), 1);

        start(a.runtime, *multi, within(kNever), waited);
        bench.run(5s);
        QVERIFY(!waited.done);
        QCOMPARE(release(bench, b.runtime, *other, **theirs.grant), 0);
        bench.run(1s);
        QVERIFY(waited.taken());
        QCOMPARE(bench.keys(), 3);
    }

    void aLostPartEndsAll() {
        MultiBench bench;
        LockWorld::Process a(bench, "A");
        const auto multi = bench.several(a, {"a", "b", "c"});
        Got got, again;
        start(a.runtime, *multi, within(0s), got);
        bench.run(100ms);
        start(a.runtime, *multi, within(0s, 30s, 1), again);
        bench.run(100ms);
        QVERIFY(again.taken());
        QCOMPARE((*again.grant)->holds, 2);
        bench.ask({"DEL", "b"});
        QVERIFY(!renew(bench, a.runtime, *multi, **again.grant));
        bench.run(1s);
        QCOMPARE(bench.keys(), 0); // the others, both holds, were given back
    }

    void aLossIsToldBeforeTheRestIsGivenBack() {
        MultiBench bench;
        LockWorld::Process a(bench, "A");
        PretendServer first, second;
        for (PretendServer* server : {&first, &second}) {
            server->info.heldBy = HeldBy::Lease;
            server->releaseTakes = 3s;
        }
        Parts parts;
        parts.push_back(std::make_unique<PretendRecipe>(a.runtime, first));
        parts.push_back(std::make_unique<PretendRecipe>(a.runtime, second));
        MultiRecipe multi(a.runtime, *findRecipe("redis-multi"), std::move(parts));
        Got got;
        start(a.runtime, multi, within(0s), got);
        bench.run(100ms);
        QVERIFY(got.taken());
        second.counts.clear(); // freed by somebody
        std::optional<bool> kept;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            const auto renewed = co_await multi.renew(**got.grant, {});
            kept = renewed.value_or(true);
        });
        bench.run(100ms);
        QVERIFY(kept == false);
        QVERIFY(first.writer);
        bench.run(10s);
        QVERIFY(!first.writer);
    }

    void holdsAreCounted() {
        MultiBench bench;
        LockWorld::Process a(bench, "A");
        const auto multi = bench.several(a, {"a", "b"});
        QVERIFY(multi->info().reentrant && multi->info().watchdog && !multi->info().token);
        Got once, twice;
        start(a.runtime, *multi, within(0s), once);
        bench.run(100ms);
        start(a.runtime, *multi, within(0s, 30s, 1), twice);
        bench.run(100ms);
        QVERIFY(twice.taken());
        Grant grant = **twice.grant;
        QCOMPARE(grant.holds, 2);
        QCOMPARE(release(bench, a.runtime, *multi, grant), 1);
        QCOMPARE(bench.ask({"HGET", "b", a.uuid + ":1"}).text, QByteArray("1"));
        grant.holds = 1;
        QCOMPARE(release(bench, a.runtime, *multi, grant), 0);
        QCOMPARE(bench.keys(), 0);
    }

    void opposedOrdersGetThrough() {
        MultiBench bench;
        LockWorld::Process a(bench, "A"), b(bench, "B");
        const auto forth = bench.several(a, {"a", "b"}), back = bench.several(b, {"b", "a"});
        int rounds = 0, inside = 0, most = 0;
        const auto work = [&](LockWorld::Process& process, Recipe& recipe) {
            return [&]() -> QCoro::Task<> {
                for (int i = 0; i < 20; ++i) {
                    const Request request = within(kNever);
                    const auto grant = co_await recipe.acquire(request, {});
                    most = std::max(most, ++inside);
                    co_await process.runtime.sleep(1ms);
                    --inside;
                    co_await recipe.release(grant.value().value(), {});
                    ++rounds;
                }
            };
        };
        const auto one = work(a, *forth), two = work(b, *back);
        a.runtime.spawn(one);
        b.runtime.spawn(two);
        bench.run(300s);
        QCOMPARE(rounds, 40);
        QCOMPARE(most, 1);
        QCOMPARE(bench.keys(), 0);
    }

    void aStopLeavesNothingWheneverItComes() {
        int stopped = 0, taken = 0;
        for (const bool contended : {false, true}) {
            for (Nanos when{}; when < 4ms; when += 50us) {
                MultiBench bench;
                LockWorld::Process a(bench, "A"), b(bench, "B");
                const auto multi = bench.several(a, {"a", "b", "c"});
                const auto other = bench.single(b, "c");
                Got theirs, got;
                if (contended) {
                    start(b.runtime, *other, within(kNever), theirs);
                    bench.run(100ms);
                }
                std::stop_source source;
                start(a.runtime, *multi, within(kNever), got, source.get_token());
                bench.scheduler.at(bench.scheduler.now() + when, [&] { source.request_stop(); });
                bench.run(100ms);
                QVERIFY(got.done);
                stopped += got.stopped ? 1 : 0;
                if (got.taken()) {
                    ++taken;
                    QCOMPARE(release(bench, a.runtime, *multi, **got.grant), 0);
                }
                if (contended) QCOMPARE(release(bench, b.runtime, *other, **theirs.grant), 0);
                QCOMPARE(bench.keys(), 0);
                QCOMPARE(bench.ask({"PUBSUB", "CHANNELS"}).items.size(), std::size_t(0));
            }
        }
        QVERIFY(stopped > 80);
        QVERIFY(taken > 10);
    }
};

QTEST_GUILESS_MAIN(TestMultiRecipe)
#include "tst_multi_recipe.moc"
