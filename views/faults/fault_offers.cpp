// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/fault_offers.h"

#include "models/lock_facts.h"
#include "theme/format.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace lockscope::views {

using scenario::Action;
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

EntityId linkBetween(const ViewContext& context, EntityId client, EntityId node) {
    const auto trace = context.trace();
    for (const EntityId id : context.entities(EntityKind::Link)) {
        const trace::Entity& e = trace->entity(id);
        if (e.parent == client && e.other == node) return id;
    }
    return kNoEntity;
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

bool isLive(const ViewContext& context) {
    const session::Session* const session = context.session();
    return session && session->abilities().live;
}

EntityId clientNamed(const ViewContext& context, const QString& name) {
    const auto trace = context.trace();
    return firstOf(context, EntityKind::Client, [&](EntityId id) { return trace->entity(id).name == name.toUtf8(); });
}

/// The client that a person paused last, among the clients that are still paused.
EntityId pausedByHand(const ViewContext& context) {
    const session::Session* const session = context.session();
    if (!session) return kNoEntity;
    const std::vector<scenario::Fault> done = session->doneByHand();
    const auto& clients = context.stateToActOn().clients;
    for (auto fault = done.rbegin(); fault != done.rend(); ++fault) {
        if (fault->action != Action::PauseClient || fault->at > context.actsAt()) continue;
        const EntityId client = clientNamed(context, fault->target);
        if (client != kNoEntity && lookUp(clients, client).life == Life::Paused) return client;
    }
    return kNoEntity;
}

/// "A-redis-1" and "redis-1-redis-2" name a link, "redis-1" all that a server has.
QString linkText(const QString& target) {
    static const QRegularExpression kTwo(QStringLiteral("^([A-Z]+|holder|waiter|.+?-\\d+)-(.+)$"));
    const QRegularExpressionMatch two = kTwo.match(target);
    return two.hasMatch() ? Words::tr("%1 ↔ %2").arg(two.captured(1), two.captured(2)) : target;
}

bool isOneServer(const QString& target) {
    return target.contains(u'-') && linkText(target) == target;
}

/// At somebody's server there are strangers and the observer besides our own clients. Only those of our own are seen to
/// start, so only they are in the state.
bool canBeStruck(const ViewContext& context, EntityId client) {
    return !isLive(context) || context.stateToActOn().clients.contains(client);
}

} // namespace

void limitOffer(FaultOffer& offer, const ViewContext& context, bool toServer) {
    const session::Session* const session = context.session();
    const session::Abilities can = session ? session->abilities() : session::Abilities{};
    if (!session) {
        offer.enabled = false;
        offer.why = Words::tr("Nothing is open.");
    } else if (!can.faults || (toServer && !can.serverFaults)) {
        offer.enabled = false;
        offer.why = toServer && can.faults
                        ? Words::tr("Servers and links of this session are real: only our own clients "
                                    "can be broken here.")
                        : Words::tr("This session cannot be changed.");
    }
}

void refuseOffer(FaultOffer& offer, const QString& why) {
    if (!offer.enabled) return;
    offer.enabled = false;
    offer.why = why;
}

scenario::Fault FaultOffer::fault(Nanos value) const {
    scenario::Fault fault;
    fault.action = action;
    fault.target = target;
    if (wantsValue) fault.value = value;
    return fault;
}

