// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "live_zookeeper.h"
#include "recipes/zookeeper/zk_recipe.h"

namespace lockscope::test {

using recipes::Grant;
using recipes::lockPath;
using recipes::makeZooKeeperRecipe;
using recipes::Mode;
using recipes::Outcome;
using recipes::Recipe;
using recipes::Request;
using sandbox::ZooKeeperServer;
using zookeeper::ZooKeeperDriver;

/// One client process: a session of its own.
struct Client {
    Client(Runtime& runtime, const QString& url, const char* clientName, Nanos session = 5s)
        : name(clientName), driver(runtime, urlOf(url), optionsOf(url, session)) {}
    Client(Runtime& runtime, const ZooKeeperServer& server, const char* clientName, Nanos session = 5s)
        : Client(runtime, server.url(), clientName, session) {}
    std::unique_ptr<Recipe> recipe(const QByteArray& id, const QByteArray& lock, int permits = 1) {
        return makeZooKeeperRecipe(id, {driver, lockPath(lock).value(), name, permits, layout});
    }
    QByteArray name;
    zookeeper::Layout layout = zookeeper::Layout::Curator;
    ZooKeeperDriver driver;
};

inline Request request(Nanos wait = kNever, const char* thread = "1", Mode mode = Mode::Exclusive, int permits = 1) {
    Request wish;
    wish.wait = wait;
    wish.thread = thread;
    wish.mode = mode;
    wish.permits = permits;
    return wish;
}

using Taken = std::expected<std::optional<Grant>, LockError>;

inline Taken take(Recipe& recipe, Request wish = request()) {
    return run(recipe.acquire(std::move(wish), {}));
}

/// How an acquisition that runs beside the test ended.
struct TakeEnding {
    bool done = false;
    Taken taken;
    std::optional<Cancelled::Why> cancelled;
    Nanos at{};
};

inline QCoro::Task<> watchEnd(Runtime& runtime, Outcome<std::optional<Grant>> acquiring,
                              std::shared_ptr<TakeEnding> ending) {
    try {
        ending->taken = co_await std::move(acquiring);
    } catch (const Cancelled& cancelled) {
        ending->cancelled = cancelled.why();
    }
    ending->at = runtime.monotonic();
    ending->done = true;
}

inline std::shared_ptr<TakeEnding> begin(Runtime& runtime, Recipe& recipe, Request wish = request(),
                                         std::stop_token stop = {}) {
    auto ending = std::make_shared<TakeEnding>();
    runtime.spawn(
        [&runtime, &recipe, wish, stop, ending] { return watchEnd(runtime, recipe.acquire(wish, stop), ending); });
    return ending;
}

/// All nodes below a path, without the path.
inline std::vector<QByteArray> below(zookeeper::Port& port, const QByteArray& path) {
    std::vector<QByteArray> all;
    for (const QByteArray& name : childrenOf(port, path)) {
        const QByteArray child = zookeeper::childOf(path, name);
        all.push_back(child);
        for (const QByteArray& deeper : below(port, child))
            all.push_back(deeper);
    }
    return all;
}

/// The number of nodes at and below a path that belong to a session and must not be left behind.
inline int ephemerals(zookeeper::Port& port, const QByteArray& path) {
    int count = 0;
    const auto self = run(port.exists(path));
    if (self && *self && (*self)->ephemeralOwner) ++count;
    for (const QByteArray& node : below(port, path)) {
        const auto stat = run(port.exists(node));
        if (stat && *stat && (*stat)->ephemeralOwner) ++count;
    }
    return count;
}

} // namespace lockscope::test
