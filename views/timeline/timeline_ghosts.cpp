// SPDX-License-Identifier: GPL-3.0-or-later
// The runs that were replaced, behind the present one; each can become the run again.
#include "models/course_words.h"
#include "timeline/timeline_view.h"

#include <QAction>
#include <QMenu>

namespace lockscope::views {
namespace {

/// The session that can have a former run again; nullptr: it cannot.
session::Planning* planningOf(const ViewContext* context) {
    return session::Planning::of(context ? context->session() : nullptr);
}

} // namespace

void TimelineView::showGhost(session::Rewrite, Nanos from) {
    if (m_former) m_formerRuns.remember(std::move(m_former), from.count());
    m_former = nullptr;
    ghostsChanged();
}

void TimelineView::keepGhosts(Nanos from) {
    m_formerRuns.part(from.count());
    m_former = nullptr; // as far as it was seen, it goes on
    ghostsChanged();
}

void TimelineView::ghostsChanged() {
    const session::Planning* const planning = planningOf(m_context);
    const auto now = planning ? planning->courseOf(*m_context->trace()) : std::nullopt;
    if (now) {
        m_formerRuns.forget([&](const GhostRun& ghost) {
            const auto former = planning->courseOf(ghost.data->trace());
            return former && former->sameRun(*now);
        });
    }
    const bool some = std::ranges::any_of(formerRuns(), [this](const GhostRun& ghost) { //
        return !ghostWords(ghost).isEmpty();
    });
    for (const char* id : {"timeline.ghost-run", "timeline.ghost-list"})
        if (auto* const action = findChild<QAction*>(QLatin1String(id))) action->setEnabled(some);
    viewport()->update();
}

void TimelineView::setGhostShown(bool shown) {
    m_ghostShown = shown;
    viewport()->update();
}

void TimelineView::showOlderGhost() {
    m_formerRuns.showOlder();
    viewport()->update();
}

void TimelineView::runGhostAgain() {
    const GhostRun ghost = m_formerRuns.shown(); // kept while the run is replaced
    session::Planning* const planning = planningOf(m_context);
    if (ghost.data && planning) planning->runAgain(ghost.data->trace());
}

QString TimelineView::ghostWords(const GhostRun& ghost) const {
    const session::Planning* const planning = planningOf(m_context);
    const auto former = planning ? planning->courseOf(ghost.data->trace()) : std::nullopt;
    const auto now = planning ? planning->courseOf(*m_context->trace()) : std::nullopt;
    return former && now ? courseText(*former, *now) : QString();
}

void TimelineView::fillGhostList(QMenu& menu) {
    const std::vector<GhostRun>& runs = formerRuns();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const QString words = ghostWords(runs[i]);
        if (words.isEmpty()) continue;
        //: In the list of runs before changes in their past: %1 how many changes ago, %2 what was different.
        auto* const action = menu.addAction(tr("−%1 · %2").arg(runs[i].changesAgo).arg(words));
        action->setCheckable(true);
        action->setChecked(runs[i].data == m_formerRuns.shown().data);
        const auto show = [this, data = runs[i].data] {
            const auto found = std::ranges::find(formerRuns(), data, &GhostRun::data);
            m_formerRuns.show(std::size_t(found - formerRuns().begin()));
            viewport()->update();
        };
        connect(action, &QAction::hovered, this, show);
        connect(action, &QAction::triggered, this, [this, show] {
            show();
            runGhostAgain();
        });
    }
}

void TimelineView::fillGhostMenu(QMenu& menu) {
    const GhostRun ghost = m_formerRuns.shown();
    const QString words = ghost.data ? ghostWords(ghost) : QString();
    if (words.isEmpty()) return;
    if (!menu.isEmpty()) menu.addSeparator();
    //: In a lane's menu; %1 is how the earlier run differs: "without Pause A at 3.0 s", "with seed 7".
    auto* const again = menu.addAction(tr("Back to the run %1").arg(words));
    again->setObjectName(QStringLiteral("ghost.run"));
    connect(again, &QAction::triggered, this, &TimelineView::runGhostAgain);
    if (formerRuns().size() > 1) {
        auto* const list = menu.addMenu(tr("Earlier runs"));
        fillGhostList(*list);
    }
}

void TimelineView::listGhosts() {
    auto* const menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("timeline.ghosts"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillGhostList(*menu);
    if (menu->isEmpty()) return delete menu;
    menu->popup(viewport()->mapToGlobal(QPoint(m_metrics.labelWidth(), m_metrics.captionHeight())));
    menu->setActiveAction(menu->actions().front());
}

} // namespace lockscope::views
