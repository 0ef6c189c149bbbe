// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "cluster/cluster_layout.h"
#include "cluster/flights.h"
#include "models/view_context.h"

class QPainter;

namespace lockscope::views {

/// How a client stands with the locks, at one instant.
struct ClientLook {
    /// Unobserved: a stranger at somebody's server; the client was never seen to start or to ask for anything. Its
    /// belief is unknown; its holds are known from the record.
    enum class Belief : std::uint8_t { Unobserved, Idle, Waiting, Holding, Stale } belief = Belief::Idle;
    bool recorded = false; ///< of one that is not observed: the record names it as an owner
    trace::ClientState::Life life = trace::ClientState::Life::Unknown;
    bool watchdogStopped = false;
    Nanos clockOffset{};
    Nanos since{};
};
ClientLook clientLook(const ViewContext& context, trace::EntityId client);
/// "holds", "waits 4.6 s", "still believes", "not observed": translated.
QString clientWords(const ClientLook& look, Nanos now);

/// Whether the records of its locks are observed.
bool isInSight(const ViewContext& context, trace::EntityId node);
/// "2 locks held", "paused", "out of sight": translated.
QString nodeWords(const ViewContext& context, trace::EntityId node);

/// "master", "replica of redis-1", "candidate", of a Sentinel "redis-1 down?", "votes for sentinel-2"; empty: no role
/// is known. Translated.
QString nodeRoleWords(const ViewContext& context, trace::EntityId node);

/// The arrow from the node whose data this one copies, with how far it is behind; nothing for a node that copies none.
void paintReplication(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& replica,
                      const ClusterLayout& layout);
void paintLink(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& link, bool marked);
void paintNode(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& node, bool marked);
void paintClient(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& client,
                 const ClusterLayout& layout, bool marked);
void paintFlight(QPainter& painter, const Flight& flight, const ClusterLayout::Item& link, const trace::Trace& trace,
                 bool words);

} // namespace lockscope::views
