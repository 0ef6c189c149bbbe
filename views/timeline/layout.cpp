// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/layout.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace lockscope::views {

namespace {

/// By how much a strip of who decides moves the rest of the lane down; a low bar has less room for words above it.
constexpr double kDeciders = 20, kDecidersAboveLow = 25;

/// With more clients than kMany their lanes get lower in any case, so that servers are in sight, too; and with more
/// than kCrowd the rest of the picture goes before them.
constexpr std::size_t kMany = 12, kCrowd = 24;

using Density = TimelineMetrics::Density;
/// How the lanes of up to kMany clients give way, step by step, until record and effect are in sight below them. Down
/// to 18 it is still written on them who holds.
constexpr struct {
    double belief;
    Density density;
} kSteps[]{{TimelineMetrics::kWhole, Density::Usual},
           {40, Density::Usual},
           {TimelineMetrics::kWhole, Density::Low},
           {40, Density::Low},
           {28, Density::Usual},
           {28, Density::Low},
           {28, Density::Lower},
           {24, Density::Lowest},
           {18, Density::Lowest},
           {12, Density::Lowest}};
/// No lower than that for copies and servers that are lit: what stands beside the lanes of clients would overlap.
constexpr double kLeastForLit = 24;
/// With more lanes than that, as of a server with very many locks, nobody counts them at each frame.
constexpr std::size_t kUncounted = 4000;

/// Whether a server's lane has room for a bar, and for its name and its state in one line.
bool lowServers(Density density) {
    return density >= Density::Lower;
}

/// Nodes, Sentinels and links share a section, as do records and their copies. A clock stands with its owner.
LaneKind sectionOf(const Lane& lane) {
    switch (lane.kind) {
    case LaneKind::Clock:
        return lane.client == trace::kNoEntity ? LaneKind::Node : LaneKind::Belief;
    case LaneKind::Copy:
        return LaneKind::Record;
    case LaneKind::Watchers:
    case LaneKind::Link:
        return LaneKind::Node;
    default:
        return lane.kind;
    }
}

} // namespace

int TimelineMetrics::laneHeight(const Lane& lane) const {
    switch (lane.kind) {
    case LaneKind::Belief:
        return std::max(2, px(belief));
    case LaneKind::Record:
        if (density == Density::Lowest) return px(48);
        return px((lowRecords ? 60 : 88) + (!showsDeciders(lane) ? 0 : lowRecords ? kDecidersAboveLow : kDeciders));
    case LaneKind::Copy:
        return px(density == Density::Lowest ? 22 : 28);
    case LaneKind::Clock:
        return px(28);
    case LaneKind::Watchers:
        return px(50);
    case LaneKind::Effect:
        return px(density == Density::Usual ? 54 : 49);
    case LaneKind::Node:
        return px(lowServers(density) ? 20 : lane.roles.empty() ? 42 : 46);
    case LaneKind::Link:
        return px(42);
    }
    return px(42);
}

QRectF TimelineMetrics::bar(LaneKind kind, double x, double width) const {
    switch (kind) {
    case LaneKind::Belief: {
        if (!lowBeliefs()) return {x, double(px(16)), width, double(px(29))};
        const int tall = std::max(2, px(belief)), gap = tall >= 24 ? 3 : tall >= 18 ? 2 : tall >= 6 ? 1 : 0;
        return {x, double(gap), width, double(std::max(2, tall - 2 * gap - (tall >= 8 || tall == 3)))};
    }
    case LaneKind::Record:
        if (density == Density::Lowest) return {x, double(px(6)), width, double(px(21))};
        return lowRecords ? QRectF(x, px(12), width, px(24)) : QRectF(x, px(18), width, px(48));
    case LaneKind::Effect:
        return {x, double(px(density == Density::Usual ? 13 : 12)), width, double(px(22))};
    case LaneKind::Copy:
        return {x, double(px(density == Density::Lowest ? 3 : 6)), width, double(px(16))};
    case LaneKind::Clock:
        return {x, double(px(6)), width, double(px(16))};
    case LaneKind::Watchers:
        return {x, double(px(20)), width, double(px(24))};
    case LaneKind::Node:
        return lowServers(density) ? QRectF(x, px(3), width, px(14)) : QRectF(x, px(11), width, px(18));
    case LaneKind::Link:
        return {x, double(px(11)), width, double(px(20))};
    }
    return {};
}

