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
    std::uint32_t step = 0;        ///< the recipe's step that it stands at, 0 = none
    std::int64_t since = 0;        ///< when the phase began
    std::int64_t until = -1;       ///< own deadline that it honours, -1 = none
    std::int64_t token = 0;
    std::uint32_t grant = 0;       ///< ordinal of the grant on this lock, from 1: "#33" where there is no token
    std::int64_t lastRenewal = -1; ///< -1 = never
    friend bool operator==(const Belief&, const Belief&) = default;
};

/// What the server holds of one lock.
struct Record {
    EntityId owner = kNoEntity;    ///< Thread; kNoEntity = free
    std::uint32_t holds = 0;
    std::int64_t since = 0;        ///< owner changed
    std::int64_t leaseFrom = 0;    ///< last (re)newal, the instant at which the lease was full
    std::int64_t deadline = -1;    ///< -1 = never expires
    std::int64_t waiters = -1;     ///< -1 = not known to the server
    std::int64_t token = 0;        ///< 0 = none
    std::uint32_t grants = 0;      ///< number of owners so far
    bool observed = true;
    friend bool operator==(const Record&, const Record&) = default;
};

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
    std::size_t rows = 0; ///< how many rows of the trace are folded in

    /// Folds the next row in.
    void apply(const Event& event, const Trace& trace);
    friend bool operator==(const State&, const State&) = default;
};

/// States of a trace at any time, through keyframes: O(log n) plus at most one keyframe interval of rows.
/// Belongs to one reader thread; extends itself over new rows as asked.
class StateIndex {
public:
    explicit StateIndex(std::shared_ptr<const Trace> trace);
    /// The state after every row at or before t.
    State at(Nanos t);
    /// The state after the first `rows` rows.
    State atRow(std::size_t rows);
    std::size_t memoryBytes() const;

private:
    void extend(std::size_t rows);
    std::shared_ptr<const Trace> m_trace;
    std::vector<State> m_keyframes;
    State m_head;
};

} // namespace lockscope::trace
