// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/record.h"

#include "inspect/zookeeper/formats.h"
#include "trace/recorder.h"

#include <algorithm>

namespace lockscope::sim {

namespace {

/// How many transactions a server may be behind to use what was read for the others.
constexpr std::size_t kRowsKept = 32;

QByteArray pathOf(const QByteArray& lockName) {
    return '/' + lockName;
}

inspect::SeenNode seen(const ZkTree& tree, const QByteArray& path, std::int64_t wallMs) {
    const ZkNode& node = *tree.find(path);
    inspect::SeenNode seen;
    seen.path = path;
    seen.stat = ZkTree::statOf(node);
    if (!node.data.isEmpty()) seen.data = node.data;
    seen.wallMs = wallMs;
    const std::vector<QByteArray> names(node.children.begin(), node.children.end());
    seen.children.reserve(names.size());
    for (recipes::ZkChild& name : recipes::readZkChildren(names)) {
        const ZkNode& child = *tree.find(zookeeper::childOf(path, name.name));
        seen.children.push_back({std::move(name), ZkTree::statOf(child), child.data});
    }
    return seen;
}

/// Leaves each waiter one place, its first, as a queue names nobody twice. If the waiter has a later place too, it
/// waits there: the first one is of a former session or request, and blocks the others until the server ends that, so
/// it is marked as dead.
void markFormerPlaces(inspect::LockRow& row, const inspect::TraceFeed::Resolver& owner) {
    if (!row.waiters) return;
    std::map<trace::EntityId, std::size_t> firstOf; // by waiter
    std::vector<inspect::Party> places;
    places.reserve(row.waiters->size());
    for (inspect::Party& waiter : *row.waiters) {
        const auto [first, fresh] = firstOf.try_emplace(owner(waiter), places.size());
        if (fresh)
            places.push_back(std::move(waiter));
        else
            places[first->second].dead = true;
    }
    for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i].position) places[i].position = int(i);
    if (row.waiterCount) *row.waiterCount -= std::int64_t(row.waiters->size() - places.size());
    row.waiters = std::move(places);
}

/// The lock at that path; nullopt: nothing there is one.
std::optional<inspect::LockRow> rowAt(const ZkTree& tree, const QByteArray& path, std::int64_t wallMs,
                                      const inspect::TraceFeed::Resolver& owner) {
    if (!tree.find(path)) return std::nullopt;
    inspect::SeenNode whole = seen(tree, path, wallMs);
    std::optional<inspect::SeenNode> locks, leases;
    const auto below = [&](const char* name) -> std::optional<inspect::SeenNode> {
        const QByteArray child = zookeeper::childOf(path, name);
        if (!tree.find(child)) return std::nullopt;
        return seen(tree, child, wallMs);
    };
    locks = below("locks");
    leases = below("leases");
    whole.locks = locks ? &*locks : nullptr;
    whole.leases = leases ? &*leases : nullptr;
    const std::vector<inspect::LockRow> rows = inspect::readInOrder(inspect::zookeeperFormats(), whole);
    if (rows.empty()) return std::nullopt;
    inspect::LockRow row = rows.front();
    // A world of our own knows its locks; how sure a stranger could be of its nodes is no part of it.
    row.certainty = inspect::Certainty::Certain;
    markFormerPlaces(row, owner);
    return row;
}

bool concerns(const QByteArray& changed, const QByteArray& path) {
    return changed == path || changed.startsWith(path + '/');
}

} // namespace

ZkRecord::ZkRecord(VirtualScheduler& scheduler, trace::Recorder& recorder, trace::EntityId parent,
                   inspect::TraceFeed::Resolver owner, ThreadOf threadOf)
    : m_scheduler(scheduler),
      m_recorder(recorder),
      m_feed(recorder, parent, owner, Nanos(0)),
      m_owner(std::move(owner)),
      m_threadOf(std::move(threadOf)) {
}

ZkRecord::Row ZkRecord::lockAt(const ZkTree& tree, const QByteArray& lockName, std::int64_t wallMs) const {
    return std::make_shared<const std::optional<inspect::LockRow>>(rowAt(tree, pathOf(lockName), wallMs, m_owner));
}

void ZkRecord::copies(ZkRecord& logical) {
    m_read = logical.m_read;
    m_feed.writeCopiesOf(logical.m_feed);
}

void ZkRecord::setDecides(bool decides) {
    if (decides == m_decides) return;
    if (!m_known) decides ? m_feed.unobserved() : m_feed.observed();
    // Its holds are lost with it; from here on it is silent.
    for (const QByteArray& name : m_watched)
        if (!decides) m_feed.update(name, std::nullopt, {.freedBy = trace::FreedBy::NodeLoss});
    m_decides = decides;
    if (decides && m_tree)
        for (const QByteArray& name : m_watched)
            write(name, lockAt(*m_tree, name, m_wallMs), {});
}

