// SPDX-License-Identifier: Apache-2.0
#include "inspect/etcd/watcher.h"

#include "inspect/etcd/formats.h"

#include <algorithm>

namespace lockscope::inspect {

using etcd::Error;

namespace {

constexpr int kPage = 1000;           // keys of one answer
constexpr std::size_t kTogether = 64; // requests that are sent together
constexpr std::size_t kLeasesOfALook = 256;
constexpr Nanos kSlice = 250ms;            // of a first look, between two reports
constexpr Nanos kLeaseAgain = 900ms;       // etcd counts leases in whole seconds
constexpr int kMostEventsPerSecond = 2000; // beyond that, being told costs more than looking
constexpr Nanos kWithoutWatch = 30s;
constexpr Nanos kMembersAgain = 15s; // a leader is replaced seldom
constexpr Nanos kRefusedAgain = 300s;

WatchTrouble troubleOf(const Error& error) {
    using Kind = WatchTrouble::Kind;
    const bool refused = error.kind == Error::Kind::AuthFailed || error.kind == Error::Kind::Denied;
    const Kind kind = error.kind == Error::Kind::WrongUrl ? Kind::WrongUrl
                      : refused                           ? Kind::Refused
                                                          : Kind::Unreachable;
    return {kind, error.code ? QByteArray::number(error.code) : QByteArray(), error.message};
}

/// A glob's beginning, up to the first character that stands for others.
QByteArray beginningOf(const QByteArray& glob) {
    qsizetype at = 0;
    while (at < glob.size() && !QByteArrayView("*?[\\").contains(glob[at]))
        ++at;
    return glob.first(at);
}

} // namespace

EtcdWatcher::EtcdWatcher(etcd::Reader& reader, QString where, WatchOptions options)
    : LookingWatcher(reader.runtime(), std::move(where), std::move(options)), m_reader(reader) {
    const NameFilter& names = this->options().names;
    const QByteArray prefix = names.match.size() == 1 ? beginningOf(names.match.front()) : QByteArray();
    m_from = prefix.isEmpty() ? QByteArray(1, '\0') : prefix;
    m_end = etcd::endOfPrefix(prefix);
}

QCoro::Task<std::expected<void, WatchTrouble>> EtcdWatcher::connect(std::stop_token stop) {
    etcd::Range first;
    first.key = m_from;
    first.end = m_end;
    first.limit = 1;
    first.keysOnly = true;
    ++m_requests;
    const auto read = co_await m_reader.range(first, std::move(stop));
    if (!read) co_return std::unexpected(troubleOf(read.error()));
    co_return std::expected<void, WatchTrouble>();
}

QCoro::Task<EtcdWatcher::Failed> EtcdWatcher::begin(std::stop_token stop) {
    m_groups.clear();
    m_leases.clear();
    m_leaseAskedAt.clear();
    m_next = m_from;
    m_passed = 0;
    m_watch.reset();
    if (runtime().monotonic() < m_noWatchUntil) co_return std::nullopt;
    // Before the first look, so that nothing that changes meanwhile is missed.
    ++m_requests;
    auto watch = co_await m_reader.watchRange(m_from, m_end, std::move(stop));
    if (!watch) co_return watch.error();
    m_watch.emplace(std::move(*watch));
    co_return std::nullopt;
}

QCoro::Task<EtcdWatcher::Failed> EtcdWatcher::askMembers(std::stop_token stop) {
    if (runtime().monotonic() < m_membersNotBefore) co_return std::nullopt;
    ++m_requests;
    const auto list = co_await m_reader.members(std::move(stop));
    m_membersNotBefore = runtime().monotonic() + (list ? kMembersAgain : kRefusedAgain);
    m_members.clear();
    if (!list && list.error().kind == Error::Kind::Unreachable) co_return list.error();
    if (!list) co_return std::nullopt;
    m_version.emplace();
    m_version->version = list->version;
    for (const etcd::Member& member : list->members) {
        ServerIdentity its;
        its.role = member.leads    ? ServerIdentity::Role::Leader
                   : member.learns ? ServerIdentity::Role::Learner
                                   : ServerIdentity::Role::Follower;
        const QByteArray url = member.urls.empty() ? QByteArray() : member.urls.front();
        m_members.push_back({url.isEmpty() ? member.name : url.mid(url.indexOf("//") + 2), std::move(its)});
    }
    co_return std::nullopt;
}

QCoro::Task<EtcdWatcher::Failed> EtcdWatcher::readPage(std::stop_token stop) {
    etcd::Range range;
    range.key = *m_next;
    range.end = m_end;
    range.limit = kPage;
    range.keysOnly = true;
    ++m_requests;
    const auto page = co_await m_reader.range(range, stop);
    if (!page) co_return page.error();
    if (m_passed == 0) m_there = page->count;
    m_passed += std::int64_t(page->keys.size());
    std::vector<QByteArray> wanted;
    for (const etcd::KeyValue& key : page->keys)
        if (etcdLockOf(key)) wanted.push_back(key.key);
    m_next.reset();
    if (std::int64_t(page->keys.size()) < page->count) m_next = page->keys.back().key + '\0';
    auto failed = co_await readValues(std::move(wanted), stop);
    co_return failed;
}

QCoro::Task<EtcdWatcher::Failed> EtcdWatcher::readValues(std::vector<QByteArray> keys, std::stop_token stop) {
    for (std::size_t at = 0; at < keys.size(); at += kTogether) {
        std::vector<etcd::Result<etcd::RangeResult>> reads;
        for (std::size_t i = at; i < std::min(at + kTogether, keys.size()); ++i) {
            etcd::Range one;
            one.key = keys[i];
            ++m_requests;
            reads.push_back(m_reader.range(one, stop));
        }
        Failed failed;
        std::exception_ptr cancelled;
        for (auto& read : reads) {
            try {
                const auto found = co_await read;
                if (!found)
                    failed = found.error();
                else if (!found->keys.empty())
                    take(found->keys.front());
            } catch (const Cancelled&) {
                cancelled = std::current_exception();
            }
        }
        if (cancelled) std::rethrow_exception(cancelled);
        if (failed) co_return failed;
    }
    co_return std::nullopt;
}

// An older key of any kind below a lock's name is waited for, too. Which one is the oldest, the server says.
QCoro::Task<EtcdWatcher::Failed> EtcdWatcher::askOldest(std::stop_token stop) {
    std::vector<QByteArray> names;
    for (const auto& [name, group] : m_groups)
        if (group.stale && !group.keys.contains(name)) names.push_back(name);
    for (std::size_t at = 0; at < names.size(); at += kTogether) {
        const std::size_t end = std::min(at + kTogether, names.size());
        std::vector<etcd::Result<etcd::RangeResult>> reads;
        for (std::size_t i = at; i < end; ++i) {
            etcd::Range oldest;
            oldest.key = names[i] + '/';
            oldest.end = etcd::endOfPrefix(oldest.key);
            oldest.order = etcd::Range::Order::OldestFirst;
            oldest.limit = 1;
            oldest.keysOnly = true;
            ++m_requests;
            reads.push_back(m_reader.range(oldest, stop));
        }
        Failed failed;
        std::exception_ptr cancelled;
        for (std::size_t i = at; i < end; ++i) {
            try {
                const auto found = co_await reads[i - at];
                const auto group = m_groups.find(names[i]);
                if (!found) {
                    failed = found.error();
                } else if (group != m_groups.end()) {
                    group->second.oldest = found->keys.empty() ? QByteArray() : found->keys.front().key;
                    group->second.stale = false;
                }
            } catch (const Cancelled&) {
                cancelled = std::current_exception();
            }
        }
        if (cancelled) std::rethrow_exception(cancelled);
        if (failed) co_return failed;
    }
    co_return std::nullopt;
}

QCoro::Task<EtcdWatcher::Failed> EtcdWatcher::askLeases(std::stop_token stop) {
    std::set<std::int64_t> holders;
    for (const auto& [name, group] : m_groups) {
        const auto oldest =
            std::ranges::min_element(group.keys, {}, [](const auto& key) { return key.second.createRevision; });
        if (oldest != group.keys.end() && oldest->second.lease != 0) holders.insert(oldest->second.lease);
    }
    std::erase_if(m_leases, [&](const auto& lease) { return !holders.contains(lease.first); });
    std::erase_if(m_leaseAskedAt, [&](const auto& lease) { return !holders.contains(lease.first); });
    const Nanos now = runtime().monotonic();
    std::vector<std::pair<Nanos, std::int64_t>> due; // the longest unasked first
    for (const std::int64_t lease : holders) {
        const auto asked = m_leaseAskedAt.find(lease);
        if (asked == m_leaseAskedAt.end() || now - asked->second >= kLeaseAgain)
            due.emplace_back(asked == m_leaseAskedAt.end() ? Nanos(0) : asked->second, lease);
    }
    std::ranges::sort(due);
    if (due.size() > kLeasesOfALook) due.resize(kLeasesOfALook);
    std::vector<etcd::Result<etcd::LeaseState>> reads;
    for (const auto& [at, lease] : due) {
        ++m_requests;
        m_leaseAskedAt[lease] = now;
        reads.push_back(m_reader.timeToLive(lease, stop));
    }
    Failed failed;
    std::exception_ptr cancelled;
    for (std::size_t i = 0; i < reads.size(); ++i) {
        try {
            const auto state = co_await reads[i];
            if (!state) {
                // A user who may not ask about leases sees the locks all the same.
                if (state.error().outcomeUnknown() || state.error().kind == Error::Kind::Unreachable)
                    failed = state.error();
                continue;
            }
            const std::int64_t left = std::chrono::duration_cast<std::chrono::milliseconds>(state->ttl).count();
            SeenLease& lease = m_leases[due[i].second];
            lease.gone = state->ttl <= 0ns && state->granted <= 0ns;
            constexpr std::int64_t kSecond = 1000; // it is rounded down
            lease.ends = {runtime().wallMs() + left, runtime().wallMs() + left + kSecond};
        } catch (const Cancelled&) {
            cancelled = std::current_exception();
        }
    }
    if (cancelled) std::rethrow_exception(cancelled);
    co_return failed;
}

void EtcdWatcher::take(etcd::KeyValue key) {
    const auto name = etcdLockOf(key);
    if (!name) {
        drop(key.key);
        return;
    }
    Group& group = m_groups[*name];
    QByteArray place = key.key;
    group.keys[std::move(place)] = std::move(key);
    group.stale = true;
}

void EtcdWatcher::drop(const QByteArray& key) {
    for (auto group = m_groups.begin(); group != m_groups.end();) {
        const bool below = key.startsWith(group->first);
        if (below) {
            group->second.keys.erase(key);
            group->second.stale = true; // also where another lock's key was in front of it
        }
        group = group->second.keys.empty() ? m_groups.erase(group) : std::next(group);
    }
}

void EtcdWatcher::hear(const etcd::WatchEvent& event) {
    using Kind = etcd::WatchEvent::Kind;
    if (event.kind == Kind::Gap) {
        m_watch.reset();
        return;
    }
    const Nanos now = runtime().monotonic();
    if (now - m_secondBegan > 1s) {
        m_secondBegan = now;
        m_eventsInSecond = 0;
    }
    if (++m_eventsInSecond > kMostEventsPerSecond) {
        m_noWatchUntil = now + kWithoutWatch;
        m_watch.reset();
        return;
    }
    if (event.kind == Kind::Put)
        take(event.key);
    else
        drop(event.key.key);
}

std::vector<LockRow> EtcdWatcher::rows() const {
    std::vector<LockRow> all;
    const std::int64_t wallMs = runtime().wallMs();
    for (const auto& [name, group] : m_groups) {
        SeenKeys seen{name, {}, group.oldest, m_leases, wallMs};
        for (const auto& [place, key] : group.keys)
            seen.keys.push_back(key);
        std::ranges::sort(seen.keys, {}, &etcd::KeyValue::createRevision);
        std::ranges::move(readInOrder(etcdFormats(), seen), std::back_inserter(all));
    }
    return all;
}

QCoro::Task<std::expected<LookingWatcher::Look, WatchTrouble>> EtcdWatcher::look(Depth depth, Progress progress,
                                                                                 std::stop_token stop) {
    const Nanos began = runtime().monotonic();
    const double share = depth == Depth::Everything ? options().onceShare : options().firstShare;
    Failed failed;
    Nanos asked = began;
    const auto count = [&] {
        const Nanos took = runtime().monotonic() - asked;
        m_way = std::min(m_way, took);
        spent(took - m_way);
        asked = runtime().monotonic();
    };
    if (depth == Depth::Everything) { // what the server tells may still be on its way
        m_watch.reset();
        m_next.reset();
    }
    if (!m_watch && !m_next) {
        if (!m_groups.empty()) depth = Depth::Everything; // what is known must not seem to vanish meanwhile
        failed = co_await begin(stop);
        count();
    }
    Look found;
    while (!failed && m_next) {
        failed = co_await readPage(stop);
        count();
        ++found.looked;
        if (!m_next || failed) break;
        if (progress) progress(m_passed, m_there);
        if (depth == Depth::Slice && runtime().monotonic() - began > kSlice) break;
        co_await keepShare(share, stop);
        asked = runtime().monotonic();
    }
    if (!failed) failed = co_await askOldest(stop);
    if (!failed) failed = co_await askLeases(stop);
    if (!failed) failed = co_await askMembers(stop);
    count();
    if (failed) {
        m_watch.reset(); // what is known may be old
        m_next.reset();
        co_return std::unexpected(troubleOf(*failed));
    }
    found.locks = rows();
    found.servers = m_members;
    found.server = m_version;
    found.complete = !m_next;
    found.passed = m_passed;
    found.there = m_there;
    co_return found;
}

QCoro::Task<> EtcdWatcher::news(Nanos longest, std::stop_token stop) {
    if (!m_watch) {
        // Following is too much: look at everything again, at the pace that the budget allows.
        co_await runtime().sleep(longest, std::move(stop));
        co_return;
    }
    Nanos patience = longest;
    while (m_watch) {
        const auto event = co_await (*m_watch)->next(patience, stop);
        if (!event) co_return;
        hear(*event);
        patience = 0ns; // what else has come by now
    }
}

} // namespace lockscope::inspect
