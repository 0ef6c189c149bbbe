// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/layout.h"

#include "timeline/words.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace lockscope::views {

namespace {

/// By how much a strip of who decides moves the rest of the lane down; a low bar has less room for words above it.
constexpr double kDeciders = 20, kDecidersAboveLow = 25;

using Density = TimelineMetrics::Density;
/// With more lanes than that, as of a server with very many locks, nobody counts them at each frame.
constexpr std::size_t kUncounted = 4000;
/// Lanes that are pinned take at most this part of the room.
constexpr double kMostPinned = 0.6;

/// Whether a server's lane has room for a bar, and for its name and its state in one line.
bool lowServers(Density density) {
    return density >= Density::Lower;
}

/// These are lines where the whole picture has to be in sight: all that stands below, or beside, the three truths.
bool isStripOf(LaneKind kind) {
    return kind != LaneKind::Belief && kind != LaneKind::Record && kind != LaneKind::Effect;
}

constexpr double kStrip = 14;

} // namespace

int TimelineMetrics::laneHeight(const Lane& lane) const {
    const bool usual = density == Density::Usual;
    if (density == Density::Least && isStripOf(lane.kind)) return px(kStrip);
    switch (lane.kind) {
    case LaneKind::Belief:
        return std::max(1, px(belief));
    case LaneKind::Record: {
        if (density == Density::Least) return px(lane.queue.empty() ? 27 : 33);
        if (density == Density::Lowest) return px(48);
        const double deciders = !showsDeciders(lane) ? 0 : lowRecords ? kDecidersAboveLow : kDeciders;
        const bool bare = !usual && lane.queue.empty(); // nobody waits below the bar
        return px((bare ? 41 : lowRecords ? 60 : 88) + deciders);
    }
    case LaneKind::Copy:
    case LaneKind::Session:
        return px(usual ? 28 : 22);
    case LaneKind::Clock:
        return px(usual ? 28 : 20);
    case LaneKind::Watchers:
        return px(usual ? 50 : 36);
    case LaneKind::Effect:
        if (density == Density::Least && lane.ticks.empty()) return px(20);
        if (density == Density::Least) return wordsPx(36); // words of damages stand beside their marks
        // Its numbers would be cut off at half their height otherwise.
        return wordsPx(usual ? 54 : 49);
    case LaneKind::Node:
        if (lowServers(density)) return px(20);
        if (!usual) return px(lane.roles.empty() ? 24 : 34);
        return px(lane.roles.empty() ? 42 : 46);
    case LaneKind::Link:
        return px(usual ? 42 : 26);
    }
    return px(42);
}

QRectF TimelineMetrics::bar(LaneKind kind, double x, double width) const {
    const bool usual = density == Density::Usual;
    if (density == Density::Least && isStripOf(kind)) return {x, 1.0, width, double(px(kStrip - 2))};
    switch (kind) {
    case LaneKind::Belief: {
        if (!lowBeliefs()) return {x, double(px(16)), width, double(px(29))};
        const int tall = std::max(1, px(belief)), gap = tall >= 24 ? 3 : tall >= 18 ? 2 : tall >= 6 ? 1 : 0;
        return {x, double(gap), width, double(std::max(1, tall - 2 * gap - (tall >= 8 || tall == 3)))};
    }
    case LaneKind::Record:
        if (density >= Density::Lowest)
            return {x, double(px(density == Density::Least ? 3 : 6)), width, double(px(21))};
        return lowRecords ? QRectF(x, px(12), width, px(24)) : QRectF(x, px(18), width, px(48));
    case LaneKind::Effect: {
        const double top = usual ? 13 : density == Density::Least ? 2 : 12;
        return {x, double(wordsPx(top)), width, double(wordsPx(usual ? 22 : 18))};
    }
    case LaneKind::Copy:
    case LaneKind::Session:
        return {x, double(px(usual ? 6 : 3)), width, double(px(16))};
    case LaneKind::Clock:
        return {x, double(px(usual ? 6 : 2)), width, double(px(16))};
    case LaneKind::Watchers:
        return usual ? QRectF(x, px(20), width, px(24)) : QRectF(x, px(16), width, px(18));
    case LaneKind::Node:
        if (lowServers(density)) return {x, double(px(3)), width, double(px(14))};
        return usual ? QRectF(x, px(11), width, px(18)) : QRectF(x, px(3), width, px(16));
    case LaneKind::Link:
        return {x, double(px(usual ? 11 : 3)), width, double(px(20))};
    }
    return {};
}

