// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/state.h"

#include <QString>
#include <vector>

namespace lockscope::trace {

/// One thing that is otherwise at a later instant than at an earlier one.
struct Change {
    /// The kinds that a person looks for first come first.
    enum class Kind : std::uint8_t {
        NotSeen, ///< no change: a watched server was out of sight from `before` to `after`, ns, and nobody knows what
                 ///< happened there; first: why, a Text; count: whether at the
                 ///< beginning or at the end, bits
        ServerEvent, ///< between two looks, at `before`, ns, something happened to a server as a whole: it failed
                     ///< over, it was emptied, one of its members leads now; first: what, a Text; kNoEntity: it
                     ///< restarted
        FailedOver,  ///< a lock whose hold went on at `before`, ns, on another server than the one that granted it
        HandedOver,  ///< a lock that another thread holds now; count: how often it changed hands in between; before,
                     ///< after, here and below: how many hold beside the holder that is named
        Taken,       ///< a lock that was free is held; before: -1 = nothing was known of it then
        Freed,       ///< a lock that was held is free
        Retaken,     ///< the same holder, who let go in between; count: grants in between
        Holders,     ///< of several holders some came or went, and others stay: their number before, after
        Unseen,      ///< a record that is not observed any more; first: the holder when it was last seen; before: how
                     ///< many held beside it; after: not 0 = its server shows it only while somebody waits
        SeenAgain,   ///< … or is observed again: the holder when it was last seen, and now
        StillUnseen, ///< a record that was observed at neither instant, of a server that was in sight
        Waiters,     ///< another number of waiters: before, after; -1 = not known
        Lease,       ///< the same hold with another end: the time left at each instant, ns; kNeverEnds
        Holds,       ///< the same holder holds more or fewer times: before, after
        Token,       ///< another fencing token: before, after; before -1 = none was known
        ServerLife,  ///< before, after: ClientState::Life of a node
        ServerRole,  ///< first, second: Texts; kNoEntity = not known
        ClientLife,  ///< before, after: ClientState::Life of a client
    };
    Kind kind = Kind::HandedOver;
    static constexpr std::uint32_t kAtTheBeginning = 1, kAtTheEnd = 2; ///< bits in the count of NotSeen
    EntityId subject = kNoEntity;                                      ///< the lock, the node or the client
    EntityId first = kNoEntity, second = kNoEntity;                    ///< the holder then and later, or as above
    std::int64_t before = 0, after = 0;
    std::uint32_t count = 0;
    friend bool operator==(const Change&, const Change&) = default;
};

/// The stable English identifier of a kind ("handed-over", "taken"), for scripts.
const char* changeName(Change::Kind kind);

/// How many of these are changes, and no stretches that were not seen.
std::size_t changesSeen(const std::vector<Change>& changes);
/// Whether the state at one of the instants is not known of some server.
bool endsUnseen(const std::vector<Change>& changes);

/// The differences of the later state: first what was not seen of watched servers in between, then locks and their
/// holders by the servers' record, waiters, leases and tokens, then servers and clients; of a kind in the order of
/// their entities. Copies of a lock that several servers keep are left out: their logical lock is told. Precondition:
/// both are states of this trace, `earlier` at `from`, `later` at `to`, which is not before it.
std::vector<Change> differences(const Trace& trace, const State& earlier, Nanos from, const State& later, Nanos to);

/// A change as a sentence, translated: "“orders” went from A · 1 to B · 1; it changed hands 3 times."
QString sentenceOf(const Change& change, const Trace& trace);

} // namespace lockscope::trace
