// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/lock_facts.h"

#include "inspect/kept_by_words.h"
#include "models/last_look.h"
#include "models/view_context.h"
#include "recipes/recipe_info.h"
#include "theme/format.h"
#include "trace/client_name.h"
#include "trace/connection.h"
#include "trace/deadline.h"
#include "trace/leftover.h"
#include "trace/member.h"
#include "trace/reckoned_length.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::views {

using trace::Belief;
using trace::Certainty;
using trace::EntityId;
using trace::HoldMode;
using trace::kNoEntity;
using Life = trace::ClientState::Life;

namespace {

/// A renewal on its way is not late yet.
Nanos renewalSlack(Nanos period) {
    return std::clamp<Nanos>(period / 20, 20ms, 1s);
}

Renewal renewalOf(const trace::Record& record, const Belief* belief, const trace::ClientState* client, Nanos period,
                  Nanos t) {
    if (!record.observed) return {Renewal::Kind::Unknown, {}};
    if (record.owner == kNoEntity) return {};
    if (!client) {
        if (record.leaseFrom > record.since) return {Renewal::Kind::Seen, t - Nanos(record.leaseFrom)};
        return {Renewal::Kind::Unknown, {}};
    }
    // Its client ended this hold, and says so to the server: nobody renews it any more.
    if (belief && !belief->holding() && belief->since > record.since) return {};
    if (period <= Nanos::zero()) return {Renewal::Kind::NoWatchdog, {}};
    if (client->watchdogStopped) return {Renewal::Kind::Stopped, {}};
    std::int64_t last = std::max(record.since, record.leaseFrom);
    if (belief) last = std::max(last, belief->lastRenewal);
    const Nanos due = Nanos(last) + period;
    if (t <= due) return {Renewal::Kind::In, due - t};
    if (t - due <= renewalSlack(period)) return {Renewal::Kind::In, {}};
    return {Renewal::Kind::Late, t - due};
}

/// Contradictions among the holders' beliefs, and between beliefs and the record, by the modes in which they hold.
struct Gaps {
    bool conflict = false;     ///< they cannot all be right
    bool contradicted = false; ///< the record says otherwise
};

/// A lock that nobody holds is not free for the taking while its engine is being left.
void tellDrain(LockFacts& facts) {
    const bool takeable = facts.condition == LockCondition::Free || facts.condition == LockCondition::Queued ||
                          (facts.condition == LockCondition::Undecided && facts.observed);
    if (takeable && facts.cannotDecide == trace::CannotDecide::EnginesChange) facts.condition = LockCondition::Draining;
}

LockCondition conditionOf(const LockFacts& facts, Gaps gaps, bool ownerDead) {
    if (gaps.conflict) return LockCondition::DoubleBelief;
    // A single server does not get back what it lost with its life: a client that still believes is the worse news.
    const bool lost = gaps.contradicted && facts.observed && facts.server != kNoEntity;
    if (facts.deciders == 0 && !lost && (!facts.observed || !facts.held())) return LockCondition::Undecided;
    if (!facts.recorded) return facts.believers.empty() ? LockCondition::Unobserved : LockCondition::Held;
    if (!facts.observed) return LockCondition::Unobserved;
    if (gaps.contradicted) return LockCondition::StaleBelief;
    if (!facts.held() && !facts.believers.empty()) return LockCondition::Held;
    // A key that may be no lock at all gives no alarm either. If a client of ours holds it, it is one.
    if (facts.held() && facts.certainty == Certainty::Guess && facts.believers.empty())
        return LockCondition::PerhapsHeld;
    // With permits left nobody has to wait, whoever listens for them.
    if (!facts.held())
        return facts.waiterCount().value_or(0) > 0 && facts.permitsFree <= 0 ? LockCondition::Queued
                                                                             : LockCondition::Free;
    if (ownerDead) return LockCondition::Orphan;
    if (!facts.expires && facts.endKnown)
        return LockCondition::NeverExpires; // graver than a renewal that it would not need
    return facts.renewal.kind == Renewal::Kind::Late ? LockCondition::RenewalMissed : LockCondition::Held;
}

/// How many servers of an ensemble keep a logical lock; 0: independent ones do, each with a copy of its own.
int ensembleOf(EntityId lock, const trace::Trace& trace, const trace::State& state) {
    const auto agrees = [&](EntityId node) {
        const auto found = state.nodes.find(node);
        if (found == state.nodes.end()) return false;
        const QByteArray& role = trace.entity(found->second.role).name;
        return role == "leader" || role == "follower" || role == "looking";
    };
    if (std::ranges::none_of(state.nodes, [&](const auto& node) { return agrees(node.first); })) return 0;
    const auto keeps = [&](EntityId copy) { return trace.copyOf(copy) == lock && agrees(trace.entity(copy).parent); };
    if (const auto told = std::ranges::count_if(state.records, keeps, [](const auto& record) { return record.first; }))
        return int(told);
    // An engine that was changed to, and has been given no lock yet.
    int servers = 0;
    for (EntityId id = 1, end = EntityId(trace.entityCount()); id < end; ++id)
        servers += trace.entity(id).kind == trace::EntityKind::Lock && keeps(id);
    return servers;
}

/// A simulated server is told exactly: its trace has no URL.
EndTold endToldBy(const trace::Trace& trace, EntityId lock) {
    const QByteArray url = trace::urlOfConnection(trace, trace::connectionOf(trace, lock));
    if (url.startsWith("memcached")) return EndTold::WithinSecondBefore;
    return url.startsWith("etcd") ? EndTold::WithinSecondAfter : EndTold::Exactly;
}

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Locks)
};

} // namespace

