// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <expected>
#include <functional>

namespace lockscope::sandbox {

/// Starts a server that has no port yet on a free one. Between the look for it and the server's bind somebody may take
/// the port: one that does not come up is started on others, and `port` is 0 again when it came up on none. A server
/// that has its port is started there, once. `port`, `startOnPort` and all that it uses must outlive the call: name the
/// function before the await, GCC 12 destroys one that is made in it twice. Throws Cancelled.
QCoro::Task<std::expected<void, QString>>
startOnFreePort(Runtime& runtime, std::uint16_t& port,
                const std::function<QCoro::Task<std::expected<void, QString>>()>& startOnPort);

} // namespace lockscope::sandbox