QRectF TimelineMetrics::bar(const Lane& lane, double x, double width) const {
    const QRectF place = bar(lane.kind, x, width);
    if (lane.kind != LaneKind::Record || !showsDeciders(lane)) return place;
    return place.translated(0, px(lowRecords ? kDecidersAboveLow : kDeciders));
}

bool TimelineLayout::shows(const Lane& lane, bool many) const {
    if (lane.folded) return false;
    if (lane.kind == LaneKind::Link && many) return !lane.faults.empty();
    if (lane.kind == LaneKind::Copy && many) return false;
    if (lane.kind == LaneKind::Belief && m_onlyActors) return lane.held || (lane.life && !lane.life->faults.empty());
    return true;
}

bool TimelineLayout::isLit(const Lane& lane) const {
    return std::ranges::find(m_lit, lane.entity) != m_lit.end();
}

TimelineLayout::Choice TimelineLayout::choiceOf(const TimelineData& data) const {
    Choice choice;
    if (data.lanes().size() > kUncounted) return choice;
    for (const auto& lane : data.lanes())
        choice.beliefs += lane->kind == LaneKind::Belief;
    for (const auto& lane : data.lanes()) {
        choice.shown += shows(*lane, choice.beliefs > kCrowd);
        choice.struck += lane->kind == LaneKind::Link && !lane->faults.empty();
    }
    return choice;
}

double TimelineLayout::lowestOfMany(const TimelineData& data, const TimelineMetrics& metrics, int room) const {
    const Choice choice = choiceOf(data);
    int others = 4 * metrics.captionHeight(), beliefs = 0;
    for (const auto& lane : data.lanes()) {
        if (!shows(*lane, choice.beliefs > kCrowd)) continue;
        if (lane->kind == LaneKind::Belief)
            ++beliefs;
        else
            others += metrics.laneHeight(*lane);
    }
    for (const double height : {40.0, 28.0, 18.0, 12.0, 8.0, 5.0, 3.0})
        if (others + beliefs * std::max(2, metrics.px(height)) <= room) return height;
    return 2;
}

