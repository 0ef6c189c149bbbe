// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/history.h"

#include "lock/lock_exception.h"
#include "trace/recording.h"

#include <QDateTime>
#include <lockscope/history.h>

namespace lockscope::blocking::detail {

std::unique_ptr<trace::Recorder> recorderFor(Runtime& runtime, const std::shared_ptr<trace::Trace>& trace) {
    if (!trace) return nullptr;
    const auto since = std::chrono::floor<std::chrono::milliseconds>(runtime.monotonic());
    trace->setOriginWallMs(QDateTime::currentMSecsSinceEpoch() - since.count());
    return std::make_unique<trace::Recorder>(trace, [&runtime] { return runtime.monotonic(); });
}

} // namespace lockscope::blocking::detail

namespace lockscope::blocking {

History::History() : m_trace(std::make_shared<trace::Trace>()) {
}

std::size_t History::size() const {
    return m_trace->size();
}

void History::save(const std::string& path) const {
    trace::RecordingMeta meta;
    meta.origin = QStringLiteral("library");
    const auto saved = trace::saveRecording(QString::fromStdString(path), m_trace, meta);
    if (!saved) throwLockError({LockError::Kind::Refused, saved.error().message});
}

} // namespace lockscope::blocking
