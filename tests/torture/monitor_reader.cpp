// SPDX-License-Identifier: Apache-2.0
#include "monitor_reader.h"

#include <algorithm>
#include <utility>

namespace lockscope::torture {

using trace::EventKind;
using trace::FreedBy;

namespace {
constexpr std::int64_t kMs = 1'000'000;

bool sameClient(const QByteArray& one, const QByteArray& other) {
    return one.left(one.indexOf(':')) == other.left(other.indexOf(':'));
}
} // namespace

void MonitorReader::read(const MonitorLine& line) {
    m_now = line.at;
    m_caller = line.caller;
    const std::vector<QByteArray>& words = line.words;
    const QByteArray command = words[0].toLower();
    if (command == "del" || command == "unlink") {
        for (std::size_t i = 1; i < words.size(); ++i)
            if (const auto lock = m_locks.find(words[i]); lock != m_locks.end()) free(lock->second);
        return;
    }
    if (!words[1].startsWith("torture-") || words.size() < 3) return;
    Lock& lock = m_locks[words[1]];
    lock.place = words[1] + m_suffix;
    if (command == "set") {
        set(lock, line);
    } else if (command == "pexpire") {
        if (lock.owner.isEmpty()) return;
        settle(lock);
        lock.deadline = m_now + words[2].toLongLong() * kMs;
        renew(lock);
    } else if ((command == "hset" || command == "hincrby") && words.size() == 4) {
        settle(lock);
        // A client that gives a hold back has it, however late.
        const std::int64_t change = words[3].toLongLong();
        const bool same = lock.owner == words[2] && (change < 0 || !isOver(lock));
        const std::int64_t before = command == "hincrby" && same ? lock.holds : 0;
        count(lock, words[2], std::max<std::int64_t>(before + change, 0), same);
    }
}

void MonitorReader::set(Lock& lock, const MonitorLine& line) {
    bool onlyIfFree = false;
    std::int64_t deadline = -1;
    for (std::size_t i = 3; i < line.words.size(); ++i) {
        const QByteArray word = line.words[i].toLower();
        onlyIfFree = onlyIfFree || word == "nx";
        if (word == "px" && i + 1 < line.words.size()) deadline = m_now + line.words[i + 1].toLongLong() * kMs;
    }
    // Values that name nobody are known by who wrote them.
    const QByteArray named = identityIn(line.words[2]);
    const QByteArray& who = named.isEmpty() ? m_caller : named;
    if (onlyIfFree && !line.inScript && !lock.owner.isEmpty()) {
        if (lock.maybe.empty() && !isOver(lock)) return; // in vain
        if (m_now < end(lock) + kMonitorDoubt) {
            lock.maybe[who] = deadline;
            return;
        }
    }
    take(lock, who, 1, deadline);
}

/// A client that does what only the owner does is the owner, if it can be.
void MonitorReader::settle(Lock& lock) {
    if (lock.maybe.empty()) return;
    for (const auto& [who, deadline] : std::exchange(lock.maybe, {})) {
        if (!sameClient(who, m_caller)) continue;
        add(lock, EventKind::RecordFreed, {}, FreedBy::Expiry);
        lock.owner = who;
        lock.holds = 1;
        lock.deadline = deadline;
        add(lock, EventKind::RecordHeld, who);
        return;
    }
}

void MonitorReader::count(Lock& lock, const QByteArray& owner, std::int64_t holds, bool same) {
    if (!same) {
        take(lock, owner, holds, -1); // its lease is told next
        return;
    }
    lock.holds = holds;
    if (holds > 0) renew(lock); // else it is deleted next
}

void MonitorReader::take(Lock& lock, const QByteArray& owner, std::int64_t holds, std::int64_t deadline) {
    if (!lock.owner.isEmpty()) {
        const bool over = isOver(lock);
        add(lock, EventKind::RecordFreed, over ? QByteArray() : m_caller, over ? FreedBy::Expiry : FreedBy::Overwrite);
    }
    lock.owner = owner;
    lock.holds = holds;
    lock.deadline = deadline;
    lock.maybe.clear();
    add(lock, EventKind::RecordHeld, owner);
}

void MonitorReader::renew(Lock& lock) {
    add(lock, EventKind::RecordRenewed, m_caller);
}

void MonitorReader::free(Lock& lock) {
    if (lock.owner.isEmpty()) return;
    settle(lock);
    // Nothing is left to delete of one whose lease has ended.
    const bool over = isOver(lock) && m_caller != lock.owner;
    add(lock, EventKind::RecordFreed, over ? QByteArray() : m_caller, over ? FreedBy::Expiry : FreedBy::Release);
    lock.owner.clear();
    lock.deadline = -1;
}

/// When the last of those who may have it has it no more; -1 = never.
std::int64_t MonitorReader::end(const Lock& lock) {
    std::int64_t last = lock.deadline;
    for (const auto& [who, deadline] : lock.maybe)
        last = last < 0 || deadline < 0 ? -1 : std::max(last, deadline);
    return last;
}

bool MonitorReader::isOver(const Lock& lock) const {
    const std::int64_t last = end(lock);
    return last >= 0 && m_now >= last - kMonitorDoubt;
}

void MonitorReader::add(const Lock& lock, EventKind kind, const QByteArray& actor, FreedBy why) {
    ServerRecord record = serverRecord(kind, m_now, lock.place, actor, lock.owner);
    if (kind == EventKind::RecordFreed) {
        record.event.flags = static_cast<std::uint8_t>(why);
    } else {
        record.event.value = lock.deadline;
        record.event.aux = static_cast<std::uint32_t>(lock.holds);
    }
    m_records.push_back(std::move(record));
}

} // namespace lockscope::torture
