// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <unordered_map>
#include <vector>

namespace lockscope::inspect {

/// Keys that may belong to one lock, as far as the looks so far have related them: a lock's own key, its helper keys,
/// and the names under which a waiter may mean it. A row of a lock follows from the keys of its group alone.
class KeyGroups {
public:
    using Id = std::uint32_t;

    /// The group of a key; a new one when it has none yet.
    Id of(const QByteArray& key);
    /// Makes both keys' groups one.
    void join(const QByteArray& key, const QByteArray& other);
    /// The keys of the key's group, in no order; empty: it has none.
    std::vector<QByteArray> keysWith(const QByteArray& key) const;
    void clear();

private:
    Id rootOf(Id group) const;

    std::unordered_map<QByteArray, Id> m_groups;
    std::vector<Id> m_parents;                   ///< by group: the one that it became a part of, or itself
    std::vector<std::vector<QByteArray>> m_keys; ///< by group; empty where it became a part of another one
};

} // namespace lockscope::inspect
