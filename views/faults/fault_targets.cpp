// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/fault_targets.h"

#include "models/lock_facts.h"
#include "trace/leftover.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>

namespace lockscope::views {

using scenario::Action;
using session::Breakable;
using trace::EntityId;
using trace::EntityKind;
using trace::kNoEntity;
using Life = trace::ClientState::Life;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Faults)
};

template <typename Map>
typename Map::mapped_type lookUp(const Map& map, EntityId id) {
    const auto found = map.find(id);
    return found == map.end() ? typename Map::mapped_type{} : found->second;
}

template <typename Fits>
EntityId firstOf(const ViewContext& context, EntityKind kind, const Fits& fits) {
    const auto& all = context.entities(kind);
    const auto found = std::ranges::find_if(all, fits);
    return found == all.end() ? kNoEntity : *found;
}

bool isOfTheWorkload(const ViewContext& context, const QString& name) {
    const int clients = context.settings().workload.clients;
    for (int i = 0; i < clients; ++i)
        if (scenario::clientName(i) == name) return true;
    return false;
}

EntityId clientNamed(const ViewContext& context, const QString& name) {
    const auto trace = context.trace();
    return firstOf(context, EntityKind::Client, [&](EntityId id) { return trace->entity(id).name == name.toUtf8(); });
}

EntityId nodeNamed(const ViewContext& context, const QString& name) {
    const auto trace = context.trace();
    return firstOf(context, EntityKind::Node, [&](EntityId id) { return trace->entity(id).name == name.toUtf8(); });
}

/// The client, or with PauseNode the server, that a person paused last, among the ones that are still paused.
EntityId pausedByHand(const ViewContext& context, Action pause) {
    const session::Session* const session = context.session();
    if (!session) return kNoEntity;
    const std::vector<scenario::Fault> done = session->doneByHand();
    const trace::State& now = context.stateToActOn();
    for (auto fault = done.rbegin(); fault != done.rend(); ++fault) {
        if (fault->action != pause || fault->at > context.actsAt()) continue;
        const bool client = pause == Action::PauseClient;
        const EntityId party = client ? clientNamed(context, fault->target) : nodeNamed(context, fault->target);
        if (party == kNoEntity) continue;
        if ((client ? lookUp(now.clients, party).life : lookUp(now.nodes, party).life) == Life::Paused) return party;
    }
    return kNoEntity;
}

/// The server that leads those with a copy of the lock, or the first of them all.
EntityId leaderFor(const ViewContext& context, EntityId lock) {
    const auto trace = context.trace();
    const trace::State& now = context.stateToActOn();
    for (const auto& [copy, record] : now.records) {
        if (record.copyOf != lock || lock == kNoEntity) continue;
        const EntityId server = trace->entity(copy).parent;
        const auto node = lookUp(now.nodes, server);
        if (node.life != Life::Dead && trace::isMasterRole(trace->entity(node.role).name)) return server;
    }
    return firstOf(context, EntityKind::Node, [](EntityId) { return true; });
}

/// Whether faults can be done to it at all: at somebody's server, only to clients of our own.
bool canBeStruck(const ViewContext& context, EntityId client) {
    return Breakable::client(context.sightToActOn(), client).can(Action::RestartClient).has_value();
}

/// "A paused", "redis-1 dead", "A ↔ redis-1 cut": how a thing that suffers from this fault is spoken of.
QString struckWords(Action fault, const QString& name) {
    switch (fault) {
    case Action::PauseClient:
    case Action::PauseNode:
        return Words::tr("%1 paused").arg(name);
    case Action::KillClient:
        return Words::tr("%1 dead").arg(name);
    case Action::KillNode:
        return Words::tr("%1 dead", "a server").arg(name);
    case Action::JumpClock:
        return Words::tr("clock of %1 off").arg(name);
    case Action::DriftClock:
        return Words::tr("clock of %1 drifts").arg(name);
    case Action::CutLink:
        return Words::tr("%1 cut").arg(name);
    case Action::StallDisk:
        return Words::tr("disk of %1 stalls").arg(name);
    case Action::ExhaustPool:
        return Words::tr("pool of %1 exhausted").arg(name);
    default:
        return Words::tr("%1 slower").arg(name);
    }
}

