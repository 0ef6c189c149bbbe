// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "faults/fault_offers.h"

class QMenu;

namespace lockscope::views {

/// Fills a menu with the faults for an entity: a client (or one of its threads), a node, a link, or a lock (then to its
/// holder, and to its server). Choosing goes out by ViewContext::breakIt(). Adds nothing for other entities. The texts
/// name their targets; what cannot be done is greyed out and says why.
void fillFaultMenu(QMenu& menu, ViewContext& context, trace::EntityId entity);

/// Adds one offer: an entry, or a submenu of values where it wants one.
void addFaultOffer(QMenu& menu, ViewContext& context, const FaultOffer& offer);

/// Adds the ways in which a server can start again: with its data and without.
void addRestarts(QMenu& menu, ViewContext& context, const session::Breakable& server);

/// Adds the values of an offer that wants one, and a last entry that asks for any other.
void addFaultValues(QMenu& menu, ViewContext& context, const FaultOffer& offer);

} // namespace lockscope::views