std::vector<FaultOffer> clientOffers(const ViewContext& context, EntityId client) {
    const QString name = context.trace()->displayName(client);
    const trace::ClientState state = lookUp(context.stateToActOn().clients, client);
    const bool dead = state.life == Life::Dead, paused = state.life == Life::Paused;
    std::vector<FaultOffer> offers(ClientOfferCount);
    offers[PauseOffer] = paused ? FaultOffer{Action::ResumeClient,
                                             name,
                                             Words::tr("Resume %1").arg(name),
                                             Words::tr("Resume client"),
                                             "play",
                                             true,
                                             {},
                                             true,
                                             false}
                                : FaultOffer{Action::PauseClient,
                                             name,
                                             Words::tr("Pause %1").arg(name),
                                             Words::tr("Pause client"),
                                             "pause",
                                             true,
                                             {},
                                             false,
                                             false};
    offers[KillOffer] = dead ? FaultOffer{Action::RestartClient,
                                          name,
                                          Words::tr("Restart %1").arg(name),
                                          Words::tr("Restart client"),
                                          "restart",
                                          true,
                                          {},
                                          true,
                                          false}
                             : FaultOffer{Action::KillClient,
                                          name,
                                          Words::tr("Kill %1").arg(name),
                                          Words::tr("Kill client"),
                                          "kill",
                                          true,
                                          {},
                                          false,
                                          false};
    offers[LoseReplyOffer] = {Action::LoseReply,
                              name,
                              Words::tr("Lose the next reply to %1").arg(name),
                              Words::tr("Lose next reply"),
                              "lose-reply",
                              true,
                              {},
                              false,
                              false};
    offers[LosePushOffer] = {Action::LosePush,
                             name,
                             Words::tr("Lose the next message to %1").arg(name),
                             Words::tr("Lose next message"),
                             "lose-reply",
                             true,
                             {},
                             false,
                             false};
    offers[HangOffer] = {Action::HangWork,
                         name,
                         Words::tr("Hang the work of %1").arg(name),
                         Words::tr("Hang work"),
                         "bolt",
                         true,
                         {},
                         false,
                         false};
    offers[WatchdogOffer] = {Action::StopWatchdog,
                             name,
                             Words::tr("Stop the watchdog of %1").arg(name),
                             Words::tr("Stop watchdog"),
                             "heart-off",
                             true,
                             {},
                             false,
                             false};
    offers[ClockOffer] = {Action::JumpClock,
                          name,
                          Words::tr("Jump the clock of %1").arg(name),
                          Words::tr("Jump clock"),
                          "clock",
                          true,
                          {},
                          false,
                          true};
    for (FaultOffer& offer : offers) {
        // A reply is lost on its link.
        limitOffer(offer, context, offer.action == Action::LoseReply || offer.action == Action::LosePush);
        if (client == kNoEntity)
            refuseOffer(offer, Words::tr("There is no client yet."));
        else if (!canBeStruck(context, client))
            refuseOffer(offer,
                        Words::tr("%1 is no client of ours at this instant: only those can be broken here.").arg(name));
    }
    if (isLive(context))
        refuseOffer(offers[HangOffer], Words::tr("Only the work of simulated clients can be made to hang."));
    if (isLive(context))
        refuseOffer(offers[ClockOffer], Words::tr("Time is real in this session: no clock can be made to jump."));
    for (const ClientOffer which : {PauseOffer, LoseReplyOffer, LosePushOffer, WatchdogOffer, HangOffer, ClockOffer})
        if (dead) refuseOffer(offers[which], Words::tr("%1 is dead.").arg(name));
    if (state.workHung) refuseOffer(offers[HangOffer], Words::tr("It hangs already: “Heal everything” lets it go on."));
    if (state.watchdogStopped) refuseOffer(offers[WatchdogOffer], Words::tr("It is stopped already."));
    if (context.session() && watchdogPeriod(context.settings()) == Nanos::zero())
        refuseOffer(offers[WatchdogOffer], Words::tr("There is no watchdog: see the workload's settings."));
    return offers;
}

