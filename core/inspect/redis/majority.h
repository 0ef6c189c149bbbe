// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

#include <span>

namespace lockscope::inspect {

/// A hold of one lock as one of several servers has it. The row and the keys outlive it.
struct HoldCopy {
    const LockRow* row = nullptr;             ///< held
    const std::vector<RawKey>* raw = nullptr; ///< what lies there
    std::int64_t end = 0;                     ///< by one clock for all copies; the greatest number: it has none
};

/// Whether two copies are one hold: by their holders, or, where the format does not name them, by the value written
/// there.
bool sameHold(const HoldCopy& a, const HoldCopy& b);

/// The verdict on one lock of several servers that know nothing of each other.
struct Majority {
    enum class Says : std::uint8_t {
        NotHeld,
        Held,
        NotKnown, ///< a hold may have its majority with servers that cannot be read
    };
    Says says = Says::NotHeld;
    std::size_t hold = 0;   ///< Held: the first of its copies among those that can be read
    std::size_t endsBy = 0; ///< Held: the copy with whose end the majority ends
};

/// `readable`: the holds on servers that can be read. `hidden`: holds that servers which cannot be read are known to
/// keep. `unknown`: further servers, each of which may have any hold. Held is what `quorum` readable copies say: a
/// majority lasts until the shortest of its `quorum` longest copies ends.
Majority majorityOf(std::span<const HoldCopy> readable, std::span<const HoldCopy> hidden, std::size_t unknown,
                    std::size_t quorum);

/// One row for a lock that several servers keep, each for itself. `copies`: one for each server, with its `server`; at
/// least one, and with one name. `quorum`: so many of them decide.
LockRow logicalRow(std::vector<LockRow> copies, std::size_t quorum);

} // namespace lockscope::inspect
