// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "cluster/cluster_layout.h"
#include "cluster/flights.h"
#include "cluster/looks.h"

class QPainter;

namespace lockscope::views {

/// "holds", "waits 4.6 s", "still believes", "not observed": translated.
QString clientWords(const ClientLook& look, Nanos now);

/// "2 locks held", "paused", "out of sight": translated.
QString nodeWords(const ViewContext& context, trace::EntityId node, const Looks& looks);

/// "master", "replica of redis-1", "candidate", of a Sentinel "redis-1 down?", "votes for sentinel-2"; empty: no role
/// is known. Translated.
QString nodeRoleWords(const ViewContext& context, trace::EntityId node);

/// The arrow from the node whose data this one copies, with how far it is behind; nothing for a node that copies none.
void paintReplication(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& replica,
                      const ClusterLayout& layout);
void paintLink(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& link, bool marked);
void paintNode(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& node, const Looks& looks,
               bool marked);
void paintClient(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& client,
                 const ClientLook& look, const ClusterLayout& layout, bool marked);
void paintFlight(QPainter& painter, const Flight& flight, const ClusterLayout::Item& link, const trace::Trace& trace,
                 bool words);

} // namespace lockscope::views
