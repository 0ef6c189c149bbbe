// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/recording_gauge.h"

#include "models/lock_facts.h"
#include "theme/format.h"
#include "transport/transport_bar.h"
#include "window/background_keeper.h"
#include "window/main_window.h"
#include "window/session_recorder.h"

#include <QFileInfo>

namespace lockscope::app {
namespace {

constexpr auto kPace = 1s;

/// "84 MB"; "0.4 MB" as long as there is little.
QString megabytes(std::int64_t bytes) {
    const double mb = double(bytes) / 1e6;
    return RecordingGauge::tr("%1 MB").arg(mb, 0, 'f', mb < 10 ? 1 : 0);
}

} // namespace

RecordingGauge::RecordingGauge(MainWindow* window, BackgroundKeeper* keeper)
    : QObject(window), m_window(window), m_keeper(keeper) {
    m_pace.setInterval(kPace);
    connect(&m_pace, &QTimer::timeout, this, &RecordingGauge::refresh);
    connect(window->context(), &views::ViewContext::sessionChanged, this, &RecordingGauge::refresh,
            Qt::QueuedConnection); // the keeper begins by then
    connect(window->recorder(), &SessionRecorder::changed, this, &RecordingGauge::refresh);
    connect(window->transport(), &views::TransportBar::recordingActivated, keeper, [keeper] {
        if (keeper->isKeeping()) keeper->askToSave();
    });
}

void RecordingGauge::refresh() {
    const session::Session* const session = m_window->session();
    const bool live = session && session->abilities().live;
    const auto kept = live ? m_keeper->kept() : std::nullopt;
    const bool toFile = m_window->recorder()->isRecording();
    if (live || toFile)
        m_pace.start();
    else
        m_pace.stop();
    QString text, tip;
    if (kept) {
        const QString span = views::roundDuration(std::chrono::floor<std::chrono::seconds>(kept->span));
        //: How much of what is watched is on disk: %1 a length of time, %2 and %3 sizes.
        text =
            tr("Recording · %1 · %2 of %3").arg(span, megabytes(kept->bytes), megabytes(BackgroundKeeper::mostBytes()));
        tip = tr("The last hour of what is watched is kept on disk until the session is closed. Click to save it.");
    }
    if (toFile) {
        const QString file = QFileInfo(m_window->recorder()->path()).fileName();
        text = kept ? text : tr("Recording to %1").arg(file);
        tip = tr("Recording to %1 until you stop it.").arg(file) + (tip.isEmpty() ? QString() : u'\n' + tip);
    }
    m_window->transport()->setRecording(text, tip);
}

} // namespace lockscope::app
