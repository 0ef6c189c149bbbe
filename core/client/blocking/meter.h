// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <lockscope/metrics.h>

namespace lockscope::blocking::detail {

/// How a hold ended that its user gave up. `given`: the server took it back; false: it would not, or could not.
constexpr LockMeasure::Kind endOf(bool given) {
    return given ? LockMeasure::Kind::Released : LockMeasure::Kind::Lost;
}

/// Counts what the locks of a service do, and passes each measure to the process's handler. Written by the service's
/// thread, read by any.
class Meter {
public:
    void note(const LockMeasure& measure) noexcept;
    LockTotals totals() const noexcept;

private:
    static constexpr std::size_t kKinds = std::size_t(LockMeasure::Kind::Lost) + 1;
    std::array<std::atomic<std::uint64_t>, kKinds> m_counts{};
    std::atomic<std::chrono::nanoseconds::rep> m_waited = 0, m_held = 0;
};

} // namespace lockscope::blocking::detail
