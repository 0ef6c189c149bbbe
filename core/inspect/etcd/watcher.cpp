// SPDX-License-Identifier: Apache-2.0
#include "inspect/etcd/watcher.h"

#include "inspect/etcd/formats.h"
#include "inspect/member_change.h"

#include <algorithm>

namespace lockscope::inspect {

using etcd::Error;

namespace {

constexpr int kPage = 1000;          // keys of one answer
constexpr std::size_t kReads = 100;  // of one request; the server allows 128 unless it is set otherwise
constexpr std::size_t kTogether = 4; // such requests that are sent together
constexpr std::size_t kLeasesTogether = 64;
constexpr std::size_t kLeasesOfALook = 256; // the others have their turn in the next ones
constexpr Nanos kSlice = 250ms;             // of a first look, between two reports
constexpr Nanos kLeaseSoonest = 900ms;      // etcd counts leases in whole seconds
constexpr Nanos kLeaseLatest = 3s;          // a renewal should not show later than this
constexpr int kLeaseShare = 10;             // a holder renews a few times a lease: asking more often tells no more
constexpr int kMostEventsPerSecond = 2000;  // beyond that, being told costs more than looking
constexpr Nanos kWithoutWatch = 30s;
constexpr Nanos kMembersAgain = 2s; // nobody tells that a member has died or leads, except the one that is asked
constexpr Nanos kRefusedAgain = 300s;

WatchTrouble troubleOf(const Error& error) {
    using Kind = WatchTrouble::Kind;
    const bool refused = error.kind == Error::Kind::AuthFailed || error.kind == Error::Kind::Denied;
    const Kind kind = error.kind == Error::Kind::WrongUrl ? Kind::WrongUrl
                      : refused                           ? Kind::Refused
                                                          : Kind::Unreachable;
    return {kind, error.code ? QByteArray::number(error.code) : QByteArray(), error.message};
}

/// Whether a member did not answer at its own address, where another one did. Where none does, the addresses are good
/// elsewhere only, behind a proxy, say; and "localhost" is the address of another member.
bool isSilent(const etcd::Member& member, const etcd::MemberList& list) {
    const auto answers = [](const etcd::Member& one) { return one.applied >= 0; };
    const auto isThere = [&](const etcd::Member& one) { return answers(one) && one.urls == member.urls; };
    return !answers(member) && !member.urls.empty() && std::ranges::any_of(list.members, answers) &&
           std::ranges::none_of(list.members, isThere);
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
    : LookingWatcher(reader.runtime(), std::move(where), std::move(options)), m_reader(reader), m_reads(kReads) {
    const NameFilter& names = this->options().names;
    const QByteArray prefix = names.match.size() == 1 ? beginningOf(names.match.front()) : QByteArray();
    m_from = prefix.isEmpty() ? QByteArray(1, '\0') : prefix;
    m_end = etcd::endOfPrefix(prefix);
}

QCoro::Task<EtcdWatcher::Failed> EtcdWatcher::askPulse(std::stop_token stop) {
    etcd::Range first;
    first.key = m_from;
    first.end = m_end;
    first.limit = 1;
    first.keysOnly = true;
    ++m_requests;
    const auto read = co_await m_reader.range(first, std::move(stop));
    if (!read) co_return read.error();
    co_return std::nullopt;
}

QCoro::Task<std::expected<void, WatchTrouble>> EtcdWatcher::connect(std::stop_token stop) {
    const Failed failed = co_await askPulse(std::move(stop));
    if (failed) co_return std::unexpected(troubleOf(*failed));
    co_return std::expected<void, WatchTrouble>();
}

QCoro::Task<EtcdWatcher::Failed> EtcdWatcher::begin(std::stop_token stop) {
    m_groups.clear();
    m_leases.clear();
    m_leaseDue.clear();
    m_next = m_from;
    m_passed = 0;
    m_watch.reset();
    if (m_tellsMembers) m_membersNotBefore = {}; // the watch may have ended with its server
    if (runtime().monotonic() < m_noWatchUntil) co_return std::nullopt;
    // Before the first look, so that nothing that changes meanwhile is missed.
    ++m_requests;
    auto watch = co_await m_reader.watchRange(m_from, m_end, std::move(stop));
    if (!watch) co_return watch.error();
    m_watch.emplace(std::move(*watch));
    co_return std::nullopt;
}

void EtcdWatcher::noteRevision(std::int64_t revision) {
    if (revision <= 0) return;
    if (revision < m_revision) m_news.push_back(ServerEvent::Emptied);
    m_revision = revision;
}

void EtcdWatcher::noteTerm(const etcd::MemberList& list) {
    // A cluster elects another leader whenever one is slow, and nobody loses anything by it: its members' roles tell.
    const std::int64_t term = list.members.size() == 1 ? list.term : 0;
    if (term > 0 && m_term > 0 && term != m_term) m_news.push_back(ServerEvent::Restarted);
    m_term = term;
}

QCoro::Task<EtcdWatcher::Failed> EtcdWatcher::askMembers(std::stop_token stop) {
    if (runtime().monotonic() < m_membersNotBefore) co_return std::nullopt;
    ++m_requests;
    const auto list = co_await m_reader.members(std::move(stop));
    m_membersNotBefore = runtime().monotonic() + (list ? kMembersAgain : kRefusedAgain);
    m_tellsMembers = list.has_value() || list.error().kind == Error::Kind::Unreachable;
    m_members.clear();
    if (!list && list.error().kind == Error::Kind::Unreachable) co_return list.error();
    if (!list) co_return std::nullopt;
    noteTerm(*list);
    m_version.emplace();
    m_version->version = list->version;
    const auto leader = std::ranges::find_if(list->members, &etcd::Member::leads);
    for (const etcd::Member& member : list->members) {
        ServerIdentity its;
        const bool comparable = leader != list->members.end() && leader->applied >= 0 && member.applied >= 0;
        if (comparable && !member.leads)
            its.entriesBehind = std::max<std::int64_t>(leader->applied - member.applied, 0);
        its.role = member.leads    ? ServerIdentity::Role::Leader
                   : member.learns ? ServerIdentity::Role::Learner
                                   : ServerIdentity::Role::Follower;
        const QByteArray url = member.urls.empty() ? QByteArray() : member.urls.front();
        WatchedServerState state{url.isEmpty() ? member.name : url.mid(url.indexOf("//") + 2), {}};
        if (isSilent(member, *list)) // a dead one has no role, whatever it was
            state.trouble = doesNotAnswer();
        else
            state.identity = std::move(its);
        m_members.push_back(std::move(state));
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
    noteRevision(page->revision); // what most members have, whichever answers
    m_passed += std::int64_t(page->keys.size());
    std::vector<QByteArray> wanted;
    for (const etcd::KeyValue& key : page->keys)
        if (etcdLockOf(key)) wanted.push_back(key.key);
    m_next.reset();
    if (std::int64_t(page->keys.size()) < page->count) m_next = page->keys.back().key + '\0';
    auto failed = co_await readValues(std::move(wanted), stop);
    co_return failed;
}

QCoro::Task<EtcdWatcher::Failed> EtcdWatcher::readAll(std::vector<etcd::Range> ranges, Taker taker,
                                                      std::stop_token stop) {
    for (std::size_t at = 0; at < ranges.size();) {
        const std::size_t first = at;
        std::vector<etcd::Result<std::vector<etcd::RangeResult>>> reads;
        while (at < ranges.size() && reads.size() < kTogether) {
            const auto from = ranges.begin() + std::ptrdiff_t(at);
            at = std::min(at + m_reads, ranges.size());
            ++m_requests;
            reads.push_back(m_reader.ranges({from, ranges.begin() + std::ptrdiff_t(at)}, stop));
        }
        Failed failed;
        std::exception_ptr cancelled;
        std::size_t next = first;
        for (auto& read : reads) {
            try {
                const auto found = co_await read;
                if (!found) failed = found.error();
                for (std::size_t i = 0; found && i < found->size(); ++i)
                    taker(next + i, (*found)[i]);
            } catch (const Cancelled&) {
                cancelled = std::current_exception();
            }
            next += m_reads;
        }
        if (cancelled) std::rethrow_exception(cancelled);
        if (!failed) continue;
        // Too many reads at once for this server, or too much to read: then one by one.
        const bool tooMany = failed->kind == Error::Kind::Refused || failed->kind == Error::Kind::Protocol;
        if (!tooMany || m_reads == 1) co_return failed;
        m_reads = 1;
        at = first;
    }
    co_return std::nullopt;
}

QCoro::Task<EtcdWatcher::Failed> EtcdWatcher::readValues(std::vector<QByteArray> keys, std::stop_token stop) {
    std::vector<etcd::Range> ranges(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
        ranges[i].key = std::move(keys[i]);
    const Taker taker = [this](std::size_t, const etcd::RangeResult& found) {
        if (!found.keys.empty()) take(found.keys.front());
    };
    auto failed = co_await readAll(std::move(ranges), taker, std::move(stop));
    co_return failed;
}

// An older key of any kind below a lock's name is waited for, too. Which one is the oldest, the server says.
QCoro::Task<EtcdWatcher::Failed> EtcdWatcher::askOldest(std::stop_token stop) {
    std::vector<QByteArray> names;
    std::vector<etcd::Range> ranges;
    for (const auto& [name, group] : m_groups) {
        if (!group.stale || group.keys.contains(name)) continue;
        names.push_back(name);
        etcd::Range oldest;
        oldest.key = name + '/';
        oldest.end = etcd::endOfPrefix(oldest.key);
        oldest.order = etcd::Range::Order::OldestFirst;
        oldest.limit = 1;
        oldest.keysOnly = true;
        ranges.push_back(std::move(oldest));
    }
    const Taker taker = [&](std::size_t i, const etcd::RangeResult& found) {
        const auto group = m_groups.find(names[i]);
        if (group == m_groups.end()) return;
        group->second.oldest = found.keys.empty() ? QByteArray() : found.keys.front().key;
        group->second.stale = false;
    };
    auto failed = co_await readAll(std::move(ranges), taker, std::move(stop));
    co_return failed;
}

std::vector<std::int64_t> EtcdWatcher::leasesDue() {
    std::set<std::int64_t> holders;
    for (const auto& [name, group] : m_groups) {
        const auto oldest =
            std::ranges::min_element(group.keys, {}, [](const auto& key) { return key.second.createRevision; });
        if (oldest != group.keys.end() && oldest->second.lease != 0) holders.insert(oldest->second.lease);
    }
    std::erase_if(m_leases, [&](const auto& lease) { return !holders.contains(lease.first); });
    std::erase_if(m_leaseDue, [&](const auto& lease) { return !holders.contains(lease.first); });
    const Nanos now = runtime().monotonic();
    std::vector<std::pair<Nanos, std::int64_t>> due; // the longest due first
    for (const std::int64_t lease : holders) {
        const auto next = m_leaseDue.try_emplace(lease, Nanos(0)).first->second;
        if (next <= now) due.emplace_back(next, lease);
    }
    std::ranges::sort(due);
    std::vector<std::int64_t> leases;
    for (const auto& [at, lease] : due)
        leases.push_back(lease);
    return leases;
}

QCoro::Task<EtcdWatcher::Failed> EtcdWatcher::askLeases(std::vector<std::int64_t> leases, std::stop_token stop) {
    const Nanos now = runtime().monotonic();
    std::vector<etcd::Result<etcd::LeaseState>> reads;
    for (const std::int64_t lease : leases) {
        ++m_requests;
        m_leaseDue[lease] = now + kLeaseSoonest;
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
            m_leaseDue[leases[i]] = now + std::clamp(state->granted / kLeaseShare, kLeaseSoonest, kLeaseLatest);
            const std::int64_t left = std::chrono::duration_cast<std::chrono::milliseconds>(state->ttl).count();
            SeenLease& lease = m_leases[leases[i]];
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
    Group& group = m_groups[name->toByteArray()];
    QByteArray place = key.key;
    group.keys[std::move(place)] = std::move(key);
    group.stale = true;
}

// A key may be one of each group whose name it begins with: those are looked up, since there may be very many groups.
void EtcdWatcher::drop(const QByteArray& key) {
    for (qsizetype length = 1; length <= key.size(); ++length) {
        const auto group = m_groups.find(key.first(length));
        if (group == m_groups.end()) continue;
        group->second.keys.erase(key);
        group->second.stale = true; // also where another lock's key was in front of it
        if (group->second.keys.empty()) m_groups.erase(group);
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
    m_revision = std::max(m_revision, event.key.modRevision);
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
    const std::uint64_t requestsBefore = m_requests;
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
    count();
    std::vector<std::int64_t> leases = leasesDue();
    // Somebody waits for the whole answer; else the others have their turn in the next looks.
    if (depth == Depth::Slice && leases.size() > kLeasesOfALook) leases.resize(kLeasesOfALook);
    for (std::size_t at = 0; at < leases.size() && !failed; at += kLeasesTogether) {
        if (at > 0) co_await keepShare(share, stop);
        asked = runtime().monotonic();
        const auto from = leases.begin() + std::ptrdiff_t(at);
        std::vector<std::int64_t> some(from, from + std::ptrdiff_t(std::min(kLeasesTogether, leases.size() - at)));
        failed = co_await askLeases(std::move(some), stop);
        count();
    }
    asked = runtime().monotonic();
    if (!failed) failed = co_await askMembers(stop);
    // A server on which nothing happens and one that stands still are silent alike.
    if (!failed && m_requests == requestsBefore) failed = co_await askPulse(stop);
    count();
    if (failed) {
        m_watch.reset(); // what is known may be old
        m_next.reset();
        co_return std::unexpected(troubleOf(*failed));
    }
    found.locks = rows();
    found.events = std::exchange(m_news, {});
    found.outlivesRestarts = true;
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
        co_await rest(longest, std::move(stop));
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
