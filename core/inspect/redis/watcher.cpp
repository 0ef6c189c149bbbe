// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/watcher.h"

#include "inspect/redis/companions.h"
#include "inspect/redis/redisson_names.h"
#include "inspect/row_named.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_set>

namespace lockscope::inspect {

namespace {

using redis::Args;
using redis::Error;
using redis::Result;

constexpr auto kProgressEvery = 1s;
constexpr std::size_t kBatch = 250;
constexpr std::size_t kMostAgain = 250; // keys: when more are gone at once, nobody has handed them over
constexpr int kWholeRest = 100;         // times as long as a look at all locks took, another one is due …
constexpr Nanos kWholeLatest = 240s;    // … and by then at the latest

/// The types of keys that are read again by their names.
const char* readableType(const QByteArray& type) {
    for (const char* known : {"string", "hash", "list", "zset"})
        if (type == known) return known;
    return nullptr;
}

std::unordered_set<QByteArray> keysIn(const KeysRead& read) {
    std::unordered_set<QByteArray> keys;
    for (const KeySnapshot& key : read.keys)
        keys.insert(key.key);
    return keys;
}

} // namespace

WatchTrouble troubleOf(const Error& error) {
    using Kind = WatchTrouble::Kind;
    const bool refused = error.kind == Error::Kind::Refused || error.kind == Error::Kind::AuthFailed;
    const Kind kind = error.kind == Error::Kind::WrongUrl ? Kind::WrongUrl
                      : refused                           ? Kind::Refused
                                                          : Kind::Unreachable;
    return {kind, error.code, error.message};
}

RedisWatcher::RedisWatcher(redis::Client& client, WatchOptions options)
    : m_client(client),
      m_options(std::move(options)),
      m_reader(m_client),
      m_facts(m_reader, client.runtime()),
      m_search(m_reader, m_facts, client.runtime(), m_options,
               [this](const QByteArray& key) { return m_known.contains(key); }),
      m_tracked(m_client, m_reader, m_options.silenceTrusted),
      m_clients(m_reader, client.runtime()) {
}

QCoro::Task<std::expected<void, WatchTrouble>> RedisWatcher::open(std::stop_token stop) {
    const auto opened = co_await m_client.open(std::move(stop));
    if (!opened) co_return std::unexpected(troubleOf(opened.error()));
    co_return std::expected<void, WatchTrouble>();
}

WatchStatus RedisWatcher::status() const {
    using From = redis::Status::State;
    using To = WatchStatus::State;
    const redis::Status& status = m_client.status();
    const To state = status.state == From::Idle         ? To::Idle
                     : status.state == From::Connecting ? To::Connecting
                     : status.state == From::Connected  ? To::Connected
                     : status.state == From::Retrying   ? To::Retrying
                                                        : To::Failed;
    return {state, status.describe(m_client.where()), status.error.message};
}

void RedisWatcher::onStatus(std::function<void()> callback) {
    m_client.onStatus([callback = std::move(callback)](const redis::Status&) { callback(); });
}

const LockRow* RedisWatcher::lastSeen(const QByteArray& lockName) const {
    return rowNamed(m_lastLocks, lockName);
}

QCoro::Task<LockReport> RedisWatcher::once(std::stop_token stop, Callback progress) {
    Runtime& runtime = m_client.runtime();
    m_search.restart();
    m_known.clear();
    m_tracked.clear();
    m_wholeDue = {};
    m_complete = false;
    m_reader.setShare(m_options.onceShare);
    std::optional<Error> trouble = co_await askFacts(stop);
    Nanos told = runtime.monotonic();
    while (!trouble && !m_search.wentThrough() && !m_search.isEndless() && m_search.scans() < m_options.scansOfOnce) {
        trouble = co_await m_search.advance(stop);
        if (!trouble) trouble = co_await m_facts.weigh(stop);
        if (!trouble) co_await m_reader.keepShare(stop);
        if (!progress || runtime.monotonic() - told < kProgressEvery) continue;
        told = runtime.monotonic();
        LockReport sofar;
        describe(sofar);
        progress(sofar);
    }
    LockReport report;
    if (trouble) {
        describe(report);
        report.trouble = troubleOf(*trouble);
    } else {
        report = co_await look(std::numeric_limits<std::size_t>::max(), stop);
    }
    co_return report;
}

QCoro::Task<LockReport> RedisWatcher::look(std::size_t candidates, std::stop_token stop) {
    const Nanos began = m_client.runtime().monotonic();
    KeysRead read;
    LookScope scope;
    std::vector<WantedKey> taken;
    std::optional<Error> trouble = co_await askFacts(stop);
    const bool swapped = m_swapped;
    if (!trouble) {
        if (swapped) doubtAll();
        takeFacts();
        trouble = co_await m_tracked.begin(nowMs(), stop);
    }
    if (!trouble) {
        taken = m_search.take(candidates);
        scope = scopeOf(taken);
        trouble = co_await readLocks(scope.keys, read, stop);
        if (!trouble) trouble = co_await readGoneAgain(scope, read, stop);
    }
    if (!trouble && swapped) {
        m_swapped = false;
        if (lostAll(read)) m_events.push_back(ServerEvent::Swapped);
    }
    // The server's facts are asked again once a lock is gone: since the look began the server may have been emptied, or
    // become a replica whose data are another one's.
    if (!trouble && lostSight(read, scope)) {
        m_facts.doubtRole();
        trouble = co_await askFacts(stop);
    }
    if (trouble) m_search.putBack(std::move(taken));
    if (!trouble && m_search.wentThrough() && !m_search.hasCandidates()) m_complete = true;

    LockReport report;
    if (trouble) {
        m_wholeDue = {}; // what was told until now is not looked at yet
        report.trouble = troubleOf(*trouble);
        report.locks = m_lastLocks;
    } else {
        m_search.recogniser().wallMs = m_facts.wallMs();
        m_search.recogniser().holdersMayBeNamed = true;
        age(read.keys);
        std::vector<LockRow> rows = recognise(read.keys, m_facts.subscriptions(), m_search.recogniser());
        std::erase_if(rows, [&](const LockRow& row) { return !m_options.names.wants(row.name) || !scope.has(row); });
        co_await m_clients.name(rows, scope.whole, m_facts.connections(), stop);
        settleDoubts(rows);
        keepMoved(scope, read, rows);
        remember(read, rows);
        if (!taken.empty()) {
            const auto locks = std::ranges::count_if(taken, [&](const auto& one) { return m_known.contains(one.key); });
            m_mostAreLocks = 2 * std::size_t(locks) >= taken.size();
        }
        noteUntold(scope, read, rows);
        tellRows(scope, std::move(rows), report);
        if (scope.whole) {
            forgetOld(began);
            const Nanos now = m_client.runtime().monotonic();
            m_wholeDue = now + std::max(m_options.wholeAgain, std::min(kWholeRest * (now - began), kWholeLatest));
        }
        report.events = std::exchange(m_events, {});
    }
    describe(report);
    report.began = began;
    report.keysSeen += read.looked;
    countLoad(report);
    co_return report;
}

// Without its helper keys, a lock looks like much else. One that was known by them a moment ago is still that lock.
void RedisWatcher::settleDoubts(std::vector<LockRow>& rows) const {
    std::erase_if(rows, [this](LockRow& row) {
        if (!restsOnHoldersName(row)) return false;
        const bool known = m_known.contains(row.raw.front().key), connected = !row.holders.front().about.isEmpty();
        if (known || connected) row.certainty = known ? Certainty::Certain : Certainty::Likely;
        return !known && !connected;
    });
}

QCoro::Task<std::optional<Error>> RedisWatcher::askFacts(std::stop_token stop) {
    auto error = co_await m_facts.ask(std::move(stop));
    // Kept until a look succeeds: it is told together with what became of the locks.
    if (error) co_return error;
    m_events.insert(m_events.end(), m_facts.events().begin(), m_facts.events().end());
    m_swapped = m_swapped || m_facts.swapped();
    const auto& server = m_facts.identity();
    if (server && server->mode == ServerIdentity::Mode::Sentinel)
        co_return Error{Error::Kind::Refused, "SENTINEL", sentinelText(m_client.where())};
    co_return std::nullopt;
}

std::vector<const LockRow*> RedisWatcher::lastRowsIn(const LookScope& scope) const {
    std::vector<const LockRow*> rows;
    if (scope.whole) {
        for (const LockRow& row : m_lastLocks)
            rows.push_back(&row);
        return rows;
    }
    for (const QByteArray& name : scope.about)
        if (const LockRow* const row = rowNamed(m_lastLocks, name)) rows.push_back(row);
    return rows;
}

bool RedisWatcher::lostSight(const KeysRead& read, const LookScope& scope) const {
    const std::unordered_set<QByteArray> seen = keysIn(read);
    return std::ranges::any_of(lastRowsIn(scope), [&seen](const LockRow* row) {
        return row->state == LockRow::State::Held && !row->raw.empty() && !seen.contains(row->raw.front().key);
    });
}

// The server counts exchanges and does not tell of one, not even where it tells of changes.
void RedisWatcher::doubtAll() {
    m_tracked.clear();
    m_wholeDue = {};
    m_complete = false;
    m_search.restart();
}

bool RedisWatcher::lostAll(const KeysRead& read) const {
    const std::unordered_set<QByteArray> seen = keysIn(read);
    const auto isHeld = [](const LockRow& row) { return row.state == LockRow::State::Held && !row.raw.empty(); };
    return std::ranges::any_of(m_lastLocks, isHeld) && std::ranges::none_of(m_lastLocks, [&](const LockRow& row) {
               return isHeld(row) && seen.contains(row.raw.front().key);
           });
}

// The keys of a lock are read one after the other: what went from hand to hand meanwhile seems to be gone, and its
// queue with it. Nobody is told so before it was looked for once more.
QCoro::Task<std::optional<Error>> RedisWatcher::readGoneAgain(const LookScope& scope, KeysRead& read,
                                                              std::stop_token stop) {
    const std::unordered_set<QByteArray> seen = keysIn(read);
    const auto isSeen = [&seen](const RawKey& key) { return seen.contains(key.key); };
    std::vector<WantedKey> again;
    for (const LockRow* const row : lastRowsIn(scope)) {
        if (row->waiterCount.value_or(0) <= 0 || std::ranges::any_of(row->raw, isSeen)) continue;
        for (const RawKey& key : row->raw)
            if (const char* const type = readableType(key.type)) again.push_back({key.key, type, false});
    }
    if (again.empty() || again.size() > kMostAgain) co_return std::nullopt;
    co_return co_await m_reader.read(std::move(again), read, stop);
}

void RedisWatcher::takeFacts() {
    auto& here = m_search.recogniser().waitedForHere;
    here.reset();
    if (!m_facts.othersHaveKeys()) return;
    here.emplace();
    for (const auto& [key, known] : m_known)
        here->insert(key);
}

std::int64_t RedisWatcher::nowMs() const {
    if (!m_reader.clockRefused()) return m_facts.wallMs();
    return std::chrono::floor<std::chrono::milliseconds>(m_client.runtime().monotonic()).count();
}

void RedisWatcher::age(std::vector<KeySnapshot>& keys) {
    const std::int64_t now = m_keysAgedMs = nowMs();
    for (KeySnapshot& key : keys)
        if (key.ttlMs && key.ends) key.ttlMs = std::clamp<std::int64_t>(key.ends->fromMs + 1 - now, 0, *key.ttlMs);
}

QCoro::Task<std::optional<Error>> RedisWatcher::readLocks(std::vector<WantedKey> first, KeysRead& read,
                                                          std::stop_token stop) {
    // In parts: what turns out to be no lock is not kept until the end.
    for (std::size_t at = 0; at < first.size(); at += kBatch) {
        const std::size_t end = std::min(at + kBatch, first.size());
        KeysRead part;
        std::vector<WantedKey> keys(std::move_iterator(first.begin() + std::ptrdiff_t(at)),
                                    std::move_iterator(first.begin() + std::ptrdiff_t(end)));
        auto error = co_await readPart(std::move(keys), part, stop);
        if (!error) {
            std::erase_if(part.keys, [this](const KeySnapshot& key) {
                const bool drop = !mayBelongToLock(key);
                if (key.type == "hash" && !key.refused) m_search.noteHash(key.key, !drop);
                if (drop) m_search.dismiss(key.key);
                return drop;
            });
            error = co_await readCompanions(part, stop);
        }
        if (!error) error = co_await m_facts.weigh(stop);
        std::ranges::move(part.keys, std::back_inserter(read.keys));
        std::ranges::move(part.notRead, std::back_inserter(read.notRead));
        std::ranges::move(part.elsewhere, std::back_inserter(read.elsewhere));
        read.looked += part.looked;
        if (error) co_return error;
    }
    co_return std::nullopt;
}

// A key is followed once it has turned out to be a lock's, so that the server's list of keys stays short. Where most
// candidates are locks, they are followed at once, which spares reading them twice.
QCoro::Task<std::optional<Error>> RedisWatcher::readPart(std::vector<WantedKey> wanted, KeysRead& part,
                                                         std::stop_token stop) {
    // A holder and its token are written together: what is remembered of one does not fit the other any more.
    for (const WantedKey& key : wanted)
        if (qstrcmp(key.type, "hash") == 0 && !m_tracked.remembers(key)) m_tracked.doubt(redisson::tokenKey(key.key));
    std::erase_if(wanted, [&](const WantedKey& key) { return m_tracked.recall(key, part); });
    part.recalled = part.keys.size();
    std::vector<QByteArray> known;
    for (const WantedKey& key : wanted)
        if (m_mostAreLocks || m_known.contains(key.key)) known.push_back(key.key);
    const bool together = m_facts.keysGoTogether();
    auto error = co_await m_tracked.follow(std::move(known), together, stop);
    if (error) co_return error;
    KeysRead fresh;
    error = co_await m_reader.read(wanted, fresh, stop);
    if (!error) m_tracked.keep(wanted, fresh);
    std::ranges::move(fresh.keys, std::back_inserter(part.keys));
    std::ranges::move(fresh.notRead, std::back_inserter(part.notRead));
    std::ranges::move(fresh.elsewhere, std::back_inserter(part.elsewhere));
    part.looked += fresh.looked;
    co_return error;
}

// Most locks have no helper keys: one EXISTS for all of a lock's tells, and mostly one for those of many locks. Known
// helper keys are read anyway.
QCoro::Task<std::optional<Error>> RedisWatcher::readCompanions(KeysRead& read, std::stop_token stop) {
    std::set<QByteArray> have;
    for (const KeySnapshot& key : read.keys)
        have.insert(key.key);
    std::vector<WantedKey> wanted;
    std::vector<Group> followed, others;
    for (std::size_t i = 0; i < read.keys.size(); ++i) {
        const KeySnapshot& key = read.keys[i];
        if (key.refused) continue;
        std::vector<WantedKey> with = wantedWith(key);
        const bool follow = m_tracked.follows(key.key) && m_tracked.hasRoomForGone();
        std::erase_if(with, [&](const WantedKey& other) {
            const bool known = have.contains(other.key) || m_known.contains(other.key) || m_tracked.isGone(other.key);
            if (known || follow) m_groups.join(key.key, other.key);
            return known;
        });
        // With very many locks, those that stay as they are are not asked about: waiters' channels tell of queues, and
        // the search comes by.
        if (i < read.recalled && !m_tracked.hasRoomForGone()) continue;
        if (with.empty() || (with.size() < 2 && !follow)) {
            std::ranges::move(with, std::back_inserter(wanted));
            continue;
        }
        Group group{std::move(with), {}, follow};
        for (const WantedKey& other : group.keys)
            group.names.push_back(other.key);
        (follow ? followed : others).push_back(std::move(group));
    }
    for (std::vector<Group>* const groups : {&followed, &others}) {
        auto error = co_await askWhether(*groups, wanted, stop);
        if (error) co_return error;
    }
    auto error = co_await m_reader.read(std::move(wanted), read, stop);
    co_return error;
}

QCoro::Task<std::optional<Error>> RedisWatcher::askWhether(std::span<Group> groups, std::vector<WantedKey>& wanted,
                                                           std::stop_token stop) {
    if (groups.empty()) co_return std::nullopt;
    std::vector<Args> exists;
    const TrackedKeys::Asking asking(m_tracked);
    if (groups.size() > 1 && m_facts.keysGoTogether()) {
        std::vector<QByteArray> all;
        for (const Group& group : groups)
            all.insert(all.end(), group.names.begin(), group.names.end());
        m_tracked.askWhether(all, groups.front().follow, exists);
        const std::vector<Result> results = co_await m_reader.callAll(std::exchange(exists, {}), stop);
        const Result& there = results.back();
        if (!there && there.error().kind != Error::Kind::Refused) co_return there.error();
        m_tracked.takeWhether(all, results);
        if (there && there->integer == 0) co_return std::nullopt;
    }
    std::vector<std::size_t> commands;
    for (const Group& group : groups)
        commands.push_back(m_tracked.askWhether(group.names, group.follow, exists));
    const std::vector<Result> results = co_await m_reader.callAll(std::move(exists), stop);
    auto next = std::span(results);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto own = next.first(commands[i]);
        const Result& there = own.back();
        if (!there && there.error().kind != Error::Kind::Refused) co_return there.error();
        m_tracked.takeWhether(groups[i].names, own);
        if (!there || there->integer > 0) std::ranges::move(groups[i].keys, std::back_inserter(wanted));
        next = next.subspan(commands[i]);
    }
    co_return std::nullopt;
}

