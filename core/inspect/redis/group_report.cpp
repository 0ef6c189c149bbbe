// SPDX-License-Identifier: Apache-2.0
// The report of a group: the looks at its masters, put together.
#include "inspect/redis/group_master.h"
#include "inspect/redis/joined_report.h"
#include "inspect/row_named.h"
#include "inspect/text.h"
#include "ports/redis/cluster_keys.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::inspect {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Watcher)
};

} // namespace

void RedisGroupWatcher::describe(LockReport& report) const {
    report.at = m_runtime.monotonic();
    report.wallMs = m_runtime.wallMs();
    const WatchLoad spent = load();
    report.commands = spent.requests;
    report.serverTime = spent.serverTime;
    report.connections = m_connectionsBefore;
    for (const MasterPtr& master : m_masters) {
        report.servers.push_back({master->address, {}});
        if (const auto wrong = troubleWith(*master)) report.servers.back().trouble = wrong->message;
        if (!master->last) continue;
        report.servers.back().identity = master->last->server;
        if (ServerIdentity* const its =
                m_cluster && master->last->server ? &*report.servers.back().identity : nullptr) {
            its->slots = master->place.slots; // what each tells of itself is asked for more seldom
            its->slotRanges = master->place.slotRanges;
        }
        report.servers.back().lookedAt = master->last->knownUntil();
        report.connections += master->last->connections;
    }
    report.server = identity();
}

LockReport RedisGroupWatcher::merged() {
    handOnMoved();
    LockReport all;
    describe(all);
    all.complete = all.hearsOfChanges = true;
    all.keysThere = 0;
    if (std::ranges::all_of(m_masters, [](const MasterPtr& master) { return master->again.has_value(); })) {
        std::set<QByteArray> again;
        for (const MasterPtr& master : m_masters)
            again.merge(*master->again);
        all.lookedAgain.emplace(again.begin(), again.end());
    }
    for (const MasterPtr& master : m_masters) {
        if (troubleWith(*master)) {
            master->again.reset(); // until it is looked at again, and then all of it
            all.complete = all.complete && (master->last || !master->before.isEmpty());
            // One that was promoted a moment ago may not answer yet: its locks are its predecessor's.
            for (const LockRow& row : master->last ? master->last->locks : master->expected)
                all.locks.push_back(notKnown(row, master->last ? master->address : master->before));
            addAwaited(*master, all.locks);
            continue;
        }
        master->again.emplace();
        const LockReport& its = *master->last;
        const bool first = !master->before.isEmpty();
        for (const LockRow& row : its.locks) {
            all.locks.push_back(row);
            LockRow& mine = all.locks.back();
            mine.server = master->address;
            runDown(mine, all.at - its.at); // its content is of an earlier look than this report
        }
        std::erase_if(master->awaited, [&its](const auto& entry) { return its.began >= entry.second.since; });
        addAwaited(*master, all.locks);
        join(all, its);
        if (first) master->events.push_back(ServerEvent::FailedOver);
        if (master->events.empty()) continue;
        std::ranges::move(master->events, std::back_inserter(all.events));
        master->events.clear();
        all.eventsAt.push_back(master->address);
        if (first) all.eventsAt.push_back(std::exchange(master->before, {}));
    }
    std::ranges::stable_sort(all.locks, {}, &LockRow::name);
    dropMoved(all.locks);
    forgetForeignEnds(all.locks);
    noteMoving(all);
    return all;
}

/// In the middle of the move of a slot: keys lie on their new server already, which does not answer for them yet, and
/// the old one knows nothing of them any more.
QByteArrayList RedisGroupWatcher::movingTo(const Master& master) {
    QByteArrayList moving;
    for (const QByteArray& key : master.watcher->elsewhere())
        if (!master.place.owns(redis::keySlot(key))) moving << key;
    return moving;
}

/// A watch may have begun in the middle of a move: locks among such keys are in no row, and one that is shows as not
/// known.
void RedisGroupWatcher::noteMoving(LockReport& report) const {
    WatchNote note{WatchNote::Kind::MovedAway, 0, {}};
    std::set<QByteArray> known; // keys of locks that are on their way
    for (const LockRow& row : report.locks)
        if (row.state == LockRow::State::NotKnown)
            for (const RawKey& raw : row.raw)
                known.insert(raw.key);
    for (const MasterPtr& master : m_masters)
        for (const QByteArray& key : movingTo(*master))
            if (!rowNamed(report.locks, key) && !known.contains(key)) note.examples.push_back(key);
    std::ranges::sort(note.examples);
    if (!note.examples.empty()) report.notes.push_back(std::move(note));
}