double LockFacts::fraction() const {
    if (!held() || !leaseKnown || lease <= Nanos::zero()) return 0;
    return std::clamp(double(ttl.count()) / double(lease.count()), 0.0, 1.0);
}

Ttl LockFacts::gauge() const {
    // An unknown end has no bar, and above all no alarm; nor has a key without an end that may be no lock.
    const bool never = !expires && condition != LockCondition::PerhapsHeld;
    return {fraction(), expires || !endKnown, held() && observed && endKnown && (expires ? leaseKnown : never)};
}

std::optional<std::int64_t> LockFacts::waiterCount() const {
    const auto living = std::ranges::count(waiters, false, &Waiter::dead);
    if (serverWaiters >= 0) return std::max<std::int64_t>(serverWaiters, living);
    if (ownClients || queueNamed()) return living;
    return std::nullopt;
}

bool waits(const trace::Record& record, const trace::Belief& belief, EntityId thread) {
    return belief.waiting() && !trace::isUnheard(record, belief, thread);
}

/// The server's queue where it names it, and our own clients that wait besides.
void addQueue(LockFacts& facts, const trace::Record& record, const trace::Trace& trace, const trace::State& state) {
    if (!record.observed || record.queue.empty() || facts.cannotDecide == trace::CannotDecide::DeciderDead) return;
    std::vector<Waiter> queue;
    for (const trace::QueuedWaiter& place : record.queue) {
        const bool told = place.toldSince != trace::kSinceNotTold;
        const auto client = state.clients.find(trace.clientOf(place.thread));
        const bool dead = client != state.clients.end() && client->second.life == trace::ClientState::Life::Dead;
        Waiter waiter{place.thread, told ? place.toldSince : place.since, false, true, place.dead || dead, told};
        // Nobody waits at a dead place: a waiter of that name stands further behind.
        if (const auto own = std::ranges::find(facts.waiters, place.thread, &Waiter::thread);
            own != facts.waiters.end() && !place.dead) {
            waiter.since = own->since;
            waiter.own = true;
            waiter.told = false;
            facts.waiters.erase(own);
        }
        queue.push_back(waiter);
    }
    facts.waiters.insert(facts.waiters.begin(), queue.begin(), queue.end());
}

