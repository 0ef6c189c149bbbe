// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/tracked_keys.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

namespace lockscope::inspect {

namespace {

using redis::argsOf;
using redis::Error;
using redis::Result;

constexpr auto kFeedAgain = 1s;      // a connection that broke
constexpr auto kAllowedAgain = 300s; // rights change seldom
constexpr std::size_t kFewest = 16;  // following fewer keys is not worth the connection
constexpr int kReadAgainBy = 2;      // of the time that a content is trusted: the part after which it is read again
constexpr int kAllWithin = 4;        // … and the part of it in which that would be done for all of them
constexpr int kMostAtOnce = 8;       // an eighth of all
constexpr int kEnoughNoNews = 64;
constexpr int kNoNewsPerNews = 4;
constexpr std::uint8_t kOfNoType = 0xF;

std::uint8_t bitOf(const char* type) {
    constexpr const char* kTypes[] = {"string", "hash", "list", "zset"};
    for (std::uint8_t i = 0; i < std::size(kTypes); ++i)
        if (std::strcmp(type, kTypes[i]) == 0) return std::uint8_t(1 << i);
    Q_UNREACHABLE();
}

bool equalBesidesMeasuring(const KeySnapshot& a, const KeySnapshot& b) {
    if (a.ends.has_value() != b.ends.has_value() || a.ttlMs.has_value() != b.ttlMs.has_value()) return false;
    if (a.ends && endMoved(*a.ends, *b.ends) != EndMoved::Same) return false;
    return a.type == b.type && a.string == b.string && a.hash == b.hash && a.list == b.list && a.zset == b.zset &&
           a.more == b.more;
}

} // namespace

QCoro::Task<> TrackedKeys::listen(std::function<void()> changed, std::stop_token stop) {
    Runtime& runtime = m_client.runtime();
    struct Deaf {
        TrackedKeys& keys;
        std::weak_ptr<bool> alive; ///< a stopped coroutine may end after the keys have gone
        ~Deaf() {
            if (alive.expired()) return;
            keys.m_feed = 0;
            keys.forgetAll();
        }
    };
    for (;;) {
        auto feed = co_await m_client.changeFeed(stop);
        Nanos pause = kFeedAgain;
        if (feed) {
            const Deaf deaf{*this, m_alive};
            m_feed = (*feed)->id();
            m_refused = false;
            changed(); // the next look asks the server to tell
            for (;;) {
                const auto news = co_await (*feed)->next(stop);
                if (!news) break;
                take(*news, changed);
            }
            changed(); // what changes now is not told
        } else {
            using Kind = Error::Kind;
            m_refused = feed.error().kind == Kind::Refused || feed.error().kind == Kind::AuthFailed;
            if (m_refused) pause = kAllowedAgain;
        }
        // A feed that broke comes back with the server; a refusal lasts until somebody changes the rights.
        co_await runtime.sleep(pause, stop);
    }
}

void TrackedKeys::doubt(Entry& entry) {
    entry.followed = entry.known = false;
    entry.goneAs = 0;
    entry.doubted = entry.seen.has_value();
}

void TrackedKeys::doubt(const QByteArray& key) {
    const auto entry = m_entries.find(key);
    if (entry != m_entries.end()) entry->second.known = false;
}

void TrackedKeys::take(const redis::ChangedKeys& changed, const std::function<void()>& told) {
    bool any = changed.everything && !m_entries.empty();
    if (changed.everything) forgetAll();
    for (const QByteArray& key : changed.keys) {
        if (m_asking > 0) m_toldMeanwhile.insert(key);
        const auto entry = m_entries.find(key);
        if (entry == m_entries.end() || !entry->second.followed) continue;
        doubt(entry->second);
        m_changed.push_back(key);
        any = true;
    }
    if (any) told();
}

QCoro::Task<std::optional<Error>> TrackedKeys::begin(std::int64_t nowMs, std::stop_token stop) {
    m_nowMs = nowMs;
    const Nanos now = m_client.runtime().monotonic();
    const bool here = tells() && m_client.connection() == m_connection && m_leadsTo == m_feed;
    if (!here) forgetAll();
    if (here || m_feed == 0) co_return std::nullopt;
    if (m_refused && m_askedOver == m_client.connection() && now < m_askAgain) co_return std::nullopt;
    m_connection = 0;
    m_askedOver = m_client.connection();
    m_news = m_noNews = 0;
    m_most = kMostKeys;
    m_forgets = false;
    m_leadsTo = m_feed;
    std::vector<redis::Args> ask;
    ask.push_back(argsOf("CLIENT", "TRACKING", "ON", "REDIRECT", QByteArray::number(m_leadsTo), "OPTIN"));
    const std::vector<Result> results = co_await m_reader.callAll(std::move(ask), stop);
    const Result& result = results.front();
    if (!result && result.error().kind != Error::Kind::Refused) co_return result.error();
    if (result) m_connection = result->connection;
    m_refused = false;
    if (!result) refused();
    co_return std::nullopt;
}

void TrackedKeys::refused() {
    m_refused = true;
    m_connection = 0;
    m_askAgain = m_client.runtime().monotonic() + kAllowedAgain;
}

bool TrackedKeys::follows(const QByteArray& key) const {
    const auto found = m_entries.find(key);
    return found != m_entries.end() && found->second.followed;
}

bool TrackedKeys::recall(const WantedKey& wanted, KeysRead& read) {
    const Entry* const entry = remembered(wanted);
    if (entry && entry->seen && entry->seen->type == wanted.type) read.keys.push_back(*entry->seen);
    return entry != nullptr;
}

bool TrackedKeys::remembers(const WantedKey& wanted) {
    return remembered(wanted) != nullptr;
}

/// The entry of a key, if it is enough to know what there is of the wanted type.
const TrackedKeys::Entry* TrackedKeys::remembered(const WantedKey& wanted) {
    const auto found = m_entries.find(wanted.key);
    if (found == m_entries.end()) return nullptr;
    Entry& entry = found->second;
    entry.used = m_client.runtime().monotonic();
    // A server may delete an expired key long after its end, but denies it at once.
    if (entry.seen && entry.seen->ends && entry.seen->ends->fromMs <= m_nowMs) entry.known = false;
    if (isOld(entry)) entry.known = entry.followed = false;
    if (!entry.known) return nullptr;
    if (!entry.seen) return (entry.goneAs & bitOf(wanted.type)) ? &entry : nullptr;
    return &entry;
}

void TrackedKeys::forgetAll() {
    m_entries.clear();
    m_endings.clear();
    m_changed.clear();
    m_asked.clear();
    m_gone = 0;
}

bool TrackedKeys::listed(const Result& caching, const Result& answer) const {
    return caching && answer && answer->connection == m_connection && caching->connection == m_connection;
}

TrackedKeys::Entry* TrackedKeys::put(const QByteArray& key) {
    if (m_toldMeanwhile.contains(key)) return nullptr;
    Entry& entry = m_entries[key];
    entry.since = entry.used = m_client.runtime().monotonic();
    entry.followed = true;
    entry.known = false;
    entry.goneAs = 0;
    if (m_asked.size() > kFewest + 4 * m_entries.size())
        std::erase_if(m_asked, [this](const Asked& asked) {
            const auto found = m_entries.find(asked.key);
            return found == m_entries.end() || found->second.since != asked.at;
        });
    m_asked.push_back({entry.since, key});
    return &entry;
}

// A key that is read directly behind CLIENT CACHING YES is told of. EXISTS is the cheapest, does not count as a
// use of the key, and also follows keys that are not there.
QCoro::Task<std::optional<Error>> TrackedKeys::follow(std::vector<QByteArray> keys, bool together,
                                                      std::stop_token stop) {
    std::erase_if(keys, [this](const QByteArray& key) { return follows(key); });
    if (keys.size() + m_entries.size() > m_most) keys.resize(m_most - std::min(m_most, m_entries.size()));
    if (!tells() || keys.empty()) co_return std::nullopt;
    std::vector<redis::Args> commands;
    const Asking asking(*this);
    if (together) {
        askWhether(keys, true, commands);
        const std::vector<Result> results = co_await m_reader.callAll(std::exchange(commands, {}), stop);
        for (const Result& result : results)
            if (!result && result.error().kind != Error::Kind::Refused) co_return result.error();
        if (listed(results[0], results[1]))
            for (const QByteArray& key : keys)
                put(key);
        const bool may = results[0] && (results[1] || !refusesCommand(results[1].error()));
        if (!may) refused();
        if (!may || results[1]) co_return std::nullopt;
    }
    // One by one: there may be a key among them that this user may not read.
    for (const QByteArray& key : keys) {
        const std::vector<QByteArray> one{key};
        askWhether(one, true, commands);
    }
    const std::vector<Result> results = co_await m_reader.callAll(std::move(commands), stop);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Result &caching = results[2 * i], &answer = results[2 * i + 1];
        if (!answer && answer.error().kind != Error::Kind::Refused) co_return answer.error();
        if (listed(caching, answer)) put(keys[i]);
    }
    co_return std::nullopt;
}

