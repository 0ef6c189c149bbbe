// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/key_groups.h"

#include <iterator>
#include <utility>

namespace lockscope::inspect {

KeyGroups::Id KeyGroups::rootOf(Id group) const {
    while (m_parents[group] != group)
        group = m_parents[group];
    return group;
}

KeyGroups::Id KeyGroups::of(const QByteArray& key) {
    const auto [place, fresh] = m_groups.try_emplace(key, Id(m_parents.size()));
    if (fresh) {
        m_parents.push_back(place->second);
        m_keys.push_back({key});
    }
    return place->second = rootOf(place->second);
}

void KeyGroups::join(const QByteArray& key, const QByteArray& other) {
    Id into = of(key), from = of(other);
    if (into == from) return;
    if (m_keys[into].size() < m_keys[from].size()) std::swap(into, from); // each key moves seldom
    m_parents[from] = into;
    std::ranges::move(std::exchange(m_keys[from], {}), std::back_inserter(m_keys[into]));
}

std::vector<QByteArray> KeyGroups::keysWith(const QByteArray& key) const {
    const auto found = m_groups.find(key);
    return found == m_groups.end() ? std::vector<QByteArray>() : m_keys[rootOf(found->second)];
}

void KeyGroups::clear() {
    m_groups.clear();
    m_parents.clear();
    m_keys.clear();
}

} // namespace lockscope::inspect