QRectF TimelineMetrics::bar(const Lane& lane, double x, double width) const {
    const QRectF place = bar(lane.kind, x, width);
    if (lane.kind != LaneKind::Record || !showsDeciders(lane)) return place;
    return place.translated(0, px(lowRecords ? kDecidersAboveLow : kDeciders));
}

QRectF TimelineMetrics::marginLine(double width, int laneHeight) const {
    constexpr int kLine = 3, kLeast = 10; // in pixels, like the gaps between bars
    if (laneHeight < kLeast) return {};
    return {0, double(laneHeight - kLine - 1), width, double(kLine)}; // above the hairline between lanes
}

LaneKind sectionOf(const Lane& lane) {
    switch (lane.kind) {
    case LaneKind::Clock:
        return lane.client == trace::kNoEntity ? LaneKind::Node : LaneKind::Belief;
    case LaneKind::Session:
        return LaneKind::Belief;
    case LaneKind::Copy:
        return LaneKind::Record;
    case LaneKind::Watchers:
    case LaneKind::Link:
        return LaneKind::Node;
    default:
        return lane.kind;
    }
}

bool hangsOnAnother(const Lane& lane) {
    return lane.kind == LaneKind::Copy || lane.kind == LaneKind::Clock || lane.kind == LaneKind::Session;
}

bool isTroubled(const Lane& link) {
    return !link.faults.empty() || link.lossy;
}

namespace {

/// Whether the same faults have struck both links at the same times, with the same consequences.
bool areStruckAlike(const trace::Trace& trace, const Lane& a, const Lane& b) {
    if (a.faults.size() != b.faults.size() || a.spans.size() != b.spans.size()) return false;
    for (std::size_t i = 0; i < a.faults.size(); ++i)
        if (a.faults[i].at != b.faults[i].at || a.faults[i].kind != b.faults[i].kind) return false;
    for (std::size_t i = 0; i < a.spans.size(); ++i) {
        const Span &one = a.spans[i], &other = b.spans[i];
        if (one.from != other.from || one.to != other.to || one.state != other.state) return false;
        if (trace.at(one.row).value != trace.at(other.row).value) return false;
    }
    return true;
}

} // namespace

bool believesAt(const Lane& lane, std::int64_t at) {
    const std::size_t s = lane.spans.firstEndingAfter(at);
    return at >= 0 && s < lane.spans.size() && lane.spans[s].from <= at &&
           lane.spans[s].state != unsigned(BeliefState::Waiting);
}

void TimelineLayout::search(const TimelineData& data) {
    if (m_searched == m_wanted.text && m_searchedVersion == data.layoutVersion()) return;
    m_searched = m_wanted.text;
    m_searchedVersion = data.layoutVersion();
    m_found.clear();
    if (m_searched.isEmpty()) return;
    const trace::Trace& trace = data.trace();
    const auto named = [&](trace::EntityId entity) {
        return entity != trace::kNoEntity &&
               QString::fromUtf8(trace.entity(entity).name).contains(m_searched, Qt::CaseInsensitive);
    };
    for (const auto& lane : data.lanes()) {
        const trace::EntityId logical = lane->logical ? lane->logical->entity : trace::kNoEntity;
        if (named(lane->entity) || named(lane->client) || named(lane->other) || named(logical) ||
            laneTitle(data, *lane).contains(m_searched, Qt::CaseInsensitive))
            m_found.insert(lane.get());
    }
}

