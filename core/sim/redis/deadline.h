// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/redis/server.h"

#include <expected>

namespace lockscope::sim::redisd {

/// How a command says when a key ends.
enum class TimeUnit : std::uint8_t { Seconds, Milliseconds, AtSeconds, AtMilliseconds };

/// The deadline (ms since 1970) that SET's and GETEX's options give: must lie above zero. The error is the reply.
std::expected<std::int64_t, Reply> positiveDeadline(const Call& call, const QByteArray& amount, TimeUnit unit);

/// The deadline that EXPIRE and its relatives give: may lie in the past.
std::expected<std::int64_t, Reply> anyDeadline(const Call& call, const QByteArray& amount, TimeUnit unit);

} // namespace lockscope::sim::redisd
