// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QtGlobal>
#include <exception>
#include <utility>

namespace lockscope::detail {

/// Calls a program's listener, which must not throw. What one throws all the same is reported on stderr, and keeps
/// neither other listeners nor the library from what they have to do.
template <typename Listener, typename... Arguments>
void callListener(const Listener& listener, Arguments&&... arguments) noexcept {
    try {
        listener(std::forward<Arguments>(arguments)...);
    } catch (const std::exception& thrown) {
        qWarning("Lockscope: a listener threw “%s”; it must not throw.", thrown.what());
    } catch (...) {
        qWarning("Lockscope: a listener threw something; it must not throw.");
    }
}

} // namespace lockscope::detail