TimelineMetrics TimelineLayout::fitted(const TimelineData& data, TimelineMetrics metrics,
                                       const std::function<int(const TimelineMetrics&)>& room) const {
    const Choice choice = choiceOf(data);
    metrics.density = Density::Usual;
    metrics.belief = TimelineMetrics::kWhole;
    metrics.lowRecords = lowRecordsFor(data, metrics, room(metrics));
    const auto beliefs = std::size_t(std::ranges::count_if(data.lanes(), [&](const auto& lane) {
        return lane->kind == LaneKind::Belief && shows(*lane, choice.beliefs > kCrowd);
    }));
    if (choice.beliefs == 0) return metrics;
    if (beliefs > kMany) {
        metrics.belief = lowestOfMany(data, metrics, room(metrics));
        return metrics;
    }
    const auto litLane = [&](LaneKind kind) {
        return [this, kind](const auto& lane) { return lane->kind == kind && isLit(*lane); };
    };
    const bool copiesLit = std::ranges::any_of(data.lanes(), litLane(LaneKind::Copy));
    trace::EntityId lastServer = trace::kNoEntity; // of the lit ones, which stand in this order
    for (const auto& lane : data.lanes())
        if (lane->kind == LaneKind::Node && isLit(*lane)) lastServer = std::max(lastServer, lane->entity);
    const bool serversLit = lastServer != trace::kNoEntity;
    /// Which of the lit lanes below the story are to be in sight with it, too.
    struct Lit {
        bool copies, servers;
    };
    const auto isInSight = [&](const Lane& lane, bool copiesBelow, Lit lit) {
        if (lane.kind == LaneKind::Copy) return lit.copies || !copiesBelow;
        if (sectionOf(lane) != LaneKind::Node) return true;
        if (!lit.servers) return false;
        return lane.kind == LaneKind::Clock || (lane.kind == LaneKind::Node && lane.entity <= lastServer);
    };
    const auto fits = [&](const TimelineMetrics& tried, Lit lit) {
        const bool copiesBelow = tried.density != Density::Usual;
        int height = 3 * tried.captionHeight(); // and one each for copies and servers that stand below
        bool copies = false;
        for (const auto& lane : data.lanes()) {
            if (!shows(*lane, choice.beliefs > kCrowd) || !isInSight(*lane, copiesBelow, lit)) continue;
            height += tried.laneHeight(*lane);
            copies |= lane->kind == LaneKind::Copy;
        }
        height += ((copies && copiesBelow) + lit.servers) * tried.captionHeight();
        return height <= room(tried);
    };
    const TimelineMetrics usual = metrics;
    // Where not all of them fit, copies alone may, and the servers are scrolled to.
    for (const Lit lit : {Lit{true, serversLit}, Lit{true, false}, Lit{false, false}}) {
        if (lit.copies && !copiesLit && !lit.servers) continue;
        for (const auto& [belief, density] : kSteps) {
            if (lit.copies && belief < kLeastForLit) break;
            metrics.belief = belief;
            metrics.density = density;
            metrics.lowRecords = density != Density::Usual;
            if (fits(metrics, lit)) return metrics;
        }
    }
    return usual; // lower ones would not bring the rest into sight
}

bool TimelineLayout::lowRecordsFor(const TimelineData& data, const TimelineMetrics& metrics, int room) const {
    const Choice choice = choiceOf(data);
    TimelineMetrics whole = metrics;
    whole.lowRecords = false;
    int records = 0, height = 0;
    LaneKind section{};
    for (const auto& lane : data.lanes()) {
        if (records > 2 && height > room) break;
        if (!shows(*lane, choice.beliefs > kCrowd)) continue;
        if (height == 0 || sectionOf(*lane) != section) height += whole.captionHeight();
        section = sectionOf(*lane);
        records += lane->kind == LaneKind::Record;
        height += whole.laneHeight(*lane);
    }
    // One record, or two, are what a simulated story is about.
    return records > 2 && height > room;
}