std::size_t TrackedKeys::askWhether(const std::vector<QByteArray>& keys, bool tell,
                                    std::vector<redis::Args>& commands) const {
    const bool asks = tell && tells() && keys.size() + m_entries.size() <= m_most;
    if (asks) commands.push_back(argsOf("CLIENT", "CACHING", "YES"));
    redis::Args command = argsOf("EXISTS");
    command.insert(command.end(), keys.begin(), keys.end());
    commands.push_back(std::move(command));
    return asks ? 2 : 1;
}

void TrackedKeys::takeWhether(const std::vector<QByteArray>& keys, std::span<const Result> results) {
    if (results.size() != 2 || !listed(results[0], results[1]) || results[1]->integer > 0) return;
    for (const QByteArray& key : keys) {
        Entry* const entry = put(key);
        if (!entry) continue;
        ++m_gone;
        entry->goneAs = kOfNoType;
        entry->known = true;
        entry->seen.reset();
    }
}

bool TrackedKeys::isGone(const QByteArray& key) {
    const auto found = m_entries.find(key);
    if (found == m_entries.end() || !found->second.known || found->second.goneAs != kOfNoType) return false;
    found->second.used = m_client.runtime().monotonic();
    return !isOld(found->second);
}

void TrackedKeys::keep(std::span<const WantedKey> wanted, const KeysRead& read) {
    std::unordered_map<QByteArray, const KeySnapshot*> seen;
    for (const KeySnapshot& key : read.keys)
        seen[key.key] = &key;
    for (const auto& [key, why] : read.notRead)
        m_entries.erase(key);
    for (const QByteArray& key : read.elsewhere)
        m_entries.erase(key);
    for (const WantedKey& key : wanted) {
        const auto found = m_entries.find(key.key);
        if (found == m_entries.end() || !found->second.followed) continue; // it has changed again meanwhile
        const auto it = seen.find(key.key);
        if (it != seen.end() && it->second->refused) {
            m_entries.erase(found);
        } else if (it == seen.end()) {
            weigh(found->second, nullptr);
            found->second.seen.reset();
            found->second.goneAs |= bitOf(key.type);
            found->second.known = true;
        } else if (it->second->type == key.type) {
            weigh(found->second, it->second);
            found->second.seen = *it->second;
            found->second.known = true;
            noteEnd(*it->second);
        }
    }
    findForgetting();
}

