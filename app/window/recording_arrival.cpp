// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/recording_arrival.h"

#include "theme/format.h"
#include "transport/player.h"
#include "window/action_registry.h"
#include "window/main_window.h"
#include "window/message_bar.h"

namespace lockscope::app {

RecordingArrival::RecordingArrival(MainWindow* window) : QObject(window), m_window(window) {
    // Names may be hidden: the copy without them, which is what the views show, follows some rows later.
    connect(window->context(), &views::ViewContext::traceGrew, this, &RecordingArrival::arrive);
}

RecordingArrival* RecordingArrival::of(const MainWindow* window) {
    return window->findChild<RecordingArrival*>(QString(), Qt::FindDirectChildrenOnly);
}

void RecordingArrival::follow(const session::RecordingSession* recording) {
    if (m_recording) m_recording->disconnect(this);
    disconnect(m_untilMoved);
    m_recording = recording;
    if (!recording) return;
    connect(recording, &session::Session::scenarioChanged, this, &RecordingArrival::readingBegins);
    connect(recording, &session::RecordingSession::loaded, this, &RecordingArrival::arrive);
}

bool RecordingArrival::isOfServers() const {
    return m_recording->recordingMeta().originWallMs != 0;
}

void RecordingArrival::readingBegins() {
    if (!m_recording || !isOfServers()) return;
    m_window->player()->pause(); // a file that is opened plays, as stories do
    m_window->context()->setPlayhead(Nanos(0));
}

void RecordingArrival::arrive() {
    if (!m_recording || m_recording->isLoading()) return;
    const std::shared_ptr<const trace::Trace> shown = m_window->context()->trace();
    if (shown->size() < m_recording->trace()->size()) return;
    const bool wanted = isOfServers() && m_window->context()->playhead() == Nanos(0) &&
                        !m_window->player()->isPlaying() && shown->reached() > Nanos(0);
    follow(nullptr);
    if (!wanted) return;
    m_window->player()->toEnd();
    MessageBar* const messages = m_window->messages();
    QAction* const start = m_window->registry()->find(QStringLiteral("transport.start"));
    if (messages->kind() == MessageBar::Kind::Problem && !messages->message().isEmpty())
        return; // that the file is damaged
    const QString at = views::instant(*shown, shown->reached());
    if (!start) return;
    const QString said = tr("This recording is shown as it ended, at %1.").arg(at);
    messages->offer(said, start);
    m_untilMoved = connect(m_window->context(), &views::ViewContext::playheadChanged, this, [this, said] {
        disconnect(m_untilMoved);
        if (m_window->messages()->message() == said) m_window->messages()->dismiss(); // it is shown as it was before
    });
}

} // namespace lockscope::app