bool TimelineLayout::shows(const Lane& lane, bool many) const {
    if (lane.folded || isFilteredOut(lane)) return false;
    if (m_wanted.away.contains(lane.kind == LaneKind::Copy ? LaneKind::Copy : sectionOf(lane)) && !isLit(lane))
        return false;
    const bool selected = m_wanted.selected != trace::kNoEntity && lane.entity == m_wanted.selected;
    if (lane.kind == LaneKind::Link) // in a crowd a message is lost on each of them sooner or later
        return m_wanted.allLinks || selected || isLit(lane) || (many ? !lane.faults.empty() : isTroubled(lane));
    if (lane.kind == LaneKind::Copy && many) return false;
    if (lane.kind == LaneKind::Belief && m_wanted.onlyActors)
        return lane.held || (lane.life && !lane.life->faults.empty());
    return true;
}

namespace {

/// The first to go where the three truths have too little room: chips on its client tell of a session, too.
bool isLeftOut(const Lane& lane, TimelineMetrics::Density density) {
    return lane.kind == LaneKind::Session && density >= TimelineMetrics::Density::Lower;
}

/// Copies stand with their lock, or below the effects where there is little room: they have a section then.
LaneKind sectionIn(const Lane& lane, TimelineMetrics::Density density) {
    const bool below = lane.kind == LaneKind::Copy && density >= TimelineMetrics::Density::Low;
    return below ? LaneKind::Copy : sectionOf(lane);
}

} // namespace

bool TimelineLayout::isFolded(const Lane& lane, TimelineMetrics::Density density) const {
    return m_wanted.folded.contains(sectionIn(lane, density)) || isLeftOut(lane, density);
}

LaneKind TimelineLayout::sectionOfRow(int row) const {
    return sectionIn(*m_rows.at(std::size_t(row)).lane, m_density);
}

bool TimelineLayout::isPinned(const Lane& lane, Density density) const {
    if (m_wanted.pinned.empty() || sectionIn(lane, density) != LaneKind::Record) return false;
    return m_wanted.pinned.contains(lane.logical ? lane.logical->entity : lane.entity);
}

bool TimelineLayout::isFilteredOut(const Lane& lane) const {
    if (isPinned(lane, m_density)) return false;
    return !m_wanted.text.isEmpty() && !m_found.contains(&lane);
}

bool TimelineLayout::isLit(const Lane& lane) const {
    return std::ranges::find(m_lit, lane.entity) != m_lit.end();
}

TimelineLayout::Count TimelineLayout::countOf(const TimelineData& data) const {
    Count count;
    if (data.lanes().size() > kUncounted) return count;
    for (const auto& lane : data.lanes())
        count.beliefs += lane->kind == LaneKind::Belief;
    for (const auto& lane : data.lanes()) {
        count.shown += shows(*lane, count.many());
        count.written += lane->kind == LaneKind::Effect && !lane->ticks.empty();
        if (lane->kind == LaneKind::Link && !lane->faults.empty()) {
            ++count.struck;
            count.blows += lane->faults.size() + lane->spans.size();
        }
        count.queued += lane->kind == LaneKind::Record && !lane->queue.empty();
    }
    return count;
}

