// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis_watcher.h"

#include "inspect/redisson_names.h"

namespace lockscope::inspect {

namespace {

using redis::Args;
using redis::Error;
using redis::Reply;
using redis::Result;

constexpr auto kLoadWindow = 5s;
constexpr auto kRemembered = 30s;
constexpr auto kDullFor = 300s;
constexpr std::size_t kMostDull = 2'000'000; // some tens of megabytes
constexpr std::size_t kFewKeys = 50;
constexpr int kMostEventsPerSecond = 2000; // beyond that, being told costs more than looking

const char* typeOfCompanion(const QByteArray& key) {
    if (redisson::nameOfQueueKey(key)) return "list";
    if (key.startsWith("redisson_lock_timeout:")) return "zset";
    if (isHelperKey(key)) return "string"; // counters and hold keys
    return key.endsWith(":timeout") ? "zset" : "hash";
}

// Channels on which lock clients wait.
bool isLockChannel(const QByteArray& channel) {
    return channel.startsWith("redisson_") || globMatches(kOwnChannels, channel);
}

} // namespace

RedisWatcher::RedisWatcher(redis::RedisDriver& driver, WatchOptions options)
    : m_driver(driver), m_options(std::move(options)), m_reader(driver), m_scan(m_reader) {
}

QCoro::Task<LockReport> RedisWatcher::once(std::stop_token stop) {
    m_scan.restart();
    m_known.clear();
    m_candidates.clear();
    m_dull.clear();
    m_complete = false;
    co_return co_await look(m_options.scansOfOnce, std::numeric_limits<std::size_t>::max(), stop);
}

QCoro::Task<LockReport> RedisWatcher::look(int scans, std::size_t keyLimit, std::stop_token stop) {
    std::vector<KeySnapshot> snapshots;
    auto trouble = co_await readSubscriptions(stop);
    if (!trouble) trouble = co_await findCandidates(scans, keyLimit, stop);
    if (!trouble) {
        std::vector<WantedKey> wanted = takeCandidates(keyLimit);
        trouble = co_await readLocks(std::move(wanted), snapshots, stop);
    }
    if (!trouble && m_scan.rounds() > 0 && m_candidates.empty()) m_complete = true;

    LockReport report;
    report.at = m_driver.runtime().monotonic();
    report.wallMs = m_driver.runtime().wallMs();
    report.complete = m_complete;
    report.keysSeen = std::int64_t(snapshots.size());
    if (trouble) {
        report.trouble = trouble;
        report.locks = m_last.locks;
    } else {
        RecogniserOptions recogniser;
        recogniser.patterns = m_options.patterns;
        recogniser.wallMs = m_serverWallMs;
        report.locks = recognise(snapshots, m_subscriptions, recogniser);
        remember(snapshots, report.locks);
    }
    countLoad(report);
    m_last = report;
    co_return report;
}

QCoro::Task<std::optional<Error>> RedisWatcher::findCandidates(int scans, std::size_t keyLimit, std::stop_token stop) {
    const int rounds = m_scan.rounds();
    std::vector<WantedKey> found;
    for (int i = 0; i < scans && m_candidates.size() < keyLimit && m_scan.rounds() == rounds; ++i) {
        found.clear();
        auto error = co_await m_scan.advance(1, found, stop);
        if (error) co_return error;
        for (WantedKey& key : found)
            if (!m_dull.contains(qHash(key.key))) m_candidates.push_back(std::move(key));
    }
    // Few keys are all read again in each round; of many, those that were no locks are left alone for some minutes.
    const Nanos now = m_driver.runtime().monotonic();
    const bool few = m_scan.rounds() != rounds && m_dull.size() <= keyLimit;
    if (few || m_dull.size() > kMostDull || now - m_dullSince > kDullFor) {
        m_dull.clear();
        m_dullSince = now;
    }
    co_return std::nullopt;
}

std::vector<WantedKey> RedisWatcher::takeCandidates(std::size_t keyLimit) {
    const std::size_t count = std::min(keyLimit, m_candidates.size());
    std::vector<WantedKey> taken(m_candidates.begin(), m_candidates.begin() + std::ptrdiff_t(count));
    m_candidates.erase(m_candidates.begin(), m_candidates.begin() + std::ptrdiff_t(count));
    return taken;
}

QCoro::Task<std::optional<Error>> RedisWatcher::readSubscriptions(std::stop_token stop) {
    std::vector<Args> commands;
    commands.push_back({"TIME"});
    commands.push_back({"PUBSUB", "CHANNELS", "redisson_*"});
    commands.push_back({"PUBSUB", "CHANNELS", kOwnChannels});
    const std::vector<Result> results = co_await m_reader.callAll(std::move(commands), stop);
    for (const Result& result : results)
        if (!result && result.error().kind != Error::Kind::Refused) co_return result.error();
    m_serverWallMs = m_driver.runtime().wallMs();
    if (results[0] && results[0]->items.size() == 2)
        m_serverWallMs = results[0]->items[0].text.toLongLong() * 1000 + results[0]->items[1].text.toLongLong() / 1000;
    m_subscriptions.reset(); // not allowed to ask: then waiters are not known
    if (!results[1] || !results[2]) co_return std::nullopt;
    m_subscriptions.emplace();
    Args count{"PUBSUB", "NUMSUB"};
    for (const std::size_t which : {1, 2})
        for (const Reply& channel : results[which]->items)
            if (isLockChannel(channel.text)) count.push_back(channel.text);
    if (count.size() == 2) co_return std::nullopt;
    std::vector<Args> second;
    second.push_back(std::move(count));
    const std::vector<Result> counts = co_await m_reader.callAll(std::move(second), stop);
    if (!counts[0])
        co_return counts[0].error().kind == Error::Kind::Refused ? std::nullopt : std::optional(counts[0].error());
    for (std::size_t i = 0; i + 1 < counts[0]->items.size(); i += 2)
        (*m_subscriptions)[counts[0]->items[i].text] = counts[0]->items[i + 1].integer;
    co_return std::nullopt;
}

QCoro::Task<std::optional<Error>> RedisWatcher::readLocks(std::vector<WantedKey> wanted,
                                                          std::vector<KeySnapshot>& snapshots, std::stop_token stop) {
    std::set<std::pair<QByteArray, std::string_view>> asked; // a key may have changed its type
    std::vector<WantedKey> first;
    const auto want = [&asked](std::vector<WantedKey>& list, const QByteArray& key, const char* type) {
        if (asked.emplace(key, type).second) list.push_back({key, type});
    };
    for (const auto& [key, known] : m_known)
        want(first, key, known.type);
    for (const WantedKey& key : wanted)
        want(first, key.key, key.type);
    // Whoever waits tells where to look.
    if (m_subscriptions) {
        for (const auto& [channel, count] : *m_subscriptions) {
            const auto key = redisson::keyOfChannel(channel);
            if (!key) continue;
            want(first, key->first, key->second);
            want(first, redisson::hashTag(key->first), key->second);
        }
    }
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
        // A lock that is only waited for has no key yet: look for the one it will have.
        if (row.raw.empty()) m_known[row.name] = {"hash", now};
    }
    for (const KeySnapshot& snapshot : snapshots)
        if (!m_known.contains(snapshot.key)) m_dull.insert(qHash(snapshot.key));
    std::erase_if(m_known, [now](const auto& entry) { return now - entry.second.seen > kRemembered; });
}

