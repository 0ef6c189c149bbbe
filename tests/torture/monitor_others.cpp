// SPDX-License-Identifier: Apache-2.0
#include "monitor_reader.h"

#include <algorithm>

namespace lockscope::torture {

using trace::EventKind;
using trace::FreedBy;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr const char* kHoldKey = ":rwlock_timeout:";

bool isHold(const QByteArray& key) {
    return key.startsWith("{torture-") && key.contains(kHoldKey);
}

/// "{torture-0}:<field>:rwlock_timeout:1" → "torture-0", "<field>".
std::pair<QByteArray, QByteArray> whoseHold(const QByteArray& key) {
    const qsizetype brace = key.indexOf('}');
    return {key.mid(1, brace - 1), key.mid(brace + 2, key.indexOf(kHoldKey) - brace - 2)};
}

bool sameClient(const QByteArray& one, const QByteArray& other) {
    return one.left(one.indexOf(':')) == other.left(other.indexOf(':'));
}

} // namespace

void ReadWriteMonitor::read(const MonitorLine& line) {
    m_now = line.at;
    m_caller = line.caller;
    const std::vector<QByteArray>& words = line.words;
    const QByteArray command = words[0].toLower();
    if (command == "del") {
        for (std::size_t i = 1; i < words.size(); ++i) {
            if (isHold(words[i])) {
                hold(words[i], -1);
                continue;
            }
            const auto lock = m_locks.find(words[i]);
            if (lock == m_locks.end()) continue;
            sweep(words[i]);
            while (!lock->second.holders.empty())
                free(words[i], lock->second.holders.begin()->first);
            lock->second.deadline = -1;
        }
        return;
    }
    const QByteArray& key = words[1];
    if (isHold(key) && command == "set" && words.size() == 5) hold(key, m_now + words[4].toLongLong() * kMs);
    if (isHold(key) && command == "pexpire") hold(key, m_now + words[2].toLongLong() * kMs);
    if (!key.startsWith("torture-") || words.size() < 3) return;
    const bool changes = command == "hset" || command == "hincrby" || command == "hdel" || command == "pexpire";
    if (changes) sweep(key);
    if (command == "pexpire") m_locks[key].deadline = m_now + words[2].toLongLong() * kMs;
    if (command == "hdel") {
        for (std::size_t i = 2; i < words.size(); ++i)
            free(key, words[i]);
    }
    if (command == "hset" || command == "hincrby") {
        for (std::size_t i = 2; i + 1 < words.size(); i += 2)
            if (words[i] != "mode") field(key, words[i]);
    }
}

/// A field is new, or one more or one fewer hold of its owner's.
void ReadWriteMonitor::field(const QByteArray& key, const QByteArray& name) {
    Lock& lock = m_locks[key];
    const QByteArray place = key + ' ' + name;
    const auto [at, fresh] = lock.holders.try_emplace(name);
    Holder& holder = at->second;
    if (fresh) {
        holder.owner = identityIn(name);
        holder.writes = name.endsWith(":write");
        // Made in another's name, it is not that one's.
        m_records.push_back(serverRecord(EventKind::RecordHeld, m_now, place, holder.owner, holder.owner));
    }
    m_records.push_back(serverRecord(EventKind::RecordRenewed, m_now, place, m_caller, holder.owner));
}

/// A reader's hold is made, renewed, or (-1) deleted.
void ReadWriteMonitor::hold(const QByteArray& key, std::int64_t deadline) {
    const auto [lock, name] = whoseHold(key);
    const auto found = m_locks[lock].holders.find(name);
    if (found == m_locks[lock].holders.end()) return;
    Holder& holder = found->second;
    if (deadline < 0) {
        const auto hold = holder.holds.find(key);
        const bool over = hold == holder.holds.end() || m_now >= hold->second - kMonitorDoubt;
        if (!over && !sameClient(m_caller, holder.owner))
            m_records.push_back(freedRecord(m_now, lock + ' ' + name, m_caller, holder.owner, trace::FreedBy::Release));
        holder.holds.erase(key);
        return;
    }
    holder.holds[key] = deadline;
    m_records.push_back(serverRecord(EventKind::RecordRenewed, m_now, lock + ' ' + name, m_caller, holder.owner));
}

void ReadWriteMonitor::free(const QByteArray& key, const QByteArray& name) {
    Lock& lock = m_locks[key];
    const auto found = lock.holders.find(name);
    if (found == lock.holders.end()) return;
    const bool over = isOver(found->second) && !sameClient(m_caller, found->second.owner);
    m_records.push_back(freedRecord(m_now, key + ' ' + name, over ? QByteArray() : m_caller, found->second.owner,
                                    over ? FreedBy::Expiry : FreedBy::Release));
    lock.holders.erase(found);
}

/// The whole lock ends by its own lease, with all who are in it.
void ReadWriteMonitor::sweep(const QByteArray& key) {
    Lock& lock = m_locks[key];
    if (lock.deadline < 0 || m_now < lock.deadline - kMonitorDoubt) return;
    // In the moment of its end a command may still have met it: then its owners show that by the next word.
    for (const auto& [name, holder] : lock.holders)
        m_records.push_back(freedRecord(m_now, key + ' ' + name, {}, holder.owner, FreedBy::Expiry));
    lock.holders.clear();
    lock.deadline = -1;
}

bool ReadWriteMonitor::isOver(const Holder& holder) const {
    return !holder.writes &&
           std::ranges::all_of(holder.holds, [&](const auto& hold) { return m_now >= hold.second - kMonitorDoubt; });
}

void PermitMonitor::read(const MonitorLine& line) {
    const std::vector<QByteArray>& words = line.words;
    const QByteArray command = words[0].toLower();
    const QByteArray& key = words[1];
    if (!key.startsWith("{torture-") || !key.endsWith(":timeout")) return;
    std::map<QByteArray, Permit>& permits = m_permits[key];
    if (command == "zadd" && words.size() == 4) {
        const auto [at, fresh] = permits.try_emplace(words[3]);
        Permit& permit = at->second;
        if (fresh) permit.owner = line.caller;
        permit.deadline = words[2].toLongLong() * kMs;
        ServerRecord record = serverRecord(fresh ? EventKind::RecordHeld : EventKind::RecordRenewed, line.at,
                                           key + ' ' + words[3].toHex(), line.caller, permit.owner);
        record.event.value = permit.deadline;
        m_records.push_back(std::move(record));
    } else if (command == "zrem") {
        for (std::size_t i = 2; i < words.size(); ++i)
            free(key, words[i], line);
    } else if (command == "del") {
        while (!permits.empty())
            free(key, permits.begin()->first, line);
    }
}

void PermitMonitor::free(const QByteArray& key, const QByteArray& id, const MonitorLine& line) {
    std::map<QByteArray, Permit>& permits = m_permits[key];
    const auto found = permits.find(id);
    if (found == permits.end()) return;
    const bool over = line.at >= found->second.deadline;
    m_records.push_back(freedRecord(line.at, key + ' ' + id.toHex(), over ? QByteArray() : line.caller,
                                    found->second.owner, over ? FreedBy::Expiry : FreedBy::Release));
    permits.erase(found);
}

} // namespace lockscope::torture
