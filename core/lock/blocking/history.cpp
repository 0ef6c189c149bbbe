// SPDX-License-Identifier: Apache-2.0
#include "lock/blocking/history.h"

#include <QDateTime>

namespace lockscope::blocking::detail {

std::unique_ptr<trace::Recorder> recorderFor(Runtime& runtime, const std::shared_ptr<trace::Trace>& trace) {
    if (!trace) return nullptr;
    const auto since = std::chrono::floor<std::chrono::milliseconds>(runtime.monotonic());
    trace->setOriginWallMs(QDateTime::currentMSecsSinceEpoch() - since.count());
    return std::make_unique<trace::Recorder>(trace, [&runtime] { return runtime.monotonic(); });
}

} // namespace lockscope::blocking::detail
