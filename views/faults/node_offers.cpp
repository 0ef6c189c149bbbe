// SPDX-License-Identifier: GPL-3.0-or-later
// The actions that are offered on a server.
#include "faults/fault_offers.h"

#include <QCoreApplication>
#include <algorithm>

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

trace::NodeState stateOf(const ViewContext& context, EntityId node) {
    const auto& nodes = context.stateToActOn().nodes;
    const auto found = nodes.find(node);
    return found == nodes.end() ? trace::NodeState{} : found->second;
}

QByteArray roleOf(const ViewContext& context, EntityId node) {
    return context.trace()->entity(stateOf(context, node).role).name;
}

/// Whether one of its links is cut: then it is offered to be reconnected.
bool isIsolated(const ViewContext& context, EntityId node) {
    const auto trace = context.trace();
    return std::ranges::any_of(context.stateToActOn().links, [&](const auto& link) {
        const trace::Entity& e = trace->entity(link.first);
        return link.second.cut && (e.parent == node || e.other == node);
    });
}

/// Why the Sentinels cannot be asked to replace it.
void refuseFailover(FaultOffer& offer, const ViewContext& context, EntityId node, const QString& name) {
    const auto& nodes = context.entities(EntityKind::Node);
    const auto isSentinel = [&](EntityId id) { return roleOf(context, id) == "sentinel"; };
    if (std::ranges::none_of(nodes, isSentinel))
        refuseOffer(offer, Words::tr("There are no Sentinels to ask for a failover."));
    else if (std::ranges::none_of(
                 nodes, [&](EntityId id) { return isSentinel(id) && stateOf(context, id).life == Life::Running; }))
        refuseOffer(offer, Words::tr("No Sentinel runs."));
    else if (roleOf(context, node) != "master")
        refuseOffer(offer, Words::tr("%1 is not the master.").arg(name));
}

} // namespace

std::vector<FaultOffer> nodeOffers(const ViewContext& context, EntityId node) {
    const QString name = context.trace()->displayName(node);
    const trace::NodeState state = stateOf(context, node);
    const bool dead = state.life == Life::Dead, paused = state.life == Life::Paused;
    std::vector<FaultOffer> offers(NodeOfferCount);
    offers[PauseNodeOffer] = paused ? FaultOffer{Action::ResumeNode,
                                                 name,
                                                 Words::tr("Resume %1").arg(name),
                                                 Words::tr("Resume node"),
                                                 "play",
                                                 true,
                                                 {},
                                                 true,
                                                 false}
                                    : FaultOffer{Action::PauseNode,
                                                 name,
                                                 Words::tr("Pause %1").arg(name),
                                                 Words::tr("Pause node"),
                                                 "pause",
                                                 true,
                                                 {},
                                                 false,
                                                 false};
    offers[KillNodeOffer] = dead ? FaultOffer{Action::RestartNode,
                                              name,
                                              Words::tr("Restart %1").arg(name),
                                              Words::tr("Restart node"),
                                              "restart",
                                              true,
                                              {},
                                              true,
                                              false}
                                 : FaultOffer{Action::KillNode,
                                              name,
                                              Words::tr("Kill %1").arg(name),
                                              Words::tr("Kill node"),
                                              "bolt",
                                              true,
                                              {},
                                              false,
                                              false};
    offers[NodeClockOffer] = {Action::JumpClock,
                              name,
                              Words::tr("Jump the clock of %1").arg(name),
                              Words::tr("Jump node's clock"),
                              "clock",
                              true,
                              {},
                              false,
                              true};
    offers[RestartKeptOffer] = {Action::RestartNode,
                                name,
                                Words::tr("Restart %1 with its data").arg(name),
                                Words::tr("With its data"),
                                "restart",
                                true,
                                {},
                                dead,
                                false};
    offers[RestartEmptyOffer] = {Action::RestartNodeEmpty,
                                 name,
                                 Words::tr("Restart %1 without its data").arg(name),
                                 Words::tr("Without data"),
                                 "restart",
                                 true,
                                 {},
                                 dead,
                                 false};
    offers[IsolateOffer] =
        isIsolated(context, node)
            ? FaultOffer{Action::MendLink,
                         name,
                         Words::tr("Reconnect %1").arg(name),
                         Words::tr("Reconnect"),
                         "mend-link",
                         true,
                         {},
                         true,
                         false}
            : FaultOffer{
                  Action::CutLink, name, Words::tr("Isolate %1").arg(name), Words::tr("Isolate"), "cut-link", true, {},
                  false,           false};
    offers[SlowNodeOffer] = {Action::DelayLink,
                             name,
                             Words::tr("Slow %1 down").arg(name),
                             Words::tr("Slow down"),
                             "delay",
                             true,
                             {},
                             false,
                             true};
    offers[FailoverOffer] = {Action::Failover,
                             name,
                             Words::tr("Demote %1: ask the Sentinels for a failover").arg(name),
                             Words::tr("Demote"),
                             "chevron-down",
                             true,
                             {},
                             false,
                             false};
    for (FaultOffer& offer : offers) {
        limitOffer(offer, context, true);
        if (node == kNoEntity) refuseOffer(offer, Words::tr("There is no server yet."));
    }
    for (const NodeOffer which : {PauseNodeOffer, NodeClockOffer, FailoverOffer})
        if (dead) refuseOffer(offers[which], Words::tr("%1 is dead.").arg(name));
    refuseFailover(offers[FailoverOffer], context, node, name);
    return offers;
}

} // namespace lockscope::views
