// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/window_keeper.h"

#include "timeline/timeline_view.h"
#include "transport/player.h"
#include "window/editor_desk.h"
#include "window/exporter.h"
#include "window/language.h"
#include "window/lesson_desk.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/presenter.h"
#include "window/session_recorder.h"
#include "window/settings.h"
#include "window/sharer.h"
#include "window/work_area.h"

namespace lockscope::app {

namespace {
/// Null before the first session.
views::TimelineView* timelineOf(const MainWindow& window) {
    return window.work() ? window.work()->timeline()->findChild<views::TimelineView*>() : nullptr;
}
} // namespace

WindowKeeper::WindowKeeper(Settings* settings) : m_settings(settings) {
    // Queued: the menu whose action asked for it must be gone from the stack before the window goes.
    connect(
        settings, &Settings::languageChanged, this, [this] { rebuild(); }, Qt::QueuedConnection);
    make();
}

WindowKeeper::~WindowKeeper() = default;

void WindowKeeper::make() {
    speak(resolvedLanguage(m_settings->language()));
    m_window = std::make_unique<MainWindow>(m_settings);
}

void WindowKeeper::rebuild() {
    // The window would take along what it writes. The exporter goes with it, and this connection with the exporter.
    if (const Exporter* const exporter = m_window->sharer()->exporter(); exporter->isBusy()) {
        connect(exporter, &Exporter::finished, this, &WindowKeeper::rebuild,
                Qt::ConnectionType(Qt::QueuedConnection | Qt::UniqueConnection));
        return m_window->messages()->sayUntilNext(tr("The language changes as soon as the file is written."));
    }
    const Nanos playhead = m_window->context()->playhead();
    const Nanos furthest = m_window->context()->furthest();
    const bool ahead = m_window->context()->unseenFrom().has_value();
    const bool playing = m_window->player()->isPlaying();
    const double speed = m_window->player()->speed();
    const bool shown = m_window->isVisible();
    const QString recording = m_window->recorder()->isRecording() ? m_window->recorder()->path() : QString();
    std::optional<views::TimelineView::Sight> sight;
    if (const auto* timeline = timelineOf(*m_window)) sight = timeline->sight();
    const bool presenting = m_window->presenter()->isOn();
    const views::LessonGuide::Place lesson = m_window->lessons()->guide()->place();
    const EditorDesk::Place editors = EditorDesk::of(m_window.get())->leave();
    std::unique_ptr<session::Session> session = m_window->releaseSession();
    m_window->close();
    make();
    if (session) {
        m_window->setSession(std::move(session), false);
        if (ahead) m_window->context()->setLookAhead(m_window->context()->trace()->reached());
        m_window->context()->setPlayhead(furthest); // what had been seen is no secret
        m_window->lessons()->restore(lesson);
        m_window->player()->setSpeed(speed);
        if (auto* timeline = timelineOf(*m_window); timeline && sight) timeline->setSight(*sight);
        if (playing) {
            m_window->context()->setPlayhead(playhead);
            m_window->player()->play();
        } else { // nor does a live session that was looked back at follow its time again
            m_window->player()->pause();
            m_window->context()->setPlayhead(playhead);
        }
        m_window->presenter()->setOn(presenting);
        if (!recording.isEmpty()) m_window->recorder()->start(recording); // from the beginning again, as it does
    }
    if (shown) m_window->show();
    EditorDesk::of(m_window.get())->restore(editors);
}

} // namespace lockscope::app
