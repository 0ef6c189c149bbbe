// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/distributed_condition.h"
#include "lock/distributed_mutex.h"
#include "lock_fleet.h"

namespace lockscope::test {

/// One client waits for a condition, another signals it; what went wrong, empty when the first was woken and has the
/// lock again.
inline QCoro::Task<QString> signalRound(Connection& a, Connection& b, QByteArray name) {
    DistributedMutex waiters(a, name), signallers(b, name);
    DistributedCondition waits(waiters), signals(signallers);
    auto mine = co_await waiters.lock();
    if (!mine) co_return mine.error().message;
    auto waiting = waits.await(20s);
    auto theirs = co_await signallers.lock(); // only when the other has given it up
    if (!theirs) co_return theirs.error().message;
    const auto woken = co_await signals.signal();
    if (!woken) co_return woken.error().message;
    if (*woken != 1) co_return QStringLiteral("woke %1").arg(*woken);
    const auto given = co_await theirs->unlock();
    if (!given) co_return given.error().message;
    const auto signalled = co_await waiting;
    if (!signalled) co_return signalled.error().message;
    if (!*signalled || !waiters.stillMine()) co_return QStringLiteral("not signalled, or without the lock");
    const auto end = co_await mine->unlock();
    co_return end ? QString() : end.error().message;
}

} // namespace lockscope::test
