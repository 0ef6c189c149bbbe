// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/timeline_data.h"
#include "trace/state.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace lockscope::views {

/// Folds trace rows into lanes. The rules of beliefs and records are trace::Belief's and trace::Record's own, as in
/// trace::State; this watches what a row changes in them and keeps the past as spans. It finds them by index instead of
/// in State's ordered maps: it must keep up with millions of rows a second.
class LaneFold {
public:
    explicit LaneFold(TimelineData& data) : m_data(data), m_trace(data.trace()) {}

    /// Looks at entities that are new since the last call: links get their lanes before anything happens on them, and
    /// clients theirs as soon as they start. Where there are several locks, such a lane becomes that of the first one
    /// that its client asks for.
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
        trace::Belief belief;
        bool named = false; ///< the record named this thread since it asked: only then is its absence telling. Shared
                            ///< holders all count as named when the record names any of them
        bool asksAgain = false; ///< for what it holds already
        std::int64_t token = 0; ///< 0: none; kept after the belief ended, for late writes
    };
    struct ThreadSlot {
        EntityId id = trace::kNoEntity;
        std::vector<Cursor*> cursors; ///< one per lock that it deals with
        Lane* idle = nullptr;         ///< its lane until it asks for a lock, where there are several
    };
    struct LockSlot {
        EntityId id = trace::kNoEntity;
        Lane* lane = nullptr;
        trace::Record record; ///< without the queue's names and what lies on the server: no part of the picture
        std::uint32_t ownerRow = 0;
        std::int64_t newestToken = 0;
        std::vector<const LockSlot*> copies; ///< of a lock that several servers keep: each one's
        bool partial = false; ///< held by a client not ours since before the first look, and not renewed since
        bool guess = false;   ///< whether it is a lock at all is only a guess
        EntityId unsure = trace::kNoEntity; ///< held it when its server went: another server may have its lock, too
        std::vector<Cursor*> holding;
        std::uint32_t waiting = 0;
    };
    struct LinkSlot {
        Lane* lane = nullptr;
        EntityId node = trace::kNoEntity;
        bool cut = false;
        trace::CutWays ways = trace::CutWays::Both; ///< of the last cut
        std::uint32_t cutRow = 0;
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
        std::optional<RoleBand> role; ///< Master, Replica or Looking, as told
        std::uint32_t roleRow = 0;
        trace::NodeState told; ///< its role and lag; its life is `phase`
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
    /// The link of two servers; nullptr: the trace has not named it.
    LinkSlot* linkBetween(EntityId a, EntityId b);
    Cursor& cursor(EntityId threadId, EntityId lockId);
    /// The thread's cursor for that lock; nullptr: it has had nothing to do with it.
    Cursor* knownCursor(EntityId threadId, const LockSlot& l);
    void expectBelief(EntityId clientId);
    /// `lane`: the faults of the lane that it befell; nullptr: of none, as with settings and "healed".
    void fault(const trace::Event& event, std::uint32_t row, TickTrack* lane);
    void tick(TickTrack& track, std::int64_t at, std::uint32_t row, unsigned kind, std::uint32_t label = 0);

    // Belief (fold_belief.cpp).
    void applyBelief(const trace::Event& event, std::uint32_t row);
    void markBelief(const Cursor& c, bool waited, const trace::Event& event, std::uint32_t row);
    /// A belief that waited or held does so no more.
    void ended(Cursor& c, trace::Belief::Phase before, std::int64_t at);
    void beginWaiting(Cursor& c, std::int64_t at, std::uint32_t row);
    void beginHolding(Cursor& c, const trace::Event& event, std::uint32_t row);
    void closeBelief(Cursor& c, std::int64_t at);
    /// Draws how many times it holds the lock, and whether it asks once more, from here on.
    void drawAgain(Cursor& c, std::int64_t at, std::uint32_t row);
    void judgeHolders(LockSlot& l, std::int64_t at, std::uint32_t row);
    static bool isNamed(const Cursor& c);
    bool isStale(const Cursor& c) const;
    /// Its own deadline, or whether it can look at its clock, may have changed.
    void noteDeadline(Cursor& c);
    void passTime(std::int64_t t);

    // Record and effect (fold_record.cpp).
    /// A record's values before a row.
    struct Was {
        EntityId owner;
        std::int64_t deadline;
        bool seen, observed;
    };
    void applyRecord(const trace::Event& event, std::uint32_t row);
    /// `flags`: how the span begins, beside kPartialFlag and kGuessFlag.
    void openRecord(LockSlot& l, std::int64_t at, std::uint32_t row, unsigned flags = 0);
    void openHolders(LockSlot& l, std::int64_t at, std::uint32_t row);
    /// Whether the overview counts the holds of this lock, as nothing is known of its clients.
    bool countsHolds(const LockSlot& l) const;
    void markFreed(const LockSlot& l, const trace::Event& event, std::uint32_t row);
    /// Whether a row of that kind about the event's subject follows at its very instant. `actor`: by whom; kNoEntity:
    /// by anybody.
    bool follows(const trace::Event& event, std::uint32_t row, trace::EventKind kind,
                 EntityId actor = trace::kNoEntity) const;
    /// Draws the changes that a row made to the holders and their lease; false: there are none.
    bool drawHolding(LockSlot& l, const Was& before, const trace::Event& event, std::uint32_t row);
    void openQueue(LockSlot& l, std::int64_t at, std::uint32_t row);
    void applyEffect(const trace::Event& event, std::uint32_t row);

    // Life, nodes, links (fold_life.cpp).
    void applyLife(const trace::Event& event, std::uint32_t row);
    void setClientPhase(ClientSlot& c, std::optional<LifePhase> phase, std::int64_t at, std::uint32_t row);
    void setNodePhase(NodeSlot& n, NodePhase phase, std::int64_t at, std::uint32_t row);
    void setLink(LinkSlot& l, bool cut, std::int64_t delay, std::int64_t at);
    void setAsleep(ClientSlot& c, bool asleep, std::int64_t at);
    void killBeliefs(ClientSlot& c, std::int64_t at);
    void heal(std::int64_t at, std::uint32_t row);

    // Roles, replication, Sentinels, and who decides (fold_roles.cpp).
    void applyRole(const trace::Event& event, std::uint32_t row);
    void applyLag(const trace::Event& event, std::uint32_t row);
    void applyFailover(const trace::Event& event, std::uint32_t row);
    void applyDecider(LockSlot& l, const trace::Event& event, std::uint32_t row);
    /// A lock manager's news of an engine: from the first client that leaves one until one is in use, nobody decides.
    void applyEngine(const trace::Event& event, std::uint32_t row);
    /// Draws who decides on a lock of several servers from here on, if that is told at all.
    void drawDecider(LockSlot& l, std::int64_t at, std::uint32_t row);
    void drawDeciders(std::int64_t at, std::uint32_t row);
    void watch(NodeSlot& n);
    Lane* watchersOf(EntityId actor);
    void openRole(NodeSlot& n, std::int64_t at, std::uint32_t row);
    void openLag(NodeSlot& n, std::int64_t at, std::uint32_t row);
    /// A node died or came back: so may the roles of its replicas change.
    void masterChanged(const NodeSlot& master, std::int64_t at, std::uint32_t row);
    void applyMessage(const trace::Event& event, std::uint32_t row);
    void applyPeerMessage(const trace::Event& event, std::uint32_t row);

    TimelineData& m_data;
    const trace::Trace& m_trace;
    std::size_t m_entities = 1;
    std::int64_t m_engineEpoch = 0; ///< of the engine in use
    std::size_t m_locksSoFar = 0;   ///< among the entities looked at
    EntityId m_firstLock = trace::kNoEntity;
    /// By client: its first thread, if there was a lock when it was named, and that lock if it was the only one. It is
    /// there for a lock then, and believes nothing of it until it asks.
    struct Expected {
        EntityId thread, lock;
    };
    std::unordered_map<EntityId, Expected> m_expected;
    std::vector<std::uint32_t> m_slotOf; ///< by entity: 1 + index into the deque of its kind, 0 = none yet
    std::deque<ThreadSlot> m_threads;
    std::deque<ClientSlot> m_clients;
    std::deque<LockSlot> m_locks;
    std::deque<NodeSlot> m_nodes;
    std::deque<ResourceSlot> m_resources;
    std::deque<LinkSlot> m_links;
    std::map<std::pair<EntityId, EntityId>, LinkSlot*> m_serverLinks; ///< by their ends, the smaller one first
    std::deque<Cursor> m_cursors;
    Lane* m_watchers = nullptr;                ///< the lane of all Sentinels
    std::map<EntityId, std::uint32_t> m_votes; ///< of the present epoch, by candidate
    std::int64_t m_voteEpoch = -1;
    std::set<EntityId> m_sessionsOver; ///< clients whose session has expired
    std::int64_t m_alarm = kOpenEnd;   ///< the earliest of the deadlines that end beliefs
};

} // namespace lockscope::views
