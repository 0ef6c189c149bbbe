// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <vector>

namespace lockscope::trace {

/// How often something happened in the course of time: counts by equal stretches, which begin as seconds and grow with
/// the time, so that a long time takes no more memory than a short one. Rates are of the time that was watched: a gap
/// in it is no time in which nothing happened.
class GrantPace {
public:
    /// It happened once more, at an instant that is not negative.
    void add(Nanos at);
    /// Nobody watches from this instant on. Does nothing while that is so.
    void lose(Nanos at);
    /// Somebody watches again. Precondition: not before the last lose().
    void restore(Nanos at);
    /// How much of the time from one instant to another was watched.
    Nanos watched(Nanos from, Nanos to) const;
    /// How often a watched minute from one instant to another; a stretch that lies partly in there counts by that part.
    /// 0 if nothing of that time was watched.
    double perMinute(Nanos from, Nanos to) const;
    /// perMinute() of so many equal parts of that time, in order; kNotWatched for parts of which nothing was watched.
    /// Precondition: parts is positive.
    std::vector<double> curve(Nanos from, Nanos to, int parts) const;
    static constexpr double kNotWatched = -1;
    /// How long a stretch is; nothing shorter can be told apart.
    Nanos stretch() const { return m_stretch; }

private:
    struct Gap {
        Nanos from{}, to = kNever; ///< kNever: it goes on
    };
    std::vector<Gap> m_gaps;             ///< in order
    std::vector<std::uint32_t> m_counts; ///< by stretch, from the beginning of time
    Nanos m_stretch{std::chrono::seconds(1)};
};

} // namespace lockscope::trace
