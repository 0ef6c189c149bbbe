// SPDX-License-Identifier: Apache-2.0
#include "lock/warning.h"

#include "trace/text.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace lockscope {

namespace {
struct Current {
    std::mutex guard; ///< of `handler`
    std::shared_ptr<const LogHandler> handler;
    /// The lowest level that is logged; without a handler only warnings are.
    std::atomic<LogLevel> least = LogLevel::Warning;

    /// Never destroyed: threads may warn while the program ends.
    static Current& get() {
        static auto* const current = new Current;
        return *current;
    }
    static std::shared_ptr<const LogHandler> handlerNow() {
        Current& current = get();
        const std::lock_guard held(current.guard);
        return current.handler;
    }
};

/// Any thread; true when there was a handler.
bool toHandler(LogLevel level, const std::string& text) noexcept {
    const auto handler = Current::handlerNow();
    if (!handler) return false;
    if (level < Current::get().least) return true;
    try {
        (*handler)(level, text);
    } catch (...) { // it must not; there is nobody else to tell
    }
    return true;
}

QtMessageHandler s_before = nullptr; ///< set once, before other threads use Qt

void qtMessage(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    const bool serious = type == QtWarningMsg || type == QtCriticalMsg || type == QtFatalMsg;
    if (toHandler(serious ? LogLevel::Warning : LogLevel::Debug, text.toStdString())) return;
    if (s_before) s_before(type, context, text);
}
} // namespace

void setLogHandler(LogHandler handler, LogLevel least) {
    Current& current = Current::get();
    const bool any = bool(handler);
    auto next = any ? std::make_shared<const LogHandler>(std::move(handler)) : nullptr;
    const std::lock_guard held(current.guard);
    current.handler.swap(next);
    current.least = any ? least : LogLevel::Warning;
}

namespace detail {

bool logs(LogLevel level) noexcept {
    return level >= Current::get().least.load(std::memory_order_relaxed);
}

void log(LogLevel level, const QString& sentence) noexcept {
    if (!logs(level)) return;
    // A name with a line break would look like a line of the log.
    const QString line = trace::readableSentence(sentence.toUtf8());
    if (toHandler(level, line.toStdString()) || level < LogLevel::Warning) return;
    qWarning("Lockscope: %s", qUtf8Printable(line));
}

void adoptQtMessages() {
    static std::once_flag once;
    std::call_once(once, [] { s_before = qInstallMessageHandler(qtMessage); });
}

} // namespace detail

} // namespace lockscope
