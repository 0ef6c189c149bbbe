// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/redis/feed.h"
#include "ports/redis/client.h"
#include "ports/redis/cluster_keys.h"
#include "runtime/signal_count.h"

#include <array>
#include <map>

namespace lockscope::redis {

/// Knows which node of a cluster owns which slot, and keeps a connection to each node in use. Shared by the ports and
/// their coroutines; close() ends the connections.
class ClusterWatch final : public FeedSource, public std::enable_shared_from_this<ClusterWatch> {
public:
    struct Node {
        Endpoint at;
        std::unique_ptr<Client> driver; ///< nullptr once closed
        bool seed = false;              ///< named in the URL: asked when all others fail
        bool owner = false;             ///< it owns at least one slot
        QString complaint;              ///< why it could not be asked last time
        /// By its own word it does not serve a slot that it should: it may be cut off from the others, with an old map.
        /// It is asked last until it has served something again.
        bool doubted = false;
    };
    using NodePtr = std::shared_ptr<Node>;

    ClusterWatch(Runtime& runtime, Dialler dial, const ConnectionUrl& url, DriverOptions options);
    /// Starts asking for the map of slots.
    void start();
    void close();
    bool closed() const { return m_closing.stop_requested(); }

    /// The owner of a slot; nullptr while none is known.
    NodePtr ownerOf(int slot) const;
    /// A node for commands without keys, preferably a connected one; nullptr while none is known.
    NodePtr anyNode() const;
    /// The node with that address, known or new.
    NodePtr nodeAt(const Endpoint& at);
    /// The node at the other end of a connection (Client::connection); nullptr when there is none any more.
    NodePtr nodeOver(std::uint32_t connection) const;
    /// Notes a node's report that the slot is elsewhere.
    void moved(int slot, const Endpoint& to);
    /// The map may be outdated: asks again, unless that is due already.
    void refreshSoon();
    /// Waits for the next map; false when none came within `timeout`, or none ever will (see trouble()).
    QCoro::Task<bool> waitForMap(Nanos timeout, std::stop_token stop);
    bool hasMap() const { return m_hasMap; }
    /// Whether every node refuses us, so that waiting is useless.
    bool hopeless() const { return m_hopeless.has_value(); }
    /// The error for a slot without a node after a search of `after`.
    Error trouble(int slot, Nanos after) const;

    QCoro::Task<Place> placeOf(QByteArray channel, std::stop_token stop) override;
    Error silence(const QByteArray& channel, Nanos after) const override;
    void complain(const QByteArray& channel, const Error& error) override;

    /// Callbacks for two events: a node can be reached again, and slots have other owners.
    CallList& reconnects() { return m_reconnects; }

    /// As given to the constructor.
    Runtime& runtime() const { return m_runtime; }
    const DriverOptions& options() const { return m_options; }

private:
    struct Poll;
    static QCoro::Task<> refresh(std::shared_ptr<ClusterWatch> self);
    static QCoro::Task<bool> askAll(std::shared_ptr<ClusterWatch> self);
    static QCoro::Task<> ask(std::shared_ptr<ClusterWatch> self, NodePtr node, std::shared_ptr<Poll> poll);
    std::vector<NodePtr> inOrderOfHope() const;
    bool apply(const Reply& map, const QString& askedHost);
    void setOwner(int slot, const NodePtr& node);
    void tellOfOwners();
    bool anyOwnerAway() const;

    Runtime& m_runtime;
    Dialler m_dial;
    ConnectionUrl m_url;
    DriverOptions m_options;
    std::vector<NodePtr> m_nodes;
    std::vector<std::weak_ptr<Node>> m_dropped; ///< no longer listed, but possibly with calls in flight
    std::array<NodePtr, kClusterSlots> m_owners;
    std::map<int, std::stop_source> m_eras; ///< by slot with subscribed channels: stopped when its owner changes
    bool m_hasMap = false;
    bool m_refreshing = false;
    bool m_asking = false; ///< an answer is in flight
    bool m_refreshAgain = false;
    std::optional<Error> m_hopeless; ///< every node refuses us: waiting is useless
    SignalCount m_answered;
    CallList m_reconnects;
    bool m_ownersChanged = false; ///< since the last call of m_reconnects
    std::stop_source m_closing;
};

} // namespace lockscope::redis
