// SPDX-License-Identifier: Apache-2.0
#include "sim/etcd/record.h"

#include "inspect/etcd/formats.h"

#include <algorithm>

namespace lockscope::sim {

using Kind = EtcdRequest::Kind;

namespace {

/// How many revisions a member may be behind to use what was read for the others.
constexpr std::size_t kRevisionsKept = 32;

std::int64_t msOf(Nanos instant) {
    return std::chrono::ceil<std::chrono::milliseconds>(instant).count();
}

/// Whether a request may change keys of that lock.
bool concerns(const EtcdRequest& request, const QByteArray& lockName) {
    const QByteArray below = lockName + '/';
    const auto touches = [&](const etcd::Range& range) {
        return range.key.startsWith(below) || range.key == lockName || EtcdStore::isIn(below, range.key, range.end);
    };
    switch (request.kind) {
    case Kind::Put:
    case Kind::DeleteRange:
        return touches(request.range);
    case Kind::Txn: {
        const auto steps = [&](const std::vector<etcd::Operation>& all) {
            return std::ranges::any_of(all, [&](const etcd::Operation& step) {
                return step.kind != etcd::Operation::Kind::Read && touches(step.range);
            });
        };
        return steps(request.txn.then) || steps(request.txn.otherwise);
    }
    default:
        return request.kind == Kind::Revoke;
    }
}

} // namespace

EtcdRecord::EtcdRecord(Grounds grounds, trace::EntityId parent, inspect::TraceFeed::Resolver owner, Leader leader)
    : m_grounds(grounds),
      m_feed(grounds.recorder, parent, owner, Nanos(0)),
      m_owner(std::move(owner)),
      m_leader(std::move(leader)) {
}

void EtcdRecord::copies(EtcdRecord& logical) {
    m_read = logical.m_read;
    m_feed.writeCopiesOf(logical.m_feed);
}

void EtcdRecord::setDecides(bool decides) {
    if (decides == m_decides) return;
    if (!m_known) decides ? m_feed.unobserved() : m_feed.observed();
    // Its holds are lost with it; from here on it is silent.
    for (const QByteArray& name : m_watched)
        if (!decides) m_feed.update(name, std::nullopt, {.freedBy = trace::FreedBy::NodeLoss});
    m_decides = decides;
    if (decides && m_store)
        for (const QByteArray& name : m_watched)
            write(name, {});
}

void EtcdRecord::watch(const QByteArray& lockName) {
    m_feed.lockEntity(lockName);
    if (m_watched.insert(lockName).second && m_store && !read(lockName).keys.empty()) write(lockName, {});
}

EtcdRecord::Read& EtcdRecord::read(const QByteArray& lockName) {
    std::map<std::int64_t, Read>& all = (*m_read)[lockName];
    const std::int64_t revision = m_store->revision();
    const auto [read, fresh] = all.try_emplace(revision);
    if (fresh) {
        read->second.keys = readKeys(lockName);
        read->second.row = rowOf(lockName, read->second.keys, {});
    }
    while (all.size() > kRevisionsKept && all.begin()->first < revision)
        all.erase(all.begin());
    return read->second;
}

std::optional<inspect::LockRow> EtcdRecord::rowOf(const QByteArray& lockName, std::vector<etcd::KeyValue> keys,
                                                  const std::map<std::int64_t, inspect::SeenLease>& leases) const {
    if (keys.empty()) return std::nullopt;
    const inspect::SeenKeys seen{lockName, std::move(keys), {}, leases, msOf(m_grounds.scheduler.now())};
    std::vector<inspect::LockRow> rows = inspect::readInOrder(inspect::etcdFormats(), seen);
    if (rows.empty()) return std::nullopt;
    // A world of our own knows its locks; how sure a stranger could be is no part of it.
    rows.front().certainty = inspect::Certainty::Certain;
    return std::move(rows.front());
}

void EtcdRecord::learnEnds(const QByteArray& lockName, const std::vector<etcd::KeyValue>& keys) {
    const EtcdServer* const leader = m_leader();
    if (!leader) return;
    EndsLearnt& learnt = m_endsLearnt[lockName];
    const bool sameLeader = learnt.leader == leader && learnt.timesLed == leader->timesLed();
    std::int64_t upTo = m_store->revision();
    for (const etcd::KeyValue& key : keys) {
        if (key.lease == 0 || (sameLeader && key.modRevision <= learnt.revision)) continue;
        if (const std::optional<Nanos> end = leader->endOf(key.lease))
            m_ends[key.lease] = *end;
        else // a new leader has not carried out the grant yet: asked again
            upTo = std::min(upTo, key.modRevision - 1);
    }
    learnt = {leader, leader->timesLed(), upTo};
}

/// The keys of holders are read alone, with their leases: a long queue is not read again for each renewal.
void EtcdRecord::tellEnds(const QByteArray& lockName, Read& read) const {
    inspect::LockRow& row = *read.row;
    std::vector<etcd::KeyValue> holding;
    std::map<std::int64_t, inspect::SeenLease> leases;
    for (const etcd::KeyValue& key : read.keys) {
        if (holding.size() == row.entries.size()) break; // all are found: mostly the oldest key alone
        if (std::ranges::find(row.entries, key.key, &inspect::Entry::at) == row.entries.end()) continue;
        holding.push_back(key);
        const auto known = m_ends.find(key.lease);
        if (known != m_ends.end()) leases[key.lease] = {{msOf(known->second), msOf(known->second)}, false};
    }
    const Nanos now = m_grounds.scheduler.now();
    if (read.endsAt == now && read.ends == leases) return; // another copy has written them
    read.endsAt = now;
    read.ends = leases;
    std::optional<inspect::LockRow> holders = rowOf(lockName, std::move(holding), leases);
    if (!holders) return;
    row.ttlMs = holders->ttlMs;
    row.ends = holders->ends;
    row.neverExpires = holders->neverExpires;
    row.holders = std::move(holders->holders);
}

std::vector<etcd::KeyValue> EtcdRecord::readKeys(const QByteArray& lockName) const {
    std::vector<etcd::KeyValue> keys;
    const auto& all = m_store->keys();
    for (auto it = all.lower_bound(lockName); it != all.end() && it->first.startsWith(lockName); ++it)
        if (inspect::etcdLockOf(it->second) == lockName) keys.push_back(it->second);
    std::ranges::sort(keys, {}, &etcd::KeyValue::createRevision);
    return keys;
}

void EtcdRecord::carriedOut(const EtcdStore& store, const EtcdEntry& entry) {
    m_store = &store;
    if (!entry.request) return;
    inspect::Sight sight;
    const bool asked = entry.origin.member != 0; // by a client; else it is the leader's own work, or an operator's
    if (asked && entry.origin.client != trace::kNoEntity)
        sight.cause = m_grounds.recorder.trace().intern(trace::EntityKind::Thread, "1", entry.origin.client);
    if (!asked) sight.freedBy = entry.request->kind == Kind::Revoke ? trace::FreedBy::Expiry : trace::FreedBy::Force;
    for (const QByteArray& name : m_watched) {
        if (!concerns(*entry.request, name)) continue;
        const auto holder = m_holders.find(name);
        const bool own = holder != m_holders.end() && holder->second == sight.cause;
        if (asked) sight.freedBy = own ? trace::FreedBy::Release : trace::FreedBy::Force;
        if (!m_known) keepEnd(name, sight);
        write(name, sight);
    }
}

void EtcdRecord::keepEnd(const QByteArray& lockName, const inspect::Sight& sight) {
    const auto told = m_holdingKeys.find(lockName);
    if (told != m_holdingKeys.end() && !m_store->keys().contains(told->second)) m_untold.try_emplace(lockName, sight);
}

void EtcdRecord::kept(std::int64_t lease) {
    if (!m_store) return;
    for (const QByteArray& name : m_watched) {
        const std::vector<etcd::KeyValue>& keys = read(name).keys;
        const bool concerned =
            lease == 0 || std::ranges::any_of(keys, [lease](const auto& key) { return key.lease == lease; });
        if (keys.empty() || !concerned) continue;
        inspect::Sight sight;
        sight.clockMoved = lease == 0;
        if (lease != 0) {
            const EtcdServer* const leader = m_leader();
            if (const std::optional<Nanos> end = leader ? leader->endOf(lease) : std::nullopt) m_ends[lease] = *end;
            inspect::Party party;
            party.client = inspect::leaseInHex(lease);
            // The end of a waiter's lease is no part of the record: a long queue is not read again for it.
            const auto holders = m_holding.find(name);
            if (holders != m_holding.end() && !holders->second.contains(party.client)) continue;
            sight.cause = m_owner(party);
        }
        write(name, sight);
    }
}

void EtcdRecord::replaced(const EtcdStore& store) {
    m_store = &store;
    m_endsLearnt.clear();
    m_read->clear(); // if all members have lost theirs, revisions begin anew
    for (const QByteArray& name : m_watched)
        write(name, {.freedBy = trace::FreedBy::NodeLoss});
}

void EtcdRecord::tellQuorum() {
    if (!m_quorum) return;
    const std::int64_t deciders = m_known ? -1 : 0; // -1: as before, not told
    for (const QByteArray& name : m_watched)
        m_grounds.recorder.emit(trace::EventKind::RecordDecider, trace::kNoEntity, m_feed.lockEntity(name), deciders);
}

void EtcdRecord::setKnown(bool known) {
    if (std::exchange(m_known, known) == known || !m_decides) return;
    tellQuorum();
    if (!known) {
        m_feed.unobserved();
        return;
    }
    m_feed.observed();
    if (!m_store) return;
    // Nobody renewed a hold that was loaded; a hold that was neither loaded nor ended before is lost.
    for (const QByteArray& name : m_watched) {
        const auto ended = m_untold.find(name);
        inspect::Sight sight =
            ended == m_untold.end() ? inspect::Sight{.freedBy = trace::FreedBy::NodeLoss} : ended->second;
        sight.clockMoved = true;
        write(name, sight);
    }
    m_untold.clear();
}

void EtcdRecord::write(const QByteArray& lockName, inspect::Sight sight) {
    if (!m_decides || !m_known) return;
    Read& now = read(lockName);
    learnEnds(lockName, now.keys);
    const std::optional<inspect::LockRow>& row = now.row;
    if (row) tellEnds(lockName, now);
    if (!now.keys.empty()) {
        const auto end = m_ends.find(now.keys.front().lease);
        if (end != m_ends.end()) sight.exactDeadline = end->second;
    }
    m_feed.update(lockName, row, sight);
    std::set<QByteArray>& holding = m_holding[lockName];
    holding.clear();
    if (row)
        for (const inspect::Party& holder : row->holders)
            holding.insert(holder.client);
    if (row && !row->entries.empty())
        m_holdingKeys[lockName] = row->entries.front().at;
    else
        m_holdingKeys.erase(lockName);
    m_holders[lockName] = row && !row->holders.empty() ? m_owner(row->holders.front()) : trace::kNoEntity;
    // No lease comes again: ends of those that are over only take room.
    if (m_ends.size() > 2 * m_store->leases().size())
        std::erase_if(m_ends, [this](const auto& end) { return !m_store->leases().contains(end.first); });
    m_contentLook.arm();
}

void EtcdRecord::writeHeldBack() {
    for (const QByteArray& name : m_watched) // the same as before: only what was held back is written
        write(name, {.clockMoved = true});
}

} // namespace lockscope::sim
