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
    const Entry entry{std::max(when, m_now), order, slot, m_slots[slot].generation};
    if (when <= m_now && rank == Rank::Normal) {
        m_soon.push_back(entry);
    } else {
        m_heap.push_back(entry);
        std::push_heap(m_heap.begin(), m_heap.end());
    }
    return (std::uint64_t(m_slots[slot].generation) << 32) | slot;
}

void VirtualScheduler::cancel(TimerId id) {
    const auto slot = static_cast<std::uint32_t>(id);
    if (slot >= m_slots.size() || m_slots[slot].generation != id >> 32) return;
    release(slot);
    // Most calls are time limits that are cancelled long before they come: not one by one, and not only then.
    constexpr std::size_t kFew = 64;
    const std::size_t living = m_slots.size() - m_free.size();
    if (m_heap.size() < 2 * living + kFew) return;
    std::erase_if(m_heap, [this](const Entry& entry) { return isVoid(entry); });
    std::make_heap(m_heap.begin(), m_heap.end());
}

void VirtualScheduler::release(std::uint32_t slot) {
    ++m_slots[slot].generation; // whatever still stands in the heap for it is void
    if (m_slots[slot].generation == 0) m_slots[slot].generation = 1;
    m_slots[slot].callback.reset();
    m_free.push_back(slot);
}

void VirtualScheduler::dropCancelled() {
    while (!m_heap.empty() && isVoid(m_heap.front())) {
        std::pop_heap(m_heap.begin(), m_heap.end());
        m_heap.pop_back();
    }
    while (!m_soon.empty() && isVoid(m_soon.front()))
        m_soon.pop_front();
}

bool VirtualScheduler::soonIsNext() const {
    return !m_soon.empty() && (m_heap.empty() || m_heap.front() < m_soon.front());
}

std::optional<Nanos> VirtualScheduler::nextAt() {
    dropCancelled();
    if (m_heap.empty() && m_soon.empty()) return std::nullopt;
    return soonIsNext() ? m_soon.front().when : m_heap.front().when;
}

bool VirtualScheduler::runNext(Nanos limit) {
    dropCancelled();
    if (m_heap.empty() && m_soon.empty()) return false;
    const bool soon = soonIsNext();
    const Entry entry = soon ? m_soon.front() : m_heap.front();
    if (entry.when > limit) return false;
    if (soon) {
        m_soon.pop_front();
    } else {
        std::pop_heap(m_heap.begin(), m_heap.end());
        m_heap.pop_back();
    }
    m_now = entry.when;
    Callback callback = std::move(m_slots[entry.slot].callback);
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
