// SPDX-License-Identifier: Apache-2.0
#include "ruling.h"

#include "journal.h"
#include "monitor_reader.h"

#include <algorithm>
#include <map>

namespace lockscope::torture {

using trace::EntityId;
using trace::EntityKind;
using trace::Event;
using trace::EventKind;

namespace {

struct Merger {
    explicit Merger(Ruling& of) : ruling(of), trace(*of.trace) {}

    Ruling& ruling;
    trace::Trace& trace;
    std::vector<std::pair<Event, QByteArray>> events; ///< with texts, not yet in the trace
    std::vector<std::int64_t> increments = std::vector<std::int64_t>(kLocks);
    std::vector<std::pair<EntityId, std::pair<Nanos, Nanos>>> pauses; ///< of clients
    std::vector<Nanos> serverDeaths;
    QStringList readersDefects; ///< what a reader saw that believed on while it was stopped
    EntityId node = kNone;
    std::vector<EntityId> locks;
    static constexpr EntityId kNone = trace::kNoEntity;

    void take(const Chronicle& chronicle) {
        node = trace.intern(EntityKind::Node, "server");
        for (int i = 0; i < kLocks; ++i)
            locks.push_back(trace.intern(EntityKind::Lock, "torture-" + QByteArray::number(i), node));
        for (const Fate& fate : chronicle.server) {
            add(fate.at, fate.kind, node);
            if (fate.kind == EventKind::NodeKilled) serverDeaths.push_back(fate.at);
        }
        ruling.restarts = int(serverDeaths.size());
        for (const Life& life : chronicle.lives)
            take(life);
        takeRecords(chronicle);
        // Stable: what one process wrote stays in its order.
        std::ranges::stable_sort(events, {}, [](const auto& e) { return e.first.at; });
        for (auto& [event, text] : events) {
            if (!text.isEmpty()) event.aux = trace.text(text);
            trace.append(event);
        }
    }

    void take(const Life& life) {
        const EntityId client = trace.intern(EntityKind::Client, life.name);
        Nanos last{};
        if (const auto journal = readJournal(life.journal)) {
            for (const Entry& entry : *journal) {
                last = entry.event.time();
                take(entry, client, life.name);
            }
        }
        std::optional<Nanos> stopped;
        for (const Fate& fate : life.fates) {
            // It may have done something yet between our decision and its death.
            const Nanos at = fate.kind == EventKind::ClientKilled ? std::max(fate.at, last) : fate.at;
            add(at, fate.kind, client);
            ruling.kills += fate.kind == EventKind::ClientKilled;
            ruling.stops += fate.kind == EventKind::ClientPaused;
            if (fate.kind == EventKind::ClientPaused) stopped = at;
            if (stopped && (fate.kind == EventKind::ClientResumed || fate.kind == EventKind::ClientKilled)) {
                pauses.push_back({client, {*stopped, at}});
                stopped.reset();
            }
        }
    }

    /// What the server said, at its own instants.
    void takeRecords(const Chronicle& chronicle) {
        std::vector<QByteArray> keys;
        for (int i = 0; i < kLocks; ++i)
            keys.push_back(lockName(i, false));
        MonitorReader reader(keys);
        for (const QByteArray& line : chronicle.monitored.split('\n'))
            reader.read(line.trimmed());
        std::int64_t last = 0;
        for (const ServerRecord& record : reader.records()) {
            Event event = record.event;
            event.at = last = std::max(event.at - chronicle.wallAhead.count(), last);
            if (event.kind == EventKind::RecordFreed)
                event.aux = threadOf(record.owner, chronicle);
            else if (event.value >= 0)
                event.value -= chronicle.wallAhead.count();
            event.actor = threadOf(record.actor, chronicle);
            event.subject = locks[record.lock];
            events.emplace_back(event, QByteArray());
            ++ruling.records;
        }
    }

    EntityId threadOf(const QByteArray& identity, const Chronicle& chronicle) {
        if (identity.isEmpty()) return kNone;
        const qsizetype colon = identity.indexOf(':');
        const QByteArray client = identity.left(colon);
        const auto life = std::ranges::find(chronicle.lives, client, &Life::identity);
        const QByteArray name = life == chronicle.lives.end() ? client : life->name;
        return trace.intern(EntityKind::Thread, identity.mid(colon + 1), trace.intern(EntityKind::Client, name));
    }

