// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/ghost.h"

#include <QCoreApplication>
#include <mutex>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

/// "A", "1", "orders": the client, the thread and the lock of a belief.
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

void FormerRuns::remember(std::shared_ptr<TimelineData> data, std::int64_t from) {
    for (GhostRun& older : m_runs) {
        older.from = std::min(older.from, from);
        ++older.changesAgo;
    }
    m_runs.insert(m_runs.begin(), GhostRun{std::move(data), from, 1});
    if (m_runs.size() > kKept) m_runs.pop_back();
    m_shown = 0;
}

void FormerRuns::showOlder() {
    m_shown = m_shown + 1 < m_runs.size() ? m_shown + 1 : 0;
}

const Lane* ghostLane(const GhostRun& ghost, const trace::Trace& trace, const Lane& lane) {
    const auto wanted = namesOf(trace, lane);
    for (const auto& former : ghost.data->lanes())
        if (former->kind == LaneKind::Belief && namesOf(ghost.data->trace(), *former) == wanted) return former.get();
    return nullptr;
}

void paintGhost(const PaintKit& kit, const GhostRun& ghost, const Lane& lane) {
    const std::lock_guard lock(ghost.data->mutex());
    const Lane* const former = ghostLane(ghost, kit.trace, lane);
    if (!former) return;
    const std::int64_t now = ghost.data->now();
    const QRectF bar = kit.m.bar(LaneKind::Belief, 0, kit.c.width()).adjusted(0, 2, 0, -2);
    former->spans.visit(
        std::max(kit.c.from(), ghost.from), kit.c.to(), kit.pixel * 4, now,
        [&](std::size_t, const Span& span) {
            if (span.state == unsigned(BeliefState::Waiting)) return;
            const QRectF r = kit.acrossAll(std::max(span.from, ghost.from), former->endOf(span, now), bar, 2);
            kit.box(r, onGround(color(Role::Holding, 0.10)));
            kit.p.setBrush(Qt::NoBrush);
            kit.p.setPen(QPen(onGround(color(Role::Holding, 0.55)), 1, Qt::DashLine));
            if (r.width() > 4) kit.p.drawRect(r.adjusted(0.5, 0.5, -0.5, -0.5));
            kit.firstFitting(kit.words(r.x(), r.right(), r), wordsOf(ghost), kit.small, Role::TextDim);
        },
        [](const SpanSum&) {});
}

} // namespace lockscope::views