/// Tells of several links that suffer from this fault alike, and share an end, as of one, which a cure of that end
/// makes good; takes them out of `links`.
void tellTogether(const Breakable::Sight& sight, Action fault, std::map<EntityId, std::vector<Action>>& links,
                  std::vector<Struck>& struck) {
    constexpr std::size_t kSeveral = 3;
    std::map<EntityId, std::vector<EntityId>> byEnd;
    for (const auto& [id, faults] : links) {
        if (std::ranges::find(faults, fault) == faults.end()) continue;
        byEnd[sight.trace.entity(id).parent].push_back(id);
        byEnd[sight.trace.entity(id).other].push_back(id);
    }
    for (auto& [end, ofEnd] : byEnd) {
        std::erase_if(ofEnd, [&](EntityId id) { return std::ranges::find(links[id], fault) == links[id].end(); });
        const auto latency = [&](EntityId id) { return sight.state.links.at(id).extraLatency; };
        const bool alike =
            std::ranges::all_of(ofEnd, [&](EntityId id) { return latency(id) == latency(ofEnd.front()); });
        if (ofEnd.size() < kSeveral || (fault == Action::DelayLink && !alike)) continue;
        const bool client = sight.trace.entity(end).kind == EntityKind::Client;
        const FaultOffer cure =
            currentOffer(client ? Breakable::client(sight, end) : Breakable::server(sight, end), fault);
        if (!cure.enabled) continue;
        //: Links of one client or server: %1 its name, %2 the number of parties at the other ends, three at least.
        const QString all = Words::tr("%1 ↔ %2 others").arg(sight.trace.displayName(end)).arg(ofEnd.size());
        struck.push_back({struckWords(fault, all), cure});
        for (const EntityId id : ofEnd)
            std::erase(links[id], fault);
    }
}

} // namespace

FaultTargets faultTargets(const ViewContext& context) {
    using Why = FaultTargets::Why;
    const auto trace = context.trace();
    FaultTargets targets;
    const trace::Entity& selected = trace->entity(context.selection());
    switch (selected.kind) {
    case EntityKind::Client:
    case EntityKind::Thread:
        targets.client = trace->clientOf(context.selection());
        targets.why = Why::Selected;
        break;
    case EntityKind::Link:
        targets = {selected.parent, selected.other, Why::Selected};
        break;
    case EntityKind::Node:
        targets.node = context.selection();
        break;
    default:
        break;
    }
    const FaultTargets ofLock = targetsOfLock(context, context.focusedLock());
    if (targets.node == kNoEntity) targets.node = ofLock.node;
    if (targets.client != kNoEntity) return targets;
    return {ofLock.client, targets.node, ofLock.why};
}

FaultTargets targetsOfLock(const ViewContext& context, EntityId lock) {
    using Why = FaultTargets::Why;
    const auto trace = context.trace();
    FaultTargets targets;
    if (lock != kNoEntity) targets.node = trace->entity(lock).parent;
    // If several servers keep the lock, choose the one that decides now.
    const auto record = context.stateToActOn().records.find(lock);
    if (targets.node == kNoEntity && record != context.stateToActOn().records.end())
        targets.node = record->second.decider;
    if (targets.node == kNoEntity) targets.node = leaderFor(context, lock);
    // Another server may have taken over: the key that paused the old one lets it go on.
    if (const EntityId server = pausedByHand(context, Action::PauseNode); server != kNoEntity) targets.node = server;
    if (const EntityId paused = pausedByHand(context, Action::PauseClient); paused != kNoEntity)
        return {paused, targets.node, Why::Paused};

    // A session in which nothing can be broken still has a holder to speak of.
    const bool all = !context.session() || !context.session()->abilities().live;
    const auto strikable = [&](EntityId client) { return all || canBeStruck(context, client); };
    LockFacts facts = lockFactsToActOn(lock, context);
    std::erase_if(facts.believers, [&](EntityId thread) { return !strikable(trace->clientOf(thread)); });
    std::erase_if(facts.waiters, [&](const Waiter& waiter) { return !strikable(trace->clientOf(waiter.thread)); });
    const auto& clients = context.stateToActOn().clients;
    const auto owner = clients.find(trace->clientOf(facts.owner));
    const bool ownerIsDead = owner != clients.end() && owner->second.life == Life::Dead;
    if (owner == clients.end()) facts.owner = kNoEntity;
    const bool leftover = trace::isLeftover(lock, context.stateToActOn(), context.actsAt().count());
    const auto choose = [&](EntityId thread, Why why) {
        targets.client = trace->clientOf(thread);
        targets.why = why;
    };
    if (!facts.believers.empty())
        choose(facts.held() && std::ranges::find(facts.believers, facts.owner) != facts.believers.end()
                   ? facts.owner
                   : facts.believers.front(),
               Why::Holder);
    else if (facts.held() && !leftover &&
             (facts.observed || ownerIsDead)) // who held it when it was last seen may be waiting again
        choose(facts.owner, ownerIsDead ? Why::Dead : Why::Holder);
    else if (!facts.waiters.empty())
        choose(facts.waiters.front().thread, Why::Waiter);
    else if (const EntityId first = firstOf(context, EntityKind::Client, strikable); first != kNoEntity)
        choose(first, Why::First);
    return targets;
}

