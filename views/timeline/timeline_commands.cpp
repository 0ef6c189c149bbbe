// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of a TimelineView: menus and the finder show them, and each has a key.
#include "timeline/lane_filter.h"
#include "timeline/timeline_accessible.h"
#include "timeline/timeline_view.h"

#include <QAction>

namespace lockscope::views {

void TimelineView::addCommands() {
    auto* follow = new QAction(tr("Keep the playhead in sight"), this);
    follow->setObjectName(QStringLiteral("timeline.follow"));
    follow->setShortcut(Qt::Key_T);
    follow->setCheckable(true);
    follow->setChecked(m_zoom->isFollowing());
    connect(follow, &QAction::triggered, this, &TimelineView::setFollowing);
    connect(m_zoom, &TimelineZoom::followingChanged, follow, &QAction::setChecked);
    addAction(follow);
    auto* ghost = new QAction(tr("Show the run before the last change"), this);
    ghost->setObjectName(QStringLiteral("timeline.ghost"));
    ghost->setShortcut(Qt::Key_G);
    ghost->setCheckable(true);
    ghost->setChecked(m_ghostShown);
    connect(ghost, &QAction::toggled, this, &TimelineView::setGhostShown);
    addAction(ghost);
    auto* older = new QAction(tr("Show the run one change earlier"), this);
    older->setObjectName(QStringLiteral("timeline.ghost-older"));
    older->setShortcut(Qt::SHIFT | Qt::Key_G);
    connect(older, &QAction::triggered, this, &TimelineView::showOlderGhost);
    connect(older, &QAction::triggered, ghost, [ghost] { ghost->setChecked(true); });
    addAction(older);
    const auto command = [this](const char* id, const QString& text, const QKeySequence& key,
                                void (TimelineView::*run)()) {
        auto* action = new QAction(text, this);
        action->setObjectName(QLatin1String(id));
        action->setShortcut(key);
        connect(action, &QAction::triggered, this, run);
        addAction(action);
    };
    command("timeline.ghost-run", tr("Back to the run that is drawn faintly"), Qt::ALT | Qt::Key_G,
            &TimelineView::runGhostAgain);
    command("timeline.ghost-list", tr("List the earlier runs"), Qt::CTRL | Qt::ALT | Qt::Key_G,
            &TimelineView::listGhosts);
    auto* actors = new QAction(tr("Only clients that have held the lock"), this);
    actors->setObjectName(QStringLiteral("timeline.actors"));
    actors->setShortcut(Qt::SHIFT | Qt::Key_T);
    actors->setCheckable(true);
    connect(actors, &QAction::toggled, this, [this](bool only) {
        LaneChoice wanted = m_layout.wanted();
        wanted.onlyActors = only;
        want(std::move(wanted));
    });
    addAction(actors);
    auto* links = new QAction(tr("All links, also those with nothing wrong"), this);
    links->setObjectName(QStringLiteral("timeline.links"));
    links->setShortcut(Qt::SHIFT | Qt::Key_A);
    links->setCheckable(true);
    connect(links, &QAction::toggled, this, [this](bool all) {
        LaneChoice wanted = m_layout.wanted();
        wanted.allLinks = all;
        want(std::move(wanted));
    });
    addAction(links);
    auto* measure = new QAction(tr("Measure from the playhead"), this);
    measure->setObjectName(QStringLiteral("timeline.measure"));
    measure->setShortcut(Qt::Key_M);
    connect(measure, &QAction::triggered, this, &TimelineView::measureFromPlayhead);
    addAction(measure);
    command("timeline.fold", tr("Fold or unfold a section of lanes"), Qt::Key_O, &TimelineView::foldOrUnfold);
    command("timeline.pin", tr("Pin the lock's lane in sight, or unpin it"), Qt::SHIFT | Qt::Key_O,
            &TimelineView::togglePin);
    command("timeline.filter", tr("Filter lanes by a text"), Qt::CTRL | Qt::ALT | Qt::Key_F, &TimelineView::openFilter);
    command("timeline.zoom-in", tr("Zoom in"), Qt::Key_Plus, &TimelineView::zoomIn);
    command("timeline.zoom-out", tr("Zoom out"), Qt::Key_Minus, &TimelineView::zoomOut);
    command("timeline.zoom-fit", tr("Zoom to everything"), Qt::Key_0, &TimelineView::fit);
    for (QAction* action : actions())
        action->setProperty("group", tr("Timeline"));
    ghostsChanged();
    connect(m_filter, &LaneFilter::textChanged, this, [this](const QString& text) {
        LaneChoice wanted = m_layout.wanted();
        wanted.text = text.trimmed();
        want(std::move(wanted));
    });
    connect(m_filter, &LaneFilter::closed, this, &TimelineView::closeFilter);
    connect(m_filter, &LaneFilter::done, this, &TimelineView::takeKeyboard);
}

void TimelineView::toggleSection(LaneKind section) {
    LaneChoice wanted = m_layout.wanted();
    const bool unfolds = wanted.folded.erase(section) > 0;
    if (!unfolds) wanted.folded.insert(section);
    m_foldedLast = unfolds ? std::nullopt : std::optional(section);
    want(std::move(wanted));
    announceTimelineStory(this);
}

void TimelineView::setPinned(trace::EntityId lock, bool pinned) {
    LaneChoice wanted = m_layout.wanted();
    if (pinned)
        wanted.pinned.insert(lock);
    else
        wanted.pinned.erase(lock);
    if (wanted == m_layout.wanted()) return;
    want(std::move(wanted));
    announceTimelineStory(this);
}

void TimelineView::togglePin() {
    const trace::EntityId lock = m_context ? m_context->focusedLock() : trace::kNoEntity;
    if (lock != trace::kNoEntity) setPinned(lock, !isPinned(lock));
}

void TimelineView::foldOrUnfold() {
    if (m_focusRow >= 0 && m_focusRow < int(m_layout.rows().size()))
        return toggleSection(m_layout.sectionOfRow(m_focusRow));
    const std::set<LaneKind>& folded = m_layout.wanted().folded;
    if (folded.empty()) return;
    const LaneKind section = m_foldedLast && folded.contains(*m_foldedLast) ? *m_foldedLast : *folded.begin();
    toggleSection(section);
    // The frame comes back to where it was lost.
    for (int row = 0; row < int(m_layout.rows().size()); ++row)
        if (m_layout.sectionOfRow(row) == section) return setFocusRow(row);
}

QString TimelineView::foldedWords() const {
    QStringList words;
    for (const TimelineLayout::Section& section : m_layout.sections())
        if (section.away.folded > 0) words += sectionCaption(section.kind, section.away) + u'.';
    return words.join(u' ');
}

void TimelineView::openFilter() {
    m_filter->show();
    m_filter->raise();
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void TimelineView::closeFilter() {
    m_filter->clear();
    m_filter->hide();
    takeKeyboard();
}

} // namespace lockscope::views
