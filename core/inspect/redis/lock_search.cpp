// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/lock_search.h"

#include "inspect/redis/companions.h"
#include "inspect/redis/redisson_names.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lockscope::inspect {

namespace {

using redis::Args;
using redis::Error;
using redis::Result;

constexpr std::size_t kMostDull = 4'000'000; // about a hundred megabytes
constexpr auto kLongestDull = 300s;
constexpr double kDullPerSecond = 100; // so many of them may be looked at again, on average
constexpr std::size_t kBatch = 250;
constexpr std::int64_t kYoungSeconds = 60;     // a key that was used just now gets hardly younger by our reading
constexpr std::int64_t kShortestValue = 20;    // of a string that is a lock by its value: "n:1:0123456789abcdef"
constexpr std::int64_t kMostPassesOfScan = 16; // Redis goes past a key about once
constexpr std::int64_t kMostSlackOfScan = 100'000;

/// The name of the lock that a key belongs to, by the key's name.
QByteArray lockNameOf(const QByteArray& key) {
    if (const auto name = redisson::nameOfQueueKey(key)) return *name;
    if (const auto name = redisson::nameOfPermitsKey(key)) return *name;
    return key;
}

/// A backslash stands before what a glob would take for something else; before any other character it is one itself:
/// names of PHP's classes are full of them.
QByteArray withPlainBackslashes(const QByteArray& glob) {
    QByteArray whole;
    for (qsizetype at = 0; at < glob.size(); ++at) {
        whole += glob[at];
        if (glob[at] != '\\') continue;
        const bool escapes = at + 1 < glob.size() && QByteArrayView("*?[]^-\\").contains(glob[at + 1]);
        whole += escapes ? glob[++at] : '\\';
    }
    return whole;
}

/// A list with commas between its globs.
std::vector<QByteArray> globsIn(const QString& list) {
    std::vector<QByteArray> all;
    for (const QString& word : list.split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (!word.trimmed().isEmpty()) all.push_back(withPlainBackslashes(word.trimmed().toUtf8()));
    return all;
}

} // namespace

bool NameFilter::wants(const QByteArray& name) const {
    const auto matches = [&name](const QByteArray& glob) { return globMatches(glob, name); };
    return (match.empty() || std::ranges::any_of(match, matches)) && std::ranges::none_of(ignore, matches);
}

NameFilter nameFilterFrom(const QString& match, const QString& ignore) {
    return {globsIn(match), globsIn(ignore)};
}

std::vector<KeyPattern> stringPatternsFrom(const QString& names) {
    std::vector<KeyPattern> all = usualLockNames();
    for (const QByteArray& glob : globsIn(names))
        all.push_back({glob, "string"});
    return all;
}

LockSearch::LockSearch(KeyReader& reader, ServerFacts& facts, Runtime& runtime, const WatchOptions& options,
                       std::function<bool(const QByteArray&)> known)
    : m_reader(reader),
      m_facts(facts),
      m_runtime(runtime),
      m_options(options),
      m_known(std::move(known)),
      m_scan(reader, m_names) {
    m_recogniser.patterns = options.patterns;
    // A key that the user asks for by name may be a lock, however long its value is.
    m_reader.setDoubt({[this](const QByteArray& key, std::int64_t length) {
                           const bool may =
                               length >= kShortestValue || !m_options.names.match.empty() || namedLikeLock(key);
                           m_names.learn(LikeNames::Trait::Readable, key, may);
                           return may;
                       },
                       [this](const KeySnapshot& key) {
                           if (key.type != "hash") return mayBeLock(key, m_recogniser);
                           noteHash(key.key, mayBelongToLock(key));
                           return mayBelongToLock(key);
                       },
                       [this](const QByteArray& key) { return m_names.likely(LikeNames::Trait::Readable, key); }});
    m_scan.setSkip([this](const QByteArray& key) { return skips(key); });
    restart();
}

void LockSearch::restart() {
    const auto& match = m_options.names.match;
    m_scan.setMatch(match.size() == 1 ? match.front() : QByteArray());
    m_scan.restart();
    m_names.clear();
    m_candidates.clear();
    m_dull.clear();
    m_dullSince = m_roundBegan = m_runtime.monotonic();
    m_roundTook = {};
    m_leftAlone = 0;
    m_looked = 0;
    m_mostThere = 0;
    m_unread.clear();
    m_elsewhere.clear();
}

bool LockSearch::namedLikeLock(const QByteArray& key) const {
    return isHelperKey(key) || std::ranges::any_of(m_options.patterns, [&](const KeyPattern& pattern) {
               return globMatches(pattern.glob, key);
           });
}

bool LockSearch::skips(const QByteArray& key) const {
    return m_known(key) || m_dull.contains(qHash(key)) || !m_options.names.wants(lockNameOf(key));
}

QCoro::Task<std::optional<Error>> LockSearch::advance(std::stop_token stop) {
    const int rounds = m_scan.rounds();
    m_mostThere = std::max(m_mostThere, m_facts.keys().value_or(0));
    std::vector<WantedKey> found;
    std::vector<QByteArray> others;
    auto error = co_await m_scan.advance(found, stop);
    if (!error) error = co_await sift(std::move(found), others, stop);
    if (!error && !others.empty()) {
        std::vector<WantedKey> typed;
        error = co_await m_scan.askTypes(std::exchange(others, {}), typed, stop);
        // A key that is of another type once more has changed meanwhile: the next round comes by.
        if (!error) error = co_await sift(std::move(typed), others, stop);
    }
    if (error) {
        m_scan.restart(); // the slice is lost: nobody may say that all was seen
    } else if (m_scan.rounds() != rounds) {
        endRound();
    }
    co_return error;
}

void LockSearch::noteElsewhere(const std::vector<QByteArray>& keys) {
    constexpr std::size_t kMost = 1000;
    for (const QByteArray& key : keys)
        if (m_elsewhere.size() < kMost) m_elsewhere.insert(key);
}

void LockSearch::endRound() {
    const Nanos now = m_runtime.monotonic(), began = std::exchange(m_roundBegan, now);
    if (m_scan.rounds() > 1) m_roundTook = now - began; // the first one may cost more, and is faster
    forgetDull();
    m_mostThere = 0;
    if (m_scan.rounds() > 1) m_elsewhere.clear();
}

Nanos LockSearch::roundTime() const {
    if (!wentThrough()) return {};
    const std::int64_t passed = m_scan.keysPassed(), there = m_facts.keys().value_or(0);
    if (passed == 0 || passed < there / 10) return m_roundTook;
    const Nanos elapsed = m_runtime.monotonic() - m_roundBegan;
    return std::chrono::duration_cast<Nanos>(elapsed * std::max(double(there) / double(passed), 1.0));
}

QCoro::Task<std::optional<Error>> LockSearch::sift(std::vector<WantedKey> found, std::vector<QByteArray>& others,
                                                   std::stop_token stop) {
    if (m_facts.readingMakesYoung()) {
        auto error = co_await leaveOldAlone(found, stop);
        if (error) co_return error;
    }
    std::vector<WantedKey> doubtful;
    for (WantedKey& key : found) {
        if (key.doubtful)
            doubtful.push_back(std::move(key));
        else
            m_candidates.push_back(std::move(key));
    }
    KeysRead read;
    auto error = co_await m_reader.read(std::move(doubtful), read, stop);
    m_looked += read.looked;
    noteElsewhere(read.elsewhere);
    for (const auto& [key, why] : read.notRead) {
        if (why == KeyJob::End::LongValue) m_names.learn(LikeNames::Trait::Readable, key, false);
        dismiss(key, why);
    }
    for (KeySnapshot& key : read.keys) {
        if (key.refused) {
            dismiss(key.key, KeyJob::End::Refused);
            continue;
        }
        const char* const type = key.type == "hash" ? "hash" : "string";
        WantedKey candidate{std::move(key.key), type, false};
        if (namedLikeLock(candidate.key))
            m_candidates.push_front(std::move(candidate)); // somebody may be looking for just that
        else
            m_candidates.push_back(std::move(candidate));
    }
    others = std::move(read.ofOtherTypes);
    co_return error;
}

// A key that is no lock may become one. Few keys are looked at again in each round, many only after minutes.
void LockSearch::forgetDull() {
    const Nanos now = m_runtime.monotonic();
    const auto due = std::chrono::duration<double>(double(m_dull.size()) / kDullPerSecond);
    const bool soon = now - m_dullSince >= due && !m_facts.readingMakesYoung();
    if (!soon && now - m_dullSince < kLongestDull && m_dull.size() <= kMostDull) return;
    m_dull.clear();
    m_dullSince = now;
    m_leftAlone = 0;
}

// OBJECT does not count as a use of the key.
QCoro::Task<std::optional<Error>> LockSearch::leaveOldAlone(std::vector<WantedKey>& keys, std::stop_token stop) {
    std::vector<WantedKey> old;
    std::erase_if(keys, [&](const WantedKey& key) {
        if (namedLikeLock(key.key)) return false;
        old.push_back(key);
        return true;
    });
    for (std::size_t at = 0; at < old.size(); at += kBatch) {
        const auto batch = std::span(old).subspan(at, std::min(kBatch, old.size() - at));
        std::vector<Args> commands;
        for (const WantedKey& key : batch)
            commands.push_back(redis::argsOf("OBJECT", "IDLETIME", key.key));
        const std::vector<Result> results = co_await m_reader.callAll(std::move(commands), stop);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (!results[i] && results[i].error().kind != Error::Kind::Refused) co_return results[i].error();
            if (results[i] && results[i]->integer <= kYoungSeconds) {
                keys.push_back(batch[i]);
            } else {
                m_dull.insert(qHash(batch[i].key));
                ++m_leftAlone;
            }
        }
    }
    co_return std::nullopt;
}

std::vector<WantedKey> LockSearch::take(std::size_t limit) {
    const auto end = m_candidates.begin() + std::ptrdiff_t(std::min(limit, m_candidates.size()));
    std::vector<WantedKey> taken(std::move_iterator(m_candidates.begin()), std::move_iterator(end));
    m_candidates.erase(m_candidates.begin(), end);
    return taken;
}

void LockSearch::putBack(std::vector<WantedKey> keys) {
    m_candidates.insert(m_candidates.begin(), std::move_iterator(keys.begin()), std::move_iterator(keys.end()));
}

void LockSearch::dismiss(const QByteArray& key, KeyJob::End why) {
    m_dull.insert(qHash(key));
    m_unread.add(key, why);
}

bool LockSearch::isEndless() const {
    return m_facts.keys() && m_scan.keysPassed() > kMostSlackOfScan + kMostPassesOfScan * m_mostThere;
}

std::int64_t LockSearch::keysPassed() const {
    const std::optional<std::int64_t> there = m_facts.keys();
    const std::int64_t passed = m_scan.rounds() > 0 && there ? *there : m_scan.keysPassed();
    return there ? std::min(passed, *there) : passed;
}

} // namespace lockscope::inspect