QString evictedLock(const ViewContext& context) {
    const QStringList locks = context.settings().lockNames();
    const QString focused = context.trace()->displayName(context.focusedLock());
    return locks.size() > 1 && locks.contains(focused) ? focused : QString();
}

QString stillWords(trace::ClientState::Life life) {
    if (life == Life::Dead) return Words::tr("dead", "a server");
    return life == Life::Paused ? Words::tr("paused") : QString();
}

QString targetReason(FaultTargets::Why why) {
    using Why = FaultTargets::Why;
    switch (why) {
    case Why::Selected:
        return Words::tr("selected");
    case Why::Paused:
        return Words::tr("paused");
    case Why::Holder:
        return Words::tr("holds");
    case Why::Dead:
        return Words::tr("dead, on record");
    case Why::Waiter:
        return Words::tr("waits longest");
    case Why::Nobody:
    case Why::First:
        break;
    }
    return {};
}

QString targetWords(const FaultTargets& targets, const ViewContext& context) {
    using Why = FaultTargets::Why;
    const QString name = context.trace()->displayName(targets.client);
    switch (targets.why) {
    case Why::Nobody:
        break;
    case Why::Selected:
        return Words::tr("acts on %1, selected").arg(name);
    case Why::Paused:
        return Words::tr("acts on %1, paused").arg(name);
    case Why::Holder:
        return Words::tr("acts on %1, the holder").arg(name);
    case Why::Dead:
        return Words::tr("acts on %1, dead and on record").arg(name);
    case Why::Waiter:
        return Words::tr("acts on %1, waiting longest").arg(name);
    case Why::First:
        return Words::tr("acts on %1").arg(name);
    }
    return {};
}

std::vector<Struck> struckOnes(const ViewContext& context) {
    std::vector<Struck> struck;
    if (!context.session()) return struck;
    const auto trace = context.trace();
    const Breakable::Sight sight = context.sightToActOn();
    const auto add = [&struck](const Breakable& target, std::initializer_list<Action> faults) {
        for (const Action fault : faults)
            if (target.suffers(fault))
                struck.push_back({struckWords(fault, target.displayName()), currentOffer(target, fault)});
    };
    // Called at every frame, with hundreds of clients: no text is composed for healthy ones.
    for (const auto& [id, client] : sight.state.clients) {
        if (client.life != Life::Paused && client.life != Life::Dead && client.clockOffset == 0 &&
            client.clockGain == 0)
            continue;
        const Breakable target = Breakable::client(sight, id);
        // One that the workload has no room for is not missed.
        if (client.life != Life::Dead || isOfTheWorkload(context, trace->displayName(id)))
            add(target, {Action::PauseClient, Action::KillClient});
        add(target, {Action::JumpClock, Action::DriftClock});
    }
    for (const auto& [id, node] : sight.state.nodes) {
        if (node.life == Life::Paused || node.life == Life::Dead ||
            static_cast<const trace::WallClock&>(node) != trace::WallClock{})
            add(Breakable::server(sight, id),
                {Action::PauseNode, Action::KillNode, Action::JumpClock, Action::DriftClock});
        if (node.diskStalled) add(Breakable::server(sight, id), {Action::StallDisk});
        // The pool is several servers': named once, by the one that stands for it.
        if (node.poolExhausted) add(Breakable::server(sight, id), {Action::ExhaustPool});
    }
    std::map<EntityId, std::vector<Action>> links; // and what they suffer from
    for (const auto& [id, link] : sight.state.links) {
        if (link.cut) links[id].push_back(Action::CutLink);
        if (link.extraLatency != 0) links[id].push_back(Action::DelayLink);
    }
    for (const Action fault : {Action::CutLink, Action::DelayLink})
        tellTogether(sight, fault, links, struck);
    for (const auto& [id, faults] : links) {
        const trace::Entity& e = trace->entity(id);
        for (const Action fault : faults)
            add(Breakable::link(sight, e.parent, e.other), {fault});
    }
    return struck;
}

} // namespace lockscope::views
