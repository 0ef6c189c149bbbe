// SPDX-License-Identifier: GPL-3.0-or-later
// How low the lanes are for record and effect to be in sight below the beliefs.
#include "timeline/layout.h"

#include <algorithm>
#include <array>

namespace lockscope::views {

namespace {

/// With more clients than that their lanes get lower in any case, so that servers are in sight, too.
constexpr std::size_t kMany = 12;

using Density = TimelineMetrics::Density;
/// How the lanes of up to kMany clients give way, step by step, until record and effect are in sight below them. Down
/// to 18 it is still written on them who holds.
constexpr struct {
    double belief;
    Density density;
} kSteps[]{{TimelineMetrics::kWhole, Density::Usual},
           {40, Density::Usual},
           {TimelineMetrics::kWhole, Density::Compact},
           {40, Density::Compact},
           {32, Density::Compact},
           {28, Density::Compact},
           {TimelineMetrics::kWhole, Density::Low},
           {40, Density::Low},
           {28, Density::Low},
           {40, Density::Lower},
           {28, Density::Lower},
           {24, Density::Lowest},
           {18, Density::Lowest},
           {18, Density::Least},
           {12, Density::Lowest},
           {12, Density::Least}};
/// Where even the lowest of these leave no room for copies and servers that nobody points at, those become lines.
constexpr struct {
    double belief;
    Density density;
} kStripSteps[]{{28, Density::Least}, {24, Density::Least}, {18, Density::Least}};
/// No lower than that for copies and servers that are lit, nor for links that are broken: what stands beside the lanes
/// of clients would overlap.
constexpr double kLeastForLit = 24;
/// No lower than that for copies and servers that nobody points at: who waits, and for how long, is still written
/// there.
constexpr double kLeastForAll = 28;
/// Where so little lacks (px), three lines are scrolled to, and not copies and servers altogether.
constexpr int kAlmost = 42;

} // namespace

std::optional<double> TimelineLayout::heightOfMany(const TimelineData& data, const TimelineMetrics& metrics, int room,
                                                   std::span<const double> heights) const {
    const Count count = countOf(data);
    int others = 4 * metrics.captionHeight(), beliefs = 0;
    for (const auto& lane : data.lanes()) {
        if (!shows(*lane, count.many()) || isFolded(*lane, metrics.density)) continue;
        if (lane->kind == LaneKind::Belief)
            ++beliefs;
        else
            others += metrics.laneHeight(*lane);
    }
    for (const double height : heights)
        if (others + beliefs * std::max(1, metrics.px(height)) <= room) return height;
    return std::nullopt;
}

TimelineMetrics TimelineLayout::fittedToMany(const TimelineData& data, TimelineMetrics metrics,
                                             const std::function<int(const TimelineMetrics&)>& room) const {
    constexpr std::array kHeights{40.0, 28.0, 18.0, 12.0, 8.0, 5.0, 3.0};
    constexpr std::array kLines{5.0, 3.0, 2.0, 1.0};
    if (const auto height = heightOfMany(data, metrics, room(metrics), kHeights)) {
        metrics.belief = *height;
        return metrics;
    }
    // Then the rest gives way, too: who holds is in sight among hundreds, if only as a line.
    TimelineMetrics low = metrics;
    low.density = Density::Lowest;
    low.lowRecords = true;
    if (const auto height = heightOfMany(data, low, room(low), kLines)) {
        // No more than these lines need: what they leave is room for records, effects and servers.
        for (const Density density : {Density::Usual, Density::Low, Density::Lower, Density::Lowest}) {
            low.density = density;
            if (heightOfMany(data, low, room(low), std::span(&*height, 1))) break;
        }
        low.belief = *height;
        return low;
    }
    low.belief = 1;
    low.believersFirst = true;
    return low;
}

TimelineMetrics TimelineLayout::fitted(const TimelineData& data, TimelineMetrics metrics,
                                       const std::function<int(const TimelineMetrics&)>& room) const {
    const Count count = countOf(data);
    metrics.density = Density::Usual;
    metrics.believersFirst = false;
    metrics.belief = TimelineMetrics::kWhole;
    metrics.lowRecords = lowRecordsFor(data, metrics, room(metrics));
    const auto beliefs = std::size_t(std::ranges::count_if(data.lanes(), [&](const auto& lane) {
        return lane->kind == LaneKind::Belief && shows(*lane, count.many()) && !isFolded(*lane, Density::Usual);
    }));
    if (count.beliefs == 0) { // the locks of servers: as many of them in sight as there is room for
        if (metrics.lowRecords) metrics.density = Density::Compact;
        return metrics;
    }
    if (beliefs > kMany) return fittedToMany(data, metrics, room);
    std::set<const Lane*> grouped; // with another link, in its row
    for (const auto& [first, others] : linkGroups(data))
        grouped.insert(others.begin(), others.end());
    const std::size_t struckRows = count.struck - grouped.size();
    const auto litLane = [&](LaneKind kind) {
        return [this, kind](const auto& lane) { return lane->kind == kind && isLit(*lane); };
    };
    const bool copiesLit = std::ranges::any_of(data.lanes(), litLane(LaneKind::Copy));
    trace::EntityId lastServer = trace::kNoEntity; // of the lit ones, which stand in this order
    for (const auto& lane : data.lanes())
        if (lane->kind == LaneKind::Node && isLit(*lane)) lastServer = std::max(lastServer, lane->entity);
    const bool serversLit = lastServer != trace::kNoEntity;
    /// Which of the lanes below the story are to be in sight with it, too: lit ones, and so many links that a fault has
    /// struck.
    struct Lit {
        bool copies, servers;
        std::size_t struck = 0;
    };
    const auto isInSight = [&](const Lane& lane, bool copiesBelow, Lit lit) {
        if (lane.kind == LaneKind::Copy) return lit.copies || !copiesBelow;
        if (sectionOf(lane) != LaneKind::Node) return true;
        if (lit.struck > 0) return lane.kind != LaneKind::Link; // and the links, which are counted apart
        if (!lit.servers) return false;
        if (m_lit.empty()) return lane.kind != LaneKind::Link;
        return lane.kind == LaneKind::Clock || (lane.kind == LaneKind::Node && lane.entity <= lastServer);
    };
    const auto fits = [&](const TimelineMetrics& tried, Lit lit, int over) {
        const bool copiesBelow = tried.density >= Density::Low;
        int height = 3 * tried.captionHeight(); // and one each for copies and servers that stand below
        bool copies = false;
        std::size_t struck = 0;
        for (const auto& lane : data.lanes()) {
            if (isFolded(*lane, tried.density) || grouped.contains(lane.get())) continue;
            const bool isStruck = struck < lit.struck && lane->kind == LaneKind::Link && !lane->faults.empty();
            struck += isStruck;
            if (!isStruck && (!shows(*lane, count.many()) || !isInSight(*lane, copiesBelow, lit))) continue;
            height += tried.laneHeight(*lane);
            copies |= lane->kind == LaneKind::Copy;
        }
        height += ((copies && copiesBelow) + lit.servers) * tried.captionHeight();
        return height <= room(tried) + over;
    };
    const TimelineMetrics usual = metrics;
    // Where not all of them fit, one broken link may, or the lit servers alone, or the copies, and the servers are
    // scrolled to. Where nobody points at any, clients give way to all of them, but not as far.
    const bool all = m_lit.empty();
    const auto fitsAt = [&](const auto& step, Lit lit, int over = 0) {
        metrics.belief = step.belief;
        metrics.density = step.density;
        metrics.lowRecords = step.density != Density::Usual;
        return fits(metrics, lit, over);
    };
    const Lit whole{true, true, struckRows}, oneLink{true, true, std::min<std::size_t>(struckRows, 1)};
    const Lit linkless{true, all || serversLit}, copiesAlone{all, serversLit};
    for (const Lit lit : {whole, oneLink, linkless, copiesAlone, Lit{true, false}, Lit{false, false}}) {
        if (all && !lit.servers) { // before anything is scrolled to
            for (const Lit low : {whole, oneLink, linkless})
                for (const auto& step : kStripSteps)
                    if (fitsAt(step, low)) return metrics;
            if (fitsAt(std::end(kStripSteps)[-1], linkless, kAlmost)) return metrics;
        }
        if (!all && lit.copies && lit.servers && !serversLit && lit.struck == 0) continue;
        if (!all && lit.copies && !copiesLit && !lit.servers) continue;
        if (!lit.copies && lit.servers && copiesLit) continue; // they stand before the servers
        for (const auto& step : kSteps) {
            if (lit.copies && step.belief < (all && lit.struck == 0 ? kLeastForAll : kLeastForLit)) break;
            if (fitsAt(step, lit)) return metrics;
        }
    }
    return usual; // lower ones would not bring the rest into sight
}

bool TimelineLayout::lowRecordsFor(const TimelineData& data, const TimelineMetrics& metrics, int room) const {
    const Count count = countOf(data);
    TimelineMetrics whole = metrics;
    whole.lowRecords = false;
    int records = 0, height = 0;
    LaneKind section{};
    for (const auto& lane : data.lanes()) {
        if (records > 2 && height > room) break;
        if (!shows(*lane, count.many()) || isFolded(*lane, Density::Usual)) continue;
        if (height == 0 || sectionOf(*lane) != section) height += whole.captionHeight();
        section = sectionOf(*lane);
        records += lane->kind == LaneKind::Record;
        height += whole.laneHeight(*lane);
    }
    // One record, or two, are what a simulated story is about.
    return records > 2 && height > room;
}

} // namespace lockscope::views