std::map<const Lane*, std::vector<const Lane*>> TimelineLayout::linkGroups(const TimelineData& data) const {
    std::map<const Lane*, std::vector<const Lane*>> groups;
    if (m_wanted.allLinks || data.lanes().size() > kUncounted) return groups;
    std::vector<const Lane*> firsts;
    for (const auto& lane : data.lanes()) {
        if (lane->kind != LaneKind::Link || lane->faults.empty() || lane->folded || isFilteredOut(*lane)) continue;
        const bool asked = m_wanted.selected != trace::kNoEntity && lane->entity == m_wanted.selected;
        if (asked || isLit(*lane)) continue;
        const auto joins = [&](const Lane* first) {
            const auto group = groups.find(first);
            const Lane& second = group == groups.end() ? *lane : *group->second.front();
            // All links of a group have the same client, or the same server, at one end.
            const bool sameClient = first->client == lane->client && first->client == second.client;
            const bool sameServer = first->other == lane->other && first->other == second.other;
            return (sameClient || sameServer) && areStruckAlike(data.trace(), *first, *lane);
        };
        if (const auto first = std::ranges::find_if(firsts, joins); first != firsts.end())
            groups[*first].push_back(lane.get());
        else
            firsts.push_back(lane.get());
    }
    return groups;
}

bool TimelineLayout::update(const TimelineData& data, const TimelineMetrics& metrics) {
    const Count count = countOf(data);
    const auto lit = [&](LaneKind kind) {
        return std::ranges::any_of(data.lanes(), [&](const auto& lane) { return lane->kind == kind && isLit(*lane); });
    };
    const bool serversFirst = !m_lit.empty() && lit(LaneKind::Node) && !lit(LaneKind::Copy);
    std::vector<const Lane*> believers;
    if (metrics.believersFirst)
        for (const auto& lane : data.lanes())
            if (lane->kind == LaneKind::Belief && believesAt(*lane, m_playhead)) believers.push_back(lane.get());
    if (m_version == data.layoutVersion() && m_serversFirst == serversFirst && m_u == metrics.u &&
        m_belief == metrics.belief && m_lowRecords == metrics.lowRecords && m_density == metrics.density &&
        m_count == count && m_believers == believers && m_laidWanted == m_wanted)
        return false;
    m_believers = std::move(believers);
    m_version = data.layoutVersion();
    m_u = metrics.u;
    m_belief = metrics.belief;
    m_lowRecords = metrics.lowRecords;
    m_density = metrics.density;
    m_count = count;
    m_serversFirst = serversFirst;
    m_laidWanted = m_wanted;
    m_rows.clear();
    m_sections.clear();
    const bool many = count.many();
    const auto section = [&metrics](const Lane& lane) { return sectionIn(lane, metrics.density); };
    std::map<LaneKind, LanesAway> away; // by section
    std::vector<const Lane*> shown;
    auto groups = linkGroups(data);
    std::set<const Lane*> grouped;
    for (const auto& [first, others] : groups)
        grouped.insert(others.begin(), others.end());
    for (const auto& lane : data.lanes()) {
        if (grouped.contains(lane.get())) continue;
        if (shows(*lane, many))
            shown.push_back(lane.get());
        else if (!lane->folded && isFilteredOut(*lane))
            ++away[section(*lane)].filtered;
        else if (!lane->folded && lane->kind != LaneKind::Copy)
            ++away[sectionOf(*lane)].hidden;
    }
    const auto before = [&](const Lane* a, const Lane* b) {
        // The copies of a lock follow it, and clocks and sessions their owners.
        const auto key = [&](const Lane& l) {
            const bool hangs = hangsOnAnother(l);
            const LaneKind kind = hangs ? sectionOf(l) : l.kind;
            const bool clients = hangs && l.client != trace::kNoEntity; // below all lanes of its threads
            const trace::EntityId owner = clients                    ? std::numeric_limits<trace::EntityId>::max()
                                          : l.kind == LaneKind::Copy ? l.logical->entity
                                                                     : l.entity;
            const LaneKind place = section(l);
            const bool first = many && (place == LaneKind::Record || place == LaneKind::Effect);
            const bool below = place == LaneKind::Copy || place == LaneKind::Node;
            // Links that a fault has struck come first: below the story there may be room for one.
            const bool whole = l.kind == LaneKind::Link && l.faults.empty();
            // Servers that one is to look at stand before the copies that they have.
            const bool after = serversFirst && place == LaneKind::Copy;
            const bool unpinned = !isPinned(l, metrics.density);
            const bool idle = std::ranges::find(m_believers, &l) == m_believers.end();
            return std::tuple(!first, below, after, kind, unpinned, whole, idle, l.client, owner, l.kind, l.entity,
                              l.other);
        };
        return key(*a) < key(*b);
    };
    std::sort(shown.begin(), shown.end(), before);
    int y = 0;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const LaneKind kind = section(*shown[i]);
        if (i == 0 || section(*shown[i - 1]) != kind) {
            m_sections.push_back({kind, y, away[kind]});
            y += metrics.captionHeight();
        }
        if (isFolded(*shown[i], metrics.density)) {
            m_sections.back().away.folded += !isLeftOut(*shown[i], metrics.density);
            continue;
        }
        m_rows.push_back({shown[i], y, metrics.laneHeight(*shown[i])});
        if (const auto group = groups.find(shown[i]); group != groups.end())
            m_rows.back().alike = std::move(group->second);
        y += m_rows.back().height;
    }
    m_height = y;
    return true;
}

