// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <vector>

namespace lockscope {

class Runtime;

/// Callbacks for something that happens now and then, in the order in which they were added. Each one stays for as long
/// as its registration is kept. Single-threaded.
class CallList {
public:
    using Callback = std::function<void()>;
    /// Keeps one callback in the list; the list may go before it.
    using Registration = std::shared_ptr<const void>;

    /// Adds a callback; the list forgets it when the last copy of what is returned is gone.
    [[nodiscard]] Registration add(Callback callback);
    /// Calls all that are in the list now, from the runtime's scheduler and not from inside the caller. A callback that
    /// has left by then is not called.
    void callSoon(Runtime& runtime) const;
    /// Whether there is nobody to call.
    bool empty() const;

private:
    using Entries = std::vector<std::weak_ptr<const Callback>>;
    Entries m_entries;
    std::size_t m_pruneAt = 16; ///< so many entries, and those that have left are thrown away
};

} // namespace lockscope