std::vector<FaultOffer> linkOffers(const ViewContext& context, EntityId client, EntityId node) {
    const auto trace = context.trace();
    const QString names = Words::tr("%1 ↔ %2").arg(trace->displayName(client), trace->displayName(node));
    const QString target = trace->displayName(client) + QLatin1Char('-') + trace->displayName(node);
    const trace::LinkState state = lookUp(context.stateToActOn().links, linkBetween(context, client, node));
    std::vector<FaultOffer> offers(LinkOfferCount);
    offers[CutOffer] =
        state.cut
            ? FaultOffer{Action::MendLink,
                         target,
                         Words::tr("Mend %1").arg(names),
                         Words::tr("Mend link"),
                         "mend-link",
                         true,
                         {},
                         true,
                         false}
            : FaultOffer{
                  Action::CutLink, target, Words::tr("Cut %1").arg(names), Words::tr("Cut link"), "cut-link", true, {},
                  false,           false};
    offers[DelayOffer] = {Action::DelayLink,
                          target,
                          Words::tr("Delay %1").arg(names),
                          Words::tr("Delay link"),
                          "delay",
                          true,
                          {},
                          false,
                          true};
    for (FaultOffer& offer : offers) {
        limitOffer(offer, context, true);
        if (client == kNoEntity || node == kNoEntity) refuseOffer(offer, Words::tr("There is no link yet."));
    }
    return offers;
}

FaultOffer healOffer(const ViewContext& context) {
    FaultOffer offer{
        Action::HealAll, {}, Words::tr("Heal everything"), Words::tr("Heal everything"), "heal", true, {}, true, false};
    limitOffer(offer, context, false);
    return offer;
}

std::vector<std::pair<Nanos, QString>> faultValues(Action action) {
    std::vector<std::pair<Nanos, QString>> values;
    if (action == Action::DelayLink) {
        for (const Nanos extra : {Nanos(5ms), Nanos(50ms), Nanos(500ms), Nanos(2s)})
            values.emplace_back(extra, Words::tr("%1 more each way").arg(duration(extra)));
        values.emplace_back(Nanos::zero(), Words::tr("no delay"));
    } else if (action == Action::JumpClock) {
        for (const Nanos offset : {Nanos(1s), Nanos(10s), Nanos(1min)}) {
            values.emplace_back(offset, Words::tr("%1 ahead").arg(duration(offset)));
            values.emplace_back(-offset, Words::tr("%1 behind").arg(duration(offset)));
        }
        values.emplace_back(Nanos::zero(), Words::tr("back to true time"));
    }
    return values;
}

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
    if (targets.node == kNoEntity) targets.node = firstOf(context, EntityKind::Node, [](EntityId) { return true; });
    if (const EntityId paused = pausedByHand(context); paused != kNoEntity) return {paused, targets.node, Why::Paused};

    const auto strikable = [&](EntityId client) { return canBeStruck(context, client); };
    LockFacts facts = lockFactsToActOn(lock, context);
    std::erase_if(facts.believers, [&](EntityId thread) { return !strikable(trace->clientOf(thread)); });
    std::erase_if(facts.waiters, [&](const Waiter& waiter) { return !strikable(trace->clientOf(waiter.thread)); });
    const auto choose = [&](EntityId thread, Why why) {
        targets.client = trace->clientOf(thread);
        targets.why = why;
    };
    if (!facts.believers.empty())
        choose(facts.held() && std::ranges::find(facts.believers, facts.owner) != facts.believers.end()
                   ? facts.owner
                   : facts.believers.front(),
               Why::Holder);
    else if (facts.held() && context.stateToActOn().clients.contains(trace->clientOf(facts.owner)))
        choose(facts.owner, Why::Holder);
    else if (!facts.waiters.empty())
        choose(facts.waiters.front().thread, Why::Waiter);
    else if (const EntityId first = firstOf(context, EntityKind::Client, strikable); first != kNoEntity)
        choose(first, Why::First);
    return targets;
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
    const trace::State& state = context.stateToActOn();
    const auto add = [&](const QString& words, const FaultOffer& cure) { struck.push_back({words, cure}); };
    const auto offClock = [&](EntityId who, std::int64_t offset, const FaultOffer& cure) {
        if (offset != 0) add(Words::tr("clock of %1 off").arg(trace->displayName(who)), cure);
    };
    // Called at every frame, with hundreds of clients: no text is composed for healthy ones.
    for (const auto& [id, client] : state.clients) {
        if (client.life != Life::Paused && client.life != Life::Dead && client.clockOffset == 0) continue;
        const QString name = trace->displayName(id);
        const auto offers = clientOffers(context, id);
        if (client.life == Life::Paused) add(Words::tr("%1 paused").arg(name), offers[PauseOffer]);
        // One that the workload has no room for is not missed.
        if (client.life == Life::Dead && isOfTheWorkload(context, name))
            add(Words::tr("%1 dead").arg(name), offers[KillOffer]);
        offClock(id, client.clockOffset, offers[ClockOffer]);
    }
    for (const auto& [id, node] : state.nodes) {
        if (node.life != Life::Paused && node.life != Life::Dead && node.clockOffset == 0) continue;
        const auto offers = nodeOffers(context, id);
        if (node.life == Life::Paused) add(Words::tr("%1 paused").arg(trace->displayName(id)), offers[PauseNodeOffer]);
        if (node.life == Life::Dead) add(Words::tr("%1 dead").arg(trace->displayName(id)), offers[KillNodeOffer]);
        offClock(id, node.clockOffset, offers[NodeClockOffer]);
    }
    for (const auto& [id, link] : state.links) {
        if (!link.cut && link.extraLatency == 0) continue;
        const trace::Entity& e = trace->entity(id);
        const auto offers = linkOffers(context, e.parent, e.other);
        const QString names = Words::tr("%1 ↔ %2").arg(trace->displayName(e.parent), trace->displayName(e.other));
        if (link.cut) add(Words::tr("%1 cut").arg(names), offers[CutOffer]);
        if (link.extraLatency != 0) add(Words::tr("%1 slower").arg(names), offers[DelayOffer]);
    }
    return struck;
}