// Keys of locks are read at every look, wherever the search is, and for a while after they are gone: locks come back.
// A key that is no lock is left to the search, which meets it again.
void RedisWatcher::remember(const KeysRead& read, const std::vector<LockRow>& rows) {
    std::map<QByteArray, const char*> types;
    for (const KeySnapshot& key : read.keys)
        if (const char* const type = readableType(key.type)) types[key.key] = type;
    const Nanos now = m_rememberedAt = m_client.runtime().monotonic();
    for (const LockRow& row : rows) {
        joinKeysOf(row);
        for (const RawKey& raw : row.raw)
            if (const auto type = types.find(raw.key); type != types.end())
                m_fresh |= m_known.insert_or_assign(raw.key, Known{type->second, now}).second;
        // A lock that is only waited for has no key yet: look for the one it will have. Waiting alone does not keep it
        // known where it may be for another database's.
        if (row.state != LockRow::State::Queued || row.waiters) continue;
        const auto [known, fresh] = m_known.try_emplace(row.name, Known{"hash", now});
        m_fresh |= fresh;
        if (!fresh && !m_facts.othersHaveKeys()) known->second.seen = now;
    }
    for (const KeySnapshot& key : read.keys)
        if (!m_known.contains(key.key))
            m_search.dismiss(key.key, key.refused ? KeyJob::End::Refused : KeyJob::End::Dull);
    for (const auto& [key, why] : read.notRead)
        if (!m_known.contains(key)) m_search.dismiss(key, why);
}

// Many locks on a busy machine take us long: what this look has seen is not old, whatever the time is by now. Else all
// locks would be forgotten at once, and told as released.
void RedisWatcher::forgetOld(Nanos began) {
    std::erase_if(m_known,
                  [this](const auto& entry) { return m_rememberedAt - entry.second.seen > m_options.remembered; });
    m_tracked.forgetUnused(m_options.remembered + (m_client.runtime().monotonic() - began));
}

void RedisWatcher::expect(const std::vector<LockRow>& rows) {
    const Nanos now = m_client.runtime().monotonic();
    for (const LockRow& row : rows)
        for (const RawKey& raw : row.raw)
            if (const char* const type = readableType(raw.type)) m_known.insert_or_assign(raw.key, Known{type, now});
    m_wholeDue = {};
}

void RedisWatcher::setNames(NameFilter names) {
    if (names == m_options.names) return;
    m_options.names = std::move(names);
    m_known.clear();
    m_tracked.clear();
    m_wholeDue = {};
    m_complete = false;
    m_search.restart();
}

} // namespace lockscope::inspect
