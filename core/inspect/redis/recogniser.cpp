// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/recogniser.h"

#include "inspect/redis/formats.h"
#include "inspect/redis/redisson_names.h"

#include <algorithm>
#include <array>

namespace lockscope::inspect {

namespace {

LockRow waitersOnlyRow(const QByteArray& name, std::int64_t waiters) {
    LockRow row;
    row.name = name;
    row.format = "redisson";
    row.state = LockRow::State::Queued;
    row.waiterCount = waiters;
    return row;
}

class Recogniser {
public:
    Recogniser(std::span<const KeySnapshot> keys, const std::optional<Subscriptions>& subscriptions,
               const RecogniserOptions& options)
        : m_keys(keys), m_subscriptions(subscriptions), m_options(options) {}

    std::vector<LockRow> run() {
        for (const auto& [name, key] : m_keys.all())
            if (!key->tooBig && !key->refused && !isHelperKey(name)) ownRows(*key);
        for (const auto& [name, key] : m_keys.all())
            if (!key->tooBig && !key->refused) queueRow(*key);
        addWaitersOnly();
        std::stable_sort(m_rows.begin(), m_rows.end(),
                         [](const LockRow& a, const LockRow& b) { return a.name < b.name; });
        return std::move(m_rows);
    }

private:
    void ownRows(const KeySnapshot& key) {
        const SeenKey seen{key, m_keys, m_subscriptions, m_options};
        for (LockRow& row : readInOrder(redisFormats(), seen))
            add(std::move(row));
    }

    // A lock without a holder may still have a queue. A fencing counter outlives its lock, and is no lock.
    void queueRow(const KeySnapshot& key) {
        const auto name = key.type == "list" ? redisson::nameOfQueueKey(key.key) : std::nullopt;
        if (!name || known(*name) || lockRefused(*name)) return;
        LockRow queue = redissonQueueRow(*name, key, m_keys, m_subscriptions, m_options.wallMs);
        if (LockRow* const row = rowOf(*name))
            leaveTo(*row, std::move(queue));
        else
            add(std::move(queue));
    }

    void addWaitersOnly() {
        if (!m_subscriptions) return;
        for (const auto& [channel, count] : *m_subscriptions) {
            const auto name = redisson::nameOfLockChannel(channel);
            if (!name || count <= 0 || known(*name) || !waitedForHere(*name) || lockRefused(*name)) continue;
            if (LockRow* const row = rowOf(*name)) {
                leaveTo(*row, waitersOnlyRow(*name, count));
                continue;
            }
            // Somebody waits in the queue of a fair lock, which its own keys tell of. The channel may be of a lock with
            // that long name, too, but nothing is there under it.
            if (redisson::fairWaiterOf(channel)) continue;
            LockRow row = waitersOnlyRow(*name, count);
            if (const KeySnapshot* token = m_keys.find(redisson::tokenKey(*name), "string")) {
                row.format = "redisson-fenced";
                row.token = token->string.toLongLong();
                row.raw.push_back(toRaw(*token));
            }
            add(std::move(row));
        }
    }

    /// The lock itself may be there: we have no right to look. Then nobody knows that it is free.
    bool lockRefused(const QByteArray& name) const {
        return m_keys.refused(name) || m_keys.refused(redisson::hashTag(name));
    }

    bool waitedForHere(const QByteArray& name) const {
        const auto& here = m_options.waitedForHere;
        return !here || here->contains(name) || here->contains(redisson::hashTag(name));
    }

    /// The row that stands for this very name, in whatever format: a name is one lock, and gets one row.
    LockRow* rowOf(const QByteArray& name) {
        const auto found = m_byName.find(name);
        return found == m_byName.end() ? nullptr : &m_rows[found->second];
    }

