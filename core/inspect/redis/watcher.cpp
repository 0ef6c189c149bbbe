// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/watcher.h"

#include "inspect/lock_change.h"
#include "inspect/redis/companions.h"
#include "inspect/redis/key_events.h"
#include "inspect/redis/redisson_names.h"
#include "inspect/row_named.h"
#include "inspect/shared_rows.h"
#include "runtime/waits_here.h"

#include <algorithm>
#include <limits>
#include <set>

namespace lockscope::inspect {

namespace {

using redis::Args;
using redis::Error;
using redis::Result;

constexpr auto kLoadWindow = 10s;
constexpr auto kRemembered = 30s;
constexpr auto kProgressEvery = 1s;
constexpr double kShareOfALook = 0.3;      // while it lasts; it is paid for by a longer pause
constexpr double kPartOfLooks = 0.5;       // of the time of watch(): known locks again; the rest is for finding others
constexpr double kPartOfFirstLooks = 0.25; // … until every key was looked at
constexpr double kPartOfFewLooks = 0.1;    // … while few are known
constexpr std::size_t kFewKnown = 1000;
constexpr int kRestAfterFirstLooks = 3;   // at least so many times as long as such a look took
constexpr auto kRoundBeforeALook = 100ms; // what has come up since the last look is wanted in this one
constexpr std::size_t kBatch = 250;
constexpr auto kTogether = 50ms; // changes that are told together are one look

Nanos nanosOf(double seconds) {
    return std::chrono::duration_cast<Nanos>(std::chrono::duration<double>(seconds));
}

double secondsOf(Nanos time) {
    return std::chrono::duration<double>(time).count();
}

/// The types of keys that are read again by their names.
const char* readableType(const QByteArray& type) {
    for (const char* known : {"string", "hash", "list", "zset"})
        if (type == known) return known;
    return nullptr;
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
      m_reader(client),
      m_facts(m_reader, client.runtime()),
      m_search(m_reader, m_facts, client.runtime(), m_options,
               [this](const QByteArray& key) { return m_known.contains(key); }),
      m_tracked(client, m_reader),
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
    m_complete = false;
    m_reader.setShare(m_options.onceShare);
    std::optional<Error> trouble = co_await askFacts(stop);
    Nanos told = runtime.monotonic();
    while (!trouble && !m_search.wentThrough() && !m_search.isEndless() && m_search.scans() < m_options.scansOfOnce) {
        trouble = co_await m_search.advance(stop);
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
    KeysRead read;
    std::vector<WantedKey> taken;
    std::optional<Error> trouble = co_await askFacts(stop);
    if (!trouble) {
        takeFacts();
        trouble = co_await m_tracked.begin(nowMs(), stop);
    }
    if (!trouble) {
        taken = m_search.take(candidates);
        trouble = co_await readLocks(taken, read, stop);
    }
    // The server's facts are asked again once a lock is gone: since the look began the server may have been emptied, or
    // become a replica whose data are another one's.
    if (!trouble && lostSight(read)) {
        m_facts.doubtRole();
        trouble = co_await askFacts(stop);
    }
    if (trouble) m_search.putBack(std::move(taken));
    if (!trouble && m_search.wentThrough() && !m_search.hasCandidates()) m_complete = true;

    LockReport report;
    if (trouble) {
        report.trouble = troubleOf(*trouble);
        report.locks = m_lastLocks;
    } else {
        m_search.recogniser().wallMs = m_facts.wallMs();
        age(read.keys);
        report.locks = recognise(read.keys, m_facts.subscriptions(), m_search.recogniser());
        std::erase_if(report.locks, [this](const LockRow& row) { return !m_options.names.wants(row.name); });
        co_await m_clients.name(report.locks, m_facts.connections(), stop);
        shareUnchanged(report.locks, m_lastLocks);
        remember(read, report.locks);
        forgetOld();
        report.events = std::exchange(m_events, {});
    }
    describe(report);
    report.keysSeen += read.looked;
    countLoad(report);
    co_return report;
}

QCoro::Task<std::optional<Error>> RedisWatcher::askFacts(std::stop_token stop) {
    auto error = co_await m_facts.ask(std::move(stop));
    // Kept until a look succeeds: it is told together with what became of the locks.
    if (error) co_return error;
    m_events.insert(m_events.end(), m_facts.events().begin(), m_facts.events().end());
    const auto& server = m_facts.identity();
    if (server && server->mode == ServerIdentity::Mode::Sentinel)
        co_return Error{Error::Kind::Refused, "SENTINEL", sentinelText(m_client.where())};
    co_return std::nullopt;
}

bool RedisWatcher::lostSight(const KeysRead& read) const {
    std::set<QByteArray> seen;
    for (const KeySnapshot& key : read.keys)
        seen.insert(key.key);
    return std::ranges::any_of(m_lastLocks, [&](const LockRow& row) {
        return row.state == LockRow::State::Held && !row.raw.empty() && !seen.contains(row.raw.front().key);
    });
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

void RedisWatcher::age(std::vector<KeySnapshot>& keys) const {
    const std::int64_t now = nowMs();
    for (KeySnapshot& key : keys)
        if (key.ttlMs && key.ends) key.ttlMs = std::clamp<std::int64_t>(key.ends->toMs - 1 - now, 0, *key.ttlMs);
}

QCoro::Task<std::optional<Error>> RedisWatcher::readLocks(std::vector<WantedKey> wanted, KeysRead& read,
                                                          std::stop_token stop) {
    std::set<std::pair<QByteArray, std::string_view>> asked; // a key may have changed its type
    std::vector<WantedKey> first;
    const auto want = [&](const QByteArray& key, const char* type) {
        if (asked.emplace(key, type).second) first.push_back({key, type, false});
    };
    for (const auto& [key, known] : m_known)
        want(key, known.type);
    // Waiters' subscriptions tell which locks to look at.
    if (m_facts.subscriptions()) {
        for (const auto& [channel, count] : *m_facts.subscriptions()) {
            if (const auto fair = redisson::fairWaiterOf(channel)) {
                want(redisson::nameOfTag(fair->lockTag), "hash");
                want(fair->lockTag, "hash");
            }
            const auto key = redisson::keyOfChannel(channel);
            if (!key) continue;
            want(key->first, key->second);
            want(redisson::hashTag(key->first), key->second);
        }
    }
    for (const WantedKey& key : wanted)
        want(key.key, key.type);
    std::erase_if(first, [this](const WantedKey& key) {
        return !isHelperKey(key.key) && !redisson::nameOfPermitsKey(key.key) && !m_options.names.wants(key.key);
    });
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
                if (drop) m_search.dismiss(key.key);
                return drop;
            });
            error = co_await readCompanions(part, stop);
        }
        std::ranges::move(part.keys, std::back_inserter(read.keys));
        std::ranges::move(part.notRead, std::back_inserter(read.notRead));
        read.looked += part.looked;
        if (error) co_return error;
    }
    co_return std::nullopt;
}