LockFacts lockFacts(EntityId lock, const trace::Trace& trace, const trace::State& state,
                    const scenario::Scenario& settings, Nanos t) {
    LockFacts facts;
    facts.drain = engineDrainAt(trace, settings, t);
    facts.lock = lock;
    const auto found = state.records.find(lock);
    static const trace::Record kNone;
    const trace::Record& record = found == state.records.end() ? kNone : found->second;
    facts.server = trace::keeperOf(trace, lock, record.decider);
    if (facts.server == kNoEntity) facts.server = record.decider;
    facts.deciders = record.deciders;
    if (facts.deciders > 1) facts.ensemble = ensembleOf(lock, trace, state);
    facts.cannotDecide = trace::whoCannotDecide(lock, trace, state, facts.drain.has_value());
    if (facts.cannotDecide != trace::CannotDecide::None && !facts.drain) facts.deciders = 0;
    std::vector<std::pair<std::int64_t, EntityId>> believers;
    Gaps gaps;
    bool alone = false;
    std::int64_t permits = 0;
    for (auto it = state.beliefs.lower_bound({lock, kNoEntity}); it != state.beliefs.end() && it->first.first == lock;
         ++it) {
        facts.ownClients = true;
        const auto& [key, belief] = *it;
        if (waits(record, belief, key.second)) facts.waiters.push_back({key.second, belief.since, true, false, false});
        if (belief.phase != Belief::Phase::Holding) continue;
        believers.emplace_back(belief.since, key.second);
        alone |= belief.mode == trace::HoldMode::Exclusive;
        permits += belief.mode == trace::HoldMode::Permit ? belief.permits : 0;
        gaps.contradicted |= trace::contradicts(record, belief, key.second);
    }
    const auto capacity = state.capacities.find(lock);
    gaps.conflict =
        (alone && believers.size() > 1) || (capacity != state.capacities.end() && permits > capacity->second);
    std::ranges::sort(facts.waiters, {}, [](const Waiter& w) { return std::pair(w.since, w.thread); });
    std::ranges::sort(believers);
    for (const auto& [since, thread] : believers)
        facts.believers.push_back(thread);

    facts.owner = record.owner;
    addQueue(facts, record, trace, state);
    facts.holders = record.holders;
    facts.holderCount = record.holderCount();
    facts.permitsFree = record.permitsFree;
    facts.permitsInAll = capacity != state.capacities.end() ? capacity->second : record.permitsInAll;
    if (!believers.empty())
        facts.mode = alone ? HoldMode::Exclusive : permits > 0 ? HoldMode::Permit : HoldMode::Shared;
    facts.observed = record.observed;
    facts.noLongerShown = record.noLongerShown;
    // A server of ours begins empty; what somebody else's holds is not known before the first look at it.
    const bool watched = trace.ofRealServers() && !facts.ownClients;
    facts.recorded = record.seen || (believers.empty() && (found != state.records.end() || !watched));
    const bool counts = record.observed && facts.cannotDecide != trace::CannotDecide::DeciderDead;
    facts.serverWaiters = counts ? record.waiters : -1;
    facts.grants = record.grants;
    facts.token = record.token;
    facts.certainty = record.certainty;
    if (!facts.held()) {
        if (!facts.known()) facts.renewal.kind = Renewal::Kind::Unknown;
        facts.condition = conditionOf(facts, gaps, false);
        tellDrain(facts);
        return facts;
    }
    facts.expires = record.deadline >= 0;
    facts.endKnown = record.deadline != trace::kEndNotKnown;
    if (!facts.endKnown) {
        const EntityId format = record.format ? record.format : trace.entity(lock).other;
        if (trace.entity(format).kind == trace::EntityKind::Text)
            facts.keptBy = inspect::keptBy(trace.entity(format).name);
    }
    if (facts.expires) {
        facts.endTold = endToldBy(trace, lock);
        facts.ttl = Nanos(record.deadline) - t;
        facts.lease = Nanos(record.deadline - record.leaseFrom);
    }
    const bool told = record.toldSince != trace::kSinceNotTold;
    facts.heldFor = reckonedLength(Nanos(told ? record.toldSince : record.since), t);
    facts.holds = record.holds;
    if (facts.known()) facts.mode = record.mode;
    const auto belief = state.beliefs.find({lock, record.owner});
    const Belief* const holder = belief == state.beliefs.end() ? nullptr : &belief->second;
    // The holder shows this one to the resource: a lock manager's tokens are others than those of its engines.
    if (holder && holder->token != 0 && (holder->holding() || facts.token == 0)) facts.token = holder->token;
    const auto client = state.clients.find(trace.clientOf(record.owner));
    const trace::ClientState* const life = client == state.clients.end() ? nullptr : &client->second;
    if (!life) {
        // A change of hands or a renewal that was seen tells what the first look could not.
        const bool began = seenToBegin(lock, record, trace);
        facts.sinceKnown = began || told;
        facts.leaseKnown = began || record.leaseFrom > record.since;
    }
    // A session is renewed by its connection; no watchdog looks after one of its holds.
    facts.renewal = facts.endKnown || facts.keptBy == inspect::KeptBy::NotTold
                        ? renewalOf(record, holder, life, session::watchdogPeriod(settings), t)
                        : renewalOf(record, nullptr, nullptr, {}, t);
    const bool dead = life && life->life == Life::Dead;
    const bool leftover = !dead && trace::isLeftover(lock, state, t.count());
    if (dead) facts.renewal = {Renewal::Kind::NoWatchdog, {}};
    if (leftover) facts.renewal = {}; // nobody renews what nobody thinks that it holds
    facts.condition = conditionOf(facts, gaps, dead || leftover);
    return facts;
}

