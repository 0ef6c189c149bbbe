// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/trace.h"

#include <QPointF>
#include <QRectF>
#include <map>
#include <vector>

namespace lockscope::views {

/// Where things stand in the picture of the cluster: nodes above, in as many rows as they need, those of one service or
/// one shard beside each other; clients in rows below, a link between each client and node. Pure arithmetic.
struct ClusterLayout {
    /// With more links than these only those of the selection and of holders are drawn, and those that a fault has
    /// struck: a hundred whole links are a grey mountain. A line of words at the foot of the picture says so.
    static constexpr std::size_t kMostLinks = 120;
    struct Item {
        trace::EntityId entity = trace::kNoEntity;
        trace::EntityKind kind = trace::EntityKind::None;
        QRectF box;       ///< of a node; of a client the square around its circle
        QPointF from, to; ///< of a link: from the client to the node
        trace::EntityId client = trace::kNoEntity, node = trace::kNoEntity; ///< of a link
        bool watcher = false; ///< a node that stands apart, with the other Sentinels
        bool arched = false;  ///< a link of two servers: `from` and `to` are the ends of its arc's top
    };
    std::vector<Item> items; ///< nodes, watchers, clients, links: the order in which the keyboard walks
    double clientSize = 40;  ///< diameter of a client
    bool clientWords = true; ///< room for a line of words under each client
    int clientRows = 1, clientColumns = 1;
    bool longNames = false;    ///< they do not fit into circles, and stand among the words below
    double captionWidth = 140; ///< room for the words of one client, so that they do not run into the next one's

    const Item* find(trace::EntityId entity) const;
    /// The item under a point; a link is hit within `reach` of its line. Nodes and clients lie above links.
    const Item* at(QPointF point, double reach = 5) const;
};

/// Facts that change the picture without being links themselves.
struct ClusterShape {
    std::vector<trace::EntityId> watchers = {}; ///< nodes that watch the others: they stand in a column of their own
    bool replicated = false;                    ///< room above the nodes for the arrows of replication
    /// By node: the first master that was seen of its shard. A node that is not listed is alone, or of the only one.
    std::map<trace::EntityId, trace::EntityId> shards = {};
    friend bool operator==(const ClusterShape&, const ClusterShape&) = default;
};

/// The name of a server without its number: services of a world of our own call their servers alike but for that.
QByteArray stemOf(QByteArray name);

/// A picture of `size` for these entities. Each link is a Link entity with parent and other among them: a client and a
/// node, or two nodes. `nodes` are those that are no watchers.
ClusterLayout layOutCluster(QSizeF size, const std::vector<trace::EntityId>& nodes,
                            const std::vector<trace::EntityId>& clients, const std::vector<trace::EntityId>& links,
                            const trace::Trace& trace, const ClusterShape& shape = {});

} // namespace lockscope::views
