// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/timeline_data.h"

#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

namespace lockscope::views {

/// Folds trace rows into lanes. Mirrors trace::State (the same rules for when a belief ends, the same ordinals of
/// grants), but keeps the past as spans instead of the present as values, and finds what it touches by index: it must
/// keep up with millions of rows a second.
class LaneFold {
public:
    explicit LaneFold(TimelineData& data) : m_data(data), m_trace(data.trace()) {}

    /// Looks at entities that are new since the last call: links get their lanes before anything happens on them, and
    /// clients that are there for one lock theirs as soon as they start.
    void takeEntities();
    void apply(const trace::Event& event, std::uint32_t row);

private:
    using EntityId = trace::EntityId;

    struct LockSlot;
    /// One thread's belief about one lock.
    struct Cursor {
        Lane* lane = nullptr;
        LockSlot* lock = nullptr;
        EntityId thread = trace::kNoEntity;
        bool waiting = false, holding = false;
        trace::HoldMode nextMode = trace::HoldMode::Exclusive; ///< of the next grant
        trace::HoldMode mode = trace::HoldMode::Exclusive;     ///< of this hold
        bool named = false; ///< the record named this thread since it asked: only then is its absence telling. Shared
                            ///< holders all count as named when the record names any of them
        std::uint32_t holds = 0;
        std::int64_t number = 0; ///< token or ordinal of the grant; kept after the belief ended, for late writes
        std::uint32_t grant = 0;
        std::int64_t until = -1;
        bool asleep = false; ///< its client is paused, and cannot look at its clock
    };
    struct ThreadSlot {
        EntityId id = trace::kNoEntity;
        std::vector<Cursor*> cursors; ///< one per lock that it deals with
    };
    struct LockSlot {
        EntityId id = trace::kNoEntity;
        Lane* lane = nullptr;
        EntityId owner = trace::kNoEntity;
        std::uint32_t ownerRow = 0;
        std::int64_t deadline = -1;
        std::uint32_t grants = 0;
        std::int64_t newestToken = 0;
        bool seen = false, observed = true;
        bool partial = false; ///< held by a client not ours since before the first look, and not renewed since
        bool guess = false;   ///< whether it is a lock at all is only a guess
        std::vector<Cursor*> holding;
        std::uint32_t waiting = 0;
        std::uint32_t queued = 0; ///< as the server counted last, also where nobody looks
        /// If there may be several: the holders that the record names, and their modes.
        std::vector<std::pair<EntityId, trace::HoldMode>> holders;
        std::int64_t holdersInAll = -1;
        std::uint32_t permitsInAll = 0;
    };
    struct LinkSlot {
        Lane* lane = nullptr;
        EntityId node = trace::kNoEntity;
        bool cut = false;
        std::int64_t delay = 0;
        std::uint32_t delayRow = 0; ///< the trace row that said so
    };
    struct ClientSlot {
        ClientLife* life = nullptr;
        std::vector<ThreadSlot*> threads;
        std::vector<LinkSlot*> links;
        LinkSlot* lastLink = nullptr;
    };
    struct NodeSlot {
        EntityId id = trace::kNoEntity;
        Lane* lane = nullptr;
        NodePhase phase = NodePhase::Up;
        bool known = false;
        std::optional<RoleBand> role; ///< Master or Replica, as told
        std::uint32_t roleRow = 0;
        EntityId copies = trace::kNoEntity; ///< the node whose data it gets
        bool copiesNobody = false, candidate = false;
        std::int64_t lag = -1; ///< in kLagUnit; -1 = not known
    };
    struct ResourceSlot {
        Lane* lane = nullptr;
        LockSlot* lock = nullptr;
        std::int64_t highest = 0; ///< token accepted so far
    };

    // Finding and making what an entity stands for (lane_fold.cpp).
    template <typename Slot>
    Slot& slotOf(EntityId id, std::deque<Slot>& slots, bool& isNew);
    ThreadSlot& thread(EntityId id);
    ClientSlot& client(EntityId id);
    LockSlot& lock(EntityId id);
    NodeSlot& node(EntityId id);
    ResourceSlot& resource(EntityId id);
    LinkSlot& link(EntityId clientId, EntityId nodeId);
    LinkSlot& link(EntityId linkId);
    Cursor& cursor(EntityId threadId, EntityId lockId);
    void expectBelief(EntityId clientId);
    void fault(const trace::Event& event, std::uint32_t row, TickTrack& track);
    void tick(TickTrack& track, std::int64_t at, std::uint32_t row, unsigned kind, std::uint32_t label = 0);