QString faultText(const scenario::Fault& fault) {
    switch (fault.action) {
    case Action::PauseClient:
    case Action::PauseNode:
        return Words::tr("Pause %1").arg(fault.target);
    case Action::ResumeClient:
    case Action::ResumeNode:
        return Words::tr("Resume %1").arg(fault.target);
    case Action::KillClient:
    case Action::KillNode:
        return Words::tr("Kill %1").arg(fault.target);
    case Action::CrashNode:
        return Words::tr("Crash the machine of %1").arg(fault.target);
    case Action::RestartClient:
    case Action::RestartNode:
        return Words::tr("Restart %1").arg(fault.target);
    case Action::RestartNodeEmpty:
        return Words::tr("Restart %1 without its data").arg(fault.target);
    case Action::Failover:
        return Words::tr("Demote %1: failover").arg(fault.target);
    case Action::CutLink:
        return isOneServer(fault.target) ? Words::tr("Isolate %1").arg(fault.target)
                                         : Words::tr("Cut %1").arg(linkText(fault.target));
    case Action::MendLink:
        return isOneServer(fault.target) ? Words::tr("Reconnect %1").arg(fault.target)
                                         : Words::tr("Mend %1").arg(linkText(fault.target));
    case Action::DelayLink:
        if (isOneServer(fault.target)) return Words::tr("Slow %1 down by %2").arg(fault.target, duration(fault.value));
        return Words::tr("Delay %1 by %2").arg(linkText(fault.target), duration(fault.value));
    case Action::JumpClock:
        return Words::tr("Clock of %1 off by %2").arg(fault.target, duration(fault.value));
    case Action::StopWatchdog:
        return Words::tr("Stop the watchdog of %1").arg(fault.target);
    case Action::LoseReply:
        return Words::tr("Lose the next reply to %1").arg(fault.target);
    case Action::LosePush:
        return Words::tr("Lose the next message to %1").arg(fault.target);
    case Action::HangWork:
        return Words::tr("Hang the work of %1").arg(fault.target);
    case Action::HealAll:
        return Words::tr("Heal everything");
    case Action::SwitchEngine:
        return Words::tr("Change the engine to %1").arg(fault.target);
    case Action::Set:
        return Words::tr("%1 = %2", "a setting and its new value").arg(fault.setting, fault.text);
    }
    return {};
}

} // namespace lockscope::views
