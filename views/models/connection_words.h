// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

namespace lockscope::views {

/// The connections of the context's trace, in the order in which they were made; see trace/connection.h.
std::vector<trace::EntityId> connectionsOf(const ViewContext& context);
/// The number of the connection over which a lock, a node or a client is seen, for its badge; -1: it has none, or is
/// the only one.
int badgeOf(const ViewContext& context, trace::EntityId entity);
/// The name of that connection; empty: there is none.
QString connectionName(const trace::Trace& trace, trace::EntityId entity);
/// The product that keeps a lock: "Redis"; by its connection, or by the recipe in use; else none().
QString backendOf(const ViewContext& context, trace::EntityId lock);
/// The rule that made one client out of names on several servers, as it was written (inspect/same_client.h); empty:
/// none did. `party`: a client, or a thread of one.
QString joiningRule(const trace::Trace& trace, trace::EntityId party);
/// "by address", or "by app=([a-z-]+)": how a rule is named beside the clients that it joined.
QString ruleWords(const QString& rule);
/// Takes a rule away from the session's, for holders and waiters that come from now on. Does nothing where the session
/// watches no servers, or has no such rule.
void rejectRule(const ViewContext& context, const QString& rule);
/// Whether rejectRule() does something.
bool mayReject(const ViewContext& context, const QString& rule);

} // namespace lockscope::views
