// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/session_recorder.h"

#include "session/trace_joint.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <utility>

namespace lockscope::app {

SessionRecorder::SessionRecorder(views::ViewContext* context, std::function<session::Session*()> open, QObject* parent)
    : QObject(parent), m_open(std::move(open)) {
    connect(context, &views::ViewContext::sessionChanged, this, [this] {
        if (!isRecording()) return;
        session::Session* const session = m_open();
        if (!session || session != m_session) return stop();
        // A change in the past made another future: the file is of the world as it is now.
        if (session->trace() == m_trace) return;
        if (!(session::rowAfter(m_trace, session) ? beginNext() : begin())) Q_EMIT changed(false);
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

bool SessionRecorder::beginNext() {
    const trace::RecordingMeta last = m_session->recordingMeta();
    const auto done = std::exchange(m_recording, nullptr)->finish(&last);
    if (!done) Q_EMIT failed(done.error().message);
    static const QRegularExpression kNumber(QStringLiteral("-\\d+$"));
    const QFileInfo before(m_path);
    const QString stem = before.completeBaseName().remove(kNumber);
    for (int number = 2; QFile::exists(m_path); ++number)
        m_path = before.dir().filePath(QStringLiteral("%1-%2.%3").arg(stem).arg(number).arg(before.suffix()));
    const bool begun = begin();
    if (begun) Q_EMIT wentOn(m_path);
    return begun;
}

bool SessionRecorder::begin() {
    m_recording.reset();
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