void RedisWatcher::countLoad(LockReport& report) {
    m_load.emplace_back(report.at, m_reader.commands());
    while (m_load.size() > 2 && report.at - m_load.front().first > kLoadWindow)
        m_load.pop_front();
    const Nanos span = report.at - m_load.front().first;
    if (span > 0ns)
        report.commandsPerSecond =
            double(m_reader.commands() - m_load.front().second) / std::chrono::duration<double>(span).count();
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

    const double longest = std::chrono::duration<double>(m_options.longestPeriod).count();
    Nanos period = m_options.shortestPeriod;
    for (;;) {
        const std::uint64_t before = m_reader.commands();
        const LockReport last = m_last;
        m_notified = false;
        // Somebody who opens a server wants to see its locks, not to see them come in one by one.
        const double budget = std::max(m_complete ? 0.0 : m_options.firstPerSecond, m_options.commandsPerSecond);
        // Keys still unknown are read at such a pace that known locks are seen at least each longest period.
        const auto keyLimit = std::max(kFewKeys, std::size_t(budget * longest / 3));
        LockReport report = co_await look(m_options.scansPerLook, keyLimit, stop);

        const bool changed = !changesBetween(last, report).empty();
        period = changed ? m_options.shortestPeriod : std::min(period * 3 / 2, m_options.longestPeriod);
        // The budget comes last: many locks are looked at less often, not more expensively.
        const double cost = double(m_reader.commands() - before) / budget;
        const Nanos affordable = std::chrono::duration_cast<Nanos>(std::chrono::duration<double>(cost));
        report.period = std::max(period, affordable);
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
