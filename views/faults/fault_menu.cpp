// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/fault_menu.h"

#include "faults/fault_targets.h"
#include "theme/icons.h"

#include <QCoreApplication>
#include <QInputDialog>
#include <QMenu>

namespace lockscope::views {

using scenario::Action;
using session::Breakable;
using trace::EntityId;
using trace::EntityKind;
using trace::kNoEntity;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Faults)
};

/// Asks for a value in words; a text that is no duration leaves the dialogue open by asking again.
void askValue(QWidget* parent, ViewContext& context, const FaultOffer& offer, const QString& before) {
    auto* dialog = new QInputDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(offer.text);
    dialog->setLabelText(before.isEmpty()
                             ? Words::tr("A time, such as 250ms or 3s; for a clock also -10s:")
                             : Words::tr("“%1” is not a time. Write one such as 250ms or 3s:").arg(before));
    dialog->setTextValue(before);
    const QPointer<ViewContext> alive(&context);
    QObject::connect(dialog, &QInputDialog::textValueSelected, parent, [parent, alive, offer](const QString& text) {
        if (!alive) return;
        const auto value = scenario::parseDuration(text);
        const bool right = value && (offer.action == Action::JumpClock || offer.action == Action::DriftClock ||
                                     *value >= Nanos::zero());
        if (right)
            alive->breakIt(offer.fault(*value));
        else
            askValue(parent, *alive, offer, text);
    });
    dialog->open();
}

void addCurrent(QMenu& menu, ViewContext& context, const Breakable& target, std::initializer_list<Action> actions) {
    for (const Action action : actions)
        addFaultOffer(menu, context, currentOffer(target, action));
}

/// A server's own menu: what can happen to its process, to its links and clock, and to its office.
void addNode(QMenu& menu, ViewContext& context, EntityId node) {
    const Breakable server = Breakable::server(context.sightToActOn(), node);
    addCurrent(menu, context, server, {Action::KillNode});
    addFaultOffer(menu, context, offerOf(server, Action::CrashNode));
    addCurrent(menu, context, server, {Action::PauseNode});
    const FaultOffer restart = offerOf(server, Action::RestartNode);
    QMenu* const restarts =
        menu.addMenu(icon(restart.icon, restart.undoes ? Role::Accepted : Role::Fault), restart.text);
    restarts->setToolTipsVisible(true);
    addRestarts(*restarts, context, server);
    addCurrent(menu, context, server, {Action::CutLink});
    menu.addSeparator();
    addCurrent(menu, context, server,
               {Action::JumpClock, Action::DriftClock, Action::DelayLink, Action::JitterLink, Action::ResetLink});
    menu.addSeparator();
    for (const Action action : {Action::EvictKey, Action::FlushNode})
        addFaultOffer(menu, context, offerOf(server, action));
    menu.addSeparator();
    for (const Action action : {Action::Failover, Action::SwitchEngine})
        addFaultOffer(menu, context, offerOf(server, action));
}

EntityId nodeOf(const ViewContext& context, EntityId client) {
    const auto trace = context.trace();
    const std::size_t count = trace->entityCount();
    for (EntityId id = 1; id < count; ++id)
        if (trace->entity(id).kind == EntityKind::Link && trace->entity(id).parent == client)
            return trace->entity(id).other;
    return faultTargets(context).node;
}

} // namespace

void addFaultValues(QMenu& menu, ViewContext& context, const FaultOffer& offer) {
    for (const auto& [value, words] : faultValues(offer.action))
        menu.addAction(words, &context, [&context, offer, v = value] { context.breakIt(offer.fault(v)); });
    menu.addSeparator();
    // The dialogue outlives the menu: it belongs to the window that the menu came from.
    QWidget* const owner = menu.parentWidget() ? menu.parentWidget()->window() : nullptr;
    if (owner)
        menu.addAction(Words::tr("Other…"), owner, [owner, &context, offer] { askValue(owner, context, offer, {}); });
}

void addRestarts(QMenu& menu, ViewContext& context, const Breakable& server) {
    FaultOffer kept = offerOf(server, Action::RestartNode);
    kept.text = Words::tr("Restart %1 with its data").arg(kept.target);
    addFaultOffer(menu, context, kept);
    addFaultOffer(menu, context, offerOf(server, Action::RestartNodeEmpty));
}

void addFaultOffer(QMenu& menu, ViewContext& context, const FaultOffer& offer) {
    const QIcon picture = icon(offer.icon, offer.undoes ? Role::Accepted : Role::Fault);
    QAction* entry = nullptr;
    if (offer.wantsValue) {
        QMenu* values = menu.addMenu(picture, offer.text);
        addFaultValues(*values, context, offer);
        entry = values->menuAction();
    } else {
        entry = menu.addAction(picture, offer.text, &context, [&context, offer] { context.breakIt(offer.fault()); });
    }
    entry->setEnabled(offer.enabled);
    //: An entry of a menu that is off, and why: "Demote redis-2: …" is off, as "redis-2 is not the master."
    if (!offer.enabled) entry->setText(Words::tr("%1 (off: %2)").arg(offer.text, offer.why));
    entry->setToolTip(offer.enabled ? offer.text : offer.why);
}

void fillFaultMenu(QMenu& menu, ViewContext& context, EntityId entity) {
    menu.setToolTipsVisible(true);
    const auto trace = context.trace();
    const trace::Entity& e = trace->entity(entity);
    switch (e.kind) {
    case EntityKind::Client:
    case EntityKind::Thread: {
        const Breakable::Sight sight = context.sightToActOn();
        const EntityId client = trace->clientOf(entity);
        const Breakable target = Breakable::client(sight, client);
        for (const Action action : target.actions())
            addCurrent(menu, context, target, {action});
        menu.addSeparator();
        addCurrent(menu, context, Breakable::link(sight, client, nodeOf(context, client)),
                   {Action::CutLink, Action::DelayLink, Action::JitterLink, Action::ResetLink});
        break;
    }
    case EntityKind::Node:
        addNode(menu, context, entity);
        break;
    case EntityKind::Link: {
        const Breakable::Sight sight = context.sightToActOn();
        addCurrent(menu, context, Breakable::link(sight, e.parent, e.other),
                   {Action::CutLink, Action::DelayLink, Action::JitterLink, Action::ResetLink});
        if (trace->entity(e.parent).kind != EntityKind::Client) break;
        menu.addSeparator();
        addCurrent(menu, context, Breakable::client(sight, e.parent), {Action::LoseReply, Action::LosePush});
        break;
    }
    case EntityKind::Lock: {
        const EntityId client = targetsOfLock(context, entity).client; // the one that the Break panel acts on
        if (client != kNoEntity) {
            addCurrent(menu, context, Breakable::client(context.sightToActOn(), client),
                       {Action::PauseClient, Action::KillClient, Action::StopWatchdog});
            menu.addSeparator();
        }
        if (e.parent != kNoEntity) addNode(menu, context, e.parent);
        break;
    }
    default:
        return;
    }
    menu.addSeparator();
    addCurrent(menu, context, Breakable::world(context.sightToActOn()), {Action::HealAll});
}

} // namespace lockscope::views
