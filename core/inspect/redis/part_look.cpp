// SPDX-License-Identifier: Apache-2.0
// Looks at a part of the locks. A server that tells of changes says by its silence that all others are as they were,
// and with very many locks a look that goes through all of them takes seconds.
#include "inspect/lock_change.h"
#include "inspect/redis/companions.h"
#include "inspect/redis/joined_report.h"
#include "inspect/redis/redisson_names.h"
#include "inspect/redis/watcher.h"
#include "inspect/row_named.h"
#include "inspect/shared_rows.h"

#include <algorithm>
#include <set>

namespace lockscope::inspect {

namespace {

const QByteArray& keyOf(const LockRow& row) {
    return row.raw.empty() ? row.name : row.raw.front().key;
}

/// The row may become another one although no key changes: by a deadline within a content, or because its waiters go.
bool changesWithTime(const LockRow& row) {
    return row.raw.size() != 1 || row.raw.front().type == "zset" ||
           row.ttlMs.has_value() != row.raw.front().ttlMs.has_value();
}

/// Whether the name of a lock is part of this helper key's name.
bool namesItsLock(const QByteArray& key) {
    return isHelperKey(key) || redisson::nameOfPermitsKey(key);
}

/// The channels whose subscribers are not as many as before, with the present number.
Subscriptions changedChannels(const Subscriptions& before, const Subscriptions& now) {
    Subscriptions changed;
    for (const auto& [channel, count] : before)
        if (!now.contains(channel)) changed.emplace(channel, 0);
    for (const auto& [channel, count] : now) {
        const auto was = before.find(channel);
        if (was == before.end() || was->second != count) changed.emplace(channel, count);
    }
    return changed;
}

} // namespace

void RedisWatcher::addWaitedFor(const Subscriptions& subscriptions, std::vector<WantedKey>& keys) const {
    for (const auto& [channel, count] : subscriptions) {
        if (const auto fair = redisson::fairWaiterOf(channel)) {
            keys.push_back({redisson::nameOfTag(fair->lockTag), "hash", false});
            keys.push_back({fair->lockTag, "hash", false});
        }
        const auto key = redisson::keyOfChannel(channel);
        if (!key) continue;
        keys.push_back({key->first, key->second, false});
        keys.push_back({redisson::hashTag(key->first), key->second, false});
    }
}

LookScope RedisWatcher::wholeScope(const std::vector<WantedKey>& candidates) const {
    LookScope scope;
    for (const auto& [key, known] : m_known)
        scope.keys.push_back({key, known.type, false});
    if (m_facts.subscriptions()) addWaitedFor(*m_facts.subscriptions(), scope.keys);
    scope.keys.insert(scope.keys.end(), candidates.begin(), candidates.end());
    return scope;
}

std::vector<WantedKey> RedisWatcher::keysInDoubt() {
    std::vector<WantedKey> keys;
    for (QByteArray& key : m_tracked.takeDoubted())
        keys.push_back({key, typeOfCompanion(key), false});
    static const Subscriptions kNone;
    const Subscriptions changed =
        changedChannels(m_lastSubscriptions.value_or(kNone), m_facts.subscriptions().value_or(kNone));
    addWaitedFor(changed, keys);
    for (const auto* const some : {&m_untold, &m_timely})
        for (const QByteArray& key : *some)
            keys.push_back({key, "hash", false}); // those that are known have their type
    return keys;
}

LookScope RedisWatcher::scopeOf(const std::vector<WantedKey>& candidates) {
    const bool told = m_tracked.tells() && m_known.size() >= m_options.partsFrom && m_events.empty() &&
                      m_lastSubscriptions.has_value() == m_facts.subscriptions().has_value();
    LookScope scope;
    if (told && m_client.runtime().monotonic() < m_wholeDue) {
        scope.whole = false;
        std::vector<WantedKey> doubted = keysInDoubt();
        const auto isAbout = [&](const QByteArray& key) {
            scope.about.insert(key);
            const std::vector<QByteArray> group = m_groups.keysWith(key);
            scope.about.insert(group.begin(), group.end());
        };
        for (const auto* const keys : {&std::as_const(doubted), &candidates}) {
            for (const WantedKey& wanted : *keys) {
                isAbout(wanted.key);
                if (!namesItsLock(wanted.key)) continue;
                KeySnapshot helper;
                helper.key = wanted.key;
                helper.type = wanted.type;
                for (const WantedKey& other : wantedWith(helper))
                    isAbout(other.key);
            }
        }
        for (const QByteArray& key : scope.about)
            if (const auto known = m_known.find(key); known != m_known.end())
                scope.keys.push_back({key, known->second.type, false});
        if (scope.keys.size() <= m_known.size() / 2) {
            std::erase_if(doubted, [this](const WantedKey& key) { return m_known.contains(key.key); });
            std::ranges::move(doubted, std::back_inserter(scope.keys));
            scope.keys.insert(scope.keys.end(), candidates.begin(), candidates.end());
        } else {
            scope = {};
        }
    }
    if (scope.whole) {
        scope = wholeScope(candidates);
        m_tracked.takeDoubted();
        m_groups.clear();
    }
    m_lastSubscriptions = m_facts.subscriptions();
    std::erase_if(scope.keys,
                  [&](const WantedKey& key) { return !namesItsLock(key.key) && !m_options.names.wants(key.key); });
    const auto asText = [](const WantedKey& key) {
        return std::pair(QByteArrayView(key.key), QByteArrayView(key.type));
    };
    std::ranges::sort(scope.keys, {}, asText); // a key may have changed its type
    const auto twice = std::ranges::unique(scope.keys, {}, asText);
    scope.keys.erase(twice.begin(), twice.end());
    return scope;
}

void RedisWatcher::joinKeysOf(const LockRow& row) {
    for (std::size_t i = 1; i < row.raw.size(); ++i)
        m_groups.join(keyOf(row), row.raw[i].key);
    if (row.name != keyOf(row)) m_groups.join(keyOf(row), row.name);
}

// Nobody tells of a change of these: they are read at every look.
void RedisWatcher::noteUntold(const LookScope& scope, const KeysRead& read, const std::vector<LockRow>& rows) {
    const auto note = [this](const QByteArray& key) {
        const auto known = m_known.find(key);
        if (known != m_known.end() && !m_tracked.remembers({key, known->second.type, false}))
            m_untold.insert(key);
        else
            m_untold.erase(key);
    };
    if (scope.whole) {
        m_untold.clear();
        for (const auto& [key, known] : m_known)
            note(key);
        return;
    }
    for (const WantedKey& key : scope.keys)
        note(key.key);
    for (const KeySnapshot& key : read.keys)
        note(key.key);
    for (const LockRow& row : rows)
        note(row.name);
}

void RedisWatcher::tellRows(LookScope& scope, std::vector<LockRow> rows, LockReport& report) {
    const std::int64_t now = nowMs(), passed = now - std::exchange(m_agedMs, now);
    for (LockRow& row : rows) // the clients have been asked for since
        runDown(row, std::chrono::milliseconds(now - m_keysAgedMs));
    const auto noteTimely = [this](const LockRow& row) {
        if (changesWithTime(row)) m_timely.insert(keyOf(row));
    };
    if (scope.whole) {
        shareUnchanged(rows, m_lastLocks);
        m_changed = changedBesidesTime(m_lastLocks, rows);
        m_timely.clear();
        std::ranges::for_each(rows, noteTimely);
        report.locks = std::move(rows);
        return;
    }
    for (const LockRow& row : rows) {
        if (scope.about.contains(row.name)) continue;
        // Another lock may have had that name until now, and nothing has related them.
        if (rowNamed(m_lastLocks, row.name)) m_wholeDue = {};
        scope.about.insert(row.name);
    }
    report.locks = std::exchange(m_lastLocks, {});
    std::vector<LockRow>& locks = report.locks;
    for (LockRow& row : locks)
        runDown(row, std::chrono::milliseconds(passed));
    const std::set<QByteArray> names(scope.about.begin(), scope.about.end());
    std::vector<std::size_t> places; // of the rows that were there
    for (const QByteArray& name : names)
        for (auto row = std::ranges::lower_bound(locks, name, {}, &LockRow::name);
             row != locks.end() && row->name == name; ++row)
            places.push_back(std::size_t(row - locks.begin()));
    std::vector<LockRow> before;
    for (const std::size_t place : places) {
        m_timely.erase(keyOf(locks[place]));
        before.push_back(std::move(locks[place]));
    }
    std::ranges::for_each(rows, noteTimely);
    shareUnchanged(rows, before);
    m_changed = changedBesidesTime(before, rows);
    std::set<QByteArray> again;
    for (const auto* const some : {&before, &rows})
        for (const LockRow& row : *some)
            again.insert(row.name);
    report.lookedAgain.emplace(again.begin(), again.end());
    if (std::ranges::equal(before, rows, {}, &LockRow::name, &LockRow::name)) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            locks[places[i]] = std::move(rows[i]);
        return;
    }
    std::size_t next = 0, at = 0;
    std::erase_if(locks, [&](const LockRow&) {
        const bool was = next < places.size() && places[next] == at++;
        next += was;
        return was;
    });
    const auto middle = std::ptrdiff_t(locks.size());
    std::ranges::move(rows, std::back_inserter(locks));
    std::ranges::inplace_merge(locks, locks.begin() + middle, {}, &LockRow::name);
}

} // namespace lockscope::inspect
