// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <functional>
#include <string>

namespace lockscope {

/// Sets who hears, in one sentence, of a problem that no caller and no listener of a lock hears of: a hold that could
/// not be given back in the background, a listener that threw, a thread that ended while it held a lock. For the whole
/// process; called on any thread, and it must not throw. Without one, or after nullptr, the sentence goes to stderr (by
/// qWarning: a handler set by qInstallMessageHandler gets it). Thread-safe.
void onWarning(std::function<void(const std::string& sentence)> handler);

namespace detail {
/// Tells a problem to that handler, or on stderr.
void warn(const QString& sentence) noexcept;
} // namespace detail

} // namespace lockscope
