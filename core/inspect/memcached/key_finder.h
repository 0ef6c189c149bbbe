// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/format.h"
#include "inspect/watch_notes.h"
#include "inspect/watch_options.h"
#include "ports/memcached/port.h"

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace lockscope::inspect {

/// Finds keys that may be locks in a memcached's list of all its keys, and says when the next list is due. An item as
/// small as a lock is read once, and again when it has changed. A key that was a lock stays among the locks for some
/// minutes after its end, so that its next hold is seen without a list.
///
/// A list costs the server a walk through all items: it is paid for in instalments, so that looks at known locks go on.
class KeyFinder {
public:
    /// `named`: keys that are read anyway.
    KeyFinder(const WatchOptions& options, const std::vector<memcached::ListedKey>& named);

    /// Which keys of a list are wanted: by their name, and by the size of their item. May be asked when this is gone:
    /// connections share a socket, on which a list that nobody waits for any more still comes.
    memcached::WantsKey wants();
    bool due(Nanos now) const { return now >= m_next && m_owed <= 0ns; }
    /// Takes a list that has just come, and took the server so long.
    void take(memcached::KeyList list, Nanos took, Nanos now);
    /// The server lists nothing, in its words.
    void refuse(const QString& why, Nanos now);
    /// The server has no time for a list now: the next one is due then.
    void busy(Nanos next) { m_next = next; }
    /// Whether there was a list, or will be none.
    bool hasLooked() const { return m_there >= 0 || !m_refused.isEmpty(); }
    /// The part of the list's cost that a look pays: it makes the look no more than twice as dear as it was.
    Nanos instalment(Nanos costOfLook);

    /// Keys that are or were locks a short time ago.
    std::vector<memcached::ListedKey> locks(Nanos now);
    /// Keys that have not been read since they changed, `most` at most; they are taken out.
    std::vector<memcached::ListedKey> unread(std::size_t most);
    std::size_t left() const { return m_unread.size(); }
    std::int64_t there() const { return m_there; }
    /// Whether any value under this key is a lock: by its name.
    bool isLockByName(const QByteArray& key) const;
    void found(const QByteArray& key, Nanos now) { m_locks[key] = now; }
    void foundNone(const memcached::ListedKey& key);

    std::vector<WatchNote> notes() const;

private:
    struct Names {
        NameFilter filter;
        std::set<QByteArray> named;
    };
    std::shared_ptr<const Names> m_names;
    std::vector<KeyPattern> m_lockNames;
    Nanos m_payment;
    std::vector<memcached::ListedKey> m_unread; ///< the latest written last: they are read first, locks are young
    std::unordered_map<QByteArray, std::uint64_t> m_others; ///< no locks: the state in which they were read
    std::map<QByteArray, Nanos> m_locks;                    ///< when they were last seen
    std::int64_t m_there = -1;
    std::shared_ptr<std::size_t> m_wanted; ///< how many keys of the latest list are wanted; nullptr: none was asked for
    Nanos m_next{}, m_owed{};
    QString m_refused;
};

} // namespace lockscope::inspect
