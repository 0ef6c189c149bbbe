// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the timeline that is in sight: the three truths where they have room, and what a lesson's step speaks of.
#include "theme/fonts.h"
#include "timeline/timeline_overview.h"
#include "timeline/timeline_view.h"

#include <QScrollBar>
#include <cmath>

namespace lockscope::views {

namespace {

/// Right of the instant that a step stops at there are notes on how its lanes stand: their room, in units of the font.
constexpr double kNotes = 150;
/// They take no more of the axis than this part.
constexpr double kMostNotes = 0.4;

/// This window of time, or a longer one, so that the notes have room right of `stop` on an axis of that many px.
std::pair<Nanos, Nanos> withRoomForNotes(std::pair<Nanos, Nanos> window, Nanos stop, double axis, double notes) {
    if (axis <= 0 || stop <= window.first || stop > window.second) return window;
    const double part = std::min(notes / axis, kMostNotes);
    const auto least = Nanos(std::int64_t(double((stop - window.first).count()) / (1 - part)));
    return {window.first, std::max(window.second, window.first + least)};
}

} // namespace

TimelineView::Sight TimelineView::sight() const {
    return {m_zoom->from(), m_zoom->to(), m_zoom->end(), m_zoom->isFitted(), m_zoom->isFollowing()};
}

void TimelineView::setSight(const Sight& sight) {
    m_rangeChosen = true; // not the one that a new session begins with
    m_zoom->setFollowing(sight.following);
    m_zoom->setEnd(sight.end);
    if (sight.fitted)
        m_zoom->fit();
    else
        m_zoom->setRange(sight.from, sight.to);
}

void TimelineView::showSpotWindow() {
    const auto& spotlight = m_context->spotlight();
    if (!spotlight || !spotlight->window) return;
    const double axis = viewport()->width() - m_metrics.labelWidth();
    const auto [from, to] = withRoomForNotes(*spotlight->window, spotlight->to, axis, m_metrics.px(kNotes));
    m_zoom->setEnd(std::max(m_zoom->end(), to.count()));
    m_zoom->setRange(from.count(), to.count());
    m_spotShown = {m_zoom->from(), m_zoom->to()};
}

void TimelineView::takeSpotlight() {
    const auto& spotlight = m_context->spotlight();
    const auto window = spotlight ? spotlight->window : std::nullopt;
    if (std::exchange(m_spotWindow, window) != window && window) { // once: a person may look elsewhere
        m_rangeChosen = true;
        showSpotWindow();
    }
    if (!spotlight) { // the next one is looked for anew, and without one the story is in sight again
        if (m_spotTop && *m_spotTop == verticalScrollBar()->value()) verticalScrollBar()->setValue(0);
        m_spotTop.reset();
    }
    {
        const std::lock_guard lock(m_loader->data()->mutex());
        m_layout.setLit(spotlight ? spotlight->lanes : std::vector<trace::EntityId>());
        layOut();
    }
    sendAway();
    updateGeometries(); // and follows it
    updateAll();
}

/// Before a class, a step that speaks of no copies and no servers shows none: half a lane of theirs at the lower edge
/// tells nothing, and the three truths need the room.
void TimelineView::sendAway() {
    LaneChoice wanted = m_layout.wanted();
    wanted.away.clear();
    if (const auto& spotlight = m_context ? m_context->spotlight() : std::nullopt; m_brief && spotlight) {
        const auto trace = m_context->trace();
        const auto isLit = [&](auto&& is) { return std::ranges::any_of(spotlight->lanes, is); };
        if (!isLit([&](trace::EntityId lane) { return trace->copyOf(lane) != trace::kNoEntity; }))
            wanted.away.insert(LaneKind::Copy);
        if (!isLit([&](trace::EntityId lane) { return trace->entity(lane).kind == trace::EntityKind::Node; }))
            wanted.away.insert(LaneKind::Node);
    }
    if (wanted.away != m_layout.wanted().away) want(std::move(wanted));
}

/// Scrolls to where the spotlight's lanes are in sight, and stays there while lanes come and go and the window changes,
/// until a person scrolls elsewhere.
void TimelineView::followSpotlight() {
    if (!m_context || !m_context->spotlight()) return;
    if (m_spotTop && *m_spotTop != verticalScrollBar()->value()) return;
    if (const auto top = topThatShows(m_context->spotlight()->lanes)) verticalScrollBar()->setValue(*top);
    m_spotTop = verticalScrollBar()->value();
}

/// Where to scroll to for these lanes to be in sight: as little as possible, with no lane cut at the upper edge. Where
/// not all have room, the uppermost are in sight. None: there is no such lane.
std::optional<int> TimelineView::topThatShows(const std::vector<trace::EntityId>& lanes) const {
    const auto& rows = m_layout.rows();
    const auto lit = [&](const TimelineLayout::Row& row) {
        return std::ranges::find(lanes, row.lane->entity) != lanes.end();
    };
    const auto first = std::ranges::find_if(rows, lit);
    if (first == rows.end()) return std::nullopt;
    const auto last = std::find_if(rows.rbegin(), rows.rend(), lit);
    const int least = last->y + last->height - viewport()->height();
    if (least <= 0) return 0;
    const auto caption =
        std::ranges::find(m_layout.sections(), first->y - m_metrics.captionHeight(), &TimelineLayout::Section::y);
    const int most = caption == m_layout.sections().end() ? first->y : caption->y;
    const auto cut = std::ranges::find_if(
        rows, [&](const TimelineLayout::Row& row) { return row.y < least && row.y + row.height > least; });
    const int whole = cut == rows.end() ? least : cut->y + cut->height;
    return std::min(whole, most);
}

bool TimelineView::tighten() {
    const double font = QFontMetricsF(uiFont()).height();
    double tight = 1;
    {
        const std::lock_guard lock(m_loader->data()->mutex());
        // By the usual frame, as a frame that follows the lanes would change the room that they are measured by.
        const TimelineMetrics plain(font);
        const auto heightBy = [this](const TimelineMetrics& metrics) {
            int height = m_layout.heightOfStory(metrics);
            if (m_metrics.density < TimelineMetrics::Density::Lower) return height;
            // Lanes that have no row now would have one: else the answer would change with what it leads to.
            for (const auto& lane : m_loader->data()->lanes())
                if (lane->kind == LaneKind::Session && !lane->folded) height += metrics.laneHeight(*lane);
            return height;
        };
        const int usual = heightBy(plain);
        const double room = height() - frameOf(plain).first - frameOf(plain).second;
        constexpr double kTightest = TimelineMetrics::kTightest;
        const int lowest = heightBy(TimelineMetrics(font, kTightest));
        if (usual > room && lowest <= room && lowest < usual) { // some lanes keep their height
            const double given = kTightest + (1 - kTightest) * (room - lowest) / (usual - lowest);
            tight = std::max(kTightest, std::floor(given * 100) / 100);
        }
    }
    if (tight == m_tight) return false;
    m_tight = tight;
    m_metrics = TimelineMetrics(font, m_tight);
    m_key = {};
    {
        const std::lock_guard lock(m_loader->data()->mutex());
        layOut();
    }
    m_overview->refresh();
    return true;
}

int TimelineView::spareHeight() const {
    const std::lock_guard lock(m_loader->data()->mutex());
    const double font = QFontMetricsF(uiFont()).height();
    TimelineMetrics low(font, TimelineMetrics::kTightest);
    low.density = TimelineMetrics::Density::Low;
    low.lowRecords = true;
    const auto [top, bottom] = frameOf(low);
    return height() - top - bottom - m_layout.heightOfStory(low);
}

void TimelineView::holdBack() {
    const std::lock_guard lock(m_loader->data()->mutex());
    m_loader->data()->setNever(m_context->heldBack().never ? TimelineData::Never::HeldBack : TimelineData::Never::Told);
    m_loader->data()->holdDamageBackFrom(m_context->heldBack().verdictFrom.value_or(Nanos::max()).count());
}

} // namespace lockscope::views
