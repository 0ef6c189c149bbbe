// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/session_recorder.h"

namespace lockscope::app {

SessionRecorder::SessionRecorder(views::ViewContext* context, std::function<session::Session*()> open, QObject* parent)
    : QObject(parent), m_open(std::move(open)) {
    connect(context, &views::ViewContext::sessionChanged, this, [this] {
        if (!isRecording()) return;
        session::Session* const session = m_open();
        if (!session || session != m_session) return stop();
        // A change in the past made another future: the file is of the world as it is now.
        if (session->trace() == m_trace) return;
        m_recording.reset();
        if (!begin()) Q_EMIT changed(false);
    });
}

SessionRecorder::~SessionRecorder() {
    stop();
}

bool SessionRecorder::start(const QString& path) {
    stop();
    m_path = path;
    m_session = m_open();
    if (!m_session || !begin()) return false;
    Q_EMIT changed(true);
    return true;
}

bool SessionRecorder::begin() {
    m_trace = m_session->trace();
    auto started = trace::BackgroundRecording::start(
        m_path, m_trace, m_session->recordingMeta(), [this](const trace::RecordingError& error) {
            // Called on the recording thread.
            QMetaObject::invokeMethod(
                this, [this, message = error.message] { Q_EMIT failed(message); }, Qt::QueuedConnection);
        });
    if (!started) {
        Q_EMIT failed(started.error().message);
        return false;
    }
    m_recording = std::move(*started);
    return true;
}

void SessionRecorder::stop() {
    if (!m_recording) return;
    const trace::RecordingMeta last = m_session ? m_session->recordingMeta() : trace::RecordingMeta();
    const auto done = m_recording->finish(m_session ? &last : nullptr, violations());
    m_recording.reset();
    m_trace.reset();
    m_session.clear();
    if (done)
        Q_EMIT finished(m_path);
    else
        Q_EMIT failed(done.error().message);
    Q_EMIT changed(false);
}

std::vector<trace::RecordedViolation> SessionRecorder::violations() const {
    std::vector<trace::RecordedViolation> rows;
    const session::Session* const session = m_session;
    if (!session || !m_trace) return rows;
    for (const verdict::Violation& violation : session->verdict()->violations) {
        trace::RecordedViolation row;
        row.invariant = verdict::invariantId(violation.invariant);
        row.lock = violation.lock;
        row.from = violation.from;
        row.to = violation.to;
        QStringList actors;
        for (const trace::EntityId actor : violation.actors)
            actors << m_trace->displayName(actor);
        row.actors = actors.join(QStringLiteral(", "));
        row.explanation = verdict::explain(violation, *m_trace);
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace lockscope::app
