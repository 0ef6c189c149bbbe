// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/alert_watch.h"
#include "inspect/report_feed.h"
#include "inspect/trace_feed.h"
#include "runtime/runtime.h"
#include "trace/forgetful_recording.h"
#include "trace/recorder.h"
#include "trace/ring_recording.h"

#include <map>

namespace lockscope::cli {

/// Records what a watch sees, for hours, within bounds: in the file of that name, and what was before it in a second
/// one. When the first has half of what may be kept, it takes the second one's place, and a new one begins with the
/// locks as they are then. Killed at any time, the files have all but the last second. Memory holds what is not in a
/// file yet, and the names of all locks and clients of the present file.
class WatchRecording {
public:
    /// Replaces files of these names. An error is a sentence.
    static std::expected<std::unique_ptr<WatchRecording>, QString> start(Runtime& runtime, const QString& path,
                                                                         const trace::RecordingBounds& bounds);
    ~WatchRecording();

    /// Takes note of a report of the server at `endpoint`, as it may be shown. `silentFor`: with trouble, how long the
    /// server has not answered. `forced`: see inspect::ReportFeed; the first one of an endpoint is kept.
    void seen(const QString& endpoint, const inspect::LockReport& report, const std::vector<inspect::LateRenewal>& late,
              Nanos silentFor, const std::function<bool(const QByteArray& lock)>& forced);
    /// Writes the rest. An error is a sentence.
    std::expected<void, QString> finish();

private:
    struct Server;
    WatchRecording(Runtime& runtime, QString path, const trace::RecordingBounds& bounds);
    std::expected<void, QString> begin();
    Server& serverAt(const QString& endpoint, const std::function<bool(const QByteArray& lock)>& forced);

    Runtime& m_runtime;
    QString m_path;
    trace::RecordingBounds m_bounds;
    trace::HalfFull m_isHalfFull;
    Nanos m_origin{}; ///< of the present file's trace, by the runtime's clock
    std::shared_ptr<trace::Trace> m_trace;
    std::unique_ptr<trace::Recorder> m_recorder;
    std::map<QString, std::unique_ptr<Server>> m_servers; ///< by endpoint
    std::unique_ptr<trace::ForgetfulRecording> m_recording;
    bool m_failed = false; ///< the next file could not be begun; said once
};

} // namespace lockscope::cli
