// SPDX-License-Identifier: Apache-2.0
// Clients that use locks on simulated servers by the library's own connection and recipes, and what they see.
#pragma once
#include "connections/connection.h"
#include "lock/distributed_lock.h"
#include "runtime/virtual_runtime.h"
#include "trace/state.h"

#include <QTest>
#include <functional>

namespace lockscope::tests {

/// A connection of a client process to the service of a group.
template <typename Group>
std::unique_ptr<Connection> connectionTo(Group& group, Runtime& runtime, trace::EntityId client,
                                         const QByteArray& identity = {}) {
    const auto url = parseConnectionUrl(group.service->url() + Group::urlOptions());
    if (!url) qFatal("%s", qPrintable(url.error()));
    return makeConnectionOver(runtime, group.service->diallers({client}), *url, identity);
}

/// Clients that take one lock again and again.
template <typename Group>
struct Contention {
    Group& group;
    QByteArray recipe;
    LockRequest request{};
    Nanos hold = 50ms, think = 20ms;
    int inside = 0, most = 0, takings = 0, losses = 0;
    QByteArray trouble{};
    struct Contender {
        std::unique_ptr<VirtualRuntime> runtime;
        std::unique_ptr<Connection> connection;
        int takings = 0;
    };
    std::vector<std::unique_ptr<Contender>> contenders{};

    Contention(Group& g, QByteArray id) : group(g), recipe(std::move(id)) {}
    ~Contention() {
        for (const auto& contender : contenders)
            contender->runtime->kill();
    }
    Contention(const Contention&) = delete;
    Contention& operator=(const Contention&) = delete;

    void add(const QByteArray& name) {
        contenders.push_back(std::make_unique<Contender>());
        Contender& own = *contenders.back();
        const auto entity = group.trace->intern(trace::EntityKind::Client, name);
        own.runtime = std::make_unique<VirtualRuntime>(group.scheduler, 500 + contenders.size());
        own.connection = connectionTo(group, *own.runtime, entity);
        own.runtime->spawn([this, &own] { return take(own); });
    }
    QCoro::Task<> take(Contender& own) {
        for (;;) {
            auto made = own.connection->makeRecipe(recipe, {"orders"});
            if (!made) {
                trouble = made.error().message.toUtf8();
                co_return;
            }
            DistributedLock lock(LockClient{*own.runtime, own.connection->client(), nullptr, trace::kNoEntity},
                                 std::move(*made), {});
            const auto taken = co_await lock.take(request);
            if (!taken) {
                trouble = taken.error().message.toUtf8();
            } else if (*taken) {
                most = std::max(most, ++inside);
                ++takings;
                ++own.takings;
                co_await own.runtime->sleep(hold);
                --inside;
                if (!lock.stillMine("1", request.mode)) ++losses;
                (void)co_await lock.unlock("1", request.mode);
            }
            co_await own.runtime->sleep(own.runtime->random(Nanos(0), think));
        }
    }
};

/// Several clients take the lock in turns for a while: never two at once, none loses it, and it is taken often.
/// `leastEach`: by each of them.
template <typename Group>
void expectTurns(Contention<Group>& contention, Nanos time, int least, int leastEach) {
    for (const char* name : {"A", "B", "C", "D"})
        contention.add(name);
    contention.group.run(time);
    QCOMPARE(contention.trouble, QByteArray());
    QCOMPARE(contention.most, 1);
    QCOMPARE(contention.losses, 0);
    QVERIFY2(contention.takings > least, QByteArray::number(contention.takings));
    for (const auto& contender : contention.contenders)
        QVERIFY2(contender->takings > leastEach, QByteArray::number(contender->takings));
}

/// Equal seeds give equal runs of three clients that use the lock, whatever `strike` does to the servers after a
/// second.
template <typename Group>
void expectEqualRuns(const QByteArray& recipe, std::function<std::unique_ptr<Group>(std::uint64_t seed)> make,
                     std::function<void(Group&)> strike) {
    const auto digest = [&](std::uint64_t seed) {
        const auto group = make(seed);
        group->service->watch("orders", recipe);
        Contention<Group> contention(*group, recipe);
        for (const char* name : {"A", "B", "C"})
            contention.add(name);
        group->run(1s);
        strike(*group);
        group->run(4s);
        return group->trace->digest();
    };
    QCOMPARE(digest(5), digest(5));
    QVERIFY(digest(5) != digest(6));
}

/// A client that takes the lock once and keeps it until it is told to give it back.
template <typename Group>
struct Holder {
    Group& group;
    std::unique_ptr<VirtualRuntime> runtime;
    std::unique_ptr<Connection> connection;
    std::unique_ptr<DistributedLock> lock;
    trace::EntityId thread = trace::kNoEntity;
    bool taken = false, freed = false;

    Holder(Group& g, const QByteArray& name, const char* recipe) : group(g) {
        const auto client = g.trace->intern(trace::EntityKind::Client, name);
        thread = g.trace->intern(trace::EntityKind::Thread, "1", client);
        runtime = std::make_unique<VirtualRuntime>(g.scheduler, client);
        connection = connectionTo(g, *runtime, client, name.toLower());
        g.threads[name.toLower()] = thread;
        auto made = connection->makeRecipe(recipe, {"orders"});
        if (!made) qFatal("%s", qPrintable(made.error().message));
        lock = std::make_unique<DistributedLock>(LockClient{*runtime, connection->client(), nullptr, trace::kNoEntity},
                                                 std::move(*made), HoldOptions());
        runtime->spawn([this]() -> QCoro::Task<> {
            const auto got = co_await lock->lock();
            taken = got && *got;
        });
        g.run(200ms);
    }
    ~Holder() { die(); }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    void release() {
        runtime->spawn([this]() -> QCoro::Task<> {
            const auto left = co_await lock->unlock();
            freed = left.has_value();
        });
        group.run(200ms);
    }
    void die() {
        if (!runtime->alive()) return;
        runtime->kill();
        lock.reset();
        connection.reset();
    }
};

template <typename Group>
trace::State stateOf(const Group& g) {
    trace::State state;
    for (std::size_t i = 0; i < g.trace->size(); ++i)
        state.apply(g.trace->at(i), *g.trace);
    return state;
}

/// The record of the lock "orders" as a whole, not of a server's copy.
template <typename Group>
trace::Record recordOf(Group& g) {
    const trace::State state = stateOf(g);
    const auto record = state.records.find(g.service->lockEntity("orders"));
    return record == state.records.end() ? trace::Record() : record->second;
}

/// Why the lock was freed last.
template <typename Group>
std::optional<trace::FreedBy> lastFreedBy(Group& g) {
    std::optional<trace::FreedBy> last;
    for (std::size_t i = 0; i < g.trace->size(); ++i) {
        const trace::Event event = g.trace->at(i);
        if (event.kind == trace::EventKind::RecordFreed && event.subject == g.service->lockEntity("orders"))
            last = trace::FreedBy(event.flags & trace::kFreedByMask);
    }
    return last;
}

inline std::vector<trace::EntityId> queueOf(const trace::Record& record) {
    std::vector<trace::EntityId> threads;
    for (const trace::QueuedWaiter& waiter : record.queue)
        threads.push_back(waiter.thread);
    return threads;
}

} // namespace lockscope::tests
