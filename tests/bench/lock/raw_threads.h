// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "raw.h"

#include <functional>

namespace lockscope::bench {

/// One connection of a bare client that blocks, and its lock.
class RawClient {
public:
    virtual ~RawClient() = default;
    /// Takes the lock and gives it up.
    virtual std::expected<void, QString> pair() = 0;
};
using MadeRawClient = std::expected<std::unique_ptr<RawClient>, QString>;

/// As many clients as the workload has, each on a thread of its own when there are several. `make` gets the client's
/// number. nullptr for workloads that such clients cannot show: those in which one waits for another.
MadeRaw makeRawThreads(const Workload& workload, const std::function<MadeRawClient(int)>& make);

} // namespace lockscope::bench