    // Belief (fold_belief.cpp).
    void applyBelief(const trace::Event& event, std::uint32_t row);
    void beginWaiting(Cursor& c, std::int64_t at, std::uint32_t row);
    void endWaiting(Cursor& c, std::int64_t at);
    void beginHolding(Cursor& c, const trace::Event& event, std::uint32_t row);
    void endHolding(Cursor& c, std::int64_t at);
    void closeBelief(Cursor& c, std::int64_t at);
    void judgeHolders(LockSlot& l, std::int64_t at, std::uint32_t row);
    static bool isNamed(const Cursor& c);
    bool isStale(const Cursor& c) const;
    void setDeadline(Cursor& c, std::int64_t until);
    void passTime(std::int64_t t);

    // Record and effect (fold_record.cpp).
    void applyRecord(const trace::Event& event, std::uint32_t row);
    void countGrant(LockSlot& l, EntityId owner, trace::EventKind kind);
    /// `flags`: how the span begins, beside kPartialFlag and kGuessFlag.
    void openRecord(LockSlot& l, std::int64_t at, std::uint32_t row, unsigned flags = 0);
    /// A row that names one of several holders, or counts them.
    void applyHolders(LockSlot& l, const trace::Event& event, std::uint32_t row);
    void openHolders(LockSlot& l, std::int64_t at, std::uint32_t row);
    static bool isNamedIn(const LockSlot& l, EntityId thread);
    void openQueue(LockSlot& l, std::int64_t at, std::uint32_t row);
    void applyEffect(const trace::Event& event, std::uint32_t row);

    // Life, nodes, links (fold_life.cpp).
    void applyLife(const trace::Event& event, std::uint32_t row);
    void setClientPhase(ClientSlot& c, std::optional<LifePhase> phase, std::int64_t at, std::uint32_t row);
    void setNodePhase(NodeSlot& n, NodePhase phase, std::int64_t at, std::uint32_t row);
    void setLink(LinkSlot& l, bool cut, std::int64_t delay, std::int64_t at, std::uint32_t row);
    void setAsleep(ClientSlot& c, bool asleep, std::int64_t at);
    void killBeliefs(ClientSlot& c, std::int64_t at);
    void heal(std::int64_t at, std::uint32_t row);

    // Roles, replication, Sentinels, and who decides (fold_roles.cpp).
    void applyRole(const trace::Event& event, std::uint32_t row);
    void applyLag(const trace::Event& event, std::uint32_t row);
    void applyFailover(const trace::Event& event, std::uint32_t row);
    void applyDecider(LockSlot& l, const trace::Event& event, std::uint32_t row);
    void watch(NodeSlot& n);
    Lane* watchersOf(EntityId actor);
    void openRole(NodeSlot& n, std::int64_t at, std::uint32_t row);
    void openLag(NodeSlot& n, std::int64_t at, std::uint32_t row);
    /// A node died or came back: so may the roles of its replicas change.
    void masterChanged(const NodeSlot& master, std::int64_t at, std::uint32_t row);
    void applyMessage(const trace::Event& event, std::uint32_t row);

    TimelineData& m_data;
    const trace::Trace& m_trace;
    std::size_t m_entities = 1;
    std::size_t m_locksSoFar = 0; ///< among the entities looked at
    EntityId m_firstLock = trace::kNoEntity;
    /// By client: its first thread, if there was exactly one lock when it was named. It is there for that lock then,
    /// and believes nothing of it until it asks.
    std::unordered_map<EntityId, EntityId> m_expected;
    std::vector<std::uint32_t> m_slotOf; ///< by entity: 1 + index into the deque of its kind, 0 = none yet
    std::deque<ThreadSlot> m_threads;
    std::deque<ClientSlot> m_clients;
    std::deque<LockSlot> m_locks;
    std::deque<NodeSlot> m_nodes;
    std::deque<ResourceSlot> m_resources;
    std::deque<LinkSlot> m_links;
    std::deque<Cursor> m_cursors;
    Lane* m_watchers = nullptr;                ///< the lane of all Sentinels
    std::map<EntityId, std::uint32_t> m_votes; ///< of the present epoch, by candidate
    std::int64_t m_voteEpoch = -1;
    std::int64_t m_alarm = kOpenEnd; ///< the earliest of the deadlines that end beliefs
};

} // namespace lockscope::views
