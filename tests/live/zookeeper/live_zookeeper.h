// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/zookeeper/driver.h"
#include "runtime/event_loop_runtime.h"
#include "sandbox/zookeeper_server.h"

#include <QDeadlineTimer>
#include <QEventLoop>
#include <QTest>

namespace lockscope::test {

/// Runs a coroutine to its end on the event loop of the test. QCoro::waitFor wants default-constructible results.
template <typename T>
T run(QCoro::Task<T>&& task) {
    using Slot = std::conditional_t<std::is_void_v<T>, bool, T>;
    std::optional<Slot> result;
    std::exception_ptr failure;
    QEventLoop loop;
    bool done = false;
    const auto finish = [&](QCoro::Task<T> waited) -> QCoro::Task<> {
        try {
            if constexpr (std::is_void_v<T>) {
                co_await waited;
                result.emplace(true);
            } else {
                result.emplace(co_await std::move(waited));
            }
        } catch (...) {
            failure = std::current_exception();
        }
        done = true;
        loop.quit();
    };
    const QCoro::Task<> finishing = finish(std::move(task));
    if (!done) loop.exec();
    if (failure) std::rethrow_exception(failure);
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// How a coroutine ended: nullopt when by its own end.
template <typename T>
QCoro::Task<std::optional<Cancelled::Why>> howCancelled(QCoro::Task<T> task) {
    try {
        (void)co_await task;
    } catch (const Cancelled& cancelled) {
        co_return cancelled.why();
    }
    co_return std::nullopt;
}

/// The event loop for that long.
inline void pass(std::chrono::milliseconds time) {
    QTest::qWait(int(time.count()));
}

/// The event loop until something is the case; false when it was not within that time.
template <typename Condition>
bool eventually(Condition condition, std::chrono::milliseconds limit = 10s) {
    QDeadlineTimer end(limit);
    while (!condition()) {
        if (end.hasExpired()) return false;
        QTest::qWait(2);
    }
    return true;
}

inline ConnectionUrl urlOf(const QString& text) {
    return parseConnectionUrl(text).value();
}

inline zookeeper::DriverOptions sessionOf(Nanos session) {
    zookeeper::DriverOptions options;
    options.session = session;
    return options;
}

template <typename Server>
QString start(Server& server) {
    const auto started = run(server.start());
    return started ? QString() : started.error();
}

/// The names of a node's children, sorted; a missing node has none.
inline std::vector<QByteArray> childrenOf(zookeeper::Port& port, const QByteArray& path) {
    auto list = run(port.children(path));
    if (!list) return {};
    std::ranges::sort(list->names);
    return list->names;
}

} // namespace lockscope::test

#define VERIFY_STARTED(server)                                                                                         \
    do {                                                                                                               \
        const QString error = lockscope::test::start(server);                                                          \
        QVERIFY2(error.isEmpty(), qPrintable(error));                                                                  \
    } while (false)
#define VERIFY_OK(result)                                                                                              \
    do {                                                                                                               \
        const auto& outcome = (result);                                                                                \
        QVERIFY2(outcome.has_value(), outcome ? "" : qPrintable(outcome.error().message));                             \
    } while (false)
