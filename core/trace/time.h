// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <limits>

namespace lockscope {

/// All durations and instants in Lockscope are whole nanoseconds. No floating-point time, so that equal seeds give
/// equal traces on every machine. An instant counts from its trace's origin.
using Nanos = std::chrono::nanoseconds;

using namespace std::chrono_literals;

/// "No bound", "no deadline", "never". Stored as -1 in Event::value.
inline constexpr Nanos kNever = Nanos::max();

/// `instant` + `duration`; kNever instead of an overflow. Precondition: duration >= 0.
constexpr Nanos laterBy(Nanos instant, Nanos duration) {
    return instant > kNever - duration ? kNever : instant + duration;
}

/// Encodes an instant or duration for an event's value column: kNever as -1.
constexpr std::int64_t toValue(Nanos t) {
    return t == kNever ? -1 : t.count();
}
/// Decodes a value column; any negative value is kNever.
constexpr Nanos fromValue(std::int64_t v) {
    return v < 0 ? kNever : Nanos(v);
}

} // namespace lockscope
