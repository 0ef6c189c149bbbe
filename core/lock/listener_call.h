// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/warning.h"

#include <exception>
#include <utility>

namespace lockscope::detail {

/// Calls a program's listener, which must not throw. What one throws all the same is told as a warning, and keeps
/// neither other listeners nor the library from what they have to do.
template <typename Listener, typename... Arguments>
void callListener(const Listener& listener, Arguments&&... arguments) noexcept {
    try {
        listener(std::forward<Arguments>(arguments)...);
    } catch (const std::exception& thrown) {
        warn(QStringLiteral("a listener threw “%1”; it must not throw.").arg(QString::fromUtf8(thrown.what())));
    } catch (...) {
        warn(QStringLiteral("a listener threw something; it must not throw."));
    }
}

} // namespace lockscope::detail
