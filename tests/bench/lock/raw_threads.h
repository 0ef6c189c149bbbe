// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "raw.h"

#include <functional>

namespace lockscope::bench {

/// One connection of a bare client that blocks, and its lock.
class RawClient {
public:
    virtual ~RawClient() = default;
    /// Takes the lock, which is free.
    virtual std::expected<void, QString> take() = 0;
    /// Gives it up.
    virtual std::expected<void, QString> give() = 0;
};
using MadeRawClient = std::expected<std::unique_ptr<RawClient>, QString>;
using RawClients = std::vector<std::unique_ptr<RawClient>>;

/// As many clients as the workload has. `make` gets the number of the client's lock: one for each client, or 0 for all.
/// Each works on a thread of its own when there are several with a lock each; those of one lock hand it round.
MadeRaw makeRawClients(const Workload& workload, const std::function<MadeRawClient(int)>& make);

/// One lock handed from client to client by a single thread that knows whose turn it is: nobody asks in vain, nobody
/// has to be woken. No waiter can have it sooner.
std::unique_ptr<Raw> makeRawRound(RawClients clients);
/// From the one's release to the end of the other's taking.
std::unique_ptr<Raw> makeRawWake(RawClients clients);

} // namespace lockscope::bench
