// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock_bench_world.h"
#include "recipes/multi.h"

namespace lockscope::tests {

using Parts = std::vector<std::unique_ptr<recipes::Recipe>>;

/// A Redis, and locks that are made of several of its own.
struct MultiBench : LockWorld {
    MultiBench() : LockWorld("a") {}
    std::unique_ptr<recipes::Recipe> single(Process& process, const QByteArray& name,
                                            const QByteArray& id = "redis-reentrant") {
        return recipes::makeRedisRecipe(id, {process.wire, name, process.uuid});
    }
    /// In the order given, unlike redis-multi's own.
    std::unique_ptr<recipes::Recipe> several(Process& process, const QByteArrayList& names,
                                             const QByteArray& id = "redis-reentrant") {
        Parts parts;
        for (const QByteArray& name : names)
            parts.push_back(single(process, name, id));
        return std::make_unique<recipes::MultiRecipe>(process.runtime, *recipes::findRecipe("redis-multi"),
                                                      std::move(parts));
    }
    std::int64_t keys() { return ask({"DBSIZE"}).integer; }
};

struct Got {
    std::expected<std::optional<recipes::Grant>, LockError> grant;
    bool done = false;
    bool stopped = false;
    bool taken() const { return done && grant && *grant; }
};

inline QCoro::Task<> take(recipes::Recipe& recipe, recipes::Request request, std::stop_token stop, Got& got) {
    try {
        got.grant = co_await recipe.acquire(request, stop);
    } catch (const Cancelled&) {
        got.stopped = true;
    }
    got.done = true;
}

inline recipes::Request within(Nanos wait, Nanos lease = 30s, int held = 0) {
    recipes::Request request;
    request.wait = wait;
    request.lease = lease;
    request.held = held;
    return request;
}

inline void start(Runtime& runtime, recipes::Recipe& recipe, const recipes::Request& request, Got& got,
                  std::stop_token stop = {}) {
    runtime.spawn([&recipe, request, stop, &got] { return take(recipe, request, stop, got); });
}

inline int release(MultiBench& bench, Runtime& runtime, recipes::Recipe& recipe, const recipes::Grant& grant) {
    int left = -9;
    runtime.spawn([&recipe, &grant, &left]() -> QCoro::Task<> {
        const auto result = co_await recipe.release(grant, {});
        left = result.value_or(-1);
    });
    bench.run(100ms);
    return left;
}

inline bool renew(MultiBench& bench, Runtime& runtime, recipes::Recipe& recipe, const recipes::Grant& grant) {
    std::optional<bool> kept;
    runtime.spawn([&recipe, &grant, &kept]() -> QCoro::Task<> {
        const auto result = co_await recipe.renew(grant, {});
        kept = result.value_or(false);
    });
    bench.run(100ms);
    return kept.value_or(false);
}

} // namespace lockscope::tests
