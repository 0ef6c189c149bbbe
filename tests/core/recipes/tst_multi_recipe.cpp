// SPDX-License-Identifier: Apache-2.0
// Several locks as one: all of them or none, whatever happens on the way.
#include "lock_bench_world.h"
#include "recipes/multi.h"
#include "runtime/signal_count.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::recipes;
using tests::LockWorld;

namespace {

/// A lock that lives by a session: the test says when the session ends.
struct SessionLock final : Recipe {
    struct Server {
        bool taken = false;
        int listening = 0;
        std::deque<HoldNews> news;
        SignalCount told;
        void end() {
            taken = false;
            HoldNews lost;
            lost.kind = HoldNews::Kind::Lost;
            lost.reason = "the session has ended";
            news.push_back(lost);
            told.release();
        }
    };
    SessionLock(Runtime& r, Server& s) : runtime(r), server(s) {
        about.id = "session";
        about.heldBy = HeldBy::Session;
        about.reentrant = true;
    }
    const RecipeInfo& info() const override { return about; }
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override {
        co_await runtime.sleep(1ms, stop);
        if (server.taken && request.held == 0) co_return std::nullopt;
        server.taken = true;
        Grant grant;
        grant.holds = request.held + 1;
        grant.thread = request.thread;
        grant.value = "s";
        grant.askedAt = runtime.monotonic();
        grant.lease = kNever;
        co_return grant;
    }
    Outcome<HoldNews> news(Grant, std::stop_token stop) override {
        struct Listening {
            explicit Listening(int& c) : count(c) { ++count; }
            ~Listening() { --count; }
            Listening(const Listening&) = delete;
            Listening& operator=(const Listening&) = delete;
            int& count;
        };
        const Listening listening(server.listening);
        co_await server.told.acquire(runtime, kNever, stop);
        const HoldNews first = server.news.front();
        server.news.pop_front();
        co_return first;
    }
    Outcome<int> release(Grant grant, std::stop_token) override {
        if (!server.taken) co_return std::unexpected(LockError{LockError::Kind::NotOwner, {}});
        if (grant.holds > 1) co_return grant.holds - 1;
        server.taken = false;
        co_return 0;
    }
    Outcome<bool> forceRelease(std::stop_token) override { co_return std::exchange(server.taken, false); }

    Runtime& runtime;
    Server& server;
    RecipeInfo about;
};

using Parts = std::vector<std::unique_ptr<Recipe>>;

struct Bench : LockWorld {
    Bench() : LockWorld("a") {}
    std::unique_ptr<Recipe> single(Process& process, const QByteArray& name, const QByteArray& id = "redis-reentrant") {
        return makeRedisRecipe(id, {process.wire, name, process.uuid});
    }
    /// In the order given, unlike redis-multi's own.
    std::unique_ptr<Recipe> several(Process& process, const QByteArrayList& names,
                                    const QByteArray& id = "redis-reentrant") {
        Parts parts;
        for (const QByteArray& name : names)
            parts.push_back(single(process, name, id));
        return std::make_unique<MultiRecipe>(process.runtime, *findRecipe("redis-multi"), std::move(parts));
    }
    std::int64_t keys() { return ask({"DBSIZE"}).integer; }
};

struct Got {
    std::expected<std::optional<Grant>, LockError> grant;
    bool done = false;
    bool stopped = false;
    bool taken() const { return done && grant && *grant; }
};

QCoro::Task<> take(Recipe& recipe, Request request, std::stop_token stop, Got& got) {
    try {
        got.grant = co_await recipe.acquire(request, stop);
    } catch (const Cancelled&) {
        got.stopped = true;
    }
    got.done = true;
}

Request within(Nanos wait, Nanos lease = 30s, int held = 0) {
    Request request;
    request.wait = wait;
    request.lease = lease;
    request.held = held;
    return request;
}

void start(Runtime& runtime, Recipe& recipe, const Request& request, Got& got, std::stop_token stop = {}) {
    runtime.spawn([&recipe, request, stop, &got] { return take(recipe, request, stop, got); });
}

int release(Bench& bench, Runtime& runtime, Recipe& recipe, const Grant& grant) {
    int left = -9;
    runtime.spawn([&recipe, &grant, &left]() -> QCoro::Task<> {
        const auto result = co_await recipe.release(grant, {});
        left = result.value_or(-1);
    });
    bench.run(100ms);
    return left;
}

bool renew(Bench& bench, Runtime& runtime, Recipe& recipe, const Grant& grant) {
    std::optional<bool> kept;
    runtime.spawn([&recipe, &grant, &kept]() -> QCoro::Task<> {
        const auto result = co_await recipe.renew(grant, {});
        kept = result.value_or(false);
    });
    bench.run(100ms);
    return kept.value_or(false);
}

} // namespace

