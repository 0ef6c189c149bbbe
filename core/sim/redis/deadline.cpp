// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/deadline.h"

#include "sim/redis/command.h"
#include "sim/redis/numbers.h"

#include <limits>

namespace lockscope::sim::redisd {

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

Reply invalid(const Call& call) {
    return Reply::error("ERR invalid expire time in '" + call.command.lowerName() + "' command");
}

} // namespace

std::expected<std::int64_t, Reply> anyDeadline(const Call& call, const QByteArray& amount, TimeUnit unit) {
    const auto read = parseInteger(amount);
    if (!read) return std::unexpected(answers::notInteger());
    std::int64_t when = *read;
    if (unit == TimeUnit::Seconds || unit == TimeUnit::AtSeconds) {
        if (when > kMax / 1000 || when < kMin / 1000) return std::unexpected(invalid(call));
        when *= 1000;
    }
    if (unit == TimeUnit::Seconds || unit == TimeUnit::Milliseconds) {
        if (when > kMax - call.server.nowMs()) return std::unexpected(invalid(call));
        when += call.server.nowMs();
    }
    return when;
}

std::expected<std::int64_t, Reply> positiveDeadline(const Call& call, const QByteArray& amount, TimeUnit unit) {
    const auto read = parseInteger(amount);
    if (read && *read <= 0) return std::unexpected(invalid(call));
    return anyDeadline(call, amount, unit);
}

} // namespace lockscope::sim::redisd
