// SPDX-License-Identifier: Apache-2.0
#include "inspect/memcached/key_finder.h"

#include <algorithm>

namespace lockscope::inspect {

namespace {

constexpr std::uint64_t kLongestLock = 512; // bytes of a lock's value
constexpr std::uint64_t kHeader = 80;       // bytes of an item besides key and value, at most
constexpr std::size_t kMostKept = 200'000;  // keys of one list
constexpr auto kBetweenLists = 5s;          // at least
constexpr auto kAfterRefusal = 1min;
constexpr auto kRemembered = 10min;

} // namespace

KeyFinder::KeyFinder(const WatchOptions& options, const std::vector<memcached::ListedKey>& named)
    : m_lockNames(options.patterns),
      m_payment(std::chrono::duration_cast<Nanos>(options.shortestPeriod * options.share)) {
    auto names = std::make_shared<Names>();
    names->filter = options.names;
    for (const memcached::ListedKey& one : named)
        names->named.insert(one.key);
    m_names = std::move(names);
}

memcached::WantsKey KeyFinder::wants() {
    m_wanted = std::make_shared<std::size_t>(0);
    return [names = m_names, count = m_wanted](const QByteArray& key, std::uint64_t size) {
        const bool wanted = size <= kHeader + std::uint64_t(key.size()) + kLongestLock && !names->named.contains(key) &&
                            names->filter.wants(key);
        return wanted && ++*count <= kMostKept;
    };
}

void KeyFinder::take(memcached::KeyList list, Nanos took, Nanos now) {
    m_refused.clear();
    m_owed += took;
    m_next = now + kBetweenLists;
    m_there = list.there;
    m_unread.clear();
    std::unordered_map<QByteArray, std::uint64_t> others;
    std::unordered_set<QByteArray> listed;
    for (memcached::ListedKey& one : list.keys) {
        // An item that the server moves from one of its lists to another while it walks through them comes twice.
        if (!listed.insert(one.key).second) {
            --m_there;
            continue;
        }
        if (m_locks.contains(one.key)) continue;
        const auto known = m_others.find(one.key);
        const bool unchanged = known != m_others.end() && known->second == one.unique && one.unique != 0;
        if (unchanged)
            others.insert(*known);
        else
            m_unread.push_back(std::move(one));
    }
    std::ranges::sort(m_unread, {}, &memcached::ListedKey::unique);
    m_others = std::move(others); // what is not there any more is forgotten
}

void KeyFinder::refuse(const QString& why, Nanos now) {
    m_refused = why;
    m_next = now + kAfterRefusal;
    m_unread.clear();
}

Nanos KeyFinder::instalment(Nanos costOfLook) {
    const Nanos paid = std::min(m_owed, std::max(m_payment, costOfLook));
    m_owed -= paid;
    return paid;
}

std::vector<memcached::ListedKey> KeyFinder::locks(Nanos now) {
    std::erase_if(m_locks, [now](const auto& lock) { return now - lock.second > kRemembered; });
    std::vector<memcached::ListedKey> keys;
    for (const auto& [key, seen] : m_locks)
        keys.push_back({key, 0});
    return keys;
}

std::vector<memcached::ListedKey> KeyFinder::unread(std::size_t most) {
    const std::size_t kept = m_unread.size() - std::min(most, m_unread.size());
    std::vector<memcached::ListedKey> taken(std::make_move_iterator(m_unread.begin() + std::ptrdiff_t(kept)),
                                            std::make_move_iterator(m_unread.end()));
    m_unread.resize(kept);
    return taken;
}

bool KeyFinder::isLockByName(const QByteArray& key) const {
    // Names that the user gives are names of locks; they were asked for in wants().
    return !m_names->filter.match.empty() || m_names->named.contains(key) ||
           std::ranges::any_of(m_lockNames, [&](const KeyPattern& known) { return globMatches(known.glob, key); });
}

void KeyFinder::foundNone(const memcached::ListedKey& key) {
    if (!m_locks.contains(key.key)) m_others[key.key] = key.unique;
}

std::vector<WatchNote> KeyFinder::notes() const {
    if (!m_refused.isEmpty()) return {{WatchNote::Kind::ListRefused, 0, {m_refused.toUtf8()}}};
    std::vector<WatchNote> notes{{WatchNote::Kind::KeysListed, 0, {}}};
    if (m_wanted && *m_wanted > kMostKept) notes.push_back({WatchNote::Kind::ListBounded, std::int64_t(kMostKept), {}});
    return notes;
}

} // namespace lockscope::inspect
