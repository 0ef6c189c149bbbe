// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/zookeeper/driver_core.h"

#include <zookeeper/zookeeper.h>

namespace lockscope::zookeeper {

/// The result type of calls without a result.
struct Nothing {};
template <typename T>
using Value = std::conditional_t<std::is_same_v<T, Nothing>, void, T>;

/// The future answer of a request. A Completion would cost one more coroutine per request.
template <typename T>
struct Answer {
    std::optional<Result<T>> result;
    Waiter* waiter = nullptr;

    /// Sets the answer and wakes the waiter.
    void give(Result<T> value) {
        result.emplace(std::move(value));
        if (waiter) waiter->wake();
    }
    /// Registers the waiter while it waits.
    struct Waiting {
        Waiting(std::shared_ptr<Answer> of, Waiter& by) : answer(std::move(of)) { answer->waiter = &by; }
        ~Waiting() { answer->waiter = nullptr; }
        Waiting(const Waiting&) = delete;
        Waiting& operator=(const Waiting&) = delete;
        std::shared_ptr<Answer> answer;
    };
};

/// True for results that the connected server reads by itself; all other requests go to the leader.
template <typename T>
inline constexpr bool kLooks =
    std::is_same_v<T, NodeData> || std::is_same_v<T, std::optional<NodeStat>> || std::is_same_v<T, ChildList>;

/// A request in flight; only the C client has a pointer to it, and calls back exactly once.
template <typename T>
struct Request {
    std::shared_ptr<DriverCore> core;
    const char* what;
    QByteArray path;
    Nanos sentAt;
    std::uint64_t generation;
    std::shared_ptr<Answer<T>> answer = std::make_shared<Answer<T>>();
    std::shared_ptr<bool> abandoned{};        ///< nobody waits any more; only with takeBack
    std::function<void(const T&)> takeBack{}; ///< then undoes what was done all the same
    std::uint64_t watch = 0;

    /// Called in a callback: takes the request back and updates the core's books.
    static std::unique_ptr<Request> answered(int code, const void* data) {
        std::unique_ptr<Request> request(static_cast<Request*>(const_cast<void*>(data)));
        const bool byServer = code == ZOK || (code <= ZAPIERROR && code != ZSESSIONEXPIRED && code != ZCLOSING &&
                                              code != ZAUTHFAILED && code != ZSESSIONMOVED);
        using By = DriverCore::By;
        const By by = !byServer ? By::Nobody : kLooks<T> ? By::Server : By::Leader;
        request->core->over(by, request->sentAt, request->generation);
        return request;
    }
    void fail(int code) const { answer->give(std::unexpected(errors::of(code, what, path, core->where))); }
    void succeed(T value) const {
        if (abandoned && *abandoned) takeBack(value);
        answer->give(std::move(value));
    }
};

/// Sends a request as soon as there is a session, and waits for its answer. `send` hands it to the C client:
/// int(zhandle_t*, Request<T>*), returns the C client's result code. `takeBack` undoes the effect of a call that was
/// stopped before its answer. With a `generation`, nothing is sent in another session: the call ends with SessionLost.
template <typename T, typename Send>
QCoro::Task<Result<Value<T>>> ask(std::shared_ptr<DriverCore> core, const char* what, QByteArray path, int least,
                                  Send send, std::stop_token stop, std::function<void(const T&)> takeBack = {},
                                  std::uint64_t generation = 0) {
    if (!validPath(path)) co_return std::unexpected(errors::badPath(path));
    if (core->isOver(generation)) co_return std::unexpected(errors::sessionLost(core->where));
    // No await when connected, so that requests are sent in the order of the calls.
    if (!core->ready() || !core->runtime.alive() || stop.stop_requested()) {
        const Result<void> ready = co_await DriverCore::waitReady(core, kNever, stop, generation);
        if (!ready) co_return std::unexpected(ready.error());
    }
    auto request =
        std::make_unique<Request<T>>(Request<T>{core, what, path, core->runtime.monotonic(), core->session.generation});
    const std::shared_ptr<Answer<T>> answer = request->answer;
    const std::shared_ptr<bool> abandoned = takeBack ? std::make_shared<bool>(false) : nullptr;
    if (takeBack) {
        request->abandoned = abandoned;
        request->takeBack = takeBack;
    }
    const std::uint64_t sentIn = request->generation;
    core->handle->gather();
    core->submitted(least);
    const int code = send(core->handle->raw(), request.get());
    if (code != ZOK) {
        core->unsent();
        if (request->watch) core->watches->settled(request->watch, false);
        co_return std::unexpected(errors::of(code, what, path, core->where));
    }
    (void)request.release(); // the callback owns it now

    bool stopped = false;
    try {
        Waiter waiter(core->runtime, kNever, stop);
        const typename Answer<T>::Waiting waiting(answer, waiter);
        co_await waiter.end();
        if constexpr (std::is_same_v<T, Nothing>) {
            if (!*answer->result) co_return std::unexpected(std::move(answer->result->error()));
            co_return Result<void>();
        } else {
            co_return std::move(*answer->result);
        }
    } catch (const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Killed) throw;
        stopped = true;
    }
    if (stopped && takeBack) {
        *abandoned = true;
        const std::optional<Result<T>>& result = answer->result; // may have arrived at the same moment
        if (result && *result && !core->isOver(sentIn)) takeBack(**result);
    }
    throw Cancelled(Cancelled::Why::Stopped);
}

} // namespace lockscope::zookeeper
