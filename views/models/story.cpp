// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/story.h"

#include "models/engine_drain.h"
#include "models/lock_facts.h"
#include "models/told_violation.h"
#include "theme/format.h"
#include "trace/decider.h"
#include "trace/filled.h"
#include "trace/leftover.h"
#include "verdict/why.h"
#include "verdict/why_safe.h"

#include <QCoreApplication>

namespace lockscope::views {
namespace {

using trace::Belief;
using trace::EntityId;
using Life = trace::ClientState::Life;

struct Story {
    Q_DECLARE_TR_FUNCTIONS(Story)
};

constexpr std::size_t kMostLocks = 4;   ///< that are told one by one
constexpr std::size_t kMostClients = 8; ///< that are named

/// The clients of one lock, by how they stand with it.
struct Parts {
    std::vector<EntityId> holding, stale, waiting, unheard, paused;
};

Parts partsOf(const trace::State& state, const trace::Trace& trace, EntityId lock, const trace::Record& record) {
    Parts parts;
    for (auto it = state.beliefs.lower_bound({lock, trace::kNoEntity});
         it != state.beliefs.end() && it->first.first == lock; ++it) {
        const EntityId thread = it->first.second;
        const Belief& belief = it->second;
        if (belief.phase == Belief::Phase::Idle) continue;
        const auto client = state.clients.find(trace.clientOf(thread));
        const Life life = client == state.clients.end() ? Life::Unknown : client->second.life;
        if (life == Life::Dead) continue;
        if (life == Life::Paused) parts.paused.push_back(thread);
        if (belief.waiting())
            (waits(record, belief, thread) ? parts.waiting : parts.unheard).push_back(thread);
        else
            (trace::contradicts(record, belief, thread) ? parts.stale : parts.holding).push_back(thread);
    }
    return parts;
}

/// Holders on record whose process is dead: nobody gets in until the server ends their hold.
std::vector<EntityId> deadHolders(const trace::State& state, const trace::Trace& trace, const trace::Record& record) {
    std::vector<EntityId> dead;
    const auto look = [&](EntityId thread) {
        const auto client = state.clients.find(trace.clientOf(thread));
        if (client != state.clients.end() && client->second.life == Life::Dead &&
            std::ranges::find(dead, thread) == dead.end())
            dead.push_back(thread);
    };
    if (!record.observed) return dead;
    if (record.owner != trace::kNoEntity) look(record.owner);
    for (const trace::Holder& holder : record.holders)
        look(holder.thread);
    return dead;
}

/// The first in the server's queue, if its process is dead: nobody behind it gets the lock until the server drops it.
std::vector<EntityId> deadFirst(const trace::State& state, const trace::Trace& trace, const trace::Record& record) {
    if (!record.observed || record.queue.empty()) return {};
    const EntityId first = record.queue.front().thread;
    const auto client = state.clients.find(trace.clientOf(first));
    if (client == state.clients.end() || client->second.life != Life::Dead) return {};
    return {first};
}

/// "A, B and C", or "12 clients".
QString named(const std::vector<EntityId>& threads, const trace::Trace& trace) {
    if (threads.size() > kMostClients) return Story::tr("%n client(s)", nullptr, int(threads.size()));
    return namesOf(threads, trace);
}

/// A lock that stands on the server though its living client does not have it any more; empty: it is none.
QString leftoverWords(EntityId lock, const trace::Record& record, const ViewContext& context) {
    const auto trace = context.trace();
    const auto client = context.state().clients.find(trace->clientOf(record.owner));
    const bool dead = client != context.state().clients.end() && client->second.life == Life::Dead;
    if (dead || !trace::isLeftover(lock, context.state(), context.playhead().count())) return {};
    const QString who = namesOf({record.owner}, *trace);
    const Nanos left(std::max<std::int64_t>(0, record.deadline - context.playhead().count()));
    if (record.deadline < 0)
        return Story::tr("on the server a lock of %1 is left over, which %1 no longer has").arg(who);
    return Story::tr("on the server a lock of %1 is left over for another %2, which %1 no longer has")
        .arg(who, duration(left));
}

/// "redis-3 keeps a lock of C for another 20.7 s, which C no longer has": on a server that a release did not reach, it
/// stands in the way of a majority.
QStringList leftoverCopyWords(EntityId lock, const ViewContext& context) {
    const auto trace = context.trace();
    const trace::State& state = context.state();
    const std::int64_t now = context.playhead().count();
    QStringList told;
    for (const EntityId copy : trace::leftoverCopies(lock, state, *trace, now)) {
        const trace::Record& record = state.records.at(copy);
        const QString server = trace->displayName(trace->entity(copy).parent), who = namesOf({record.owner}, *trace);
        if (record.deadline < 0)
            told += Story::tr("%1 keeps a lock of %2, which %2 no longer has").arg(server, who);
        else
            told += Story::tr("%1 keeps a lock of %2 for another %3, which %2 no longer has")
                        .arg(server, who, duration(Nanos(std::max<std::int64_t>(0, record.deadline - now))));
    }
    return told;
}

/// A lock that nobody holds by the record. Empty while the engines change, which is told of held ones, too.
QString freeWords(trace::CannotDecide why) {
    switch (why) {
    case trace::CannotDecide::None:
        break;
    case trace::CannotDecide::EnginesChange:
        return {};
    case trace::CannotDecide::NoServer:
        return Story::tr("no server can decide who holds it");
    case trace::CannotDecide::NoMajority:
        return Story::tr("no majority of its servers runs, so nobody can get it");
    case trace::CannotDecide::Divided:
        return Story::tr("its servers name several clients, so nobody has a majority");
    case trace::CannotDecide::DeciderDead:
        return Story::tr("its server is dead, so nobody can get it");
    }
    return Story::tr("on the server it is free");
}

/// Why a lock that looks held, or free, cannot change hands; empty: it can.
QString stuckWords(EntityId lock, const trace::Record& record, const ViewContext& context) {
    const auto trace = context.trace();
    const trace::State& state = context.state();
    const trace::CannotDecide why = trace::whoCannotDecide(lock, *trace, state);
    if (why == trace::CannotDecide::NoServer)
        return Story::tr("no server can decide, so nobody can get it or give it back");
    if (why != trace::CannotDecide::None && why != trace::CannotDecide::Divided) return freeWords(why);
    const EntityId own = trace->entity(lock).parent, server = own != trace::kNoEntity ? own : record.decider;
    const auto node = state.nodes.find(server);
    if (server == trace::kNoEntity || node == state.nodes.end() || node->second.life != Life::Paused) return {};
    const bool free = record.owner == trace::kNoEntity && record.holders.empty();
    return (free ? Story::tr("%1 stands still, so nobody can get it")
                 : Story::tr("%1 stands still, so nobody can get it or give it back"))
        .arg(trace->displayName(server));
}

QString storyOf(const ViewContext& context, EntityId lock) {
    const trace::State& state = context.state();
    const auto trace = context.trace();
    const auto found = state.records.find(lock);
    const trace::Record record = found == state.records.end() ? trace::Record{} : found->second;
    const Parts parts = partsOf(state, *trace, lock, record);
    const std::int64_t now = context.playhead().count();
    QStringList told;
    const auto tell = [&](const QString& ofOne, const QString& ofSeveral, const std::vector<EntityId>& threads) {
        if (!threads.empty()) told += trace::filled(threads.size() == 1 ? ofOne : ofSeveral, {named(threads, *trace)});
    };
    tell(Story::tr("%1 holds it", "one client"), Story::tr("%1 hold it", "several clients"), parts.holding);
    const bool free = record.owner == trace::kNoEntity && record.holders.empty();
    const auto drain = engineDrainAt(*trace, context.settings(), context.playhead());
    if (!record.observed)
        told += record.noLongerShown   ? Story::tr("the server shows it only while somebody waits for it")
                : record.deciders == 0 ? Story::tr("no server can decide who holds it")
                                       : Story::tr("what the servers hold is not observed");
    else if (free)
        told += freeWords(trace::whoCannotDecide(lock, *trace, state, drain.has_value()));
    else if (const QString leftover = leftoverWords(lock, record, context); !leftover.isEmpty())
        told += leftover;
    else if (record.deadline >= 0 && record.deadline <= now) // a server that stands still takes nothing back
        told += Story::tr("on the server the lease of %1 has ended").arg(namesOf({record.owner}, *trace));
    else if (record.deadline >= 0)
        told += Story::tr("on the server it is held by %1, lease %2 left")
                    .arg(namesOf({record.owner}, *trace), duration(Nanos(record.deadline - now)));
    else
        told += Story::tr("on the server it is held by %1").arg(namesOf({record.owner}, *trace));
    if (record.observed && !drain && (!free || told.back() == freeWords(trace::CannotDecide::None)))
        told += stuckWords(lock, record, context);
    if (record.observed && free && !drain) told += leftoverCopyWords(lock, context);
    tell(Story::tr("%1 is dead", "one client"), Story::tr("%1 are dead", "several clients"),
         deadHolders(state, *trace, record));
    if (drain) told += drainWords(*drain, *trace);
    told.removeAll(QString());
    //: A client that has the lock on the server: the answer is on its way.
    tell(Story::tr("%1 has not heard of it yet", "one client"),
         Story::tr("%1 have not heard of it yet", "several clients"), parts.unheard);
    tell(Story::tr("%1 still believes it holds the lock", "one client"),
         Story::tr("%1 still believe they hold the lock", "several clients"), parts.stale);
    tell(Story::tr("%1 waits", "one client"), Story::tr("%1 wait", "several clients"), parts.waiting);
    const QString deadPlace = Story::tr("%1, which is dead, still stands first in the queue");
    tell(deadPlace, deadPlace, deadFirst(state, *trace, record));
    tell(Story::tr("%1 is paused", "one client"), Story::tr("%1 are paused", "several clients"), parts.paused);
    //: %1 the name of a lock, %2 how it stands with it.
    return Story::tr("%1: %2.").arg(trace->displayName(lock), told.join(Story::tr("; ")));
}

} // namespace

QString locksAtPlayhead(const ViewContext& context) {
    if (!context.session()) return {};
    QStringList sentences;
    std::vector<EntityId> locks;
    if (const EntityId focused = context.focusedLock(); focused != trace::kNoEntity) locks.push_back(focused);
    std::size_t all = locks.size();
    for (const auto& [lock, record] : context.state().records) {
        if (record.copyOf != trace::kNoEntity || std::ranges::find(locks, lock) != locks.end()) continue;
        ++all;
        if (locks.size() < kMostLocks) locks.push_back(lock);
    }
    for (const EntityId lock : locks)
        sentences += storyOf(context, lock);
    if (all > locks.size()) sentences += Story::tr("There are %n more lock(s).", nullptr, int(all - locks.size()));
    return sentences.join(QLatin1Char(' '));
}

QString storyAtPlayhead(const ViewContext& context) {
    if (!context.session()) return {};
    const auto trace = context.trace();
    const QString locks = locksAtPlayhead(context);
    QStringList sentences{Story::tr("At %1.").arg(instant(*trace, context.playhead())),
                          locks.isEmpty() ? Story::tr("Nobody has asked for a lock yet.") : locks};
    const auto verdict = context.verdict();
    if (const auto told = toldViolation(context); told && goesOnAt(verdict->violations[*told], context.playhead())) {
        const AsSeen seen = asSeen(verdict->violations[*told], context);
        sentences += verdict::why(seen.violation, *trace, seen.at);
    }
    return sentences.join(QLatin1Char(' '));
}

QString whySafeUntilPlayhead(const ViewContext& context) {
    if (context.heldBack().verdictFrom) return {};
    return verdict::whyItWasSafe(*context.trace(), context.playhead());
}

} // namespace lockscope::views
