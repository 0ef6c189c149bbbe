// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/layout.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace lockscope::views {

namespace {

/// By how much a strip of who decides moves the rest of the lane down.
constexpr double kDeciders = 20;

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
        return px(64);
    case LaneKind::Record:
        return px(lane.deciders.empty() ? 88 : 88 + kDeciders);
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
    case LaneKind::Belief:
        return {x, double(px(16)), width, double(px(29))};
    case LaneKind::Record:
        return {x, double(px(18)), width, double(px(48))};
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

bool TimelineLayout::update(const TimelineData& data, const TimelineMetrics& metrics) {
    if (m_version == data.layoutVersion() && m_u == metrics.u) return false;
    m_version = data.layoutVersion();
    m_u = metrics.u;
    m_rows.clear();
    m_sections.clear();
    for (const auto& lane : data.lanes())
        if (!lane->folded) m_rows.push_back({lane.get(), 0, 0});
    std::sort(m_rows.begin(), m_rows.end(), [&data](const Row& a, const Row& b) {
        // The copies of a lock follow it, and clocks their owners.
        const auto key = [](const Lane& l) {
            const LaneKind kind = l.kind == LaneKind::Copy || l.kind == LaneKind::Clock ? sectionOf(l) : l.kind;
            const bool clientsClock = l.kind == LaneKind::Clock && l.client != trace::kNoEntity;
            const trace::EntityId place = clientsClock               ? std::numeric_limits<trace::EntityId>::max()
                                          : l.kind == LaneKind::Copy ? l.logical->entity
                                                                     : l.entity;
            return std::tuple(kind, l.client, place, l.kind, l.entity, l.other);
        };
        return key(*a.lane) < key(*b.lane);
    });
    int y = 0;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const LaneKind section = sectionOf(*m_rows[i].lane);
        if (i == 0 || sectionOf(*m_rows[i - 1].lane) != section) {
            m_sections.push_back({section, y});
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
    *this = {};
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