bool TimelineLayout::update(const TimelineData& data, const TimelineMetrics& metrics) {
    const Choice choice = choiceOf(data);
    if (m_version == data.layoutVersion() && m_u == metrics.u && m_belief == metrics.belief &&
        m_lowRecords == metrics.lowRecords && m_density == metrics.density && m_choice == choice)
        return false;
    m_version = data.layoutVersion();
    m_u = metrics.u;
    m_belief = metrics.belief;
    m_lowRecords = metrics.lowRecords;
    m_density = metrics.density;
    m_choice = choice;
    m_rows.clear();
    m_sections.clear();
    const bool many = choice.beliefs > kCrowd, copiesBelow = metrics.density != Density::Usual;
    // Copies stand with their lock, or below the effects where there is little room: they have a section then.
    const auto sectionIn = [copiesBelow](const Lane& lane) {
        return copiesBelow && lane.kind == LaneKind::Copy ? LaneKind::Copy : sectionOf(lane);
    };
    std::map<LaneKind, int> hidden; // by section
    for (const auto& lane : data.lanes()) {
        if (shows(*lane, many))
            m_rows.push_back({lane.get(), 0, 0});
        else if (!lane->folded && lane->kind != LaneKind::Copy)
            ++hidden[sectionOf(*lane)];
    }
    std::sort(m_rows.begin(), m_rows.end(), [&](const Row& a, const Row& b) {
        // The copies of a lock follow it, and clocks their owners.
        const auto key = [&](const Lane& l) {
            const LaneKind kind = l.kind == LaneKind::Copy || l.kind == LaneKind::Clock ? sectionOf(l) : l.kind;
            const bool clientsClock = l.kind == LaneKind::Clock && l.client != trace::kNoEntity;
            const trace::EntityId place = clientsClock               ? std::numeric_limits<trace::EntityId>::max()
                                          : l.kind == LaneKind::Copy ? l.logical->entity
                                                                     : l.entity;
            const LaneKind section = sectionIn(l);
            const bool first = many && (section == LaneKind::Record || section == LaneKind::Effect);
            const bool below = section == LaneKind::Copy || section == LaneKind::Node;
            // Links that a fault has struck come first: below the story there may be room for one.
            const bool whole = l.kind == LaneKind::Link && l.faults.empty();
            return std::tuple(!first, below, kind, whole, l.client, place, l.kind, l.entity, l.other);
        };
        return key(*a.lane) < key(*b.lane);
    });
    int y = 0;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const LaneKind section = sectionIn(*m_rows[i].lane);
        if (i == 0 || sectionIn(*m_rows[i - 1].lane) != section) {
            m_sections.push_back({section, y, hidden[section]});
            y += metrics.captionHeight();
        }
        m_rows[i].y = y;
        m_rows[i].height = metrics.laneHeight(*m_rows[i].lane);
        y += m_rows[i].height;
    }
    m_height = y;
    return true;
}

int TimelineLayout::heightOfStory(const TimelineMetrics& metrics) const {
    int height = 0, below = 0;
    std::optional<LaneKind> sectionBelow;
    for (const Row& row : m_rows) {
        const bool copyBelow = row.lane->kind == LaneKind::Copy && metrics.density != Density::Usual;
        if (sectionOf(*row.lane) != LaneKind::Node && !copyBelow) {
            height += metrics.laneHeight(*row.lane);
            continue;
        }
        const LaneKind section = copyBelow ? LaneKind::Copy : LaneKind::Node;
        if (sectionBelow != section) below += metrics.captionHeight();
        sectionBelow = section;
        below += metrics.laneHeight(*row.lane);
        if (isLit(*row.lane)) height += std::exchange(below, 0);
    }
    const auto captions = std::ranges::count_if(
        m_sections, [](const Section& s) { return s.kind != LaneKind::Node && s.kind != LaneKind::Copy; });
    return height + int(captions) * metrics.captionHeight();
}

bool TimelineLayout::isBelowStory(int row) const {
    return m_choice.beliefs > 0 && sectionOf(*m_rows.at(std::size_t(row)).lane) == LaneKind::Node;
}

void TimelineLayout::clear() {
    TimelineLayout empty;
    empty.m_onlyActors = m_onlyActors;
    empty.m_lit = std::move(m_lit);
    *this = std::move(empty);
}

std::size_t TimelineLayout::firstRowBelow(int y) const {
    const auto it =
        std::partition_point(m_rows.begin(), m_rows.end(), [y](const Row& row) { return row.y + row.height <= y; });
    return std::size_t(it - m_rows.begin());
}

int TimelineLayout::rowAt(int y) const {
    const std::size_t i = firstRowBelow(y);
    return i < m_rows.size() && y >= m_rows[i].y ? int(i) : -1;
}

int TimelineLayout::rowOf(trace::EntityId entity) const {
    if (entity == trace::kNoEntity) return -1;
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].lane->entity == entity) return int(i);
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].lane->client == entity) return int(i);
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].lane->kind == LaneKind::Watchers &&
            std::ranges::find(m_rows[i].lane->members, entity, &Lane::entity) != m_rows[i].lane->members.end())
            return int(i);
    return -1;
}

} // namespace lockscope::views
