// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "trace/recording.h"

namespace lockscope::app {

/// Records the session that is open into a file, from its beginning and for as long as it goes on. Writing happens on a
/// thread of its own; killed at any time, the file holds all but the last second.
class SessionRecorder : public QObject {
    Q_OBJECT
public:
    /// `open` gives the session that is open, or nullptr; the context tells when it is another one.
    SessionRecorder(views::ViewContext* context, std::function<session::Session*()> open, QObject* parent = nullptr);
    ~SessionRecorder() override;

    /// Replaces a file of that name. False when it cannot be written; failed() says why.
    bool start(const QString& path);
    /// Writes the rest. Does nothing when not recording.
    void stop();
    bool isRecording() const { return m_recording != nullptr; }
    QString path() const { return m_path; }

Q_SIGNALS:
    void changed(bool recording);
    /// The session's trace became too long, so the recording goes on in this file.
    void wentOn(QString path);
    /// The file is whole.
    void finished(QString path);
    void failed(QString message);

private:
    bool begin();
    /// The trace goes on in another one: so does the recording, in a file beside this one.
    bool beginNext();
    std::vector<trace::RecordedViolation> violations() const;

    std::function<session::Session*()> m_open;
    QPointer<session::Session> m_session;
    std::shared_ptr<const trace::Trace> m_trace;
    std::unique_ptr<trace::BackgroundRecording> m_recording;
    QString m_path;
};

} // namespace lockscope::app
