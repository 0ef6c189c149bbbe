// SPDX-License-Identifier: Apache-2.0
#include "experiment/replay_lock.h"

#include "inspect/format_names.h"
#include "recipes/recipe_info.h"
#include "scenario/settings.h"
#include "scenario/sql_dialect.h"
#include "trace/connection.h"

#include <algorithm>
#include <utility>

namespace lockscope::experiment {

namespace {

using scenario::Scenario;
using scenario::ServiceSpec;
using trace::EntityId;
using trace::Event;
using trace::EventKind;
using trace::kNoEntity;

constexpr Nanos kShortestLease = 100ms;
constexpr Nanos kGrain = 100ms; ///< of leases and watchdogs: people choose round ones

/// Formats of watchers by the beginning of their names, and the recipe that leaves the like; the first that fits.
constexpr std::pair<const char*, const char*> kRecipeOfFormat[] = {
    {"redisson-fair", "redis-fair"},
    {"redisson-fenced", "redis-fenced"},
    {"redisson-rw", "redis-rw"},
    {"redisson-permit", "redis-semaphore"},
    {"redisson-semaphore", "redis-semaphore"},
    {"redisson", "redis-reentrant"},
    {"redis-semaphore", "redis-semaphore"},
    {"curator-rw", "zk-rw"},
    {"curator-semaphore", "zk-semaphore"},
    {"curator", "zk-mutex"},
    {"kazoo-rw", "zk-rw"},
    {"kazoo-semaphore", "zk-semaphore"},
    {"kazoo", "zk-mutex"},
    {"go-zookeeper", "zk-mutex"},
    {"menagerie-rw", "zk-rw"},
    {"menagerie", "zk-sequential"},
    {"zk-recipe", "zk-sequential"},
    {"zk-ephemeral", "zk-ephemeral"},
    {"etcd", "etcd-lease"},
    {"sql-row", "sql-row"},
    {"sql-version", "sql-version"},
    {"sql-lease", "sql-lease"},
    {"laravel", "sql-lease"},
    {"int_lock", "sql-lease"},
    {inspect::kLiquibaseFormat, "sql-row"},
    {inspect::kNamedLockFormat, "sql-advisory"},
    {"innodb-", "sql-for-update"},
    {"mariadb-", "sql-for-update"},
    {inspect::kAdvisoryLockFormat, "sql-advisory"},
    {"pg-", "sql-for-update"},
    {inspect::kQuartzFormat, "sql-for-update"},
    {"memcached-add", "memcached-add"},
    {"memcached", "memcached-lease"},
};

/// By the address of its server, where the format is one of several backends, or of none.
struct OfScheme {
    const char *scheme, *kind, *recipe; ///< the beginning of a URL, the kind of service, a recipe on it
};
constexpr OfScheme kOfScheme[] = {
    {"redis", "redis", "redis-set"},
    {"zookeeper", "zookeeper", "zk-ephemeral"},
    {"etcd", "etcd", "etcd-lease"},
    {"mysql", "sql", "sql-lease"},
    {"postgresql", "sql", "sql-lease"},
    {"sqlite", "sql", "sql-lease"},
    {"memcache", "memcached", "memcached-lease"},
};

const OfScheme& ofScheme(const QByteArray& url) {
    const auto* const found =
        std::ranges::find_if(kOfScheme, [&](const OfScheme& one) { return url.startsWith(one.scheme); });
    return found == std::end(kOfScheme) ? kOfScheme[0] : *found;
}

QString recipeOf(const trace::Trace& trace, EntityId lock, const QByteArray& format) {
    for (const auto& [beginning, recipe] : kRecipeOfFormat)
        if (format.startsWith(beginning)) return QString::fromLatin1(recipe);
    return QString::fromLatin1(ofScheme(trace::urlOfConnection(trace, trace::connectionOf(trace, lock))).recipe);
}

/// Leases that people choose.
constexpr Nanos kUsualLeases[] = {1s,   2s,   3s,   5s,    10s,   15s,   20s, 30s, 45s, 1min, 90s,
                                  2min, 3min, 5min, 10min, 15min, 30min, 1h,  2h,  6h,  12h,  24h};
constexpr Nanos kLookLate = 1s; ///< how long after a grant or a renewal a watcher may see it

Nanos medianOf(std::vector<Nanos>& times) {
    const auto middle = times.begin() + std::ptrdiff_t(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return *middle;
}

/// The renewals of a lock's holds, and the period of the watchdog that sends them.
class RenewalPace {
public:
    void begins(Nanos at) { m_last = at, m_renewals = 0; }
    void renewed(Nanos at) {
        if (m_last != kNever) (m_renewals++ ? m_between : m_first).push_back(at - m_last);
        m_last = at;
    }
    void ends(Nanos at, bool givenBack) {
        if (givenBack && m_last != kNever && m_renewals > 0) m_rests.push_back(at - m_last);
        m_last = kNever;
    }
    /// The time between two renewals, or between a grant and its only one: a client may send a first one at once, to
    /// see whether its lock is there still. So a hold that went on without one for much longer has another period, a
    /// third of the lease as a rule. nullopt: nothing was renewed.
    std::optional<Nanos> period(Nanos lease) {
        if (!m_between.empty()) return medianOf(m_between);
        if (m_first.empty()) return std::nullopt;
        const Nanos first = medianOf(m_first), rest = m_rests.empty() ? Nanos(0) : medianOf(m_rests);
        return rest > first * 3 / 2 ? std::max(rest, lease / 3) : first;
    }

private:
    Nanos m_last = kNever; ///< renewal of the present hold, or its beginning
    int m_renewals = 0;    ///< of the present hold
    std::vector<Nanos> m_first, m_between, m_rests;
};

struct Measured {
    Nanos lease{};
    bool known = false, restOnly = false; ///< any row told of a lease; only the first look did
    RenewalPace pace;
    int permits = 1;
    QByteArray format;
};

void take(Measured& lock, const Event& event) {
    const bool renews = event.kind == EventKind::RecordRenewed;
    if (renews || event.kind == EventKind::RecordHeld || event.kind == EventKind::RecordHolder) {
        const Nanos left(event.value - event.at);
        const bool first = !std::exchange(lock.known, true); // it may have been held for long
        if (left > lock.lease + kLookLate)
            lock.restOnly = first;
        else if (!first && left + kLookLate >= lock.lease)
            lock.restOnly = false;
        lock.lease = std::max(lock.lease, left);
    }
    if (renews) lock.pace.renewed(event.time());
    if (event.kind == EventKind::RecordHeld) lock.pace.begins(event.time());
    if (event.kind == EventKind::RecordFreed)
        lock.pace.ends(event.time(), trace::FreedBy(event.flags & trace::kFreedByMask) == trace::FreedBy::Release);
}

Nanos rounded(Nanos time) {
    return std::max<Nanos>((time + kGrain / 2) / kGrain * kGrain, kShortestLease);
}

Nanos usualFrom(Nanos lease) {
    const auto* const usual = std::ranges::lower_bound(kUsualLeases, lease);
    return usual == std::end(kUsualLeases) ? lease : *usual;
}

/// The service that keeps locks of a recipe, in its kind's default shape; three masters for Redlock.
ServiceSpec serviceFor(const ReplayLock& lock, const recipes::RecipeInfo& recipe) {
    const QString kind = QString::fromLatin1(recipe.backend);
    ServiceSpec service = scenario::defaultService(kind);
    // A session lasts two ticks at least.
    if (kind == QLatin1String("zookeeper")) service.tick = std::min(service.tick, lock.settings.lease / 2);
    if (kind == QLatin1String("sql") && recipe.shared && !lock.ofGetLock)
        setDialect(service, ServiceSpec::Dialect::PostgreSql);
    return service;
}

} // namespace

QByteArray kindOfService(const QByteArray& url) {
    return ofScheme(url).kind;
}

std::map<EntityId, ReplayLock> replayLocks(const trace::Trace& trace, Nanos to) {
    std::map<EntityId, Measured> all;
    const std::size_t rows = trace.upperBound(to);
    for (std::size_t i = 0; i < rows; ++i) {
        const EventKind kind = trace.kindAt(i);
        if (!trace::isRecord(kind) && kind != EventKind::LockCapacity) continue;
        const Event event = trace.at(i);
        Measured& lock = all[event.subject];
        take(lock, event);
        if (kind == EventKind::LockCapacity)
            lock.permits = int(std::clamp<std::int64_t>(event.value, 1, scenario::kMostPermits));
        if (kind == EventKind::RecordPermits && event.aux > 0)
            lock.permits = int(std::min<std::uint32_t>(event.aux, scenario::kMostPermits));
        if (kind == EventKind::RecordFormat) lock.format = trace.entity(event.aux).name;
    }
    std::map<EntityId, ReplayLock> locks;
    for (auto& [id, measured] : all) {
        const EntityId other = trace.entity(id).other;
        if (measured.format.isEmpty() && trace.entity(other).kind == trace::EntityKind::Text)
            measured.format = trace.entity(other).name;
        ReplayLock& lock = locks[id];
        lock.recipe = recipeOf(trace, id, measured.format);
        lock.ofGetLock = measured.format == inspect::kNamedLockFormat;
        scenario::LockSettings& settings = lock.settings;
        settings.permits = measured.permits;
        if (measured.lease > Nanos(0)) {
            settings.lease = rounded(measured.lease);
            if (trace.ofRealServers() && settings.lease > 2s)
                settings.lease = std::chrono::ceil<std::chrono::seconds>(settings.lease);
            lock.leaseAtLeast = trace.ofRealServers() && measured.restOnly;
            if (lock.leaseAtLeast) settings.lease = usualFrom(settings.lease);
        }
        const recipes::RecipeInfo* const recipe = recipes::findRecipe(lock.recipe.toUtf8());
        const auto period = measured.pace.period(settings.lease);
        if (!recipe || !recipe->watchdog || !period) continue;
        settings.watchdog = rounded(*period);
        if (settings.watchdog >= settings.lease) settings.watchdog = settings.lease / 3;
    }
    return locks;
}

void applyLocks(const std::vector<ReplayLock>& locks, Scenario& to) {
    Q_ASSERT(!locks.empty());
    std::vector<ServiceSpec> services;
    to.recipe = locks.front().recipe;
    to.moreLocks.clear();
    for (const ReplayLock& lock : locks) {
        scenario::LockSettings settings = lock.settings;
        const recipes::RecipeInfo* const recipe = recipes::findRecipe(lock.recipe.toUtf8());
        Q_ASSERT(recipe);
        const ServiceSpec service = serviceFor(lock, *recipe);
        const auto known = std::ranges::find(services, service.id, &ServiceSpec::id);
        if (known == services.end())
            services.push_back(service);
        else if (service.dialect == ServiceSpec::Dialect::PostgreSql)
            *known = service; // it has all locks that MariaDB has
        settings.service = service.id;
        if (&lock == &locks.front())
            to.lock = settings;
        else
            to.moreLocks.push_back({settings, lock.recipe == to.recipe ? QString() : lock.recipe});
    }
    to.setServices(std::move(services));
}

std::optional<scenario::Network> observedNetwork(const trace::Trace& trace, Nanos from, Nanos to) {
    std::vector<Nanos> flights;
    for (std::size_t i = trace.lowerBound(from); i < trace.upperBound(to); ++i) {
        const EventKind kind = trace.kindAt(i);
        if (kind != EventKind::Request && kind != EventKind::Reply) continue;
        if (const std::int64_t flight = trace.at(i).value; flight >= 0) flights.push_back(Nanos(flight));
    }
    if (flights.empty()) return std::nullopt;
    std::ranges::sort(flights);
    scenario::Network network;
    network.clientLatency = {flights[flights.size() / 20], flights[flights.size() * 19 / 20]};
    return network;
}

} // namespace lockscope::experiment