class TestMultiRecipe : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void allOfThemAndBack() {
        Bench bench;
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

    void noneOfThemWhenOneIsTaken() {
        Bench bench;
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
        Bench bench;
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

    void holdsAreCounted() {
        Bench bench;
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
        Bench bench;
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
                    co_await recipe.release(**grant, {});
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
                Bench bench;
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

    void aSessionThatEndsBesideALeaseShowsAtTheNextRenewal() {
        Bench bench;
        LockWorld::Process a(bench, "A");
        SessionLock::Server server;
        Parts parts;
        parts.push_back(bench.single(a, "a", "redis-set"));
        parts.push_back(std::make_unique<SessionLock>(a.runtime, server));
        MultiRecipe multi(a.runtime, *findRecipe("redis-multi"), std::move(parts));
        QCOMPARE(multi.info().heldBy, HeldBy::Lease);
        QVERIFY(!multi.info().reentrant); // redis-set is not
        {
            Got got;
            start(a.runtime, multi, within(0s, 5s), got);
            bench.run(100ms);
            QVERIFY(got.taken());
            QVERIFY((*got.grant)->lease <= 5s && (*got.grant)->lease > 4900ms);
            QVERIFY(renew(bench, a.runtime, multi, **got.grant));
            QCOMPARE(server.listening, 1);
            server.end();
            bench.run(10ms);
            QVERIFY(!renew(bench, a.runtime, multi, **got.grant));
            QCOMPARE(bench.keys(), 0);
        }
        Got again;
        start(a.runtime, multi, within(0s, 5s), again);
        bench.run(100ms);
        QVERIFY(again.taken());
        QCOMPARE(release(bench, a.runtime, multi, **again.grant), 0);
        bench.run(10ms);
        QCOMPARE(server.listening, 0);
        QVERIFY(!server.taken);
        QCOMPARE(bench.keys(), 0);
    }

    void sessionsAloneAreHeardOfByNews() {
        Bench bench;
        LockWorld::Process a(bench, "A");
        SessionLock::Server one, two;
        Parts parts;
        parts.push_back(std::make_unique<SessionLock>(a.runtime, one));
        parts.push_back(std::make_unique<SessionLock>(a.runtime, two));
        MultiRecipe multi(a.runtime, *findRecipe("redis-multi"), std::move(parts));
        QCOMPARE(multi.info().heldBy, HeldBy::Session);
        QVERIFY(multi.info().reentrant && !multi.info().watchdog);
        Got got;
        start(a.runtime, multi, within(0s), got);
        bench.run(100ms);
        QVERIFY(got.taken());
        std::optional<HoldNews> heard;
        const Grant grant = **got.grant;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            const auto news = co_await multi.news(grant, {});
            heard = news.value();
        });
        bench.run(10s);
        QVERIFY(!heard);
        two.end();
        bench.run(10ms);
        QVERIFY(heard && heard->kind == HoldNews::Kind::Lost);
        QVERIFY(!one.taken); // given back
    }

    void whoReentersHearsOfTheSameNews() {
        Bench bench;
        LockWorld::Process a(bench, "A");
        SessionLock::Server one, two;
        Parts parts;
        parts.push_back(std::make_unique<SessionLock>(a.runtime, one));
        parts.push_back(std::make_unique<SessionLock>(a.runtime, two));
        MultiRecipe multi(a.runtime, *findRecipe("redis-multi"), std::move(parts));
        Got outer, inner;
        start(a.runtime, multi, within(0s), outer);
        bench.run(100ms);
        std::optional<HoldNews> heard;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            const Grant grant = **outer.grant;
            const auto news = co_await multi.news(grant, {});
            heard = news.value();
        });
        bench.run(100ms);
        start(a.runtime, multi, within(0s, 30s, 1), inner);
        bench.run(100ms);
        QVERIFY(inner.taken());
        QCOMPARE((*inner.grant)->holds, 2);
        QCOMPARE(one.listening, 1);
        QCOMPARE(two.listening, 1);
        QCOMPARE(release(bench, a.runtime, multi, **inner.grant), 1);
        QCOMPARE(two.listening, 1); // it goes on for the outer hold
        two.end();
        bench.run(10ms);
        QVERIFY(heard && heard->kind == HoldNews::Kind::Lost);
        QVERIFY(!one.taken);
        // The thread's next hold is a new one, with news of its own.
        Got next;
        start(a.runtime, multi, within(0s), next);
        bench.run(100ms);
        QVERIFY(next.taken());
        QCOMPARE(one.listening + two.listening, 2);
        QCOMPARE(release(bench, a.runtime, multi, **next.grant), 0);
        bench.run(100ms);
        QCOMPARE(one.listening + two.listening, 0);
    }
};

QTEST_GUILESS_MAIN(TestMultiRecipe)
#include "tst_multi_recipe.moc"
