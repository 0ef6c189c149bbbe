// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <map>
#include <vector>

namespace lockscope::trace {

/// What one thread believes of one lock.
struct Belief {
    enum class Phase : std::uint8_t { Idle, Waiting, Holding };
    Phase phase = Phase::Idle;
    std::uint32_t holds = 0;
    std::uint32_t step = 0;  ///< the recipe's step that it stands at, 0 = none
    std::int64_t since = 0;  ///< when the phase began
    std::int64_t until = -1; ///< own deadline that it honours, -1 = none
    std::int64_t token = 0;
    std::uint32_t grant = 0;       ///< ordinal of the grant on this lock, from 1: "#33" where there is no token.
                                   ///< While waiting: of a grant that is in the record but not yet known to the client
    std::int64_t lastRenewal = -1; ///< -1 = never
    bool asleep = false;           ///< its client is paused: no own deadline passes for it until it looks again
    bool suspended = false;        ///< nothing is heard from the server; the hold may still last
    HoldMode mode = HoldMode::Exclusive;     ///< while holding: the strongest of its holds
    std::uint32_t exclusive = 0;             ///< how many of its holds are certainly exclusive
    std::uint32_t permits = 0;               ///< the least that it holds; of a semaphore
    HoldMode nextMode = HoldMode::Exclusive; ///< told by a GrantedAs whose grant comes next
    std::uint32_t nextPermits = 0;
    friend bool operator==(const Belief&, const Belief&) = default;
};

/// What the server holds of one lock.
struct Record {
    EntityId owner = kNoEntity; ///< Thread; kNoEntity = free
    std::uint32_t holds = 0;
    std::int64_t since = 0;              ///< owner changed
    std::int64_t leaseFrom = 0;          ///< last (re)newal, the instant at which the lease was full
    std::int64_t deadline = -1;          ///< -1 = never expires
    std::int64_t waiters = -1;           ///< -1 = not known to the server
    std::int64_t token = 0;              ///< 0 = none
    std::uint32_t grants = 0;            ///< number of owners so far
    HoldMode mode = HoldMode::Exclusive; ///< while held
    bool seen = false;                   ///< some row said who holds it, or that nobody does
    bool observed = true;
    /// Whose hold a RecordRenewed prolongs, by the record before it: another thread than the owner may have sent it.
    EntityId ownerOfRenewed(const Event& event) const { return observed && owner != kNoEntity ? owner : event.actor; }
    friend bool operator==(const Record&, const Record&) = default;
};

/// Whether what a thread believes and what the server holds cannot both be right: it believes to hold the lock alone,
/// and the record gives it to another or to nobody; or together with other readers, and the record is free. A record
/// that nobody saw contradicts nobody; and it names one owner, so that whoever holds the lock together with others may
/// well not be that one. Of permits it says only when none is left.
bool contradicts(const Record& record, const Belief& belief, EntityId thread);

struct ClientState {
    enum class Life : std::uint8_t { Unknown, Running, Paused, Dead };
    Life life = Life::Unknown;
    bool watchdogStopped = false;
    std::int64_t since = 0;
    std::int64_t clockOffset = 0; ///< ns
    friend bool operator==(const ClientState&, const ClientState&) = default;
};

struct NodeState {
    ClientState::Life life = ClientState::Life::Unknown;
    std::int64_t since = 0;
    std::int64_t clockOffset = 0; ///< ns
    friend bool operator==(const NodeState&, const NodeState&) = default;
};

struct LinkState {
    bool cut = false;
    bool replyLossArmed = false;
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

/// The whole world at one instant, folded from a trace's rows. Ordered maps: iteration order is part of determinism.
struct State {
    std::map<std::pair<EntityId, EntityId>, Belief> beliefs; ///< (lock, thread)
    std::map<EntityId, Record> records;                      ///< by lock
    std::map<EntityId, ClientState> clients;
    std::map<EntityId, NodeState> nodes;
    std::map<EntityId, LinkState> links;
    std::map<EntityId, ResourceState> resources;
    std::map<EntityId, std::int64_t> capacities; ///< permits in all, by lock; of semaphores
    std::size_t rows = 0;                        ///< how many rows of the trace are folded in

    /// Folds the next row in. Beliefs whose own deadline lies at or before the row are over by then.
    void apply(const Event& event, const Trace& trace);
    /// A belief that ended by the client's own deadline.
    struct Ended {
        std::int64_t at;
        EntityId lock, thread;
        friend auto operator<=>(const Ended&, const Ended&) = default;
    };
    /// Time has come to t without a further row: ends beliefs whose own deadline has passed, and adds them to `ended`.
    void passTime(std::int64_t t, std::vector<Ended>* ended = nullptr);
    /// No belief ends by its own deadline before this instant.
    std::int64_t nextDeadline() const { return m_alarm.at; }
    /// About how much memory this state takes.
    std::size_t memoryBytes() const;
    friend bool operator==(const State&, const State&) = default;

private:
    void applyLife(const Event& event, const Trace& trace);
    void applyBelief(const Event& event);
    void grant(Belief& belief, const Event& event);
    static void giveUpOne(Belief& belief);
    void setAsleep(EntityId client, bool asleep, std::int64_t at, const Trace& trace);
    void applyRecord(const Event& event);
    void expectDeadline(std::int64_t until);
    /// No belief ends by its own deadline before this instant; spares looking at all of them at each row. It may be too
    /// early, never too late, so it says nothing about whether two states are equal.
    struct Alarm {
        std::int64_t at = INT64_MAX;
        friend bool operator==(const Alarm&, const Alarm&) { return true; }
    };
    Alarm m_alarm;
};

/// States of a trace at any time, through keyframes: O(log n) plus at most one keyframe interval of rows. Keyframes lie
/// the further apart the bigger the state is, so that all of them together stay below one byte a row.
/// Belongs to one reader thread; extends itself over new rows as asked.
class StateIndex {
public:
    explicit StateIndex(std::shared_ptr<const Trace> trace);
    /// The state after every row at or before t; a belief whose own deadline is t or earlier is over.
    State at(Nanos t);
    /// The state after the first `rows` rows (at most the trace's size), at the last of them.
    State atRow(std::size_t rows);
    /// Folds in up to `rows` further rows ahead of use, so that the first look at the end of a long trace need not do
    /// it all at once (about 30 million rows a second). True when the whole trace is folded in.
    bool prepare(std::size_t rows);
    /// Bytes held by keyframes.
    std::size_t memoryBytes() const { return m_keyframeBytes; }

private:
    void extend(std::size_t rows);
    void fold(State& state, std::size_t rows) const;
    const State& cursorAt(std::size_t rows);
    std::shared_ptr<const Trace> m_trace;
    std::vector<State> m_keyframes; ///< by rows; the empty state is not among them
    std::size_t m_keyframeBytes = 0;
    State m_head;   ///< the furthest row looked at so far
    State m_cursor; ///< the last answer: playing on from it costs the new rows only
};

} // namespace lockscope::trace