void ZkRecord::watch(const QByteArray& lockName) {
    m_feed.lockEntity(lockName);
    if (m_watched.insert(lockName).second && m_tree && m_tree->find(pathOf(lockName)))
        write(lockName, lockAt(*m_tree, lockName, m_wallMs), {});
}

void ZkRecord::carriedOut(const ZkState& state, const ZkTxn& txn) {
    if (txn.changes.empty()) return;
    m_tree = &state.tree;
    m_wallMs = txn.timeMs;
    inspect::Sight sight;
    const bool asked = txn.origin.server != 0; // by a client; else it is the leader's own work, or an operator's
    if (asked) sight.cause = m_threadOf(txn.session);
    if (txn.kind == ZkTxn::Kind::EndSession) {
        sight.freedBy = asked ? trace::FreedBy::Release : trace::FreedBy::Expiry;
    } else {
        const bool own =
            asked && std::ranges::all_of(txn.changes, [&txn](const ZkChange& change) {
                return change.kind != ZkChange::Kind::Remove || change.owner == 0 || change.owner == txn.session;
            });
        sight.freedBy = own ? trace::FreedBy::Release : trace::FreedBy::Force;
    }
    for (const QByteArray& name : m_watched) {
        const QByteArray path = pathOf(name);
        const bool concerned =
            std::ranges::any_of(txn.changes, [&path](const ZkChange& change) { return concerns(change.path, path); });
        if (!concerned) continue;
        if (!m_known) keepEnd(name, sight);
        write(name, rowAfter(state, name), sight);
    }
}

void ZkRecord::keepEnd(const QByteArray& lockName, const inspect::Sight& sight) {
    const auto told = m_rows.find(lockName);
    if (told == m_rows.end() || !*told->second || (*told->second)->entries.empty()) return;
    if (!m_tree->find((*told->second)->entries.front().at)) m_untold.try_emplace(lockName, sight);
}

void ZkRecord::replaced(const ZkState& state) {
    m_tree = &state.tree;
    m_read->clear(); // if all servers have lost theirs, transactions are numbered anew
    for (const QByteArray& name : m_watched)
        write(name, lockAt(state.tree, name, m_wallMs), {.freedBy = trace::FreedBy::NodeLoss});
}

void ZkRecord::setAnswers(bool answers) {
    if (std::exchange(m_answers, answers) != answers && m_known && m_decides) tellQuorum();
}

void ZkRecord::tellQuorum() {
    if (!m_quorum) return;
    const std::int64_t deciders = m_known && m_answers ? -1 : 0; // -1: as before, not told
    if (std::exchange(m_toldDeciders, deciders) == deciders) return;
    for (const QByteArray& name : m_watched)
        m_recorder.emit(trace::EventKind::RecordDecider, trace::kNoEntity, m_feed.lockEntity(name), deciders);
}

void ZkRecord::setKnown(const ZkState* state) {
    const bool known = state != nullptr;
    if (std::exchange(m_known, known) == known) return;
    if (m_decides) tellQuorum();
    if (!known && m_decides) m_feed.unobserved();
    if (!known) return;
    m_tree = &state->tree;
    if (!m_decides) return;
    m_feed.observed();
    for (const QByteArray& name : m_watched) {
        // Where nobody freed a hold that is not there any more, it was lost.
        const auto ended = m_untold.find(name);
        inspect::Sight sight =
            ended == m_untold.end() ? inspect::Sight{.freedBy = trace::FreedBy::NodeLoss} : ended->second;
        sight.clockMoved = true;
        write(name, lockAt(state->tree, name, m_wallMs), sight);
    }
    m_untold.clear();
}

const ZkRecord::Row& ZkRecord::rowAfter(const ZkState& state, const QByteArray& lockName) {
    std::map<ZkTransaction, Row>& rows = (*m_read)[lockName];
    const auto [row, fresh] = rows.try_emplace(state.zxid);
    if (fresh) row->second = lockAt(state.tree, lockName, m_wallMs);
    while (rows.size() > kRowsKept && rows.begin()->first < state.zxid)
        rows.erase(rows.begin());
    return row->second;
}

void ZkRecord::write(const QByteArray& lockName, const Row& row, inspect::Sight sight) {
    if (!m_decides || !m_known) return;
    sight.exactDeadline = kNever; // what a session holds has no end of its own
    m_feed.update(lockName, *row, sight);
    m_rows[lockName] = row;
    m_contentLook.arm();
}

void ZkRecord::writeHeldBack() {
    if (!m_decides || !m_known) return; // looked at when it can be told again
    inspect::Sight sight;
    sight.exactDeadline = kNever;
    for (const auto& [name, row] : m_rows) // the same as before: only what was held back is written
        m_feed.update(name, *row, sight);
    m_contentLook.arm();
}

} // namespace lockscope::sim
