// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/layout.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace lockscope::views {

namespace {

/// By how much a strip of who decides moves the rest of the lane down.
constexpr double kDeciders = 20;

/// With more clients than kFew their lanes get lower where record and effect would else be out of sight; with more than
/// kMany in any case; and with more than kCrowd the rest of the picture goes before them.
constexpr std::size_t kFew = 4, kMany = 12, kCrowd = 24;
/// The lowest of a few clients' lanes, in units of the font: who holds is still written on them.
constexpr double kLeastOfFew = 28;
/// With more lanes than that, as of a server with very many locks, nobody counts them at each frame.
constexpr std::size_t kUncounted = 4000;

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
        return px((lowRecords ? 60 : 88) + (lane.deciders.empty() ? 0 : kDeciders));
    case LaneKind::Copy:
    case LaneKind::Clock:
        return px(28);
    case LaneKind::Watchers:
        return px(50);
    case LaneKind::Effect:
        return px(54);
    case LaneKind::Node:
        return px(lane.roles.empty() ? 42 : 46);
    case LaneKind::Link:
        return px(42);
    }
    return px(42);
}

QRectF TimelineMetrics::bar(LaneKind kind, double x, double width) const {
    switch (kind) {
    case LaneKind::Belief: {
        if (!lowBeliefs()) return {x, double(px(16)), width, double(px(29))};
        const int tall = std::max(2, px(belief)), gap = tall >= 18 ? 3 : tall >= 6 ? 1 : 0;
        return {x, double(gap), width, double(std::max(2, tall - 2 * gap - (tall >= 8 || tall == 3)))};
    }
    case LaneKind::Record:
        return lowRecords ? QRectF(x, px(12), width, px(24)) : QRectF(x, px(18), width, px(48));
    case LaneKind::Effect:
        return {x, double(px(13)), width, double(px(22))};
    case LaneKind::Copy:
    case LaneKind::Clock:
        return {x, double(px(6)), width, double(px(16))};
    case LaneKind::Watchers:
        return {x, double(px(20)), width, double(px(24))};
    case LaneKind::Node:
        return {x, double(px(11)), width, double(px(18))};
    case LaneKind::Link:
        return {x, double(px(11)), width, double(px(20))};
    }
    return {};
}

QRectF TimelineMetrics::bar(const Lane& lane, double x, double width) const {
    const QRectF place = bar(lane.kind, x, width);
    return lane.deciders.empty() ? place : place.translated(0, px(kDeciders));
}

bool TimelineLayout::shows(const Lane& lane, bool many) const {
    if (lane.folded) return false;
    if (lane.kind == LaneKind::Link && many) return !lane.faults.empty();
    if (lane.kind == LaneKind::Copy && many) return false;
    if (lane.kind == LaneKind::Belief && m_onlyActors) return lane.held || (lane.life && !lane.life->faults.empty());
    return true;
}

TimelineLayout::Choice TimelineLayout::choiceOf(const TimelineData& data) const {
    Choice choice;
    if (data.lanes().size() > kUncounted) return choice;
    for (const auto& lane : data.lanes())
        choice.beliefs += lane->kind == LaneKind::Belief;
    for (const auto& lane : data.lanes())
        choice.shown += shows(*lane, choice.beliefs > kCrowd);
    return choice;
}

double TimelineLayout::beliefFor(const TimelineData& data, const TimelineMetrics& metrics, int room) const {
    const Choice choice = choiceOf(data);
    if (choice.beliefs <= kFew) return TimelineMetrics::kWhole;
    std::size_t beliefs = 0;
    int truths = 3 * metrics.captionHeight(), servers = metrics.captionHeight();
    for (const auto& lane : data.lanes()) {
        if (!shows(*lane, choice.beliefs > kCrowd)) continue;
        if (lane->kind == LaneKind::Belief)
            ++beliefs;
        else
            (sectionOf(*lane) == LaneKind::Node ? servers : truths) += metrics.laneHeight(*lane);
    }
    const auto fits = [&](double height, int others) {
        return others + int(beliefs) * std::max(2, metrics.px(height)) <= room;
    };
    if (beliefs <= kMany) {
        for (const double height : {TimelineMetrics::kWhole, 40.0, kLeastOfFew})
            if (beliefs > kFew && fits(height, truths)) return height;
        return TimelineMetrics::kWhole; // lower ones would not bring the rest into sight
    }
    for (const double height : {40.0, 28.0, 18.0, 12.0, 8.0, 5.0, 3.0})
        if (fits(height, truths + servers)) return height;
    return 2;
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
        m_lowRecords == metrics.lowRecords && m_choice == choice)
        return false;
    m_version = data.layoutVersion();
    m_u = metrics.u;
    m_belief = metrics.belief;
    m_lowRecords = metrics.lowRecords;
    m_choice = choice;
    m_rows.clear();
    m_sections.clear();
    const bool many = choice.beliefs > kCrowd;
    std::map<LaneKind, int> hidden; // by section
    for (const auto& lane : data.lanes()) {
        if (shows(*lane, many))
            m_rows.push_back({lane.get(), 0, 0});
        else if (!lane->folded && lane->kind != LaneKind::Copy)
            ++hidden[sectionOf(*lane)];
    }
    std::sort(m_rows.begin(), m_rows.end(), [many](const Row& a, const Row& b) {
        // The copies of a lock follow it, and clocks their owners.
        const auto key = [many](const Lane& l) {
            const LaneKind kind = l.kind == LaneKind::Copy || l.kind == LaneKind::Clock ? sectionOf(l) : l.kind;
            const bool clientsClock = l.kind == LaneKind::Clock && l.client != trace::kNoEntity;
            const trace::EntityId place = clientsClock               ? std::numeric_limits<trace::EntityId>::max()
                                          : l.kind == LaneKind::Copy ? l.logical->entity
                                                                     : l.entity;
            const LaneKind section = sectionOf(l);
            const bool first = many && (section == LaneKind::Record || section == LaneKind::Effect);
            return std::tuple(!first, kind, l.client, place, l.kind, l.entity, l.other);
        };
        return key(*a.lane) < key(*b.lane);
    });
    int y = 0;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const LaneKind section = sectionOf(*m_rows[i].lane);
        if (i == 0 || sectionOf(*m_rows[i - 1].lane) != section) {
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
    int height = 0;
    for (const Row& row : m_rows)
        if (sectionOf(*row.lane) != LaneKind::Node) height += metrics.laneHeight(*row.lane);
    const auto captions = std::ranges::count_if(m_sections, [](const Section& s) { return s.kind != LaneKind::Node; });
    return height + int(captions) * metrics.captionHeight();
}

void TimelineLayout::clear() {
    const bool only = m_onlyActors;
    *this = {};
    m_onlyActors = only;
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
