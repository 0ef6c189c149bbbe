// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <vector>

namespace lockscope::trace {

/// How often something happened in the course of time: counts by equal stretches, which begin as seconds and grow with
/// the time, so that a long time takes no more memory than a short one.
class GrantPace {
public:
    /// It happened once more, at an instant that is not negative.
    void add(Nanos at);
    /// How often a minute from one instant to another; a stretch that lies partly in there counts by that part. 0 for
    /// no time at all.
    double perMinute(Nanos from, Nanos to) const;
    /// perMinute() of so many equal parts of that time, in order. Precondition: parts is positive.
    std::vector<double> curve(Nanos from, Nanos to, int parts) const;
    /// How long a stretch is; nothing shorter can be told apart.
    Nanos stretch() const { return m_stretch; }

private:
    std::vector<std::uint32_t> m_counts; ///< by stretch, from the beginning of time
    Nanos m_stretch{std::chrono::seconds(1)};
};

} // namespace lockscope::trace
