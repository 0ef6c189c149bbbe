// SPDX-License-Identifier: Apache-2.0
#include "runtime/call_queue.h"

#include <algorithm>

namespace lockscope {

namespace {
/// Entries that are kept although nobody wants them: fewer are not worth a look at all of them.
constexpr std::size_t kFew = 64;
} // namespace

CallQueue::Id CallQueue::add(Nanos at, Callback callback) {
    if (m_free.empty()) {
        m_free.push_back(static_cast<std::uint32_t>(m_places.size()));
        m_places.emplace_back();
    }
    const std::uint32_t index = m_free.back();
    m_free.pop_back();
    Place& place = m_places[index];
    place.callback = std::move(callback);
    const Id id = (Id(index) << 32U) | place.uses;
    m_entries.push_back({at, ++m_order, id});
    std::push_heap(m_entries.begin(), m_entries.end(), std::greater());
    return id;
}

CallQueue::Place* CallQueue::placeOf(Id id) {
    const auto index = static_cast<std::size_t>(id >> 32U);
    if (index >= m_places.size()) return nullptr;
    Place& place = m_places[index];
    return place.callback && place.uses == static_cast<std::uint32_t>(id) ? &place : nullptr;
}

CallQueue::Callback CallQueue::take(Id id) {
    Place* const place = placeOf(id);
    if (!place) return {};
    if (++place->uses == 0) ++place->uses;
    m_free.push_back(static_cast<std::uint32_t>(id >> 32U));
    return std::exchange(place->callback, nullptr);
}

void CallQueue::cancel(Id id) {
    if (!take(id)) return;
    ++m_calledOff;
    if (m_calledOff > kFew && m_calledOff > m_entries.size() / 2) sweep();
}

CallQueue::Callback CallQueue::takeDue(Nanos now) {
    while (!m_entries.empty() && m_entries.front().at <= now) {
        const Id id = m_entries.front().id;
        std::pop_heap(m_entries.begin(), m_entries.end(), std::greater());
        m_entries.pop_back();
        if (Callback callback = take(id)) return callback;
        --m_calledOff;
    }
    return {};
}

void CallQueue::sweep() {
    std::erase_if(m_entries, [this](const Entry& entry) { return !placeOf(entry.id); });
    std::make_heap(m_entries.begin(), m_entries.end(), std::greater());
    m_calledOff = 0;
}

} // namespace lockscope
