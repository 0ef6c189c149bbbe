// SPDX-License-Identifier: Apache-2.0
// The duties of every store of records. Include it after the header that declares run().
#pragma once
#include "client/connect.h"
#include "connections/connection.h"
#include "lock/manager/lock_manager.h"

#include <QTest>

namespace lockscope::test {

/// Two clients that saw the same and write at once: one of them does, and what it wrote stays. Empty: so it was.
inline QString raceOfWriters(Runtime& runtime, RecordStore& one, RecordStore& two, const QByteArray& name) {
    Record longAgo;
    for (int round = 0; round < 20; ++round) {
        const auto seen = run(one.read(name, {}));
        if (!seen) return seen.error().message;
        if (round == 1) longAgo = *seen;
        if (seen->there != (round > 0)) return QStringLiteral("round %1: there or not?").arg(round);
        int ended = 0, written = 0;
        QByteArray winner;
        QString error;
        for (RecordStore* const store : {&one, &two}) {
            const QByteArray value = (store == &one ? "one " : "two ") + QByteArray::number(round) + " {\"'锁\": \\n}";
            runtime.spawn([&, store, value, before = *seen]() -> QCoro::Task<> {
                const auto done = co_await store->replace(name, before, value, {});
                if (!done) error = done.error().message;
                if (done && *done) {
                    ++written;
                    winner = value;
                }
                ++ended;
            });
        }
        if (!QTest::qWaitFor([&] { return ended == 2; }, 10'000)) return QStringLiteral("they did not end");
        if (!error.isEmpty()) return error;
        if (written != 1) return QStringLiteral("round %1: %2 of them have written").arg(round).arg(written);
        for (RecordStore* const store : {&one, &two}) {
            const auto now = run(store->read(name, {}));
            if (!now) return now.error().message;
            if (!now->there || now->value != winner)
                return QStringLiteral("round %1: what was written is not there").arg(round);
        }
        // The view from before is out of date, for both.
        const auto late = run(one.replace(name, *seen, "late", {}));
        if (!late || *late) return QStringLiteral("round %1: an old view was good enough").arg(round);
        if (round < 3) continue;
        for (const Record& old : {Record(), longAgo}) {
            const auto later = run(two.replace(name, old, "later", {}));
            if (!later || *later) return QStringLiteral("round %1: the view of long ago was good enough").arg(round);
        }
    }
    return {};
}

/// A namespace over three servers that also keep its record. Quick, for tests.
inline ManagerConfig managerOver(const QStringList& urls, const QByteArray& recipe) {
    NamespaceConfig space;
    space.name = "shop";
    for (const QString& url : urls)
        space.engines.push_back({parseConnectionUrl(url).value(), recipe});
    space.confirmFor = 600ms;
    space.drainFor = 100ms;
    space.healthEvery = 100ms;
    space.healthTimeout = 500ms;
    space.options.lease = 1s;
    space.options.watchdog = 300ms;
    ManagerConfig config;
    config.namespaces.push_back(space);
    return config;
}

/// Two processes, each of which switches to another engine at the same time: they end on the same one, and its locks
/// keep them apart. Empty: so it was.
inline QString raceOfManagers(Runtime& runtime, const ManagerConfig& config) {
    const auto a = LockManager::make(runtime, config, makeConnection),
               b = LockManager::make(runtime, config, makeConnection);
    if (!a || !b) return a ? b.error() : a.error();
    LockManager* const managers[] = {a->get(), b->get()};
    for (LockManager* const manager : managers) {
        if (!run(manager->start(10s))) return QStringLiteral("a manager did not start");
    }
    const auto status = [&](int i) { return managers[i]->status("shop"); };
    if (status(0).epoch != 1 || status(1).epoch != 1) return QStringLiteral("they began with different epochs");
    int ended = 0;
    for (int i = 0; i < 2; ++i) {
        runtime.spawn([&, i]() -> QCoro::Task<> {
            (void)co_await managers[i]->switchTo("shop", i + 1); // who is beaten may be told so
            ++ended;
        });
    }
    const auto settled = [&] {
        return ended == 2 && status(0).usable && status(1).usable && status(0).epoch == status(1).epoch &&
               status(0).epoch > 1;
    };
    if (!QTest::qWaitFor(settled, 20'000))
        return QStringLiteral("no agreement: epochs %1 and %2").arg(status(0).epoch).arg(status(1).epoch);
    if (status(0).engine != status(1).engine) return QStringLiteral("two winners of one epoch");
    if (status(0).engine == config.namespaces.front().engines.front().id())
        return QStringLiteral("nobody has switched");
    const auto ours = managers[0]->lock("shop", "orders"), theirs = managers[1]->lock("shop", "orders");
    auto held = run(ours->tryLockFor(5s));
    if (!held || !*held) return QStringLiteral("the lock of the new engine cannot be had");
    if (held->token() != 0 && held->token() >> 48 != status(0).epoch) return QStringLiteral("a token of another epoch");
    const auto refused = run(theirs->tryLockFor(100ms));
    if (refused && *refused) return QStringLiteral("both hold the lock");
    run(held->unlock());
    return {};
}

} // namespace lockscope::test