void TrackedKeys::weigh(Entry& entry, const KeySnapshot* now) {
    if (!std::exchange(entry.doubted, false) || !entry.seen) return;
    ++(now && equalBesidesMeasuring(*entry.seen, *now) ? m_noNews : m_news);
}

// A server whose table is full drops keys from it, and tells of them as if they had changed.
void TrackedKeys::findForgetting() {
    if (m_noNews < kEnoughNoNews) return;
    if (m_noNews > kNoNewsPerNews * m_news) {
        m_most = m_entries.size() / 2;
        if (m_most < kFewest) m_most = 0;
        m_forgets = true;
        forgetAll();
    }
    m_news = m_noNews = 0;
}

void TrackedKeys::noteEnd(const KeySnapshot& key) {
    if (!key.ends) return;
    // A lease that is renewed leaves its earlier ends behind.
    if (m_endings.size() > kFewest + 4 * m_entries.size()) {
        std::erase_if(m_endings, [this](const Ending& ending) { return !isStill(ending); });
        std::ranges::make_heap(m_endings, std::ranges::greater(), &Ending::atMs);
    }
    m_endings.push_back({key.ends->fromMs, key.key});
    std::ranges::push_heap(m_endings, std::ranges::greater(), &Ending::atMs);
}

bool TrackedKeys::isStill(const Ending& ending) const {
    const auto found = m_entries.find(ending.key);
    if (found == m_entries.end() || !found->second.known) return false;
    const std::optional<KeySnapshot>& seen = found->second.seen;
    return seen && seen->ends && seen->ends->fromMs == ending.atMs;
}

