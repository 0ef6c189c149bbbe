// SPDX-License-Identifier: Apache-2.0
// Coroutines and servers in tests on real servers: what all of them need. Each server's own is in its folder.
#pragma once
#include "ports/url.h"
#include "runtime/event_loop_runtime.h"

#include <QEventLoop>
#include <QTest>
#include <QTimer>

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

/// A coroutine that runs beside the test, and what came of it.
template <typename T>
struct Ending {
    std::optional<T> result;
    std::optional<Cancelled::Why> cancelled;
    bool done = false;
    Nanos at{}; ///< how long it took
};
template <typename T>
QCoro::Task<> follow(QCoro::Task<T> task, std::shared_ptr<Ending<T>> ending) {
    const auto begun = std::chrono::steady_clock::now();
    try {
        ending->result.emplace(co_await std::move(task));
    } catch (const Cancelled& cancelled) {
        ending->cancelled = cancelled.why();
    }
    ending->at = std::chrono::steady_clock::now() - begun;
    ending->done = true;
}
/// Lets a coroutine run on its own.
template <typename T>
std::shared_ptr<Ending<T>> beside(QCoro::Task<T> task) {
    auto ending = std::make_shared<Ending<T>>();
    (void)follow(std::move(task), ending);
    return ending;
}

/// Runs the event loop until something is so; false when it was not within that time. Looks at every turn, unlike
/// QTRY_VERIFY.
template <typename Condition>
bool comesTrue(Condition condition, std::chrono::milliseconds limit = 10s) {
    const auto end = std::chrono::steady_clock::now() + limit;
    QTimer beat; // something to wake up for
    beat.start(2);
    for (bool late = false;; late = std::chrono::steady_clock::now() >= end) {
        if (condition()) return true; // not asked again: it may be so for a moment only
        if (late) return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    }
}
template <typename T>
bool ends(const std::shared_ptr<Ending<T>>& ending, std::chrono::milliseconds limit) {
    return comesTrue([&] { return ending->done; }, limit);
}

/// Lets coroutines and other threads go on until something is so; false when it was not within that time.
template <typename Condition>
bool soon(Condition condition, int milliseconds = 30'000) {
    return QTest::qWaitFor(condition, milliseconds);
}

inline ConnectionUrl urlOf(const QString& text) {
    return parseConnectionUrl(text).value();
}
template <typename Server>
ConnectionUrl urlOf(const Server& server) {
    return urlOf(server.url());
}

/// Starts a server or a cluster; the text of what went wrong, empty when it is up.
template <typename Server>
QString start(Server& server) {
    const auto started = run(server.start());
    return started ? QString() : started.error();
}

} // namespace lockscope::test

/// For a text that tells an error; empty: none.
#define VERIFY_EMPTY(text)                                                                                             \
    do {                                                                                                               \
        const QString error = text;                                                                                    \
        QVERIFY2(error.isEmpty(), qPrintable(error));                                                                  \
    } while (false)
#define VERIFY_STARTED(server) VERIFY_EMPTY(lockscope::test::start(server))
/// For a std::expected; evaluates it once.
#define VERIFY_OK(expected)                                                                                            \
    do {                                                                                                               \
        const auto& outcome = (expected);                                                                              \
        QVERIFY2(outcome.has_value(), outcome ? "" : qPrintable(outcome.error().message));                             \
    } while (false)
