// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <QByteArray>
#include <map>
#include <qcoro/qcorotask.h>

namespace lockscope::recipes {

/// Holds that a request of ours may have made, whose undoing had no answer either: nobody has them, and they would keep
/// everybody out until their leases end, first of all whoever asked for them. Undone before the next request.
class LeftBehind {
public:
    /// `value` tells it from all others; `until`: own monotonic clock, when it has ended by itself.
    void note(const QByteArray& value, Nanos until) { m_values[value] = until; }
    bool empty() const { return m_values.empty(); }
    /// Calls `undo` with each that may still be there; it returns whether the server answered, and may be stopped.
    /// Must outlive the call.
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
