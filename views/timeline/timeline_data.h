// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/activity.h"
#include "timeline/fold_clocks.h"
#include "timeline/fold_sessions.h"
#include "timeline/label_numbers.h"
#include "timeline/lane.h"
#include "timeline/polite_mutex.h"
#include "trace/trace.h"

#include <limits>
#include <memory>
#include <vector>

namespace lockscope::views {

class LaneFold;

/// The data that the timeline draws, computed from a trace's rows: lanes with spans and ticks, each with its pyramid.
///
/// Append-only. One thread folds rows in, another may draw: both hold mutex(), the one in slices of a few milliseconds.
/// Belief without record is found here, row by row, and not asked of any world.
class TimelineData {
public:
    explicit TimelineData(std::shared_ptr<const trace::Trace> trace);
    ~TimelineData();
    TimelineData(const TimelineData&) = delete;
    TimelineData& operator=(const TimelineData&) = delete;

    PoliteMutex& mutex() const { return m_mutex; }
    const trace::Trace& trace() const { return *m_trace; }
    std::shared_ptr<const trace::Trace> sharedTrace() const { return m_trace; }

    /// Folds rows [rows(), min(upTo, trace.size())) in.
    void consume(std::size_t upTo = SIZE_MAX);
    /// How many rows are folded in.
    std::size_t rows() const { return m_rows; }
    /// How far the picture reaches: the trace's time once every row is folded in, else that of the last row.
    std::int64_t now() const;

    const std::vector<std::unique_ptr<Lane>>& lanes() const { return m_lanes; }
    /// The lane of a lock's record; nullptr: it has none yet.
    const Lane* recordOf(trace::EntityId lock) const;
    /// Every fault of the session, for the overview and for "next fault".
    const TickTrack& faults() const { return m_faults; }
    /// While a lock manager leaves an engine and uses none yet: nobody gets in.
    const SpanTrack& engineSwitches() const { return m_engineSwitches; }
    /// By beliefs; of servers of others, whose clients nobody asks, by records.
    const Activity& activity() const { return m_believes ? m_activity : m_recordActivity; }
    /// Whether some client's belief is known.
    bool believes() const { return m_believes; }
    const Damage& damage(std::uint32_t index) const { return m_damages[index]; }
    /// The meaning of the labels of holds and writes: fencing tokens and numbers of grants.
    const LabelNumbers& numbers() const { return m_numbers; }
    /// Another number: lanes came, or have another height, or are not shown any more.
    std::size_t layoutVersion() const { return m_layoutVersion; }
    /// How many locks have a lane: with one, its name need not stand on every lane.
    std::size_t lockCount() const { return m_lockCount; }
    std::size_t memoryBytes() const;
    /// Words about a lock that never expires say that, or name its holder alone, as it would answer a lesson's bet.
    enum class Never : std::uint8_t { Told, HeldBack };
    void setNever(Never never) { m_never = never; }
    Never never() const { return m_never; }
    /// Writes from this instant on look alike, whether they did damage or not: their colour would answer a lesson's
    /// bet, and green would say that all is well.
    void holdDamageBackFrom(std::int64_t from) { m_damageToldUntil = from; }
    /// The instant until which damage is told.
    std::int64_t damageToldUntil() const { return m_damageToldUntil; }
    /// How a write of a resource's lane is to be shown.
    EffectTick effectOf(const Tick& tick) const {
        const auto kind = EffectTick(tick.kind);
        return kind != EffectTick::Refused && tick.at >= m_damageToldUntil ? EffectTick::Untold : kind;
    }

    /// The fencing token of a write of a resource's lane; 0: it has none.
    std::int64_t writeToken(const Tick& tick) const {
        const bool damage = EffectTick(tick.kind) == EffectTick::Stale;
        return damage ? m_damages[tick.label].token : m_numbers.numberOf(tick.label);
    }

private:
    friend class LaneFold;
    Lane& addLane(LaneKind kind, trace::EntityId entity, trace::EntityId client, trace::EntityId other);

    std::shared_ptr<const trace::Trace> m_trace;
    mutable PoliteMutex m_mutex;
    std::size_t m_rows = 0;
    std::size_t m_lockCount = 0;
    std::size_t m_layoutVersion = 0;
    std::vector<std::unique_ptr<Lane>> m_lanes;
    std::vector<std::unique_ptr<ClientLife>> m_lives;
    SpanTrack m_engineSwitches;
    TickTrack m_faults;
    Activity m_activity, m_recordActivity;
    Never m_never = Never::Told;
    std::int64_t m_damageToldUntil = std::numeric_limits<std::int64_t>::max();
    bool m_believes = false; ///< there is a lane of a belief
    Chunked<Damage> m_damages;
    LabelNumbers m_numbers;
    std::map<trace::EntityId, const Lane*> m_records; ///< by lock
    std::unique_ptr<LaneFold> m_fold;
    ClockFold m_clocks;
    SessionFold m_sessions;
};

} // namespace lockscope::views
