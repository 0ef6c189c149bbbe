// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/belief.h"
#include "trace/cut_ways.h"
#include "trace/record.h"
#include "trace/trace.h"

#include <map>
#include <optional>
#include <vector>

namespace lockscope::trace {

/// Whether a node of that role leads its service: "master", "leader", "primary".
bool isMasterRole(const QByteArray& role);

/// The wall clock of a client or a server, as far as somebody has set it wrong.
struct WallClock {
    std::int64_t clockOffset = 0;  ///< ns from true time, by its last jump
    std::int64_t clockGain = 0;    ///< what it gains each second, ns; below 0: it loses
    std::int64_t clockDrifted = 0; ///< what it has gained in all until clockSince, ns
    std::int64_t clockSince = 0;   ///< the instant of the last change of clockGain, ns
    /// How far it is off at t, ns. Precondition: t >= clockSince.
    std::int64_t offsetAt(std::int64_t t) const;
    /// It gains so much a second from t on.
    void drift(std::int64_t gain, std::int64_t t);
    /// It is set to that offset at t. A client's is set beside what it has gained: its process goes on counting by it.
    void jump(std::int64_t offset, std::int64_t t, EntityKind owner);
    /// A new process counts right again; its machine's clock stays set as it was.
    void restart() { clockGain = clockDrifted = 0; }
    friend bool operator==(const WallClock&, const WallClock&) = default;
};

struct ClientState : WallClock {
    enum class Life : std::uint8_t { Unknown, Running, Paused, Dead };
    Life life = Life::Unknown;
    bool watchdogStopped = false;
    bool workHung = false;
    std::int64_t since = 0;
    friend bool operator==(const ClientState&, const ClientState&) = default;
};

struct NodeState : WallClock {
    ClientState::Life life = ClientState::Life::Unknown;
    std::int64_t since = 0;
    EntityId role = kNoEntity;       ///< Text "master", "replica", …; kNoEntity = not known
    EntityId follows = kNoEntity;    ///< the node whose data it copies; kNoEntity = none, or not known
    std::int64_t lag = -1;           ///< how far it is behind that one, in lagUnit; -1 = not known
    LagUnit lagUnit = LagUnit::Time; ///< ns, or bytes
    bool copiesNobody = false;       ///< it is known that it gets its data from nobody
    bool wasReplica = false;         ///< it is a replica, or was one before
    bool candidate = false;          ///< chosen to be promoted, and not a master yet
    bool poolExhausted = false;      ///< of a database: strangers have all connections of its clients' pool
    bool diskStalled = false;        ///< nothing reaches its disk
    EntityId mayEvict = kNoEntity;   ///< Texts of the last ServerTold rows (server_told.h); kNoEntity: not told
    EntityId looksApart = kNoEntity;
    std::int64_t unseenSince = -1;  ///< of a watched server: since when its observer cannot see it; -1: it can
    EntityId unseenBy = kNoEntity;  ///< … the observer, a Client
    EntityId unseenWhy = kNoEntity; ///< … a Text
    EntityId votedFor = kNoEntity;  ///< by this node, in the election of votedEpoch
    std::int64_t votedEpoch = 0;
    friend bool operator==(const NodeState&, const NodeState&) = default;
};

/// A clock's gain each second from now on, ns, by the text of a SettingChanged row, "drift=10ms"; nullopt: it tells
/// of something else.
std::optional<std::int64_t> driftOf(const QByteArray& setting);

/// A client's session with a node, or with a service as a whole.
struct SessionState {
    SessionPhase phase = SessionPhase::Connected;
    std::int64_t since = 0;
    friend bool operator==(const SessionState&, const SessionState&) = default;
};

struct LinkState {
    bool cut = false;
    CutWays ways = CutWays::Both; ///< while it is cut
    bool replyLossArmed = false;
    bool pushLossArmed = false;
    bool repeatArmed = false;
    std::int64_t extraLatency = 0; ///< ns
    friend bool operator==(const LinkState&, const LinkState&) = default;
};

struct ResourceState {
    std::int64_t accepted = 0;
    std::int64_t refused = 0;
    EntityId lastWriter = kNoEntity;
    std::int64_t lastToken = 0;
    friend bool operator==(const ResourceState&, const ResourceState&) = default;
};

/// The whole world at one instant, computed from a trace's rows. Ordered maps, because iteration order must be
/// deterministic.
struct State {
    std::map<std::pair<EntityId, EntityId>, Belief> beliefs; ///< (lock, thread)
    std::map<EntityId, Record> records;                      ///< by lock
    std::map<EntityId, ClientState> clients;
    std::map<EntityId, NodeState> nodes;
    std::map<EntityId, LinkState> links;
    std::map<EntityId, ResourceState> resources;
    std::map<std::pair<EntityId, EntityId>, SessionState> sessions; ///< (client, node), node 0: of a whole service
    std::map<EntityId, std::int64_t> capacities;                    ///< total permits, by lock; semaphores only
    std::map<std::pair<EntityId, EntityId>, Doubt> doubts; ///< (watcher, node), of those that think a node down
    std::int64_t recipeSetAt = -1;                         ///< when the recipe to ask by was changed last; -1 = never
    std::size_t rows = 0;                                  ///< how many rows of the trace it includes