    void take(const Entry& entry, EntityId client, const QByteArray& name) {
        const std::size_t lock = entry.event.subject;
        switch (entry.what) {
        case Entry::What::Increment:
            ++increments[lock];
            break;
        case Entry::What::Defect:
            (entry.text.contains("reader") ? readersDefects : ruling.complaints)
                << QStringLiteral("%1, lock %2: %3")
                       .arg(QString::fromLatin1(name), QString::number(lock), QString::fromUtf8(entry.text));
            break;
        case Entry::What::Event: {
            Event event = entry.event;
            event.subject = locks[lock];
            if (event.actor) event.actor = trace.intern(EntityKind::Thread, QByteArray::number(event.actor), client);
            ruling.acquisitions += event.kind == EventKind::Granted;
            events.emplace_back(event, entry.text);
            break;
        }
        }
    }

    void add(Nanos at, EventKind kind, EntityId actor) {
        Event event;
        event.at = at.count();
        event.kind = kind;
        event.actor = actor;
        events.emplace_back(event, QByteArray());
    }

    /// That a client was stopped for longer than what it held could last, and learned of the loss soon after it went
    /// on. A lease ends meanwhile; what a connection holds ends only if the server died.
    bool excusedByPause(EntityId thread, const verdict::Violation& v, const Subject& subject, Nanos lease) const {
        constexpr Nanos soon = 1s; // to be scheduled again, on a machine with better things to do
        const EntityId client = trace.clientOf(thread);
        const bool connection = subject.recipe.heldBy == recipes::HeldBy::Connection;
        return std::ranges::any_of(pauses, [&](const auto& pause) {
            const auto& [from, to] = pause.second;
            const bool ended =
                connection ? std::ranges::any_of(serverDeaths, [&](Nanos at) { return at >= from - soon && at <= to; })
                           : to - from > lease / 3;
            return pause.first == client && ended && v.from >= from && v.from <= to + soon && v.to <= to + soon;
        });
    }

    bool allowed(const verdict::Violation& v, const Subject& subject, const Plan& plan, Nanos roughFrom) const {
        if (v.invariant != verdict::Invariant::MutualExclusion) return false;
        const bool connection = subject.recipe.heldBy == recipes::HeldBy::Connection;
        if (!connection && v.from < roughFrom) return false;
        const auto excused = std::ranges::count_if(
            v.actors, [&](EntityId thread) { return excusedByPause(thread, v, subject, plan.lease); });
        // Readers and permits: the others may well hold together, and only the stopped one is too many.
        if (subject.recipe.shared || subject.recipe.permits) return excused > 0;
        return excused + 1 >= std::ptrdiff_t(v.actors.size());
    }
};

} // namespace

Ruling rule(const Subject& subject, const Plan& plan, const Chronicle& chronicle) {
    Ruling ruling;
    ruling.trace = std::make_shared<trace::Trace>();
    ruling.complaints = chronicle.defects;
    Merger merger(ruling);
    merger.take(chronicle);

    verdict::Bounds bounds;
    bounds.progress = kNever; // who was killed in a queue is waited out, which is judged by the last look
    bounds.fair = subject.recipe.fair;
    bounds.fifoSlack = 500ms; // one machine, one clock
    verdict::Judge judge(ruling.trace, bounds);
    judge.consume();
    ruling.verdict = judge.verdict(true);

    for (const verdict::Violation& v : ruling.verdict.violations) {
        if (v.invariant == verdict::Invariant::Progress) continue;
        const bool excused = merger.allowed(v, subject, plan, chronicle.roughFrom);
        ruling.pausedBeliefs += excused;
        (excused ? ruling.allowed : ruling.complaints) << QString::fromLatin1(verdict::invariantId(v.invariant)) +
                                                              QStringLiteral(": ") + verdict::explain(v, *ruling.trace);
    }
    constexpr auto kOwnership = static_cast<std::size_t>(verdict::Invariant::Ownership);
    if (subject.observed && ruling.verdict.outcomes[kOwnership] == verdict::Outcome::Unknown)
        ruling.complaints << QStringLiteral("what the server said does not tell whose its locks were");
    if (ruling.pausedBeliefs == 0) ruling.complaints << merger.readersDefects;
    for (std::size_t i = 0; i < chronicle.counters.size(); ++i) {
        // Who was killed between writing and telling has written once more than was told; a stopped one that believed
        // on may have written an old number.
        const std::int64_t least = merger.increments[i], most = least + ruling.kills, is = chronicle.counters[i];
        if (is > most || (is < least && ruling.pausedBeliefs == 0))
            ruling.complaints << QStringLiteral("the counter of lock %1 says %2 after %3 increments")
                                     .arg(QString::number(i), QString::number(is), QString::number(least));
    }
    return ruling;
}

} // namespace lockscope::torture
