// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis_watcher.h"

#include "inspect/redisson_names.h"

#include <algorithm>

namespace lockscope::inspect {

namespace {

using redis::Args;
using redis::Error;
using redis::Result;

constexpr auto kLoadWindow = 5s;
constexpr auto kRemembered = 30s;
constexpr auto kDullFor = 300s;
constexpr std::size_t kMostDull = 2'000'000; // some tens of megabytes
constexpr std::size_t kMostCandidates = 100'000;
constexpr std::size_t kFewKeys = 50;
constexpr std::size_t kBatch = 250;
constexpr int kFewScans = 4;                   // one of each kind
constexpr double kCostOfScan = 20;             // it looks at 500 keys
constexpr std::int64_t kMostPassesOfScan = 16; // Redis goes past a key about once
constexpr std::int64_t kMostSlackOfScan = 100'000;
constexpr int kMostEventsPerSecond = 2000; // beyond that, being told costs more than looking
constexpr std::int64_t kYoungSeconds = 60; // a key that was used just now gets hardly younger by our reading

double secondsOf(Nanos time) {
    return std::chrono::duration<double>(time).count();
}

Nanos nanosOf(double seconds) {
    return std::chrono::duration_cast<Nanos>(std::chrono::duration<double>(seconds));
}

const char* typeOfCompanion(const QByteArray& key) {
    if (redisson::nameOfQueueKey(key)) return "list";
    if (key.startsWith("redisson_lock_timeout:")) return "zset";
    if (isHelperKey(key)) return "string"; // counters and hold keys
    return key.endsWith(":timeout") ? "zset" : "hash";
}

} // namespace

RedisWatcher::RedisWatcher(redis::RedisDriver& driver, WatchOptions options)
    : m_driver(driver),
      m_options(std::move(options)),
      m_reader(driver),
      m_scan(m_reader),
      m_facts(m_reader, driver.runtime()) {
    m_reader.setDoubt([this](const KeySnapshot& key) { return mayBeLock(key, m_recogniser); });
    m_recogniser.patterns = m_options.patterns;
}

QCoro::Task<LockReport> RedisWatcher::once(std::stop_token stop) {
    m_scan.restart();
    m_known.clear();
    m_candidates.clear();
    m_dull.clear();
    m_complete = false;
    m_dullSince = m_driver.runtime().monotonic();
    m_leftAlone = 0;
    const auto keyLimit = std::max(kFewKeys, std::size_t(m_options.oncePerSecond / 4));
    std::int64_t seen = 0;
    Part part = Part::Everything; // few keys are looked at in one go
    for (;;) {
        const double before = cost();
        const auto left = std::int64_t(m_options.scansOfOnce) - std::int64_t(m_scan.calls());
        const int scans = scanIsEndless() ? 0 : int(std::clamp<std::int64_t>(left, 0, m_options.scansPerLook));
        const bool enough = scans == 0;
        LockReport report = co_await look(part, scans, keyLimit, stop);
        seen += report.keysSeen;
        const bool over = report.trouble || m_complete || (enough && m_candidates.empty());
        if (over && part == Part::NewKeys && !report.trouble)
            report = co_await look(Part::Everything, 0, 0, stop); // what was found on the way, as it is now
        report.keysSeen = seen;
        if (over) co_return report;
        part = Part::NewKeys;
        co_await m_driver.runtime().sleep(nanosOf((cost() - before) / m_options.oncePerSecond), stop);
    }
}

QCoro::Task<LockReport> RedisWatcher::look(Part part, int scans, std::size_t keyLimit, std::stop_token stop) {
    std::vector<KeySnapshot> snapshots;
    std::vector<WantedKey> wanted;
    std::optional<Error> trouble;
    if (part == Part::Everything) trouble = co_await m_facts.ask(stop);
    takeFacts();
    if (!trouble) trouble = co_await findCandidates(scans, keyLimit, stop);
    if (!trouble) trouble = co_await takeCandidates(keyLimit, wanted, stop);
    if (!trouble) trouble = co_await readLocks(part, wanted, snapshots, stop);
    if (trouble) m_candidates.insert(m_candidates.begin(), wanted.begin(), wanted.end());
    if (!trouble && m_scan.rounds() > 0 && m_candidates.empty()) m_complete = true;

    LockReport report;
    report.at = m_driver.runtime().monotonic();
    report.wallMs = m_driver.runtime().wallMs();
    report.complete = m_complete;
    report.keysSeen = std::int64_t(snapshots.size());
    countProgress(report);
    if (trouble) {
        report.trouble = trouble;
        report.locks = m_last.locks;
    } else {
        report.locks = recognise(snapshots, m_facts.subscriptions(), m_recogniser);
        remember(snapshots, report.locks);
        if (part == Part::Everything) forgetOld();
    }
    countLoad(report);
    m_last = report;
    co_return report;
}

void RedisWatcher::takeFacts() {
    m_recogniser.wallMs = m_facts.wallMs();
    m_recogniser.waitedForHere.reset();
    if (!m_facts.othersHaveKeys()) return;
    m_recogniser.waitedForHere.emplace();
    for (const auto& [key, known] : m_known)
        m_recogniser.waitedForHere->insert(key);
}

bool RedisWatcher::namedLikeLock(const QByteArray& key) const {
    return isHelperKey(key) || std::ranges::any_of(m_options.patterns, [&](const KeyPattern& pattern) {
               return globMatches(pattern.glob, key);
           });
}

QCoro::Task<std::optional<Error>> RedisWatcher::findCandidates(int scans, std::size_t keyLimit, std::stop_token stop) {
    const int rounds = m_scan.rounds();
    const std::uint64_t enough = m_scan.calls() + std::uint64_t(scans);
    std::vector<WantedKey> found;
    // A round is read to its end before the next one meets the same keys.
    const bool wait = m_scan.keysPassed() == 0 && !m_candidates.empty();
    while (!wait && m_scan.calls() < enough && m_candidates.size() < kMostCandidates && m_scan.rounds() == rounds) {
        found.clear();
        auto error = co_await m_scan.advance(found, stop);
        if (error) co_return error;
        for (WantedKey& key : found) {
            if (m_dull.contains(qHash(key.key))) continue;
            if (namedLikeLock(key.key))
                m_candidates.push_front(std::move(key)); // somebody may be looking for just that
            else
                m_candidates.push_back(std::move(key));
        }
    }
    // Few keys are all read again in each round; of many, those that were no locks are left alone for some minutes.
    const Nanos now = m_driver.runtime().monotonic();
    const bool few = m_scan.rounds() != rounds && m_dull.size() <= keyLimit && !m_facts.readingMakesYoung();
    if (few || m_dull.size() > kMostDull || now - m_dullSince > kDullFor) {
        m_dull.clear();
        m_dullSince = now;
        m_leftAlone = 0;
    }
    co_return std::nullopt;
}

QCoro::Task<std::optional<Error>> RedisWatcher::takeCandidates(std::size_t keyLimit, std::vector<WantedKey>& taken,
                                                               std::stop_token stop) {
    const auto end = m_candidates.begin() + std::ptrdiff_t(std::min(keyLimit, m_candidates.size()));
    taken.assign(m_candidates.begin(), end);
    m_candidates.erase(m_candidates.begin(), end);
    if (!m_facts.readingMakesYoung()) co_return std::nullopt;
    auto error = co_await leaveOldAlone(taken, stop);
    co_return error;
}

// OBJECT does not count as a use of the key.
QCoro::Task<std::optional<Error>> RedisWatcher::leaveOldAlone(std::vector<WantedKey>& keys, std::stop_token stop) {
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
            commands.push_back({"OBJECT", "IDLETIME", key.key});
        const std::vector<Result> results = co_await m_reader.callAll(std::move(commands), stop);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (!results[i] && results[i].error().kind != Error::Kind::Refused) {
                keys.insert(keys.end(), old.begin() + std::ptrdiff_t(at + i), old.end());
                co_return results[i].error();
            }
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

QCoro::Task<std::optional<Error>> RedisWatcher::readLocks(Part part, std::vector<WantedKey> wanted,
                                                          std::vector<KeySnapshot>& snapshots, std::stop_token stop) {
    std::set<std::pair<QByteArray, std::string_view>> asked; // a key may have changed its type
    std::vector<WantedKey> first;
    const auto want = [&asked](std::vector<WantedKey>& list, const QByteArray& key, const char* type,
                               bool doubtful = false) {
        if (asked.emplace(key, type).second) list.push_back({key, type, doubtful});
    };
    if (part == Part::Everything) {
        for (const auto& [key, known] : m_known)
            want(first, key, known.type);
    }
    // Whoever waits tells where to look.
    if (part == Part::Everything && m_facts.subscriptions()) {
        for (const auto& [channel, count] : *m_facts.subscriptions()) {
            const auto key = redisson::keyOfChannel(channel);
            if (!key) continue;
            want(first, key->first, key->second);
            want(first, redisson::hashTag(key->first), key->second);
        }
    }
    for (const WantedKey& key : wanted)
        want(first, key.key, key.type, key.doubtful);
    auto error = co_await m_reader.read(std::move(first), snapshots, stop);
    if (error) co_return error;

    std::vector<WantedKey> companions;
    for (const KeySnapshot& snapshot : snapshots)
        for (const QByteArray& key : companionsOf(snapshot))
            want(companions, key, typeOfCompanion(key));
    error = co_await m_reader.read(std::move(companions), snapshots, stop);
    co_return error;
}

// Keys of locks are read at every look, wherever the scan is, and for a while after they are gone: locks come back.
// What is no lock is met again by the scan.
void RedisWatcher::remember(const std::vector<KeySnapshot>& snapshots, const std::vector<LockRow>& rows) {
    std::map<QByteArray, const char*> types;
    for (const KeySnapshot& snapshot : snapshots) {
        for (const char* type : {"string", "hash", "list", "zset"})
            if (snapshot.type == type) types[snapshot.key] = type;
    }
    const Nanos now = m_driver.runtime().monotonic();
    for (const LockRow& row : rows) {
        for (const RawKey& raw : row.raw)
            if (const auto type = types.find(raw.key); type != types.end()) m_known[raw.key] = {type->second, now};
        // A lock that is only waited for has no key yet: look for the one it will have. Waiting alone does not keep it
        // known where it may be for another database's.
        if (!row.raw.empty()) continue;
        const auto [known, fresh] = m_known.try_emplace(row.name, Known{"hash", now});
        if (!fresh && !m_facts.othersHaveKeys()) known->second.seen = now;
    }
    for (const KeySnapshot& snapshot : snapshots)
        if (!m_known.contains(snapshot.key)) m_dull.insert(qHash(snapshot.key));
}

void RedisWatcher::forgetOld() {
    const Nanos now = m_driver.runtime().monotonic();
    std::erase_if(m_known, [now](const auto& entry) { return now - entry.second.seen > kRemembered; });
}

void RedisWatcher::countProgress(LockReport& report) const {
    report.keysThere = m_facts.keys().value_or(-1);
    report.keysLeftAlone = m_leftAlone;
    std::int64_t passed = m_scan.rounds() > 0 ? report.keysThere : m_scan.keysPassed();
    if (report.keysThere >= 0) passed = std::min(passed, report.keysThere);
    if (!m_complete) passed -= std::int64_t(m_candidates.size());
    report.keysPassed = std::max<std::int64_t>(passed, 0);
}

void RedisWatcher::countLoad(LockReport& report) {
    m_load.emplace_back(report.at, m_reader.commands());
    while (m_load.size() > 2 && report.at - m_load.front().first > kLoadWindow)
        m_load.pop_front();
    const Nanos span = report.at - m_load.front().first;
    if (span > 0ns) report.commandsPerSecond = double(m_reader.commands() - m_load.front().second) / secondsOf(span);
}

// What only speaks Redis' protocol may never say that a round is over.
bool RedisWatcher::scanIsEndless() const {
    return m_facts.keys() && m_scan.keysPassed() > kMostSlackOfScan + kMostPassesOfScan * *m_facts.keys();
}

double RedisWatcher::cost() const {
    return double(m_reader.commands()) + double(m_scan.calls()) * (kCostOfScan - 1);
}

int RedisWatcher::scansWithin(double budget, Nanos period) const {
    return std::max(kFewScans, int(std::min(budget * secondsOf(period) / kCostOfScan, 1e6)));
}

QCoro::Task<> RedisWatcher::watch(std::function<void(const LockReport&)> callback, std::stop_token stop) {
    Runtime& runtime = m_driver.runtime();
    std::stop_source ending;
    const std::stop_callback<std::function<void()>> stopToo(stop, [&ending] { ending.request_stop(); });
    struct StopListening {
        std::stop_source& source;
        ~StopListening() { source.request_stop(); }
    } stopListening{ending};
    runtime.spawn([this, token = ending.get_token()]() { return listen(token); });

    Nanos period = m_options.shortestPeriod;
    for (bool first = true;; first = false) {
        const double before = cost();
        const LockReport last = m_last;
        m_notified = false;
        // Somebody who opens a server wants to see its locks, not to see them come in one by one.
        const bool searching = !m_complete;
        const double budget = std::max(searching ? m_options.firstPerSecond : 0.0, m_options.commandsPerSecond);
        // One third each for finding keys, for reading those still unknown, and for the locks that are known: these are
        // seen at least each longest period.
        const auto keyLimit = std::max(kFewKeys, std::size_t(budget * secondsOf(m_options.longestPeriod) / 3));
        int scans = scansWithin(budget / 3, searching ? m_options.longestPeriod : period);
        if (first || !searching) scans = std::min(scans, m_options.scansPerLook);
        LockReport report = co_await look(Part::Everything, scans, keyLimit, stop);

        const bool changed = !changesBetween(last, report).empty();
        period = changed ? m_options.shortestPeriod : std::min(period * 3 / 2, m_options.longestPeriod);
        // The budget comes last: many locks are looked at less often, not more expensively.
        const Nanos affordable = nanosOf((cost() - before) / budget);
        // Until each key has been looked at, only the budget makes us wait.
        const bool hurry = !m_complete && !report.trouble;
        report.period = hurry ? affordable : std::max(period, affordable);
        m_last.period = report.period;
        if (!(report.trouble && last.trouble)) callback(report);
        co_await pause(report.period, stop);
        if (m_notified) co_await runtime.sleep(std::min(affordable, report.period), stop);
    }
}

QCoro::Task<> RedisWatcher::pause(Nanos period, std::stop_token stop) {
    Waiter waiter(m_driver.runtime(), period, std::move(stop));
    struct Registration {
        Waiter*& place;
        ~Registration() { place = nullptr; }
    } registration{m_pausing};
    m_pausing = &waiter;
    co_await waiter.end();
}

// Notifications are switched on for the whole server, so that is not for a reader to do; when they are, a change ends
// the pause before the next look.
QCoro::Task<> RedisWatcher::listen(std::stop_token stop) {
    std::vector<Args> ask;
    ask.push_back({"CONFIG", "GET", "notify-keyspace-events"});
    const std::vector<Result> results = co_await m_reader.callAll(std::move(ask), stop);
    if (!results[0] || results[0]->items.size() != 2 || !results[0]->items[1].text.contains('E')) co_return;
    auto events = co_await m_driver.subscribePattern("__keyevent@*__:*", stop);
    if (!events) co_return;
    Nanos secondBegan = m_driver.runtime().monotonic();
    int eventsInSecond = 0;
    for (;;) {
        const auto message = co_await (*events)->next(kNever, stop);
        if (!message) co_return;
        const Nanos now = m_driver.runtime().monotonic();
        if (now - secondBegan > 1s) {
            secondBegan = now;
            eventsInSecond = 0;
        }
        if (++eventsInSecond > kMostEventsPerSecond) co_return;
        m_notified = true;
        if (m_pausing) m_pausing->wake();
    }
}

} // namespace lockscope::inspect
