// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>

namespace lockscope::blocking::detail {

/// "No bound": a wait without end.
inline constexpr std::chrono::nanoseconds kForever = std::chrono::nanoseconds::max();

/// Converts a wait to nanoseconds, rounded up: 0 when it is negative, kForever when it does not fit.
template <typename Rep, typename Period>
std::chrono::nanoseconds waitOf(std::chrono::duration<Rep, Period> wait) {
    using Wide = std::chrono::duration<long double, std::nano>;
    if (wait <= wait.zero()) return std::chrono::nanoseconds(0);
    if (Wide(wait) >= Wide(kForever)) return kForever;
    return std::chrono::ceil<std::chrono::nanoseconds>(wait);
}
/// Converts an instant of any clock to the wait until then.
template <typename Clock, typename Duration>
std::chrono::nanoseconds waitUntil(std::chrono::time_point<Clock, Duration> until) {
    // Floating point: the difference of extreme time points overflows an integer.
    using Wide = std::chrono::duration<long double, std::nano>;
    return waitOf(Wide(until.time_since_epoch()) - Wide(Clock::now().time_since_epoch()));
}
/// The steady clock's time after that wait, since its epoch; kForever instead of an overflow.
inline std::chrono::nanoseconds steadyAfter(std::chrono::nanoseconds wait) {
    const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
    return now > kForever - wait ? kForever : now + wait;
}

} // namespace lockscope::blocking::detail
