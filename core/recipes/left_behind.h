// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <QByteArray>
#include <map>
#include <qcoro/qcorotask.h>

namespace lockscope::recipes {

/// Holds that requests of this client may have made and that it could not undo, because the server did not answer.
/// Nobody uses them, but they block everybody until their leases end, this client first. They are undone before its
/// next request.
class LeftBehind {
public:
    /// `value` identifies the hold on the server; `until`, own monotonic clock: when it has ended by itself.
    void note(const QByteArray& value, Nanos until) { m_values[value] = until; }
    bool empty() const { return m_values.empty(); }
    /// Calls `undo` with each hold that may still exist; `undo` returns whether the server answered, and may be
    /// stopped. This object must outlive the call.
    template <typename Undo>
    QCoro::Task<> undoWith(Runtime& runtime, Undo undo) {
        const std::map<QByteArray, Nanos> values = m_values; // others may note more meanwhile
        for (const auto& [value, until] : values) {
            bool gone = runtime.monotonic() >= until;
            if (!gone) gone = co_await undo(value);
            if (gone) m_values.erase(value);
        }
    }

private:
    std::map<QByteArray, Nanos> m_values;
};

} // namespace lockscope::recipes
