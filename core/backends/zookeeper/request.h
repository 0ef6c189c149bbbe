// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/zookeeper/driver_core.h"
#include "runtime/completion.h"

#include <zookeeper/zookeeper.h>

namespace lockscope::zookeeper {

/// What a call that has nothing to tell is answered with.
struct Nothing {};
template <typename T>
using Value = std::conditional_t<std::is_same_v<T, Nothing>, void, T>;

/// A request in flight, while the C client has the only pointer to it: it calls back exactly once for each.
template <typename T>
struct Request {
    std::shared_ptr<DriverCore> core;
    const char* what;
    QByteArray path;
    Nanos sentAt;
    std::uint64_t generation;
    Completion<Result<T>> done{};
    std::shared_ptr<bool> abandoned{};        ///< nobody waits any more; only with takeBack
    std::function<void(const T&)> takeBack{}; ///< then, of what was done all the same
    std::uint64_t watch = 0;

    /// From a callback: its request again, with the books brought up to date.
    static std::unique_ptr<Request> answered(int code, const void* data) {
        std::unique_ptr<Request> request(static_cast<Request*>(const_cast<void*>(data)));
        const bool byServer = code == ZOK || (code <= ZAPIERROR && code != ZSESSIONEXPIRED && code != ZCLOSING &&
                                              code != ZAUTHFAILED && code != ZSESSIONMOVED);
        request->core->over(byServer, request->sentAt, request->generation);
        return request;
    }
    void fail(int code) const { done.complete(std::unexpected(errors::of(code, what, path, core->where))); }
    void succeed(T value) const {
        if (abandoned && *abandoned) takeBack(value);
        done.complete(std::move(value));
    }
};

/// Sends a request as soon as there is a session, and waits for its answer. `send` hands it to the C client:
/// int(zhandle_t*, Request<T>*), the C client's result code. `setUp` fills in what else the request should know.
template <typename T, typename Send>
QCoro::Task<Result<Value<T>>> ask(std::shared_ptr<DriverCore> core, const char* what, QByteArray path, int least,
                                  Send send, std::stop_token stop, std::function<void(const T&)> takeBack = {}) {
    if (!validPath(path)) co_return std::unexpected(errors::badPath(path));
    // Nothing is awaited when connected: so requests go out in the order of the calls.
    if (!core->ready() || !core->runtime.alive() || stop.stop_requested()) {
        const Result<void> ready = co_await DriverCore::waitReady(core, kNever, stop);
        if (!ready) co_return std::unexpected(ready.error());
    }
    auto request =
        std::make_unique<Request<T>>(Request<T>{core, what, path, core->runtime.monotonic(), core->session.generation});
    const Completion<Result<T>> done = request->done;
    const std::shared_ptr<bool> abandoned = takeBack ? std::make_shared<bool>(false) : nullptr;
    if (takeBack) {
        request->abandoned = abandoned;
        request->takeBack = takeBack;
    }
    core->handle->gather();
    core->submitted(least);
    const int code = send(core->handle->raw(), request.get());
    if (code != ZOK) {
        core->over(false, Nanos(0), 0);
        co_return std::unexpected(errors::of(code, what, path, core->where));
    }
    (void)request.release(); // its callback's now

    bool stopped = false;
    try {
        std::optional<Result<T>> result = co_await done.wait(core->runtime, kNever, stop);
        if constexpr (std::is_same_v<T, Nothing>) {
            if (!*result) co_return std::unexpected(std::move(result->error()));
            co_return Result<void>();
        } else {
            co_return std::move(*result);
        }
    } catch (const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Killed) throw;
        stopped = true;
    }
    if (stopped && takeBack) {
        *abandoned = true;
        if (done.done()) { // in the same moment
            const std::optional<Result<T>> result = co_await done.wait(core->runtime);
            if (result && *result) takeBack(**result);
        }
    }
    throw Cancelled(Cancelled::Why::Stopped);
}

} // namespace lockscope::zookeeper
