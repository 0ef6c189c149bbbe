// SPDX-License-Identifier: Apache-2.0
#include "sim/memcached/store.h"

#include <algorithm>

namespace lockscope::sim {

using Word = MemcachedReply::Word;
using Kind = MemcachedCommand::Kind;

namespace {

/// The end of an item that is over as soon as it is stored.
constexpr MemcachedStore::Second kAlwaysPast = 1;
/// The bytes of key and value that fit into the largest item.
constexpr qsizetype kMostBytes = 1'048'517;
/// A stored item's bytes besides key and value.
constexpr qsizetype kOverhead = 59;
/// How far an eviction looks for an item that is not active, beginning at the coldest.
constexpr int kEvictionLooks = 5;
constexpr int kActive = 2;

/// The real server's classes: chunks of 96 bytes, and 1.25 times as large from class to class.
std::size_t sizeClassOf(qsizetype bytes) {
    std::size_t sizeClass = 0;
    for (qsizetype chunk = 96; chunk < bytes; chunk += chunk / 4)
        ++sizeClass;
    return sizeClass;
}

} // namespace

MemcachedStore::Second MemcachedStore::endOf(std::int64_t expiry, Second now) const {
    if (expiry == 0) return 0;
    if (expiry < 0) return kAlwaysPast;
    if (expiry <= memcached::kLongestExpiry) return now + expiry;
    return std::max(expiry - m_dateOfZero, kAlwaysPast);
}

const MemcachedStore::Item* MemcachedStore::find(const QByteArray& key) const {
    const auto found = m_items.find(key);
    return found == m_items.end() ? nullptr : &found->second.item;
}

void MemcachedStore::forgetEnd(const Entries::value_type& entry) {
    const auto [first, last] = m_ends.equal_range(entry.second.item.ends);
    const auto end = std::find_if(first, last, [&entry](const auto& one) { return one.second == entry.first; });
    if (end != last) m_ends.erase(end);
}

void MemcachedStore::erase(Entries::iterator entry, Cause cause) {
    const QByteArray key = entry->first;
    m_orders[entry->second.sizeClass].erase(entry->second.place);
    forgetEnd(*entry);
    m_items.erase(entry);
    if (onChange) onChange(key, cause);
}

void MemcachedStore::dropDue(Second now) {
    while (!m_ends.empty() && m_ends.begin()->first <= now)
        erase(m_items.find(m_ends.begin()->second), Cause::Expiry);
    if (m_flushAt == 0 || m_flushAt > now) return;
    for (auto next = m_items.begin(); next != m_items.end();) {
        const auto entry = next++;
        if (entry->second.item.storedAt <= m_flushAt) erase(entry, Cause::Flush);
    }
    if (m_flushAt < now) m_flushAt = 0; // nothing of that second can come any more
}

std::optional<MemcachedStore::Second> MemcachedStore::nextDue() const {
    std::optional<Second> due;
    if (!m_ends.empty()) due = m_ends.begin()->first;
    if (m_flushAt != 0 && !m_items.empty()) due = std::min(due.value_or(m_flushAt), m_flushAt);
    return due;
}

bool MemcachedStore::evict(const QByteArray& key) {
    const auto found = m_items.find(key);
    if (found == m_items.end()) return false;
    erase(found, Cause::Eviction);
    return true;
}

bool MemcachedStore::makeRoom(std::size_t sizeClass) {
    Order& order = m_orders[sizeClass];
    if (m_settings.itemsPerClass == 0 || order.size() < m_settings.itemsPerClass) return true;
    if (!m_settings.evicts) return false;
    for (int looks = 0; looks < kEvictionLooks; ++looks) {
        Entry& coldest = m_items.at(order.front());
        if (coldest.fetches < kActive) break;
        coldest.fetches = 0;
        order.splice(order.end(), order, order.begin());
    }
    erase(m_items.find(order.front()), Cause::Eviction);
    return true;
}

void MemcachedStore::put(const MemcachedCommand& command, Second ends, Second now) {
    const std::size_t sizeClass = sizeClassOf(command.key.size() + command.value.size() + kOverhead);
    const auto [found, fresh] = m_items.try_emplace(command.key);
    Entry& entry = found->second;
    if (!fresh) {
        m_orders[entry.sizeClass].erase(entry.place);
        forgetEnd(*found);
    }
    Order& order = m_orders[sizeClass];
    entry = {{command.value, m_lastUnique, ends, now}, sizeClass, 0, order.insert(order.end(), command.key)};
    if (ends != 0) m_ends.emplace(ends, command.key);
    if (onChange) onChange(command.key, Cause::Command);
}

MemcachedReply MemcachedStore::look(const QByteArray& key) {
    const auto found = m_items.find(key);
    if (found == m_items.end()) return {};
    ++found->second.fetches;
    memcached::Item item{found->second.item.value, {}};
    item.mark.unique = found->second.item.unique;
    return {Word::End, std::move(item)};
}

MemcachedReply MemcachedStore::store(const MemcachedCommand& command, Second now) {
    const auto present = m_items.find(command.key);
    const bool there = present != m_items.end();
    // Room is made before anything else is looked at. A `set` that finds none takes the older value away.
    const bool tooLarge = command.key.size() + command.value.size() > kMostBytes;
    const std::size_t sizeClass = sizeClassOf(command.key.size() + command.value.size() + kOverhead);
    if (tooLarge || !makeRoom(sizeClass)) {
        if (command.kind == Kind::Set && there) erase(present, Cause::Command);
        return {tooLarge ? Word::TooLarge : Word::OutOfMemory, {}};
    }
    const auto still = m_items.find(command.key); // it may have made the room
    const bool stands = still != m_items.end();
    if (command.kind == Kind::Add && stands) return {Word::NotStored, {}};
    if (command.kind == Kind::Replace && !stands) return {Word::NotStored, {}};
    if (command.kind == Kind::CompareAndSet) {
        if (!stands) return {Word::NotFound, {}};
        if (still->second.item.unique != command.unique) return {Word::Exists, {}};
    }
    ++m_lastUnique;
    const Second ends = endOf(command.expiry, now);
    if (!isOver(ends, now))
        put(command, ends, now);
    else if (stands)
        erase(still, Cause::Command);
    return {Word::Stored, {}};
}

MemcachedReply MemcachedStore::touch(const MemcachedCommand& command, Second now) {
    const bool looks = command.kind == Kind::GetAndTouch;
    const auto found = m_items.find(command.key);
    if (found == m_items.end()) return {looks ? Word::End : Word::NotFound, {}};
    MemcachedReply seen = look(command.key);
    forgetEnd(*found);
    Item& item = found->second.item;
    item.ends = endOf(command.expiry, now);
    if (item.ends != 0) m_ends.emplace(item.ends, command.key);
    if (isOver(item.ends, now))
        erase(found, Cause::Command);
    else if (onChange)
        onChange(command.key, Cause::Command);
    return looks ? seen : MemcachedReply{Word::Touched, {}};
}

void MemcachedStore::flush(std::int64_t delay, Second now) {
    const Second last = delay > 0 ? endOf(delay, now) - 1 : 0;
    m_flushAt = last;
    // Items that go at once are known by their numbers, so that later ones of the same second stay.
    if (last <= now) ++m_lastUnique;
    if (last != 0) return dropDue(now);
    while (!m_items.empty())
        erase(m_items.begin(), Cause::Flush);
}

MemcachedReply MemcachedStore::run(const MemcachedCommand& command, Second now) {
    dropDue(now);
    const auto found = m_items.find(command.key);
    const bool there = found != m_items.end();
    switch (command.kind) {
    case Kind::Get:
        return look(command.key);
    case Kind::Set:
    case Kind::Add:
    case Kind::Replace:
    case Kind::CompareAndSet: {
        const MemcachedReply reply = store(command, now);
        dropDue(now); // stored in the second of an announced flush, it is lost
        return reply;
    }
    case Kind::Remove:
        if (!there) return {Word::NotFound, {}};
        erase(found, Cause::Command);
        return {Word::Deleted, {}};
    case Kind::Touch:
    case Kind::GetAndTouch:
        return touch(command, now);
    case Kind::Flush:
        flush(command.expiry, now);
        return {Word::Ok, {}};
    case Kind::Version:
        return {Word::Version, {}};
    }
    return {};
}

} // namespace lockscope::sim