void RedisGroupWatcher::tellMoving(LockReport& report) const {
    for (const MasterPtr& master : m_masters) {
        QStringList moving;
        for (const QByteArray& key : movingTo(*master))
            moving << readable(key);
        const auto server = std::ranges::find(report.servers, master->address, &WatchedServerState::address);
        if (moving.isEmpty() || server == report.servers.end()) continue;
        constexpr int kShown = 5;
        const auto count = int(moving.size());
        if (count > kShown) moving = moving.first(kShown) << QStringLiteral("…");
        server->trouble = Text::tr("%n key(s) cannot be read before the move of their slot ends: %1", nullptr, count)
                              .arg(moving.join(QStringLiteral(", ")));
        report.complete = false;
    }
    // It is said with each server.
    std::erase_if(report.notes, [](const WatchNote& note) { return note.kind == WatchNote::Kind::MovedAway; });
}

/// The end of a lease on one server says nothing about that on another: clocks differ, and a key that moves takes a
/// moment.
void RedisGroupWatcher::forgetForeignEnds(std::vector<LockRow>& locks) const {
    auto before = m_lastLocks.begin();
    for (LockRow& row : locks) {
        before = std::find_if(before, m_lastLocks.end(), [&row](const LockRow& one) { return !(one.name < row.name); });
        if (before == m_lastLocks.end()) return;
        if (before->name != row.name) continue;
        if (before->server == row.server && before->state != LockRow::State::NotKnown) continue;
        row.ends.reset();
        for (Party& holder : row.holders)
            holder.ends.reset();
    }
}

void RedisGroupWatcher::addAwaited(const Master& master, std::vector<LockRow>& locks) {
    for (const auto& [name, its] : master.awaited)
        if (!master.last || !rowNamed(master.last->locks, name)) locks.push_back(its.row);
}

void RedisGroupWatcher::handOnMoved() {
    for (const MasterPtr& master : m_masters) {
        if (!master->last || troubleWith(*master)) continue;
        std::map<Master*, std::vector<LockRow>> moved;
        std::vector<LockRow> left; // sorted, as its locks are
        for (const LockRow& row : master->last->locks) {
            if (row.state != LockRow::State::NotKnown || row.raw.empty()) continue;
            const int slot = redis::keySlot(row.raw.front().key);
            const auto has = [&](const MasterPtr& other) {
                const LockRow* const its =
                    other != master && other->last ? rowNamed(other->last->locks, row.name) : nullptr;
                return its && its->state == LockRow::State::Held;
            };
            const auto owns = [&](const MasterPtr& other) { return other != master && other->place.owns(slot); };
            const bool known = std::ranges::any_of(m_masters, has);
            const auto owner = std::ranges::find_if(m_masters, owns);
            // Else it is on its way still, or the list of nodes is from before.
            if (known || owner != m_masters.end()) left.push_back(row);
            if (!known && owner != m_masters.end()) moved[owner->get()].push_back(row);
        }
        if (left.empty()) continue;
        for (const auto& [owner, rows] : moved)
            expect(*owner, rows);
        master->watcher->leave(left);
        master->again.reset();
        std::erase_if(master->last->locks, [&left](const LockRow& row) {
            return row.state == LockRow::State::NotKnown && rowNamed(left, row.name);
        });
    }
}

void RedisGroupWatcher::expect(Master& master, const std::vector<LockRow>& rows) const {
    if (rows.empty()) return;
    for (const LockRow& row : rows)
        master.awaited.insert_or_assign(row.name,
                                        Master::Awaited{notKnown(row, master.address), m_runtime.monotonic()});
    master.again.reset();
    master.watcher->expect(rows);
    master.watcher->lookSoon();
}

/// A lock whose slot has moved may be known from both servers for a moment: the owner's row is the true one. A server
/// that has it answers for its slot, also where the list of nodes is older than that.
void RedisGroupWatcher::dropMoved(std::vector<LockRow>& locks) const {
    const auto rankOf = [this](const LockRow& row) {
        if (row.state == LockRow::State::NotKnown) return 0;
        const auto master = std::ranges::find(m_masters, row.server, [](const MasterPtr& one) { return one->address; });
        return row.raw.empty() || (*master)->place.owns(redis::keySlot(row.raw.front().key)) ? 2 : 1;
    };
    struct Best {
        int rank = -1;
        QByteArray server;
    };
    std::map<QByteArray, Best> several; // by names that several servers have
    for (std::size_t i = 1; i < locks.size(); ++i) {
        if (locks[i].name != locks[i - 1].name || locks[i].server == locks[i - 1].server) continue;
        Best& best = several[locks[i].name];
        for (const LockRow* const row : {&locks[i - 1], &locks[i]})
            if (const int rank = rankOf(*row); rank > best.rank) best = {rank, row->server};
    }
    std::erase_if(locks, [&](const LockRow& row) {
        const auto best = several.find(row.name);
        return best != several.end() && best->second.server != row.server;
    });
}

} // namespace lockscope::inspect