int TimelineLayout::heightOfStory(const TimelineMetrics& metrics) const {
    int height = 0, below = 0;
    std::optional<LaneKind> sectionBelow;
    for (const Row& row : m_rows) {
        const bool copyBelow = row.lane->kind == LaneKind::Copy && metrics.density >= Density::Low;
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
    return m_count.beliefs > 0 && sectionOf(*m_rows.at(std::size_t(row)).lane) == LaneKind::Node;
}

void TimelineLayout::clear() {
    TimelineLayout empty;
    empty.m_wanted = std::move(m_wanted);
    empty.m_lit = std::move(m_lit);
    *this = std::move(empty);
}

TimelineLayout::Pinned TimelineLayout::band(int top, int bottom, int scroll, int room) const {
    Pinned pinned{top, bottom, 0};
    const int natural = top - scroll;
    pinned.shift = std::clamp(natural, 0, room - pinned.height()) - natural;
    return pinned;
}

TimelineLayout::Pinned TimelineLayout::pinned(int scroll, int room) const {
    if (m_height <= room) return {};
    if (m_count.beliefs > 0)
        if (const Pinned story = pinnedStory(scroll, room); story.height() > 0) return story;
    const auto section = std::ranges::find(m_sections, LaneKind::Record, &Section::kind);
    if (m_wanted.pinned.empty() || section == m_sections.end()) return {};
    int bottom = section->y;
    for (std::size_t i = firstRowBelow(section->y); i < m_rows.size() && isPinned(*m_rows[i].lane, m_density); ++i)
        if (const int end = m_rows[i].y + m_rows[i].height; end - section->y <= room * kMostPinned) bottom = end;
    return bottom == section->y ? Pinned{} : band(section->y, bottom, scroll, room);
}

TimelineLayout::Pinned TimelineLayout::pinnedStory(int scroll, int room) const {
    const auto stays = [](const Section& section) {
        return section.kind == LaneKind::Record || section.kind == LaneKind::Effect;
    };
    const auto first = std::ranges::find_if(m_sections, stays);
    if (first == m_sections.end()) return {};
    const auto after = std::find_if_not(first, m_sections.end(), stays);
    const int bottom = after == m_sections.end() ? m_height : after->y;
    return bottom - first->y > room * kMostPinned ? Pinned{} : band(first->y, bottom, scroll, room);
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
        if (std::ranges::find(m_rows[i].alike, entity, &Lane::entity) != m_rows[i].alike.end()) return int(i);
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].lane->client == entity) return int(i);
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].lane->kind == LaneKind::Watchers &&
            std::ranges::find(m_rows[i].lane->members, entity, &Lane::entity) != m_rows[i].lane->members.end())
            return int(i);
    return -1;
}

} // namespace lockscope::views
