// SPDX-License-Identifier: Apache-2.0
#include "inspect/memcached/watcher.h"

#include "inspect/memcached/formats.h"
#include "inspect/uptime.h"

#include <algorithm>

namespace lockscope::inspect {

using memcached::Error;

namespace {

constexpr std::size_t kMostNames = 10'000;
constexpr std::size_t kTogether = 64; // requests that are sent together
constexpr int kTriesOfList = 20;      // of a look at everything, while the server is busy
constexpr auto kBetweenTries = 100ms;

WatchTrouble troubleOf(const Error& error) {
    using Kind = WatchTrouble::Kind;
    const bool refused = error.kind == Error::Kind::AuthFailed || error.kind == Error::Kind::Refused;
    const Kind kind = error.kind == Error::Kind::WrongUrl ? Kind::WrongUrl
                      : refused                           ? Kind::Refused
                                                          : Kind::Unreachable;
    return {kind, {}, error.message};
}

ServerIdentity identityOf(const memcached::Statistics& run) {
    ServerIdentity server;
    server.runId = QByteArray::number(qlonglong(run.process));
    server.runIdReturns = true;
    server.version = run.version;
    constexpr std::int64_t kBegins = 2; // memcached counts from there, in whole seconds
    server.uptime = uptimeOf(std::max(run.uptime, kBegins) - kBegins);
    return server;
}

} // namespace

MemcachedWatcher::MemcachedWatcher(memcached::Reader& reader, QString where, WatchOptions options, WhereIs whereIs,
                                   Tells tells)
    : LookingWatcher(reader.runtime(), std::move(where), std::move(options)),
      m_reader(reader),
      m_whereIs(std::move(whereIs)),
      m_tells(std::move(tells)) {
    for (const QByteArray& glob : this->options().names.match) {
        const std::optional<QByteArray> name = plainTextOf(glob);
        if (name && memcached::validKey(*name) && m_names.size() < kMostNames) m_names.push_back({*name, 0});
    }
    const bool findsOthers = m_names.empty() || m_names.size() < this->options().names.match.size();
    if (this->options().listKeys && findsOthers) m_finder.emplace(this->options(), m_names);
}

QCoro::Task<std::expected<void, WatchTrouble>> MemcachedWatcher::connect(std::stop_token stop) {
    ++m_requests;
    const QByteArray any = m_names.empty() ? QByteArray("lockscope") : m_names.front().key;
    const auto answer = co_await m_reader.get(any, std::move(stop));
    if (!answer) co_return std::unexpected(troubleOf(answer.error()));
    co_return std::expected<void, WatchTrouble>();
}

QCoro::Task<std::expected<void, Error>> MemcachedWatcher::read(std::vector<memcached::ListedKey> keys, bool listed,
                                                               Look& found, std::stop_token stop) {
    const Nanos began = runtime().monotonic();
    std::optional<Error> failed;
    std::exception_ptr cancelled;
    std::int64_t trips = 0;
    for (std::size_t at = 0; at < keys.size() && !failed && !cancelled; at += kTogether) {
        const std::size_t end = std::min(at + kTogether, keys.size());
        const Nanos asked = runtime().monotonic();
        std::vector<memcached::Result<std::optional<memcached::Item>>> reads;
        for (std::size_t i = at; i < end; ++i) {
            ++m_requests;
            reads.push_back(m_reader.get(keys[i].key, stop));
        }
        std::vector<Read> ending;
        for (std::size_t i = at; i < end; ++i) {
            try {
                const auto item = co_await reads[i - at];
                if (!item) {
                    failed = item.error();
                    continue;
                }
                const bool byName = !listed || m_finder->isLockByName(keys[i].key);
                bool lock = false;
                if (*item) {
                    const SeenItem seen{keys[i].key, (*item)->value};
                    for (LockRow& row : readInOrder(byName ? memcachedFormats() : memcachedOwnFormats(), seen)) {
                        // A server that tells no beginning of its run may be a proxy, which hangs up at what it does
                        // not know.
                        if (m_tellsEnds && (*item)->mark.runBegan > 0)
                            ending.push_back({keys[i].key, (*item)->mark.unique, found.locks.size()});
                        if (m_whereIs) row.server = m_whereIs(keys[i].key).toUtf8();
                        found.locks.push_back(std::move(row));
                        lock = true;
                    }
                }
                if (listed && lock) m_finder->found(keys[i].key, runtime().monotonic());
                if (listed && !lock) m_finder->foundNone(keys[i]);
            } catch (const Cancelled&) {
                cancelled = std::current_exception();
            }
        }
        m_way = std::min(m_way, runtime().monotonic() - asked);
        ++trips;
        if (ending.empty() || failed || cancelled) continue;
        ++trips;
        const auto ends = co_await readEnds(std::move(ending), found, stop);
        if (!ends) failed = ends.error();
    }
    if (cancelled) std::rethrow_exception(cancelled);
    if (trips > 0) spent(std::max<Nanos>(runtime().monotonic() - began - trips * m_way, 0ns));
    if (failed) co_return std::unexpected(*failed);
    found.looked += std::int64_t(keys.size());
    co_return std::expected<void, Error>();
}

QCoro::Task<std::expected<void, Error>> MemcachedWatcher::readEnds(std::vector<Read> locks, Look& found,
                                                                   std::stop_token stop) {
    const auto ms = [](Nanos time) { return std::chrono::duration_cast<std::chrono::milliseconds>(time).count(); };
    constexpr std::int64_t kTick = 1000; // of the server's clock, ms
    const std::int64_t asked = ms(runtime().monotonic());
    std::vector<memcached::Result<std::optional<memcached::Lifetime>>> reads;
    for (const Read& lock : locks) {
        ++m_requests;
        reads.push_back(m_reader.lifetime(lock.key, stop));
    }
    std::optional<Error> failed;
    std::exception_ptr cancelled;
    for (std::size_t i = 0; i < locks.size(); ++i) {
        try {
            const auto lifetime = co_await reads[i];
            if (!lifetime) {
                // One that is older than these questions, or speaks the binary protocol.
                if (lifetime.error().kind == Error::Kind::Refused)
                    m_tellsEnds = false;
                else
                    failed = lifetime.error();
                continue;
            }
            if (!*lifetime || (*lifetime)->unique != locks[i].unique) continue;
            LockRow& row = found.locks[locks[i].row];
            row.neverExpires = !(*lifetime)->seconds;
            if (row.neverExpires) continue;
            row.ttlMs = *(*lifetime)->seconds * kTick;
            m_toldAt[row.name] = std::chrono::milliseconds(asked);
            // The answer is of its last tick, and on a busy machine the next one comes late.
            row.ends = EndsWithin{asked + std::max<std::int64_t>(*row.ttlMs - 2 * kTick, 0),
                                  ms(runtime().monotonic()) + 1 + *row.ttlMs};
            m_toldSeconds = true;
        } catch (const Cancelled&) {
            cancelled = std::current_exception();
        }
    }
    if (cancelled) std::rethrow_exception(cancelled);
    if (failed) co_return std::unexpected(*failed);
    co_return std::expected<void, Error>();
}

QCoro::Task<std::expected<void, Error>> MemcachedWatcher::list(Depth depth, std::stop_token stop) {
    const int tries = depth == Depth::Everything ? kTriesOfList : 1;
    for (int i = 0; i < tries; ++i) {
        if (i > 0) co_await runtime().sleep(kBetweenTries, stop); // the server does not tell when it has time again
        ++m_requests;
        const Nanos asked = runtime().monotonic();
        auto keys = co_await m_reader.list(m_finder->wants(), stop);
        const Nanos now = runtime().monotonic();
        if (!keys && keys.error().kind == Error::Kind::Refused) {
            m_finder->refuse(keys.error().message, now);
            break;
        }
        if (!keys) co_return std::unexpected(keys.error());
        if (keys->busy) { // its crawler frees expired items, or lists for another client
            m_finder->busy(now + kBetweenTries);
            continue;
        }
        m_finder->take(*std::move(keys), now - asked, now);
        break;
    }
    co_return std::expected<void, Error>();
}

QCoro::Task<std::vector<memcached::Statistics>> MemcachedWatcher::askRuns(std::stop_token stop) {
    std::vector<memcached::Statistics> none;
    if (!m_tells) co_return none;
    ++m_requests;
    auto asked = m_tells(std::move(stop));
    auto told = co_await std::move(asked);
    if (!told) co_return none;
    co_return *std::move(told);
}

QCoro::Task<std::optional<Nanos>> MemcachedWatcher::processorTime(std::stop_token stop) {
    const auto runs = co_await askRuns(std::move(stop));
    Nanos all{};
    for (const memcached::Statistics& run : runs) {
        if (!run.worked) co_return std::nullopt;
        all += *run.worked;
    }
    co_return runs.empty() ? std::nullopt : std::optional(all);
}

bool MemcachedWatcher::compareRuns(const std::vector<memcached::Statistics>& told) {
    if (told.empty()) return false; // they were not told
    const Nanos now = runtime().monotonic();
    bool lost = false;
    for (const memcached::Statistics& run : told) {
        if (run.process == 0 || run.uptime < 0) continue;
        const auto before = m_runs.find(run.where);
        if (before != m_runs.end()) {
            const Run& last = before->second;
            auto event = changeOf(identityOf(last.told), identityOf(run), now - last.at);
            if (!event && run.flushes > last.told.flushes) event = ServerEvent::Emptied;
            if (event) {
                lost = true;
                m_events.push_back(*event);
                if (m_whereIs) m_eventsAt.push_back(run.where.toUtf8()); // the others of the ring have all of theirs
            }
        }
        m_runs.insert_or_assign(run.where, Run{run, now});
    }
    return lost;
}

QCoro::Task<std::expected<LookingWatcher::Look, WatchTrouble>> MemcachedWatcher::look(Depth depth, Progress progress,
                                                                                      std::stop_token stop) {
    m_toldAt.clear();
    auto found = co_await readDue(depth, progress, stop);
    if (!found) co_return std::unexpected(found.error());
    // Asked after the reads: a server that was restarted before them must not seem to have had its locks released.
    auto runs = co_await askRuns(stop);
    if (compareRuns(runs)) { // … and what was read before its end is gone
        found = co_await readDue(depth, std::move(progress), std::move(stop));
        if (!found) co_return std::unexpected(found.error());
    }
    if (m_whereIs) {
        for (const memcached::Statistics& run : runs)
            found->servers.push_back(
                {run.where.toUtf8(), run.process != 0 ? std::optional(identityOf(run)) : std::nullopt});
    } else if (runs.size() == 1 && runs.front().process != 0) {
        found->server = identityOf(runs.front());
    }
    found->events = std::exchange(m_events, {});
    found->eventsAt = std::exchange(m_eventsAt, {});
    runDown(found->locks);
    co_return *std::move(found);
}

/// The rest of a lease is that of the end of the look, and not of the question; in whole seconds, as it was told.
void MemcachedWatcher::runDown(std::vector<LockRow>& locks) const {
    const Nanos now = runtime().monotonic();
    for (LockRow& row : locks) {
        const auto its = m_toldAt.find(row.name);
        if (its == m_toldAt.end() || !row.ttlMs) continue;
        const auto passed = std::chrono::round<std::chrono::seconds>(now - its->second);
        row.ttlMs = std::max<std::int64_t>(*row.ttlMs - passed / 1ms, 0);
    }
}

QCoro::Task<std::expected<LookingWatcher::Look, WatchTrouble>> MemcachedWatcher::readDue(Depth depth, Progress progress,
                                                                                         std::stop_token stop) {
    Look found;
    if (m_names.empty() && !m_finder) {
        const auto connected = co_await connect(stop);
        if (!connected) co_return std::unexpected(connected.error());
        found.notes.push_back({WatchNote::Kind::NamesWanted, 0, {}});
        co_return found;
    }
    const bool everything = depth == Depth::Everything;
    const Nanos before = load().serverTime;
    const std::optional<Nanos> workedBefore = co_await processorTime(stop);
    if (m_finder && (everything || m_finder->due(runtime().monotonic()))) {
        const auto listed = co_await list(depth, stop);
        if (!listed) co_return std::unexpected(troubleOf(listed.error()));
    }
    const auto named = co_await read(m_names, false, found, stop);
    if (!named) co_return std::unexpected(troubleOf(named.error()));
    found.passed = found.there = found.looked;
    const auto noteSeconds = [this, &found] {
        if (m_toldSeconds) found.notes.push_back({WatchNote::Kind::EndsInSeconds, 0, {}});
    };
    if (!m_finder) {
        noteSeconds();
        co_return found;
    }
    const auto locks = co_await read(m_finder->locks(runtime().monotonic()), true, found, stop);
    if (!locks) co_return std::unexpected(troubleOf(locks.error()));
    const std::size_t slice = options().candidatesOfALook;
    do {
        const auto others = co_await read(m_finder->unread(slice), true, found, stop);
        if (!others) co_return std::unexpected(troubleOf(others.error()));
        if (progress) progress(m_finder->there() - std::int64_t(m_finder->left()), m_finder->there());
    } while (everything && m_finder->left() > 0);
    // Answers are late for other reasons, too: this machine's, and the network's. The server's own processor time
    // counts its work for others as well, so the lesser of the two is still the most that it has worked for us.
    const std::optional<Nanos> worked = workedBefore ? co_await processorTime(stop) : std::nullopt;
    const Nanos late = load().serverTime - before;
    if (worked && *worked >= *workedBefore) spent(std::min<Nanos>(*worked - *workedBefore - late, 0ns));
    spent(m_finder->instalment(everything ? kNever : load().serverTime - before));
    found.complete = m_finder->hasLooked() && m_finder->left() == 0;
    if (m_finder->there() >= 0) {
        found.there = m_finder->there();
        found.passed = found.there - std::int64_t(m_finder->left());
    }
    found.notes = m_finder->notes();
    noteSeconds();
    co_return found;
}

} // namespace lockscope::inspect
