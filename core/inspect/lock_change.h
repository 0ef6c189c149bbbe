// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_report.h"

namespace lockscope::inspect {

/// How one lock differs between two looks.
struct LockChange {
    enum class Kind : std::uint8_t { Appeared, Changed, Vanished };
    /// The event behind the difference, in the words of locks, as far as the difference shows it.
    enum class What : std::uint8_t {
        Found,           ///< it was there before we looked
        Taken,           ///< somebody holds it now
        Renewed,         ///< the same holder, a later end
        Shortened,       ///< the same holder, an earlier end
        Reentered,       ///< the same holder, once more
        HeldLess,        ///< the same holder, once less
        ChangedHands,    ///< another holder
        Joined,          ///< another holder beside those there were
        Left,            ///< one of several holders is gone
        Expired,         ///< free: its time was over
        Released,        ///< free before its time: released, or deleted by somebody, which leaves the same
        Forced,          ///< … and it is known that a person took it from its holder
        RenewalMissed,   ///< the same holder, and the renewal that was due did not come
        RenewalsStopped, ///< … nor did the next one, or the lease has ended meanwhile
        Lost,            ///< gone with the server's data
        FailedOver,      ///< held by the same holder, on another server than before: the hold may exist twice
        /// The lock was seen only because somebody waited for it, and nobody does any more: its holder may still have
        /// it, the waiter may have got it, or it is free.
        NoLongerWaited,
        Queue, ///< others wait than before
        Gone,  ///< nothing is left of a lock that nobody held
        Other,
    };
    Kind kind = Kind::Appeared;
    LockRow row; ///< as it is now; of a vanished one, as it was
    What what = What::Other;
};

/// "taken", "changed-hands", …: as `watch --json` says it.
const char* nameOf(LockChange::What what);

/// The changes between two looks, sorted by name. A TTL that only ran down is no change, nor is the order of holders. A
/// deadline that moved is a change when the measurements prove it; without measurements, when it moved by more than
/// `tolerance`.
std::vector<LockChange> changesBetween(const LockReport& before, const LockReport& after, Nanos tolerance = 100ms);

/// Anything but times differs. Both sorted by name.
bool changedBesidesTime(const std::vector<LockRow>& before, const std::vector<LockRow>& after);

} // namespace lockscope::inspect
