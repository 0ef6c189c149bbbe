// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace lockscope::views {

/// How much was held and waited over the whole trace, in a fixed number of buckets that double in width as time goes
/// on: the overview costs the same for a second and for a week.
class Activity {
public:
    static constexpr std::size_t kBuckets = 4096;
    enum Kind : std::uint8_t { Waiting, Holding };

    /// A thread did `kind` from `from` to `to` (ns, from <= to).
    void add(Kind kind, std::int64_t from, std::int64_t to);
    /// Mean number of threads that did `kind` in [from, to).
    double mean(Kind kind, double from, double to) const;

private:
    void widen();
    std::int64_t m_width = 1'000'000;
    std::array<std::vector<double>, 2> m_buckets{std::vector<double>(kBuckets), std::vector<double>(kBuckets)};
};

} // namespace lockscope::views