LockFacts lockFacts(EntityId lock, const ViewContext& context) {
    LockFacts facts = lockFacts(lock, *context.trace(), context.state(), context.settings(), context.playhead());
    const bool told = facts.condition == LockCondition::Orphan || facts.condition == LockCondition::NeverExpires;
    if (context.heldBack().never && told) facts.condition = LockCondition::Held;
    countToLastLook(facts, context);
    return facts;
}

LockFacts lockFactsToActOn(EntityId lock, const ViewContext& context) {
    return lockFacts(lock, *context.trace(), context.stateToActOn(), context.settings(), context.actsAt());
}

QString serverText(const LockFacts& facts, const trace::Trace& trace) {
    const bool itsOwn = trace.entity(facts.lock).parent != kNoEntity; // no other will ever decide
    if (facts.server != kNoEntity && (facts.deciders != 0 || itsOwn)) return trace.displayName(facts.server);
    if (facts.deciders == 0) return Words::tr("nobody decides");
    if (facts.deciders > 1 && facts.ensemble > 0)
        //: The servers of an ensemble that decide on a lock: %1 how many it takes, %2 of how many.
        return Words::tr("a majority: %1 of %2 servers").arg(facts.deciders).arg(facts.ensemble);
    return facts.deciders > 1 ? Words::tr("any %n copies", "of a lock, which decide together", int(facts.deciders))
                              : none();
}

QString roundDuration(Nanos d) {
    const QString text = duration(d);
    return d.count() % 1'000'000'000 == 0 ? QString(text).remove(QStringLiteral(".0")) : text;
}

QString ttlText(const LockFacts& facts) {
    if (!facts.known()) return unknown();
    if (!facts.held()) return none();
    if (!facts.endKnown) {
        const QString kept = inspect::keptByText(facts.keptBy, inspect::KeptByUse::TimeLeft);
        return kept.isEmpty() ? unknown() : kept;
    }
    if (!facts.expires) return Words::tr("never expires");
    return timeLeftText(facts);
}

QString timeLeftText(const LockFacts& facts) {
    const Nanos left = std::max(facts.ttl, Nanos::zero());
    switch (facts.endTold) {
    case EndTold::WithinSecondBefore:
        //: At most so much of a lock's lease is left: its server tells whole seconds.
        return Words::tr("≤ %1").arg(roundDuration(std::chrono::ceil<std::chrono::seconds>(left)));
    case EndTold::WithinSecondAfter:
        //: At least so much.
        return Words::tr("≥ %1").arg(roundDuration(std::chrono::floor<std::chrono::seconds>(left)));
    case EndTold::Exactly:
        break;
    }
    return duration(left);
}

QString heldForText(const LockFacts& facts) {
    if (!facts.known()) return unknown();
    if (!facts.held()) return none();
    const QString length = duration(facts.heldFor);
    if (facts.sinceKnown) return length;
    //: At least so long: the lock was held already when it was first seen.
    return Words::tr("≥ %1").arg(length);
}

QString holdersText(const LockFacts& facts, const trace::Trace& trace) {
    if (!facts.known()) return unknown();
    const bool permits = facts.permitsInAll > 0 || (facts.mode == HoldMode::Permit && !facts.holders.empty());
    if (permits) {
        const std::int64_t free = std::min(facts.permitsFree, facts.permitsInAll);
        const std::int64_t taken = facts.permitsInAll > 0 && free >= 0 ? facts.permitsInAll - free : facts.holderCount;
        if (facts.permitsInAll > 0)
            return Words::tr("%1 of %2 permits").arg(QString::number(taken), QString::number(facts.permitsInAll));
        return Words::tr("%n permit(s) taken", "", int(taken));
    }
    if (!facts.held() && facts.permitsFree > 0) return Words::tr("%n permit(s) free", "", int(facts.permitsFree));
    if (!facts.held() && facts.deciders == 0) return Words::tr("nobody decides");
    if (!facts.held()) return facts.condition == LockCondition::Draining ? none() : Words::tr("free");
    const QString owner = trace.displayName(facts.owner);
    if (facts.holders.empty()) return owner.isEmpty() ? Words::tr("not named") : owner;
    std::vector<EntityId> names;
    for (const trace::Holder& holder : facts.holders)
        if (std::ranges::find(names, holder.thread) == names.end()) names.push_back(holder.thread);
    const auto unnamed = facts.holderCount - std::int64_t(facts.holders.size());
    const QString who = unnamed > 0 ? Words::tr("%1 and %n more", "names", int(unnamed)).arg(namesOf(names, trace))
                                    : namesOf(names, trace);
    const std::int64_t count = std::int64_t(names.size()) + std::max<std::int64_t>(unnamed, 0);
    if (facts.mode != HoldMode::Shared) return names.size() == 1 ? trace.displayName(names.front()) : who;
    if (facts.keptBy != inspect::KeptBy::Transaction) return Words::tr("%n reader(s): %1", "", int(count)).arg(who);
    //: Of a row or table that transactions share, also to write in it: %1 how many sessions, %2 their names.
    return count > 1 ? Words::tr("%1 sessions: %2").arg(QString::number(count), who) : who;
}

