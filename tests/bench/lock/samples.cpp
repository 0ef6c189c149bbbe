// SPDX-License-Identifier: Apache-2.0
#include "samples.h"

#include <algorithm>
#include <cmath>

namespace lockscope::bench {

double Samples::percentileUs(double share) const {
    if (latencies.empty()) return 0;
    std::vector<std::int64_t> sorted = latencies;
    const auto rank = std::size_t(std::ceil(share * double(sorted.size())));
    const auto at = sorted.begin() + std::ptrdiff_t(std::clamp<std::size_t>(rank, 1, sorted.size()) - 1);
    std::nth_element(sorted.begin(), at, sorted.end());
    return double(*at) / 1e3;
}

double Samples::fairness(int clients) const {
    std::vector<std::int64_t> counts(std::size_t(clients), 0);
    for (const Acquisition& one : acquisitions)
        ++counts[std::size_t(one.client)];
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    return *least > 0 ? double(*most) / double(*least) : 0;
}

} // namespace lockscope::bench