// A key is followed once it has turned out to be a lock's: the server's list of keys stays short.
QCoro::Task<std::optional<Error>> RedisWatcher::readPart(std::vector<WantedKey> wanted, KeysRead& part,
                                                         std::stop_token stop) {
    std::erase_if(wanted, [&](const WantedKey& key) { return m_tracked.recall(key, part); });
    std::vector<QByteArray> known;
    for (const WantedKey& key : wanted)
        if (m_known.contains(key.key)) known.push_back(key.key);
    const bool together = !m_facts.identity() || m_facts.identity()->mode != ServerIdentity::Mode::Cluster;
    auto error = co_await m_tracked.follow(std::move(known), together, stop);
    if (error) co_return error;
    KeysRead fresh;
    error = co_await m_reader.read(wanted, fresh, stop);
    if (!error) m_tracked.keep(wanted, fresh);
    std::ranges::move(fresh.keys, std::back_inserter(part.keys));
    std::ranges::move(fresh.notRead, std::back_inserter(part.notRead));
    part.looked += fresh.looked;
    co_return error;
}

// Most locks have no helper keys: one EXISTS for all of a lock's tells. Known helper keys are read anyway.
QCoro::Task<std::optional<Error>> RedisWatcher::readCompanions(KeysRead& read, std::stop_token stop) {
    std::set<QByteArray> have;
    for (const KeySnapshot& key : read.keys)
        have.insert(key.key);
    std::vector<WantedKey> wanted;
    struct Group {
        std::vector<WantedKey> keys;
        std::vector<QByteArray> names;
        std::size_t commands;
    };
    std::vector<Group> groups;
    std::vector<Args> exists;
    for (const KeySnapshot& key : read.keys) {
        if (key.refused) continue;
        std::vector<WantedKey> with = wantedWith(key);
        std::erase_if(with, [&](const WantedKey& other) {
            return have.contains(other.key) || m_known.contains(other.key) || m_tracked.isGone(other.key);
        });
        const bool follow = m_tracked.follows(key.key);
        if (with.empty() || (with.size() < 2 && !follow)) {
            std::ranges::move(with, std::back_inserter(wanted));
        } else {
            Group group{std::move(with), {}, 0};
            for (const WantedKey& other : group.keys)
                group.names.push_back(other.key);
            group.commands = m_tracked.askWhether(group.names, follow, exists);
            groups.push_back(std::move(group));
        }
    }
    const std::vector<Result> results = co_await m_reader.callAll(std::move(exists), stop);
    auto next = std::span(results);
    for (Group& group : groups) {
        const auto own = next.first(group.commands);
        const Result& there = own.back();
        if (!there && there.error().kind != Error::Kind::Refused) co_return there.error();
        m_tracked.takeWhether(group.names, own);
        if (!there || there->integer > 0) std::ranges::move(group.keys, std::back_inserter(wanted));
        next = next.subspan(group.commands);
    }
    auto error = co_await m_reader.read(std::move(wanted), read, stop);
    co_return error;
}

