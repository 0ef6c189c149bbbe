// SPDX-License-Identifier: Apache-2.0
#include "runtime/call_list.h"

#include "runtime/runtime.h"

#include <algorithm>

namespace lockscope {

CallList::Registration CallList::add(Callback callback) {
    if (m_entries.size() >= m_pruneAt) {
        std::erase_if(m_entries, [](const auto& entry) { return entry.expired(); });
        m_pruneAt = std::max<std::size_t>(16, 2 * m_entries.size());
    }
    auto entry = std::make_shared<const Callback>(std::move(callback));
    m_entries.push_back(entry);
    return entry;
}

void CallList::callSoon(Runtime& runtime) const {
    if (empty()) return;
    // A copy: callbacks may add others, and the list may be gone by then.
    runtime.post([entries = m_entries] {
        for (const auto& entry : entries)
            if (const auto callback = entry.lock()) (*callback)();
    });
}

bool CallList::empty() const {
    return std::ranges::all_of(m_entries, [](const auto& entry) { return entry.expired(); });
}

} // namespace lockscope
