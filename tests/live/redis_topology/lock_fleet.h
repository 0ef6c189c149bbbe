// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "live_redis.h"
#include "support/lock_user.h"

namespace lockscope::test {

/// The contenders' shared counter: it loses counts when two are inside at once.
struct Counter {
    int value = 0;
    int inside = 0;
    int mostInside = 0;
    int failures = 0; ///< calls that ended in an error
    QString lastError;
};

/// Takes the lock `rounds` times and counts one up each time, slowly. Errors are counted and tried again while
/// `until` of the runtime's clock has not passed.
inline QCoro::Task<> countUp(LockUser& user, Counter& counter, int rounds, Nanos until = kNever) {
    for (int round = 0; round < rounds;) {
        if (user.runtime.monotonic() >= until) co_return;
        const auto taken = co_await user.lock->tryLockFor(20s);
        if (!taken || !*taken) {
            ++counter.failures;
            counter.lastError = taken ? QStringLiteral("not within the wait") : taken.error().message;
            co_await user.runtime.sleep(10ms);
            continue;
        }
        ++counter.inside;
        counter.mostInside = std::max(counter.mostInside, counter.inside);
        const int read = counter.value;
        co_await user.runtime.sleep(1ms);
        counter.value = read + 1;
        --counter.inside;
        ++round;
        const auto left = co_await user.lock->unlock();
        if (!left) {
            ++counter.failures;
            counter.lastError = left.error().message;
        }
    }
}

inline QCoro::Task<> all(std::vector<QCoro::Task<>> tasks) {
    for (auto& task : tasks)
        co_await std::move(task);
}

/// As fast as the event loop goes on.
inline void letPass(Runtime& runtime, Nanos time) {
    run(runtime.sleep(time));
}

} // namespace lockscope::test

#define VERIFY_OPEN(user)                                                                                              \
    do {                                                                                                               \
        const QString openError = (user).open();                                                                       \
        QVERIFY2(openError.isEmpty(), qPrintable(openError));                                                          \
    } while (false)
