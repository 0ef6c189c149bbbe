// SPDX-License-Identifier: Apache-2.0
#include "merger.h"

#include <QFile>
#include <algorithm>
#include <map>
#include <set>

namespace lockscope::torture {

using trace::EntityId;
using trace::EntityKind;
using trace::Event;
using trace::EventKind;

void Merger::take(const Chronicle& chronicle) {
    m_node = m_trace.intern(EntityKind::Node, "server");
    for (int i = 0; i < kLocks; ++i)
        m_locks.push_back(m_trace.intern(EntityKind::Lock, lockName(i, false), m_node));
    for (const Fate& fate : chronicle.server) {
        add(fate.at, fate.kind, m_node);
        if (fate.kind == EventKind::NodeKilled) m_ordeal.serverDeaths.push_back(fate.at);
    }
    m_ruling.restarts = int(m_ordeal.serverDeaths.size());
    for (const Life& life : chronicle.lives)
        take(life, chronicle.wallAhead.count());
    takeRecords(chronicle);
    // Stable: what one process wrote stays in its order.
    std::ranges::stable_sort(m_events, {}, [](const auto& e) { return e.first.at; });
    tellWhoQueuedLate();
    for (auto& [event, text] : m_events) {
        if (!text.isEmpty()) event.aux = m_trace.text(text);
        m_trace.append(event);
    }
}

void Merger::take(const Life& life, std::int64_t ahead) {
    const EntityId client = m_trace.intern(EntityKind::Client, life.name);
    Nanos last{}, died = kNever;
    const auto journal = readJournal(life.journal);
    // One that was killed before it could open its journal has none.
    if (!journal && QFile::exists(life.journal)) m_ruling.complaints << journal.error();
    if (journal) {
        for (const Entry& entry : *journal) {
            last = std::max(last, entry.event.time());
            if (entry.what == Entry::What::Port)
                m_background.speakers.connected(static_cast<std::uint16_t>(entry.event.value), entry.event.at + ahead,
                                                life.identity);
            else
                take(entry, client, life);
        }
    }
    std::optional<Nanos> stopped;
    for (const Fate& fate : life.fates) {
        // It may have done something yet between our decision and its death.
        const bool killed = fate.kind == EventKind::ClientKilled;
        const Nanos at = killed ? std::max(fate.at, last) : fate.at;
        if (killed) died = fate.at;
        add(at, fate.kind, client);
        m_ruling.kills += killed;
        m_ruling.stops += fate.kind == EventKind::ClientPaused;
        if (fate.kind == EventKind::ClientPaused) stopped = at;
        if (stopped && (fate.kind == EventKind::ClientResumed || killed)) {
            m_ordeal.stops.push_back({client, *stopped, at});
            stopped.reset();
        }
    }
    if (journal) m_background.holds.take(life.identity, *journal, died.count(), ahead);
}

/// Adds the server's rows, at its own instants.
void Merger::takeRecords(const Chronicle& chronicle) {
    int records = 0;
    for (const Testimony& testimony : chronicle.testimonies) {
        if (!testimony.gap.isEmpty())
            m_ruling.complaints << QStringLiteral("what the server said is not all: %1").arg(testimony.gap);
        std::int64_t last = 0;
        for (const ServerRecord& record : readTestimony(testimony, m_background)) {
            Event event = record.event;
            event.at = last = std::max(event.at - chronicle.wallAhead.count(), last);
            if (event.kind == EventKind::RecordFreed)
                event.aux = threadOf(record.owner, chronicle);
            else if (event.value >= 0)
                event.value -= chronicle.wallAhead.count();
            event.actor = threadOf(record.actor, chronicle);
            event.subject = m_trace.intern(EntityKind::Lock, record.place, m_node);
            m_events.emplace_back(event, QByteArray());
            ++records;
        }
    }
    m_ruling.occasions[verdict::Invariant::Ownership] = records;
}

EntityId Merger::threadOf(const QByteArray& identity, const Chronicle& chronicle) {
    if (identity.isEmpty()) return trace::kNoEntity;
    const qsizetype colon = identity.indexOf(':');
    const QByteArray client = identity.left(colon);
    const auto life = std::ranges::find(chronicle.lives, client, &Life::identity);
    const QByteArray name = life == chronicle.lives.end() ? client : life->name;
    return m_trace.intern(EntityKind::Thread, identity.mid(colon + 1), m_trace.intern(EntityKind::Client, name));
}

void Merger::take(const Entry& entry, EntityId client, const Life& life) {
    const std::size_t lock = entry.event.subject;
    switch (entry.what) {
    case Entry::What::Port:
        break;
    case Entry::What::Increment:
        ++m_increments[lock];
        break;
    case Entry::What::Defect:
        (entry.text.contains("reader") ? m_readersDefects[lock] : m_ruling.complaints)
            << QStringLiteral("%1, lock %2: %3")
                   .arg(QString::fromLatin1(life.name), QString::number(lock), QString::fromUtf8(entry.text));
        break;
    case Entry::What::Event: {
        Event event = entry.event;
        event.subject = m_locks[lock];
        if (event.actor) event.actor = m_trace.intern(EntityKind::Thread, QByteArray::number(event.actor), client);
        const bool taken = event.kind == EventKind::Granted && life.name != "last";
        m_ruling.acquisitions += taken;
        m_ruling.acquisitionsOfBlocking += taken && life.blocking;
        m_events.emplace_back(event, entry.text);
        break;
    }
    }
}

/// A journal says when somebody asked. Where the server keeps a place for each who waits, it says when that was made:
/// long after on a busy machine, and anew when a session has ended meanwhile. Then the client that asked first was not
/// first in the queue.
void Merger::tellWhoQueuedLate() {
    constexpr Nanos kLate = 200ms;
    std::map<std::pair<EntityId, EntityId>, std::int64_t> asked; // by lock and thread, who still waits
    std::set<EntityId> away;                                     // clients whose places are gone
    decltype(m_events) all;
    all.reserve(m_events.size());
    for (auto& one : m_events) {
        const Event event = one.first;
        all.push_back(std::move(one));
        const auto tell = [&](EventKind kind, EntityId client) {
            Event said;
            said.at = event.at;
            said.kind = kind;
            said.actor = client;
            said.subject = m_node;
            all.emplace_back(said, QByteArray());
        };
        const std::pair<EntityId, EntityId> key(event.subject, event.actor);
        if (event.kind == EventKind::Requested) {
            asked[key] = event.at;
        } else if (event.kind == EventKind::Granted || event.kind == EventKind::TimedOut ||
                   event.kind == EventKind::Interrupted || event.kind == EventKind::AcquireFailed) {
            asked.erase(key);
        } else if (event.kind == EventKind::RecordFreed && event.flags == std::uint8_t(trace::FreedBy::Expiry) &&
                   event.aux != trace::kNoEntity) {
            const EntityId client = m_trace.clientOf(event.aux);
            if (away.insert(client).second) tell(EventKind::ConnectionLost, client);
        } else if (event.kind == EventKind::RecordHeld && event.actor != trace::kNoEntity) {
            const int lock = lockOf(m_trace.entity(event.subject).name);
            if (lock < 0 || m_locks[std::size_t(lock)] == event.subject) continue; // the lock itself
            const auto since = asked.find({m_locks[std::size_t(lock)], event.actor});
            const bool late = since != asked.end() && event.at - since->second > kLate.count();
            const EntityId client = m_trace.clientOf(event.actor);
            if (away.erase(client) > 0 || late) tell(EventKind::ConnectionRestored, client);
        }
    }
    m_events = std::move(all);
}

void Merger::add(Nanos at, EventKind kind, EntityId actor) {
    Event event;
    event.at = at.count();
    event.kind = kind;
    event.actor = actor;
    m_events.emplace_back(event, QByteArray());
}

} // namespace lockscope::torture
