// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/memcached/command.h"

#include <functional>
#include <list>
#include <map>

namespace lockscope::sim {

/// The items of one run of a memcached, by its own clock of whole seconds. It looks at no other clock: each call says
/// the present second.
class MemcachedStore {
public:
    struct Settings {
        /// Items of about one size that fit; 0: any number. Real servers count bytes in pages of a class of sizes.
        std::size_t itemsPerClass = 0;
        bool evicts = true; ///< false (memcached -M): a full class refuses what is new
    };
    /// A second of the server's clock. It begins at kFirstSecond, as the real one does, so that 1 is always past.
    using Second = std::int64_t;
    static constexpr Second kFirstSecond = 62;

    /// Why an item is not as it was.
    enum class Cause : std::uint8_t { Command, Expiry, Eviction, Flush };
    /// It may only look. Not called for what a command reads.
    std::function<void(const QByteArray& key, Cause cause)> onChange;

    struct Item {
        QByteArray value;
        std::uint64_t unique = 0;
        Second ends = 0; ///< 0: never
        Second storedAt = 0;
    };

    /// `dateOfZero`: the date of second 0, in seconds since 1970; dates in commands are taken by it.
    MemcachedStore(Settings settings, std::int64_t dateOfZero) : m_settings(settings), m_dateOfZero(dateOfZero) {}

    MemcachedReply run(const MemcachedCommand& command, Second now);
    /// Drops everything whose time is over.
    void dropDue(Second now);
    /// The next second at which dropDue() has something to do; nullopt: none.
    std::optional<Second> nextDue() const;
    /// Throws one item out, as for lack of memory. False: there is none.
    bool evict(const QByteArray& key);
    /// nullptr: there is none. It may be over already if dropDue() was not called in this second.
    const Item* find(const QByteArray& key) const;
    std::size_t size() const { return m_items.size(); }

private:
    using Order = std::list<QByteArray>; ///< of one class of sizes, coldest first
    struct Entry {
        Item item;
        std::size_t sizeClass = 0;
        int fetches = 0; ///< since it was last saved from eviction; two make it active
        Order::iterator place;
    };
    using Entries = std::map<QByteArray, Entry>;

    MemcachedReply store(const MemcachedCommand& command, Second now);
    MemcachedReply look(const QByteArray& key);
    MemcachedReply touch(const MemcachedCommand& command, Second now);
    void flush(std::int64_t delay, Second now);
    bool makeRoom(std::size_t sizeClass);
    void put(const MemcachedCommand& command, Second ends, Second now);
    void erase(Entries::iterator entry, Cause cause);
    void forgetEnd(const Entries::value_type& entry);
    Second endOf(std::int64_t expiry, Second now) const;
    static bool isOver(Second ends, Second now) { return ends != 0 && ends <= now; }

    Settings m_settings;
    std::int64_t m_dateOfZero;
    std::uint64_t m_lastUnique = 0;
    Entries m_items;
    std::multimap<Second, QByteArray> m_ends; ///< of items that have an end
    std::map<std::size_t, Order> m_orders;    ///< by class of sizes
    Second m_flushAt = 0;                     ///< everything stored up to that second goes with it; 0: nothing
};

} // namespace lockscope::sim
