// SPDX-License-Identifier: Apache-2.0
#include "runtime/virtual_scheduler.h"

#include <algorithm>

namespace lockscope {

VirtualScheduler::TimerId VirtualScheduler::at(Nanos when, Callback callback, Rank rank) {
    std::uint32_t slot = 0;
    if (m_free.empty()) {
        slot = static_cast<std::uint32_t>(m_slots.size());
        m_slots.emplace_back();
    } else {
        slot = m_free.back();
        m_free.pop_back();
    }
    m_slots[slot].callback = std::move(callback);
    const std::uint64_t order = (static_cast<std::uint64_t>(rank) << 62) | ++m_order;
    m_heap.push_back({std::max(when, m_now), order, slot, m_slots[slot].generation});
    std::push_heap(m_heap.begin(), m_heap.end());
    return (std::uint64_t(m_slots[slot].generation) << 32) | slot;
}

void VirtualScheduler::cancel(TimerId id) {
    const auto slot = static_cast<std::uint32_t>(id);
    if (slot < m_slots.size() && m_slots[slot].generation == id >> 32) release(slot);
}

void VirtualScheduler::release(std::uint32_t slot) {
    ++m_slots[slot].generation; // whatever still stands in the heap for it is void
    if (m_slots[slot].generation == 0) m_slots[slot].generation = 1;
    m_slots[slot].callback = nullptr;
    m_free.push_back(slot);
}

bool VirtualScheduler::dropCancelled() {
    while (!m_heap.empty() && m_slots[m_heap.front().slot].generation != m_heap.front().generation) {
        std::pop_heap(m_heap.begin(), m_heap.end());
        m_heap.pop_back();
    }
    return !m_heap.empty();
}

std::optional<Nanos> VirtualScheduler::nextAt() {
    if (!dropCancelled()) return std::nullopt;
    return m_heap.front().when;
}

bool VirtualScheduler::runNext(Nanos limit) {
    if (!dropCancelled() || m_heap.front().when > limit) return false;
    const Entry entry = m_heap.front();
    std::pop_heap(m_heap.begin(), m_heap.end());
    m_heap.pop_back();
    m_now = entry.when;
    const Callback callback = std::move(m_slots[entry.slot].callback);
    release(entry.slot);
    callback();
    return true;
}

void VirtualScheduler::runUntil(Nanos t) {
    while (runNext(t)) {
    }
    m_now = std::max(m_now, t);
}

} // namespace lockscope
