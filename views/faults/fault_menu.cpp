// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/fault_menu.h"

#include "theme/icons.h"

#include <QCoreApplication>
#include <QInputDialog>
#include <QMenu>

namespace lockscope::views {

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
        const bool right = value && (offer.action == scenario::Action::JumpClock || *value >= Nanos::zero());
        if (right)
            alive->breakIt(offer.fault(*value));
        else
            askValue(parent, *alive, offer, text);
    });
    dialog->open();
}

template <typename Offers>
void addAll(QMenu& menu, ViewContext& context, const Offers& offers) {
    for (const FaultOffer& offer : offers)
        addFaultOffer(menu, context, offer);
}

/// A server's own menu: what it is, what can happen to its process, to its links and clock, and to its office.
void addNode(QMenu& menu, ViewContext& context, EntityId node) {
    const auto offers = nodeOffers(context, node);
    addFaultOffer(menu, context, offers[KillNodeOffer]);
    addFaultOffer(menu, context, offers[PauseNodeOffer]);
    const FaultOffer& restart = offers[RestartKeptOffer];
    QMenu* const restarts = menu.addMenu(icon(restart.icon, restart.undoes ? Role::Accepted : Role::Fault),
                                         Words::tr("Restart %1").arg(restart.target));
    restarts->setToolTipsVisible(true);
    addFaultOffer(*restarts, context, restart);
    addFaultOffer(*restarts, context, offers[RestartEmptyOffer]);
    addFaultOffer(menu, context, offers[IsolateOffer]);
    menu.addSeparator();
    addFaultOffer(menu, context, offers[NodeClockOffer]);
    addFaultOffer(menu, context, offers[SlowNodeOffer]);
    menu.addSeparator();
    addFaultOffer(menu, context, offers[FailoverOffer]);
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
        const EntityId client = trace->clientOf(entity);
        addAll(menu, context, clientOffers(context, client));
        menu.addSeparator();
        addAll(menu, context, linkOffers(context, client, nodeOf(context, client)));
        break;
    }
    case EntityKind::Node:
        addNode(menu, context, entity);
        break;
    case EntityKind::Link:
        addAll(menu, context, linkOffers(context, e.parent, e.other));
        menu.addSeparator();
        for (const ClientOffer which : {LoseReplyOffer, LosePushOffer})
            addFaultOffer(menu, context, clientOffers(context, e.parent)[which]);
        break;
    case EntityKind::Lock: {
        const EntityId client = targetsOfLock(context, entity).client; // the one that the Break panel acts on
        if (client != kNoEntity) {
            const auto offers = clientOffers(context, client);
            for (const ClientOffer which : {PauseOffer, KillOffer, WatchdogOffer})
                addFaultOffer(menu, context, offers[which]);
            menu.addSeparator();
        }
        if (e.parent != kNoEntity) addNode(menu, context, e.parent);
        break;
    }
    default:
        return;
    }
    menu.addSeparator();
    addFaultOffer(menu, context, healOffer(context));
}

} // namespace lockscope::views
