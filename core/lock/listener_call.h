// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/warning.h"

#include <exception>
#include <utility>

namespace lockscope::detail {

/// Calls a program's listener, which must not throw. If it does, the exception is reported as a warning; other
/// listeners are still called and the library continues.
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
