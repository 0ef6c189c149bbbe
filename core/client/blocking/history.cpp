// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/history.h"

#include "client/blocking/access.h"
#include "lock/lock_exception.h"
#include "trace/recording.h"

#include <QCoreApplication>
#include <QDateTime>

namespace lockscope::blocking::detail {

HistoryWriter::HistoryWriter(Runtime& runtime, std::shared_ptr<History> history)
    : m_history(std::move(history)), m_recorder(Access::trace(m_history), [&runtime] { return runtime.monotonic(); }) {
}

HistoryWriter::~HistoryWriter() {
    if (m_history->size() == 0) Access::claimed(*m_history) = false; // it could not connect: its program tries again
}

std::expected<std::unique_ptr<HistoryWriter>, LockError> HistoryWriter::make(Runtime& runtime,
                                                                             std::shared_ptr<History> history) {
    if (Access::claimed(*history).exchange(true))
        return std::unexpected(LockError{
            LockError::Kind::Refused,
            QCoreApplication::translate("LockError", "Another client writes this History, or has written it. Give each "
                                                     "client one of its own, or let them share a service thread "
                                                     "(ClientOptions::beside).")});
    const auto since = std::chrono::floor<std::chrono::milliseconds>(runtime.monotonic());
    Access::trace(history)->setOriginWallMs(QDateTime::currentMSecsSinceEpoch() - since.count());
    return std::unique_ptr<HistoryWriter>(new HistoryWriter(runtime, std::move(history)));
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
