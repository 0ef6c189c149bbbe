// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <vector>

namespace lockscope {

class Runtime;

/// Callbacks for a repeated event, in the order in which they were added. Each one stays in the list while its
/// registration is kept. Single-threaded.
class CallList {
public:
    using Callback = std::function<void()>;
    /// Keeps one callback in the list. It may outlive the list.
    using Registration = std::shared_ptr<const void>;

    /// Adds a callback; the list drops it when the last copy of the returned registration is destroyed.
    [[nodiscard]] Registration add(Callback callback);
    /// Schedules a call of each callback that is in the list now; the runtime's scheduler makes the calls, after this
    /// function has returned. A callback that has left the list by then is not called.
    void callSoon(Runtime& runtime) const;
    /// Whether the list has no callbacks.
    bool empty() const;

private:
    using Entries = std::vector<std::weak_ptr<const Callback>>;
    Entries m_entries;
    std::size_t m_pruneAt = 16; ///< at this number of entries, those that have left are removed
};

} // namespace lockscope
