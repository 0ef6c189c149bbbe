// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "faults/fault_offers.h"

#include <QKeySequence>

class QMenu;

namespace lockscope::views {

/// When a fault strikes that is chosen from a menu.
struct FaultMoment {
    std::optional<Nanos> at{};       ///< missing: at the instant at which faults strike, ViewContext::actsAt()
    std::optional<Nanos> duration{}; ///< with `at`: faults that can be undone are undone after this long
};

/// Fills a menu with the faults for an entity: a client (or one of its threads), a node, a link, or a lock (then to its
/// holder, and to its server). Choosing goes out by ViewContext::breakIt(), or by plan() for a moment of its own. Adds
/// nothing for other entities. The texts name their targets; what cannot be done is greyed out and says why.
void fillFaultMenu(QMenu& menu, ViewContext& context, trace::EntityId entity, const FaultMoment& moment = {});

/// Fills a menu with the faults for a span that was drawn on the time axis; `to` = `from`: an instant. `entity`: whose
/// lane it was drawn over; kNoEntity: beside all lanes, then the present targets are offered.
void fillSpanMenu(QMenu& menu, ViewContext& context, trace::EntityId entity, Nanos from, Nanos to);

/// Adds one offer: an entry, or a submenu of values where it wants one. `key` is told beside it.
void addFaultOffer(QMenu& menu, ViewContext& context, const FaultOffer& offer, const FaultMoment& moment = {},
                   const QKeySequence& key = {});

/// Adds the ways in which a server can start again: with its data and without.
void addRestarts(QMenu& menu, ViewContext& context, const session::Breakable& server, const FaultMoment& moment = {});

/// Adds the values of an offer that wants one, and a last entry that asks for any other.
void addFaultValues(QMenu& menu, ViewContext& context, const FaultOffer& offer, const FaultMoment& moment = {});

} // namespace lockscope::views
