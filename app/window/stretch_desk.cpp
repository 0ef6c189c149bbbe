// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/stretch_desk.h"

#include "events/what_changed_dialog.h"
#include "experiment/replay.h"
#include "scenario/scenario_file.h"
#include "timeline/timeline_view.h"
#include "window/action_registry.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/save_dialog.h"
#include "window/work_area.h"

#include <QFileDialog>

namespace lockscope::app {

StretchDesk::StretchDesk(MainWindow* window)
    : QObject(window), m_window(window), m_openReplay(new QAction(tr("Open it"), this)) {
    m_openReplay->setToolTip(tr("Open it"));
    connect(m_openReplay, &QAction::triggered, this, [this] { m_window->openFile(m_written); });
}

StretchDesk::~StretchDesk() = default;

QAction* StretchDesk::makeReplayAction(ActionRegistry* registry) {
    m_replay = registry->add("stretch.replay", tr("File"), tr("Make a sc&enario of what happened…"),
                             {Qt::CTRL | Qt::ALT | Qt::Key_R}, [this] { askForReplay(); });
    m_replay->setToolTip(tr("The measured stretch, or all of it, for the simulator: what if the lease were longer?"));
    connect(m_window->context(), &views::ViewContext::sessionChanged, this, &StretchDesk::refresh);
    refresh();
    return m_replay;
}

QAction* StretchDesk::makeChangesAction(ActionRegistry* registry) {
    m_changes = registry->add("stretch.changes", tr("View"), tr("&What changed…"), {Qt::CTRL | Qt::ALT | Qt::Key_W},
                              [this] { showChanges(); });
    m_changes->setToolTip(tr("From the beginning of the measured stretch to its end, or from the playhead until now"));
    refresh();
    return m_changes;
}

void StretchDesk::refresh() {
    for (QAction* action : {m_replay, m_changes})
        if (action) action->setEnabled(m_window->context()->session() != nullptr);
}

std::pair<Nanos, Nanos> StretchDesk::stretch() const {
    const auto* const timeline = m_window->work()->timeline()->findChild<views::TimelineView*>();
    if (const auto measured = timeline->measured(); measured && measured->first != measured->second)
        return std::minmax({measured->first, measured->second});
    return {Nanos(0), m_window->context()->trace()->reached()};
}

void StretchDesk::askForReplay() {
    if (!m_window->context()->session()) return;
    QFileDialog* const dialog = makeSaveDialog(m_window, {.title = tr("Save as a scenario that repeats what happened"),
                                                          .filters = {tr("Scenarios (*.json)")},
                                                          .suffix = QStringLiteral("json"),
                                                          .name = QStringLiteral("replay.json")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        if (m_window->context()->session()) writeReplay(path);
    });
    dialog->open();
}

void StretchDesk::writeReplay(const QString& path) {
    const auto [from, to] = stretch();
    // A growing trace is read without locks.
    const auto write = [path, from = from, to = to, trace = m_window->context()->trace(),
                        meta = m_window->context()->session()->recordingMeta()] {
        const auto replay = experiment::replayOf(*trace, meta, from, to);
        QString error = replay ? QString() : replay.error();
        if (replay)
            if (const auto saved = scenario::saveScenario(replay->scenario, path); !saved) error = saved.error();
        return std::pair(error, replay ? replay->notes : QStringList());
    };
    m_thread.run(write,
                 [this, path](const std::pair<QString, QStringList>& done) { end(path, done.first, done.second); });
}

void StretchDesk::end(const QString& path, const QString& error, const QStringList& notes) {
    if (error.isEmpty()) {
        m_written = path;
        const QStringList words = QStringList{tr("Saved %1.").arg(path)} + notes;
        m_window->messages()->offer(words.join(QLatin1Char(' ')), m_openReplay);
    } else {
        m_window->complain(error);
    }
    Q_EMIT replayed(path, error);
}

void StretchDesk::showChanges() {
    const views::ViewContext* const context = m_window->context();
    if (!context->session()) return;
    auto [from, to] = stretch();
    const auto* const timeline = m_window->work()->timeline()->findChild<views::TimelineView*>();
    if (!timeline->measured()) from = std::min(context->playhead(), to);
    constexpr Nanos kAhead = 500ms; // a run that plays is computed a little ahead of its playhead
    if (from >= to || (!timeline->measured() && to - from < kAhead))
        return m_window->messages()->say(
            tr("There are no two instants to compare: drag over the timeline with Shift to measure a "
               "stretch, or move the playhead back."));
    auto* dialog = new views::WhatChangedDialog(m_window->context(), from, to, m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show();
}

} // namespace lockscope::app