    /// Waiters for a lock that another format holds are counted in that lock's row.
    void leaveTo(LockRow& row, LockRow waiting) {
        m_tags.insert(redisson::hashTag(row.name)); // its channel counts them no second time
        if (waiting.waiterCount) row.waiterCount = row.waiterCount.value_or(0) + *waiting.waiterCount;
        if (!row.waiters) row.waiters = std::move(waiting.waiters);
        std::ranges::move(waiting.raw, std::back_inserter(row.raw));
    }

    void add(LockRow row) {
        if (row.format.startsWith("redisson"))
            m_tags.insert(redisson::hashTag(row.raw.empty() ? row.name : tagSource(row)));
        m_byName.try_emplace(row.name, m_rows.size());
        m_rows.push_back(std::move(row));
    }
    // A fast multi-lock's rows are named after its values; its channel is its hash's.
    static QByteArray tagSource(const LockRow& row) {
        return row.format == "redisson-fastmulti" ? row.raw.front().key : row.name;
    }
    // `a` and `{a}` share helper keys and channels, so one row speaks for both.
    bool known(const QByteArray& name) const { return m_tags.contains(redisson::hashTag(name)); }

    KeyTable m_keys;
    const std::optional<Subscriptions>& m_subscriptions;
    const RecogniserOptions& m_options;
    std::set<QByteArray> m_tags;
    std::vector<LockRow> m_rows;
    std::map<QByteArray, std::size_t> m_byName; ///< each name's first row in m_rows
};

/// A Redisson semaphore's key holds the number of permits left, which is less than zero after its total was
/// lowered.
bool mayBePermits(const QByteArray& text) {
    bool isNumber = false;
    (void)text.toLongLong(&isNumber);
    return isNumber;
}

} // namespace

std::vector<LockRow> recognise(std::span<const KeySnapshot> keys, const std::optional<Subscriptions>& subscriptions,
                               const RecogniserOptions& options) {
    return Recogniser(keys, subscriptions, options).run();
}

std::vector<QByteArray> companionsOf(const KeySnapshot& key) {
    const QByteArray& name = key.key;
    if (const auto lock = redisson::nameOfQueueKey(name))
        return {*lock, redisson::hashTag(*lock), redisson::queueDeadlinesKey(*lock)};
    if (const auto lock = redisson::nameOfTokenKey(name)) return {*lock, redisson::hashTag(*lock)};
    if (isHelperKey(name) || key.tooBig) return {};
    std::vector<QByteArray> all;
    if (key.type == "hash") {
        const bool readWrite = std::ranges::any_of(key.hash, [](const auto& entry) {
            return entry.first == "mode" && (entry.second == "read" || entry.second == "write");
        });
        bool lock = !key.hash.empty();
        for (const auto& [field, value] : key.hash) {
            const bool writes = field.endsWith(":write");
            const QByteArray who = writes ? field.chopped(6) : field;
            const bool owner = parseNamedOwner(who).has_value(); // whether it is one, its helper keys say
            lock = lock && (owner || field == "mode");
            if (!owner || writes) continue;
            for (int i = 1; readWrite && i <= std::min(value.toInt(), 1000); ++i)
                all.push_back(redisson::holdKeyPrefix(name) + field + ":rwlock_timeout:" + QByteArray::number(i));
        }
        if (!lock) return {};
        if (all.empty()) all = {redisson::queueKey(name), redisson::queueDeadlinesKey(name), redisson::tokenKey(name)};
    } else if (key.type == "string" && mayBePermits(key.string)) {
        all.push_back(redisson::permitsKey(name));
    }
    return all;
}

bool mayBeLock(const KeySnapshot& string, const RecogniserOptions& options) {
    if (string.tooBig) return false;
    if (isHelperKey(string.key) || mayBePermits(string.string)) return true;
    return std::ranges::any_of(std::array{true, false}, [&](bool hasTtl) {
        return readStringLock(string.key, string.string, hasTtl, options.wallMs, options.patterns).has_value();
    });
}

} // namespace lockscope::inspect
