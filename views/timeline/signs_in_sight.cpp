// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/signs_in_sight.h"

#include "timeline/words.h"

namespace lockscope::views {
namespace {

constexpr std::int64_t kParts = 256; ///< of the time in sight: what is shorter is looked at together

/// The signs that occur on the tracks of lanes in the time that a picture shows.
struct Occurring {
    std::int64_t from, to, pixel, now;

    std::uint32_t states(const SpanTrack& track) const {
        std::uint32_t found = 0;
        track.visit(
            from, to, pixel, now, [&](std::size_t, const Span& span) { found |= 1u << span.state; },
            [&](const SpanSum& sum) { found |= sum.states; });
        return found;
    }
    /// Whether a lease ends one of the holds on a record's lane: a session or a connection may keep them instead.
    bool hasLease(const trace::Trace& trace, const SpanTrack& track) const {
        bool found = false;
        const auto look = [&](const Span& span) {
            if (RecordState(span.state) != RecordState::Held) return false;
            found |= leaseOf(trace, span).endKnown();
            return true;
        };
        track.visit(
            from, to, pixel, now, [&](std::size_t, const Span& span) { look(span); },
            [&](const SpanSum& sum) { // those of one lock are alike: the first stands for all of them
                for (std::size_t i = track.firstEndingAfter(sum.from); i < track.size() && track[i].from <= sum.to; ++i)
                    if (look(track[i])) return;
            });
        return found;
    }
    std::uint32_t kinds(const TickTrack& track) const {
        std::uint32_t found = 0;
        track.visit(
            from, to, pixel, [&](std::size_t, const Tick& tick) { found |= 1u << tick.kind; },
            [&](const TickSum& sum) { found |= sum.kinds; });
        return found;
    }
};

} // namespace

std::set<LegendSign> signsInSight(const TimelineScene& scene) {
    std::set<LegendSign> signs;
    const std::int64_t to = std::min(scene.to, scene.hidesFuture ? scene.playhead : scene.seen);
    if (to <= scene.from) return signs;
    const Occurring in{scene.from, to, std::max<std::int64_t>(1, (to - scene.from) / kParts), scene.data.now()};
    Occurring told = in; // of damage
    told.to = std::min(to, scene.data.damageToldUntil());
    Occurring untold = in;
    untold.from = std::max(scene.from, scene.data.damageToldUntil());
    const auto add = [&](std::uint32_t found, auto which, LegendSign sign) {
        if (found & bit(which)) signs.insert(sign);
    };
    for (const TimelineLayout::Row& row : scene.layout.rows()) {
        const Lane& lane = *row.lane;
        const std::uint32_t states = in.states(lane.spans), ticks = in.kinds(lane.ticks);
        std::uint32_t faults = in.kinds(lane.faults);
        switch (lane.kind) {
        case LaneKind::Belief:
            add(states, BeliefState::Waiting, LegendSign::Waits);
            add(states, BeliefState::Holding, LegendSign::Holds);
            add(states, BeliefState::Holding, LegendSign::Margin);
            add(states, BeliefState::Stale, LegendSign::Stale);
            add(ticks, BeliefTick::RenewFailed, LegendSign::RenewFailed);
            if (lane.life) {
                add(in.states(lane.life->spans), LifePhase::Paused, LegendSign::Paused);
                faults |= in.kinds(lane.life->faults);
            }
            break;
        case LaneKind::Record:
        case LaneKind::Copy:
            if (in.hasLease(scene.data.trace(), lane.spans)) signs.insert(LegendSign::Lease);
            add(states, RecordState::Unobserved, LegendSign::Gap);
            break;
        case LaneKind::Effect:
            add(told.kinds(lane.ticks), EffectTick::Accepted, LegendSign::Accepted);
            if (untold.from < to && untold.kinds(lane.ticks) & ~bit(EffectTick::Refused))
                signs.insert(LegendSign::Untold);
            add(ticks, EffectTick::Refused, LegendSign::Refused);
            add(told.kinds(lane.ticks), EffectTick::Stale, LegendSign::Damage);
            break;
        default:
            break;
        }
        add(faults, FaultTick::Planned, LegendSign::Planned);
        add(faults, FaultTick::ByHand, LegendSign::Fault);
    }
    const auto inSight = [&](const ViolationBands::Band& band) { return band.from <= to && band.to >= scene.from; };
    if (std::ranges::any_of(scene.bands.bands(), inSight)) signs.insert(LegendSign::Broken);
    if (scene.ghost.data) signs.insert(LegendSign::Ghost);
    return signs;
}

} // namespace lockscope::views
