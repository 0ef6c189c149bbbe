// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <lockscope/log.h>

namespace lockscope::detail {

/// Whether a line of that level would reach anybody: ask before building one.
bool logs(LogLevel level) noexcept;
/// Writes a line to the log handler; without one, warnings go to stderr (by qWarning).
void log(LogLevel level, const QString& sentence) noexcept;
/// Reports a problem that no caller and no listener of a lock gets.
inline void warn(const QString& sentence) noexcept {
    log(LogLevel::Warning, sentence);
}
/// Sends Qt's own messages to the log handler, if there is one. Only for programs whose application object the library
/// made: others have a message handler, or none, of their own.
void adoptQtMessages();

} // namespace lockscope::detail
