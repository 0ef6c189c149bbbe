// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/activity.h"

#include <algorithm>
#include <cmath>

namespace lockscope::views {

void Activity::add(Kind kind, std::int64_t from, std::int64_t to) {
    // Divided, not multiplied: all buckets together may reach further than a time can.
    while (to / m_width >= std::int64_t(kBuckets))
        widen();
    auto& buckets = m_buckets[kind];
    for (std::int64_t t = from; t < to;) {
        const std::int64_t bucket = t / m_width, part = std::min(to - t, m_width - t % m_width);
        buckets[std::size_t(bucket)] += double(part);
        t += part;
    }
}

double Activity::mean(Kind kind, double from, double to) const {
    const double width = double(m_width);
    double sum = 0;
    for (double t = from; t < to;) {
        const double bucket = std::floor(t / width), end = std::min(to, (bucket + 1) * width);
        if (bucket >= double(kBuckets) || end <= t) break;
        sum += m_buckets[kind][std::size_t(bucket)] * (end - t) / width;
        t = end;
    }
    return to > from ? sum / (to - from) : 0;
}

void Activity::widen() {
    for (auto& buckets : m_buckets) {
        for (std::size_t i = 0; i < kBuckets / 2; ++i)
            buckets[i] = buckets[2 * i] + buckets[2 * i + 1];
        std::fill(buckets.begin() + kBuckets / 2, buckets.end(), 0.0);
    }
    m_width *= 2;
}

} // namespace lockscope::views