// Keys of locks are read at every look, wherever the search is, and for a while after they are gone: locks come back.
// A key that is no lock is left to the search, which meets it again.
void RedisWatcher::remember(const KeysRead& read, const std::vector<LockRow>& rows) {
    std::map<QByteArray, const char*> types;
    for (const KeySnapshot& key : read.keys)
        if (const char* const type = readableType(key.type)) types[key.key] = type;
    const Nanos now = m_client.runtime().monotonic();
    for (const LockRow& row : rows) {
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

void RedisWatcher::forgetOld() {
    const Nanos now = m_client.runtime().monotonic();
    std::erase_if(m_known, [now](const auto& entry) { return now - entry.second.seen > kRemembered; });
    m_tracked.forgetUnused(kRemembered);
}

void RedisWatcher::describe(LockReport& report) {
    report.at = m_client.runtime().monotonic();
    report.wallMs = m_client.runtime().wallMs();
    report.complete = m_complete;
    report.keysThere = m_facts.keys().value_or(-1);
    report.keysPassed = m_complete && report.keysThere >= 0 ? report.keysThere : m_search.keysPassed();
    report.keysSeen = m_search.keysLooked();
    report.keysLeftAlone = m_search.leftAlone();
    report.keysRefused = m_search.unread().refused();
    report.server = m_facts.identity();
    report.connections = m_facts.connections();
    if (report.server) report.notes = notesOn(*report.server);
    if (m_searchRefused) report.notes.push_back({WatchNote::Kind::SearchRefused, 0, {}});
    if (m_facts.subscriptionsRefused()) report.notes.push_back({WatchNote::Kind::WaitersRefused, 0, {}});
    if (const QByteArray policy = m_facts.evictsBy(); !policy.isEmpty())
        report.notes.push_back({WatchNote::Kind::MayEvict, 0, {policy}});
    if (report.keysLeftAlone > 0) report.notes.push_back({WatchNote::Kind::LeftAlone, report.keysLeftAlone, {}});
    std::ranges::move(m_search.unread().notes(), std::back_inserter(report.notes));
    std::ranges::move(m_tracked.notes(m_known.size()), std::back_inserter(report.notes));
    std::ranges::move(m_clients.notes(), std::back_inserter(report.notes));
    report.commands = m_reader.commands();
    report.serverTime = m_reader.serverTime();
}

void RedisWatcher::countLoad(LockReport& report) {
    m_load.emplace_back(report.at, m_reader.commands());
    while (m_load.size() > 2 && report.at - m_load.front().first > kLoadWindow)
        m_load.pop_front();
    const Nanos span = report.at - m_load.front().first;
    if (span > 0ns) report.commandsPerSecond = double(m_reader.commands() - m_load.front().second) / secondsOf(span);
}

void RedisWatcher::expect(const std::vector<LockRow>& rows) {
    const Nanos now = m_client.runtime().monotonic();
    for (const LockRow& row : rows)
        for (const RawKey& raw : row.raw)
            if (const char* const type = readableType(raw.type)) m_known.insert_or_assign(raw.key, Known{type, now});
}

void RedisWatcher::setNames(NameFilter names) {
    if (names == m_options.names) return;
    m_options.names = std::move(names);
    m_known.clear();
    m_tracked.clear();
    m_complete = false;
    m_search.restart();
}

QCoro::Task<> RedisWatcher::watch(Callback callback, std::stop_token stop) {
    Runtime& runtime = m_client.runtime();
    std::stop_source ending;
    const std::stop_callback<std::function<void()>> stopToo(stop, [&ending] { ending.request_stop(); });
    struct StopListening {
        std::stop_source& source;
        ~StopListening() { source.request_stop(); }
    } stopListening{ending};
    runtime.spawn([this, token = ending.get_token()]() {
        return hearKeyEvents(
            m_client, m_reader, [this] { wake(m_notified); }, token);
    });
    // A server forgets with a connection which keys it should tell of.
    const auto reconnects = m_client.onReconnect([this] { wake(m_told); });
    runtime.spawn([this, token = ending.get_token()]() { return m_tracked.listen([this] { wake(m_told); }, token); });

    Nanos period = m_options.shortestPeriod;
    bool troubled = false;
    for (;;) {
        const double share = m_complete ? m_options.share : std::max(m_options.share, m_options.firstShare);
        const double lookPart = m_complete ? kPartOfLooks : kPartOfFirstLooks;
        const double searchShare = share * (1 - (m_known.size() < kFewKnown ? kPartOfFewLooks : lookPart));
        m_notified = false;
        const bool told = std::exchange(m_told, false);
        bool small = false;
        if (m_complete && !troubled && !told) // a change that was told needs no search
            small = co_await search(runtime.monotonic() + kRoundBeforeALook, searchShare, stop);
        const Nanos spent = m_reader.serverTime();
        const std::uint64_t sent = m_reader.commands();
        m_reader.setShare(kShareOfALook);
        const Nanos began = runtime.monotonic();
        // As many new ones as are known: where there are many, a look takes long anyway.
        const std::size_t candidates = std::max(m_options.candidatesOfALook, m_known.size());
        LockReport report = co_await look(candidates, stop);

        // Renewals come all the time; what somebody waits to see is who holds, and who waits.
        const bool changed = report.trouble || changedBesidesTime(m_lastLocks, report.locks);
        period = changed ? m_options.shortestPeriod : std::min(period * 3 / 2, m_options.longestPeriod);
        // The budget comes last: many locks are looked at less often, not more expensively.
        const Nanos affordable = std::max(nanosOf(secondsOf(m_reader.serverTime() - spent) / (share * lookPart)),
                                          nanosOf(double(m_reader.commands() - sent) / m_options.commandsPerSecond));
        // Our own work counts, too. With many locks a look takes long although it costs the server next to nothing, and
        // a first search would get no further than a slice between two of them.
        const Nanos ours = m_complete ? Nanos(0) : kRestAfterFirstLooks * (runtime.monotonic() - began);
        const Nanos rest = std::max(affordable, ours);
        report.period = std::max(period, rest);
        if (!(report.trouble && troubled)) callback(report);
        troubled = report.trouble.has_value();
        Nanos end = began + report.period;
        if (const auto ends = m_tracked.nextEnd()) {
            const Nanos left = std::chrono::milliseconds(std::max<std::int64_t>(*ends + 1 - nowMs(), 0));
            end = std::min(end, std::max(runtime.monotonic() + left, began + std::max<Nanos>(rest, kTogether)));
        }
        // New locks' keys are followed from the next look on.
        if (std::exchange(m_fresh, false) && m_tracked.tells())
            end = std::min(end, began + std::max<Nanos>(rest, kTogether));
        if (!troubled) {
            m_lastLocks = std::move(report.locks);
            if (!small) co_await search(end, searchShare, stop);
        }
        // The locks of a first search are reported at once, and so is its end.
        const bool waiting = !m_complete && (m_search.hasCandidates() || m_search.wentThrough());
        const Nanos until = waiting ? began + rest : end;
        if (!m_notified && !m_told) co_await pause(std::max<Nanos>(until - runtime.monotonic(), 1ms), stop);
        if (m_notified || m_told) {
            const Nanos soonest = began + std::max<Nanos>(affordable, kTogether);
            co_await runtime.sleep(std::max<Nanos>(soonest - runtime.monotonic(), 0ns), stop);
        }
    }
}

QCoro::Task<bool> RedisWatcher::search(Nanos end, double share, std::stop_token stop) {
    Runtime& runtime = m_client.runtime();
    const int rounds = m_search.rounds();
    m_reader.setShare(share);
    // One round between two looks is enough, and a slice at least, so that it never stands still.
    do {
        if (m_search.isEndless()) co_return true;
        const auto error = co_await m_search.advance(stop);
        // Every other error shows in the next look, which does not search.
        m_searchRefused = error && error->code == "NOPERM";
        if (error) co_return true;
        co_await m_reader.keepShare(stop);
    } while (!m_notified && !m_told && m_search.rounds() == rounds && runtime.monotonic() < end);
    co_return m_search.rounds() != rounds;
}

QCoro::Task<> RedisWatcher::pause(Nanos period, std::stop_token stop) {
    Waiter waiter(m_client.runtime(), period, std::move(stop));
    const WaitsHere here(m_pausing, waiter);
    co_await waiter.end();
}

void RedisWatcher::wake(bool& why) {
    why = true;
    if (m_pausing) m_pausing->wake();
}

} // namespace lockscope::inspect
