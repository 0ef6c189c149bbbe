// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QByteArray>
#include <vector>

namespace lockscope::bench {

/// Now, ns of the one monotonic clock that all figures are of.
inline std::int64_t clockNow() {
    return std::chrono::duration_cast<Nanos>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One hold, by the instants of the calls around it.
struct Acquisition {
    int client = 0;
    std::int64_t ask = 0, got = 0, release = 0, released = 0;
};

/// The measurements of one kind of clients.
struct Samples {
    std::vector<Acquisition> acquisitions;
    std::vector<std::int64_t> latencies; ///< ns, of what the workload is about
    std::int64_t pairs = 0;
    Nanos took{};

    double perSecond() const { return took.count() > 0 ? double(pairs) * 1e9 / double(took.count()) : 0; }
    /// The latency that a share of all do not exceed (nearest rank), in µs; 0 without any.
    double percentileUs(double share) const;
    /// Most to fewest acquisitions per client; 0 when one of them got none.
    double fairness(int clients) const;
};

} // namespace lockscope::bench
