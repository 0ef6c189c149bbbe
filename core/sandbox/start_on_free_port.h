// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <expected>
#include <functional>

namespace lockscope::sandbox {

/// Starts a server that has no port yet on a free one. Between the look for it and the server's bind somebody may take
/// the port: one that does not come up is started on others, and `port` is 0 again when it came up on none. A server
/// that has its port is started there, once. `port`, and all that `startOnPort` uses, must outlive the call. Throws
/// Cancelled.
QCoro::Task<std::expected<void, QString>>
startOnFreePort(Runtime& runtime, std::uint16_t& port,
                std::function<QCoro::Task<std::expected<void, QString>>()> startOnPort);

} // namespace lockscope::sandbox
