// SPDX-License-Identifier: Apache-2.0
#include "monitor_reader.h"

#include <QList>

namespace lockscope::torture {

using trace::EventKind;
using trace::FreedBy;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kDoubt = 2 * kMs; ///< the server counts leases in whole milliseconds

/// "redis-cli" style words: quoted, with \xNN, \n, \" and the like inside.
std::vector<QByteArray> wordsOf(const QByteArray& line, qsizetype at) {
    std::vector<QByteArray> words;
    while ((at = line.indexOf('"', at)) >= 0) {
        QByteArray word;
        for (++at; at < line.size() && line[at] != '"'; ++at) {
            if (line[at] != '\\') {
                word += line[at];
            } else if (line.mid(at + 1, 1) == "x") {
                word += QByteArray::fromHex(line.mid(at + 2, 2));
                at += 3;
            } else {
                ++at;
                word += line.mid(at, 1);
            }
        }
        words.push_back(word);
        ++at;
    }
    return words;
}

/// The "<client>:<thread>" that a word is, or begins with; empty when it is none. Clients' names are 36 characters
/// long.
QByteArray identityIn(const QByteArray& word) {
    constexpr qsizetype kClient = 36;
    if (word.size() < kClient + 2 || word[kClient] != ':' || word.count('-') < 4) return {};
    qsizetype end = kClient + 1;
    while (end < word.size() && word[end] >= '0' && word[end] <= '9')
        ++end;
    const bool whole = end == word.size() || word[end] == ':';
    return whole && end > kClient + 1 ? word.left(end) : QByteArray();
}

} // namespace

MonitorReader::MonitorReader(const std::vector<QByteArray>& keys) {
    for (std::size_t i = 0; i < keys.size(); ++i)
        m_locks[keys[i]].number = i;
}

// 1700000000.123456 [0 127.0.0.1:50000] "set" "key" "value" …; in a script [0 lua].
void MonitorReader::read(const QByteArray& line) {
    const qsizetype dot = line.indexOf('.'), from = line.indexOf('['), to = line.indexOf(']', from);
    if (dot <= 0 || from < dot || to < 0) return;
    m_now = (line.left(dot).toLongLong() * 1'000'000 + line.mid(dot + 1, 6).toLongLong()) * 1000;
    const std::vector<QByteArray> words = wordsOf(line, to);
    if (words.size() < 2) return;
    const QByteArray address = line.mid(from + 1, to - from - 1).split(' ').back();
    const bool inScript = address == "lua";
    if (!inScript) {
        QByteArray& speaker = m_speakers[address];
        for (const QByteArray& word : words) {
            const QByteArray identity = identityIn(word);
            if (!identity.isEmpty()) speaker = identity;
        }
        m_caller = speaker;
    }
    write(words, inScript);
}

void MonitorReader::write(const Words& words, bool inScript) {
    const QByteArray command = words[0].toLower();
    if (command == "del" || command == "unlink") {
        for (std::size_t i = 1; i < words.size(); ++i)
            if (const auto lock = m_locks.find(words[i]); lock != m_locks.end()) free(lock->second);
        return;
    }
    const auto found = m_locks.find(words[1]);
    if (found == m_locks.end() || words.size() < 3) return;
    Lock& lock = found->second;
    if (command == "set") {
        set(lock, words, inScript);
    } else if (command == "pexpire") {
        if (lock.owner.isEmpty()) return;
        lock.deadline = m_now + words[2].toLongLong() * kMs;
        renew(lock);
    } else if ((command == "hset" || command == "hincrby") && words.size() == 4) {
        const bool same = lock.owner == words[2] && !isOver(lock);
        count(lock, words[2], words[3].toLongLong() + (command == "hincrby" && same ? lock.holds : 0));
    }
}

void MonitorReader::set(Lock& lock, const Words& words, bool inScript) {
    bool onlyIfFree = false;
    std::int64_t deadline = -1;
    for (std::size_t i = 3; i < words.size(); ++i) {
        const QByteArray word = words[i].toLower();
        onlyIfFree = onlyIfFree || word == "nx";
        if (word == "px" && i + 1 < words.size()) deadline = m_now + words[i + 1].toLongLong() * kMs;
    }
    if (onlyIfFree && !inScript && !lock.owner.isEmpty() && !isOver(lock)) return; // in vain
    take(lock, identityIn(words[2]), 1, deadline);
}

void MonitorReader::count(Lock& lock, const QByteArray& owner, std::int64_t holds) {
    if (lock.owner != owner || isOver(lock)) {
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
    add(lock, EventKind::RecordHeld, owner);
}

void MonitorReader::renew(Lock& lock) {
    add(lock, EventKind::RecordRenewed, m_caller);
}

void MonitorReader::free(Lock& lock) {
    if (lock.owner.isEmpty()) return;
    // Nothing is left to delete of one whose lease has ended.
    const bool over = isOver(lock) && m_caller != lock.owner;
    add(lock, EventKind::RecordFreed, over ? QByteArray() : m_caller, over ? FreedBy::Expiry : FreedBy::Release);
    lock.owner.clear();
    lock.deadline = -1;
}

bool MonitorReader::isOver(const Lock& lock) const {
    return lock.deadline >= 0 && m_now >= lock.deadline - kDoubt;
}

void MonitorReader::add(const Lock& lock, EventKind kind, const QByteArray& actor, FreedBy why) {
    ServerRecord record;
    record.event.at = m_now;
    record.event.kind = kind;
    record.lock = lock.number;
    record.actor = actor;
    record.owner = lock.owner;
    if (kind == EventKind::RecordFreed) {
        record.event.flags = static_cast<std::uint8_t>(why);
    } else {
        record.event.value = lock.deadline;
        record.event.aux = static_cast<std::uint32_t>(lock.holds);
    }
    m_records.push_back(std::move(record));
}

} // namespace lockscope::torture
