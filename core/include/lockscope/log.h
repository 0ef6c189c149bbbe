// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/detail/standard.h>

#include <cstdint>
#include <functional>
#include <string_view>

namespace lockscope {

/// How much a line of the log matters.
enum class LogLevel : std::uint8_t {
    Debug,   ///< every grant, renewal and release
    Info,    ///< what changes for a holder: suspended, kept, lost
    Warning, ///< a problem that no call and no listener reports: a hold that could not be given back in the background,
             ///< a listener that threw
};

/// Called for each line, on any thread of the library or of the program. It must not throw, and must not call the
/// library. `text` is a sentence in UTF-8, without a line break, never with a password; it is valid during the call.
using LogHandler = std::function<void(LogLevel level, std::string_view text)>;

/// Sets the process's log handler, which gets everything from `least` on; replaces the one before. While there is one,
/// the library writes nothing to stderr. nullptr: no handler; then warnings go to stderr, and nothing else anywhere.
/// Thread-safe; a handler that was replaced may still be running when this returns.
///
/// In a program with a QCoreApplication, warnings without a handler go to Qt's message handler.
void setLogHandler(LogHandler handler, LogLevel least = LogLevel::Info);

} // namespace lockscope
