// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/time.h"

#include <vector>

namespace lockscope::views {

/// Durations counted by size. Bin i reaches from `edges[i]` up to `edges[i + 1]`; the edges grow by an equal factor.
struct Histogram {
    std::vector<Nanos> edges; ///< one more than counts
    std::vector<int> counts;
    /// The count of the fullest bin; 0: there are none.
    int most() const;
    /// How many values were counted.
    int total() const;
};
/// Counts `values` in `bins` of equal width on a logarithmic scale, from the smallest value to the largest. Values
/// below 1 µs count as 1 µs. Empty without values. Precondition: bins is positive.
Histogram logarithmicHistogram(const std::vector<Nanos>& values, int bins);
/// How many bins lie between two durations when each is `factor` times as long as the one before. Precondition: both
/// are positive, `factor` is greater than 1.
double binsBetween(Nanos from, Nanos to, double factor);

} // namespace lockscope::views
