// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "cluster/client_servers.h"
#include "cluster/cluster_layout.h"
#include "cluster/flights.h"
#include "cluster/looks.h"
#include "cluster/member_slots.h"

class QPainter;

namespace lockscope::views {

/// "holds", "waits 4.6 s", "still believes", "not observed": translated.
QString clientWords(const ClientLook& look, Nanos now);
/// "session suspended", of a living client that has a session which is not connected; empty: there is none.
QString sessionWords(const ClientLook& look);

/// "2 locks held", "paused", "out of sight": translated.
QString nodeWords(const ViewContext& context, trace::EntityId node, const Looks& looks);

/// "master", "replica of redis-1", "candidate", of a Sentinel "redis-1 down?", "votes for sentinel-2"; empty: no role
/// is known. Translated.
QString nodeRoleWords(const ViewContext& context, trace::EntityId node);

/// The arrow from the node whose data this one copies; nothing for a node that copies none.
void paintReplication(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& replica,
                      const ClusterLayout& layout);
/// How far it is behind, beside the tip of that arrow.
void paintReplicationLag(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& replica,
                         const ClusterLayout& layout);
/// How much later messages come on a link, or on all links of a client.
struct DelayTag {
    QRectF box;
    QString text;
};
/// The tags of these links, none on another one, nor on a client or server: what finds no room is left to tool tips.
std::vector<DelayTag> delayTags(const ViewContext& context, const std::vector<const ClusterLayout::Item*>& links,
                                const ClusterLayout& layout);
void paintDelays(QPainter& painter, const std::vector<DelayTag>& tags);
void paintLink(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& link, LinkUse use,
               bool marked);
void paintNode(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& node, const Looks& looks,
               const MemberSlots& memberSlots, bool marked);
void paintClient(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& client,
                 const ClientLook& look, const ClusterLayout& layout, bool marked);
constexpr double kFlightSize = 9; ///< of a message's sign, pixels
/// Where a message is on its link.
QPointF placeOf(const Flight& flight, const ClusterLayout::Item& link);
/// Where a message between two servers is, on an arc above them; nullopt: one of them is not in the picture.
std::optional<QPointF> placeBetweenServers(const Flight& flight, const ClusterLayout& layout);
/// The arcs on which messages between servers are under way.
void paintPeerWays(QPainter& painter, const std::vector<Flight>& flights, const ClusterLayout& layout);
/// The sign of a message.
void paintFlight(QPainter& painter, const Flight& flight, const QPointF& at);
/// The words of a message beside its sign, unless they would cover something `taken`; they are taken then, too.
void paintFlightWords(QPainter& painter, const Flight& flight, const QPointF& at, const trace::Trace& trace,
                      std::vector<QRectF>& taken);
/// Room for words right or left of a sign; nullopt: something is in the way on both sides.
std::optional<QRectF> roomForWords(const QPointF& at, double width, const std::vector<QRectF>& taken);

} // namespace lockscope::views
