// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "faults/fault_offers.h"

namespace lockscope::views {

/// The targets of faults when the user has chosen none, and the reason.
struct FaultTargets {
    trace::EntityId client = trace::kNoEntity, node = trace::kNoEntity;
    enum class Why : std::uint8_t { Nobody, Selected, Paused, Holder, Dead, Waiter, First } why = Why::Nobody;
};
/// At the instant at which faults strike. The selected client (or the client of the selected thread or link) and the
/// selected node; else those of the focused lock, by targetsOfLock(). kNoEntity: there is none.
FaultTargets faultTargets(const ViewContext& context);
/// The targets of faults on a lock: the client and the server that a person paused last and that still are paused, so
/// that the key that paused one lets it go on; else the server that decides, and the client that holds the lock by its
/// own belief or by the record, else the client that waits longest, else the first client. On a server that is not
/// ours, only our own clients are chosen.
FaultTargets targetsOfLock(const ViewContext& context, trace::EntityId lock);
/// The lock whose keys the key and the button of EvictKey throw out: the focused one of several; empty: there is one.
QString evictedLock(const ViewContext& context);
/// "selected", "holds": why a client is the target. Translated.
QString targetReason(FaultTargets::Why why);
/// How a client or a server that does not run is: "dead", "paused"; empty: it runs, or nobody knows.
QString stillWords(trace::ClientState::Life life);
/// "acts on A, the holder": translated.
QString targetWords(const FaultTargets& targets, const ViewContext& context);

/// A client, server or link that still suffers from a fault, with the change that makes it good.
struct Struck {
    QString words;   ///< "C paused": translated
    FaultOffer cure; ///< with a value of 0 where it wants one
};
/// All of them at the instant at which faults strike: clients, then nodes, then links.
std::vector<Struck> struckOnes(const ViewContext& context);

} // namespace lockscope::views
