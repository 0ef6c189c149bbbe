// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <functional>
#include <string>

namespace lockscope {

/// Sets the process's handler for problems that no caller and no listener of a lock gets, one sentence each: a hold
/// that could not be given back in the background, a listener that threw, a thread that ended while it held a lock. The
/// handler is called on any thread and must not throw. Without a handler, or with nullptr, the sentence goes to stderr
/// (by qWarning, so a handler set with qInstallMessageHandler gets it). Thread-safe.
void onWarning(std::function<void(const std::string& sentence)> handler);

namespace detail {
/// Reports a problem to that handler, or on stderr.
void warn(const QString& sentence) noexcept;
} // namespace detail

} // namespace lockscope
