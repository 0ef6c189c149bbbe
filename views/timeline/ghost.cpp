// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/ghost.h"

#include <QCoreApplication>
#include <mutex>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

/// "A", "1", "orders": the client, the thread and the lock of a belief. A record has its lock's name and its server's,
/// a resource its own and its lock's.
std::array<QByteArray, 3> namesOf(const trace::Trace& trace, const Lane& lane) {
    return {trace.entity(lane.client).name, trace.entity(lane.entity).name, trace.entity(lane.other).name};
}

/// The words on its bars, for much room and for little.
QStringList wordsOf(const GhostRun& ghost) {
    //: On a client's lane, in the faint picture of the run before something in its past was changed.
    if (ghost.changesAgo == 1) return {Timeline::tr("before the change"), Timeline::tr("before")};
    //: On a client's lane, in the faint picture of a run before several changes in its past.
    return {Timeline::tr("%n changes ago", nullptr, ghost.changesAgo), QStringLiteral("−%1").arg(ghost.changesAgo)};
}

} // namespace

void FormerRuns::part(std::int64_t from) {
    for (GhostRun& older : m_runs)
        older.from = std::min(older.from, from);
}

void FormerRuns::remember(std::shared_ptr<TimelineData> data, std::int64_t from) {
    part(from);
    for (GhostRun& older : m_runs)
        ++older.changesAgo;
    m_runs.insert(m_runs.begin(), GhostRun{std::move(data), from, 1});
    if (m_runs.size() > kKept) m_runs.pop_back();
    m_shown = 0;
}

void FormerRuns::showOlder() {
    m_shown = m_shown + 1 < m_runs.size() ? m_shown + 1 : 0;
}

void FormerRuns::show(std::size_t index) {
    if (index < m_runs.size()) m_shown = index;
}

void FormerRuns::forget(const std::function<bool(const GhostRun&)>& gone) {
    const std::shared_ptr<TimelineData> shown = this->shown().data;
    std::erase_if(m_runs, gone);
    const auto kept = std::ranges::find(m_runs, shown, &GhostRun::data);
    m_shown = kept == m_runs.end() ? 0 : std::size_t(kept - m_runs.begin());
}

const Lane* ghostLane(const GhostRun& ghost, const trace::Trace& trace, const Lane& lane) {
    const auto wanted = namesOf(trace, lane);
    for (const auto& former : ghost.data->lanes())
        if (former->kind == lane.kind && namesOf(ghost.data->trace(), *former) == wanted) return former.get();
    return nullptr;
}

namespace {

/// Words in the first stretch from `from` to `to` that the run's own spans and its client's life, which are drawn
/// above, leave free.
void paintWords(const PaintKit& kit, const GhostRun& ghost, const Lane& lane, std::int64_t from, std::int64_t to,
                const QRectF& r) {
    const auto fits = [&](std::int64_t until) {
        const double left = std::max(r.x(), kit.c.x(from)), right = std::min(r.right(), kit.c.x(until));
        const QRectF room = kit.words(left, right, r);
        return kit.firstFitting(room, wordsOf(ghost), kit.small, Role::TextDim) > room.left();
    };
    // "dead" and "paused" are written there, too.
    static const SpanTrack kNone;
    const SpanTrack &own = lane.spans, &life = lane.life ? lane.life->spans : kNone;
    std::size_t i = own.firstEndingAfter(from), j = life.firstEndingAfter(from);
    while (from < to && (i < own.size() || j < life.size())) {
        const bool isOwn = j == life.size() || (i < own.size() && own[i].from <= life[j].from);
        const Span& span = isOwn ? own[i++] : life[j++];
        if (span.from >= to) break;
        if (span.from > from && fits(span.from)) return;
        from = std::max(from, isOwn ? lane.endOf(span, kit.now) : span.open() ? kit.now : span.to);
    }
    if (from < to) (void)fits(to);
}

/// As faint as a guess: holds of clients, and leases of records.
void paintFormerSpans(const PaintKit& kit, const GhostRun& ghost, const Lane& former, const Lane& lane,
                      const QRectF& bar) {
    const bool belief = former.kind == LaneKind::Belief;
    const Role role = belief ? Role::Holding : Role::Record;
    const std::int64_t now = ghost.data->now();
    former.spans.visit(
        std::max(kit.c.from(), ghost.from), kit.c.to(), kit.pixel * 4, now,
        [&](std::size_t, const Span& span) {
            const bool drawn =
                belief ? span.state != unsigned(BeliefState::Waiting) : span.state == unsigned(RecordState::Held);
            if (!drawn) return;
            const QRectF r = kit.acrossAll(std::max(span.from, ghost.from), former.endOf(span, now), bar, 2);
            kit.box(r, onGround(color(role, 0.10)));
            kit.p.setBrush(Qt::NoBrush);
            kit.p.setPen(QPen(onGround(color(role, 0.55)), 1, Qt::DashLine));
            if (r.width() > 4) kit.p.drawRect(r.adjusted(0.5, 0.5, -0.5, -0.5));
            if (belief || !(span.flags & kRenewedFlag))
                paintWords(kit, ghost, lane, std::max(span.from, ghost.from), former.endOf(span, now), r);
        },
        [](const SpanSum&) {});
}

/// The outlines of diamonds where something was written.
void paintFormerWrites(const PaintKit& kit, const GhostRun& ghost, const Lane& former, const QRectF& bar) {
    const double r = bar.height() / 2 - 2;
    kit.p.setRenderHint(QPainter::Antialiasing, true);
    kit.p.setBrush(Qt::NoBrush);
    former.ticks.visit(
        std::max(kit.c.from(), ghost.from), kit.c.to(), kit.pixel * 4,
        [&](std::size_t, const Tick& tick) {
            const bool damage = tick.kind == unsigned(EffectTick::Stale);
            const QPointF at(kit.c.x(tick.at), bar.center().y());
            kit.p.setPen(QPen(onGround(color(damage ? Role::Violation : Role::Accepted, 0.55)), 1, Qt::DotLine));
            kit.p.drawPolygon(
                QPolygonF{at - QPointF(r, 0), at - QPointF(0, r), at + QPointF(r, 0), at + QPointF(0, r)});
        },
        [](const TickSum&) {});
    kit.p.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace

void paintGhost(const PaintKit& kit, const GhostRun& ghost, const Lane& lane) {
    if (lane.kind != LaneKind::Belief && lane.kind != LaneKind::Record && lane.kind != LaneKind::Effect) return;
    const std::lock_guard lock(ghost.data->mutex());
    const Lane* const former = ghostLane(ghost, kit.trace, lane);
    if (!former) return;
    const QRectF bar = kit.m.bar(lane, 0, kit.c.width()).adjusted(0, 2, 0, -2);
    if (lane.kind == LaneKind::Effect)
        paintFormerWrites(kit, ghost, *former, bar);
    else
        paintFormerSpans(kit, ghost, *former, lane, bar);
}

} // namespace lockscope::views
