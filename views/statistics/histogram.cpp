// SPDX-License-Identifier: GPL-3.0-or-later
#include "statistics/histogram.h"

#include <QtGlobal>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace lockscope::views {

double binsBetween(Nanos from, Nanos to, double factor) {
    Q_ASSERT(from > Nanos(0) && to > Nanos(0) && factor > 1);
    return std::log(double(to.count()) / double(from.count())) / std::log(factor);
}

int Histogram::most() const {
    return counts.empty() ? 0 : *std::ranges::max_element(counts);
}

int Histogram::total() const {
    return std::accumulate(counts.begin(), counts.end(), 0);
}

Histogram logarithmicHistogram(const std::vector<Nanos>& values, int bins) {
    Q_ASSERT(bins > 0);
    if (values.empty()) return {};
    const auto counted = [](Nanos value) { return std::max<Nanos>(value, 1us); };
    const Nanos low = counted(*std::ranges::min_element(values));
    // One size alone still is a bin of some width.
    const Nanos high = std::max<Nanos>(counted(*std::ranges::max_element(values)), low * 2);
    const double factor = std::pow(double(high.count()) / double(low.count()), 1.0 / bins);
    Histogram histogram;
    histogram.counts.assign(std::size_t(bins), 0);
    for (int i = 0; i <= bins; ++i)
        histogram.edges.emplace_back(std::llround(double(low.count()) * std::pow(factor, i)));
    for (const Nanos value : values) {
        const int bin = int(std::floor(binsBetween(low, counted(value), factor)));
        ++histogram.counts[std::size_t(std::clamp(bin, 0, bins - 1))];
    }
    return histogram;
}

} // namespace lockscope::views