    /// A wait or a hold that ended without a row of its own: at the client's own deadline, or by its death.
    struct Ended {
        std::int64_t at;
        EntityId lock, thread;
        friend auto operator<=>(const Ended&, const Ended&) = default;
    };
    /// Applies the next row. Beliefs whose own deadline is at or before the row end first. Adds to `ended`.
    void apply(const Event& event, const Trace& trace, std::vector<Ended>* ended = nullptr);
    /// Advances time to t without a row: ends beliefs whose own deadline has passed, and adds them to `ended`.
    void passTime(std::int64_t t, std::vector<Ended>* ended = nullptr);
    /// No belief ends by its own deadline before this instant.
    std::int64_t nextDeadline() const { return m_alarm.at; }
    /// Approximate memory use of this state.
    std::size_t memoryBytes() const;
    friend bool operator==(const State&, const State&) = default;

private:
    void applyLife(const Event& event, const Trace& trace, std::vector<Ended>* ended);
    void applyBelief(const Event& event);
    void applySetting(const Event& event, const QByteArray& change, EntityKind kind);
    void setAsleep(EntityId client, bool asleep, std::int64_t at, const Trace& trace);
    void applyRecord(const Event& event, const Trace& trace);
    void expectDeadline(std::int64_t until);
    std::size_t m_named = 0; ///< holders and waiters in all records: what their lists take beside the maps
    /// A lower bound of the next own deadline, so that not every row must check all beliefs. It may be too early, never
    /// too late; so it does not count in comparisons.
    struct Alarm {
        std::int64_t at = INT64_MAX;
        friend bool operator==(const Alarm&, const Alarm&) { return true; }
    };
    Alarm m_alarm;
};

/// States of a trace at any time, by keyframes: O(log n) plus at most one keyframe interval of rows. The bigger the
/// state, the further apart the keyframes, so that all of them together take less than one byte per row. Belongs to one
/// reader thread; includes new rows on request.
class StateIndex {
public:
    explicit StateIndex(std::shared_ptr<const Trace> trace);
    /// The state after all rows at or before t; beliefs whose own deadline is at or before t have ended.
    State at(Nanos t);
    /// The state after the first `rows` rows (at most the trace's size), at the time of the last of them.
    State atRow(std::size_t rows);
    /// Processes up to `rows` further rows in advance, so that the first request for the end of a long trace is fast
    /// (about 30 million rows a second). True when the whole trace is processed.
    bool prepare(std::size_t rows);
    /// Bytes held by keyframes.
    std::size_t memoryBytes() const { return m_keyframeBytes; }

private:
    void extend(std::size_t rows);
    void fold(State& state, std::size_t rows) const;
    const State& cursorAt(std::size_t rows);
    std::shared_ptr<const Trace> m_trace;
    std::vector<State> m_keyframes; ///< by number of rows; without the empty state
    std::size_t m_keyframeBytes = 0;
    State m_head;   ///< after the furthest row processed so far
    State m_cursor; ///< the last answer: the next one continues from it
};

} // namespace lockscope::trace
