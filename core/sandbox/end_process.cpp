// SPDX-License-Identifier: Apache-2.0
#include "sandbox/end_process.h"

#include "runtime/completion.h"

namespace lockscope::sandbox {

QCoro::Task<bool> hasEnded(Runtime& runtime, ProcessSupervisor& process, Nanos patience, std::stop_token stop) {
    const Completion<bool> told;
    const auto connection =
        QObject::connect(&process, &ProcessSupervisor::exited, &process, [told] { told.complete(true); });
    if (!process.running()) told.complete(true);
    const std::optional<bool> gone = co_await told.wait(runtime, patience, std::move(stop));
    QObject::disconnect(connection);
    co_return gone.has_value();
}

QCoro::Task<> endProcess(Runtime& runtime, ProcessSupervisor& process, std::stop_token stop) {
    constexpr Nanos kPatience = 5s;
    if (!process.running()) co_return;
    process.terminate();
    const bool gone = co_await hasEnded(runtime, process, kPatience, stop);
    if (gone) co_return;
    process.kill();
    co_await hasEnded(runtime, process, kPatience, std::move(stop));
}

} // namespace lockscope::sandbox