std::optional<std::int64_t> TrackedKeys::nextEnd() {
    while (!m_endings.empty() && !isStill(m_endings.front())) {
        std::ranges::pop_heap(m_endings, std::ranges::greater(), &Ending::atMs);
        m_endings.pop_back();
    }
    return m_endings.empty() ? std::nullopt : std::optional(m_endings.front().atMs);
}

std::vector<QByteArray> TrackedKeys::takeDoubted() {
    std::vector<QByteArray> keys = std::exchange(m_changed, {});
    for (auto end = nextEnd(); end && *end <= m_nowMs; end = nextEnd()) {
        keys.push_back(m_endings.front().key);
        m_entries.find(keys.back())->second.known = false; // so that its ending is over, too
    }
    doubtOld(keys);
    return keys;
}

void TrackedKeys::doubtOld(std::vector<QByteArray>& keys) {
    const Nanos now = m_client.runtime().monotonic(), all = m_trusted / kAllWithin;
    // All at once would hold up what has changed meanwhile, also after a look that took long.
    const Nanos since = std::min(now - std::exchange(m_doubtedOld, now), all / kMostAtOnce);
    const std::size_t there = m_entries.size() - std::min(m_gone, m_entries.size());
    auto left = 1 + std::size_t(double(there) * (double(since.count()) / double(all.count())));
    while (left > 0 && !m_asked.empty() && now - m_asked.front().at > m_trusted / kReadAgainBy) {
        const Asked oldest = std::move(m_asked.front());
        m_asked.pop_front();
        const auto found = m_entries.find(oldest.key);
        if (found == m_entries.end() || found->second.since != oldest.at || !found->second.seen) continue;
        found->second.followed = found->second.known = false;
        keys.push_back(oldest.key);
        --left;
    }
}

void TrackedKeys::forgetUnused(Nanos longest) {
    const Nanos now = m_client.runtime().monotonic();
    std::erase_if(m_entries, [&](const auto& entry) { return now - entry.second.used > longest; });
    m_gone = std::size_t(std::ranges::count_if(
        m_entries, [](const auto& entry) { return entry.second.known && entry.second.goneAs == kOfNoType; }));
}

bool TrackedKeys::isFull(std::size_t known) const {
    return known > 0 && m_entries.size() + kFewest > m_most;
}

bool TrackedKeys::tellsOfAll(std::size_t known) const {
    return tells() && !m_forgets && !isFull(known);
}

std::vector<WatchNote> TrackedKeys::notes(std::size_t known) const {
    using Kind = WatchNote::Kind;
    std::vector<WatchNote> notes;
    if (m_refused) notes.push_back({Kind::ChangesRefused, 0, {}});
    const bool told = tells() && !m_entries.empty();
    if (told) notes.push_back({Kind::ChangesTold, std::int64_t(m_entries.size()), {}});
    if (tells() && m_forgets)
        notes.push_back({Kind::ChangesForgotten, std::int64_t(m_most), {}});
    else if (told && isFull(known))
        notes.push_back({Kind::ChangesBounded, std::int64_t(m_most), {}});
    return notes;
}

} // namespace lockscope::inspect