QString modeText(const LockFacts& facts) {
    if (!facts.mode) return facts.known() ? none() : unknown();
    switch (*facts.mode) {
    case HoldMode::Exclusive:
        return Words::tr("exclusive");
    case HoldMode::Shared:
        return Words::tr("shared");
    case HoldMode::Permit:
        return Words::tr("permits");
    }
    return {};
}

QString lockFormat(EntityId lock, const ViewContext& context) {
    const auto trace = context.trace();
    const trace::Entity& e = trace->entity(lock);
    const trace::State& state = context.state();
    const auto record = state.records.find(lock);
    const EntityId seen = record == state.records.end() ? kNoEntity : record->second.format;
    const bool watched = e.other != kNoEntity && trace->entity(e.other).kind == trace::EntityKind::Text;
    // The name table tells the format from the beginning; nobody had seen it before the lock's first row.
    if (watched) return record == state.records.end() ? unknown() : trace->displayName(seen ? seen : e.other);
    if (record != state.records.end()) {
        const auto holder = state.beliefs.find({lock, record->second.owner});
        if (holder != state.beliefs.end() && holder->second.recipe) return trace->displayName(holder->second.recipe);
        if (record->second.owner != kNoEntity && seen) return trace->displayName(seen); // a stranger holds it
    }
    // If nobody holds it: the recipe of the latest request.
    const Belief* last = nullptr;
    for (auto it = state.beliefs.lower_bound({lock, kNoEntity}); it != state.beliefs.end() && it->first.first == lock;
         ++it)
        if (it->second.recipe && (!last || it->second.since > last->since)) last = &it->second;
    if (last) return trace->displayName(last->recipe);
    if (seen) return trace->displayName(seen);
    const session::Session* const session = context.session();
    const bool ours = session && e.name == context.scenario().lock.name.toUtf8();
    const bool known = ours && (session->abilities().workload || !trace->ofRealServers());
    return known ? context.settings().recipe : unknown();
}

QString recipeOfFormat(const QString& format) {
    static constexpr std::pair<const char*, const char*> kWrittenBy[] = {
        {"redisson", "redis-reentrant"}, {"redisson-fenced", "redis-fenced"}, {"redisson-fair", "redis-fair"},
        {"redisson-rw", "redis-rw"},     {"lockscope", "redis-set"},          {"redis-py", "redis-set"},
    };
    for (const auto& [written, recipe] : kWrittenBy)
        if (format == QLatin1String(written)) return QLatin1String(recipe);
    return recipes::findRecipe(format.toLatin1()) ? format : QString();
}

bool countsHolds(const QString& format) {
    const QString recipe = recipeOfFormat(format);
    const recipes::RecipeInfo* const info = recipes::findRecipe(recipe.toLatin1());
    return info ? info->reentrant : format.startsWith(QLatin1String("redisson"));
}

QString waitersText(const LockFacts& facts) {
    const auto count = facts.waiterCount();
    if (!count) return unknown();
    if (*count == 0) return none();
    return lockscope::views::count(*count);
}

QString namesOf(const std::vector<EntityId>& threads, const trace::Trace& trace) {
    QStringList names;
    for (const EntityId thread : threads)
        names += trace::clientName(trace, thread);
    if (names.isEmpty()) return none();
    if (names.size() == 1) return names.front();
    const QString last = names.takeLast();
    //: A list of clients: "A, B and C". %1 is all but the last, already joined with commas.
    return Words::tr("%1 and %2").arg(names.join(Words::tr(", ")), last);
}

} // namespace lockscope::views
