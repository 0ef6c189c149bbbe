// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/fault_menu.h"

#include "faults/fault_targets.h"
#include "faults/fault_verbs.h"
#include "faults/limits_dialog.h"
#include "faults/menu_reasons.h"
#include "faults/plan_dialog.h"
#include "models/model_limits.h"
#include "models/planned.h"
#include "scenario/failover_refusal.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "trace/time_text.h"

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

/// The window that a menu, or the menu that it is a part of, came from; nullptr: none. It outlives the menu.
QWidget* ownerOf(const QMenu& menu) {
    QWidget* widget = menu.parentWidget();
    while (qobject_cast<QMenu*>(widget))
        widget = widget->parentWidget();
    return widget ? widget->window() : nullptr;
}

/// Does it, or plans it for its moment.
void strike(ViewContext& context, scenario::Fault fault, const FaultMoment& moment) {
    if (!moment.at) return context.breakIt(std::move(fault));
    fault.at = moment.at;
    if (scenario::undoing(fault.action)) fault.duration = moment.duration;
    plan(context, std::move(fault));
}

/// Asks for a value in words; a text that is no duration leaves the dialogue open by asking again.
void askValue(QWidget* parent, ViewContext& context, const FaultOffer& offer, const FaultMoment& moment,
              const QString& before) {
    auto* dialog = new QInputDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(offer.text);
    dialog->setLabelText(before.isEmpty()
                             ? Words::tr("A time, such as 250ms or 3s; for a clock also -10s:")
                             : Words::tr("“%1” is not a time. Write one such as 250ms or 3s:").arg(before));
    dialog->setTextValue(before);
    const QPointer<ViewContext> alive(&context);
    const auto chosen = [parent, alive, offer, moment](const QString& text) {
        if (!alive) return;
        const auto value = scenario::parseDuration(text);
        const bool right = value && (offer.action == Action::JumpClock || offer.action == Action::DriftClock ||
                                     *value >= Nanos::zero());
        if (right)
            strike(*alive, offer.fault(*value), moment);
        else
            askValue(parent, *alive, offer, moment, text);
    };
    QObject::connect(dialog, &QInputDialog::textValueSelected, parent, chosen);
    dialog->open();
}

/// A menu that is being filled, and the world at the moment at which its faults are to strike.
struct Scene {
    QMenu& menu;
    ViewContext& context;
    const FaultMoment& moment;
    Breakable::Sight sight;

    /// A menu within the menu, for what one wants less often.
    Scene in(const char* picture, const QString& title) const {
        QMenu* const within = menu.addMenu(icon(picture, Role::Fault), title);
        showReasons(*within);
        return {*within, context, moment, sight};
    }
    /// A fault that is planned ends by itself: there is nothing to be cured then.
    void add(const Breakable& target, std::initializer_list<Action> actions) const {
        for (const Action action : actions)
            add(target, action, moment.at ? offerOf(target, action) : currentOffer(target, action));
    }
    /// The offer as it is, whatever the target suffers from.
    void add(const Breakable& target, Action action, const FaultOffer& offer) const {
        addFaultOffer(menu, context, offer, moment, keyFor(target, action));
    }
    /// The key that does the same; empty: now it would do it to another target, or there is none.
    QKeySequence keyFor(const Breakable& target, Action action) const {
        const auto key = keyOf(target.kind(), action);
        if (!key || moment.at) return {};
        const FaultTargets its = faultTargets(context);
        const Breakable keys = target.kind() == Breakable::Kind::Client   ? Breakable::client(sight, its.client)
                               : target.kind() == Breakable::Kind::Server ? Breakable::server(sight, its.node)
                               : target.kind() == Breakable::Kind::Link   ? Breakable::link(sight, its.client, its.node)
                                                                          : target;
        return keys.name() == target.name() ? QKeySequence(*key) : QKeySequence();
    }
};

/// A simulated server says what its model leaves out.
void addLimits(const Scene& scene, const QString& server) {
    const session::Session* const session = scene.context.session();
    QWidget* const owner = ownerOf(scene.menu);
    if (!session || !session->abilities().rewind || !owner || scene.moment.at) return;
    const auto& nodes = scene.context.settings().nodes;
    const auto known = std::ranges::find(nodes, server, &scenario::NodeSpec::id);
    if (known == nodes.end() || modelLimits(known->kind).isEmpty()) return;
    scene.menu.addSeparator();
    scene.menu.addAction(icon("info", Role::TextDim), Words::tr("What this model leaves out…"), owner,
                         [owner, kind = known->kind] {
                             auto* const dialog = new LimitsDialog(owner);
                             dialog->setAttribute(Qt::WA_DeleteOnClose);
                             dialog->showKind(kind);
                             dialog->open();
                         });
}

/// The lock's keys, or, of several locks, those of one that is chosen.
void addEvictions(const Scene& scene, const Breakable& server, const QString& lock) {
    const QStringList locks = evictableLocks(scene.sight.settings, server.name());
    const FaultOffer any = evictOffer(server, lock);
    const auto add = [&](const Scene& in, const FaultOffer& offer) {
        const QString keys = evictedLock(scene.context); // the lock that the key is for
        const bool own = keys.isEmpty() || keys == offer.lock;
        addFaultOffer(in.menu, scene.context, offer, scene.moment,
                      own ? scene.keyFor(server, Action::EvictKey) : QKeySequence());
    };
    if (!lock.isEmpty() || locks.size() < 2 || !any.enabled) return add(scene, any);
    const Scene each = scene.in(any.icon, Words::tr("Evict a lock from %1").arg(server.displayName()));
    for (const QString& name : locks)
        add(each, evictOffer(server, name));
}

/// A server's own menu: what happens most often to its process and its links, then the rest by what it strikes, then
/// its office.
/// `lock`: the one whose menu it is a part of; empty: none.
void addNode(const Scene& scene, EntityId node, const QString& lock = {}) {
    const auto& [menu, context, moment, sight] = scene;
    const Breakable server = Breakable::server(sight, node);
    // A dead server is started again by the entry that asks with which data: Kill's would be one more that says so.
    if (!server.suffers(Action::KillNode) || moment.at) scene.add(server, {Action::KillNode});
    scene.add(server, Action::CrashNode, offerOf(server, Action::CrashNode));
    scene.add(server, {Action::PauseNode});
    const FaultOffer restart = offerOf(server, Action::RestartNode);
    QMenu* const restarts =
        menu.addMenu(icon(restart.icon, restart.undoes ? Role::Accepted : Role::Fault), restart.text);
    addRestarts(*restarts, context, server, moment);
    scene.add(server, {Action::CutLink, Action::DelayLink});
    menu.addSeparator();
    scene.in("cut-link", Words::tr("Network")).add(server, {Action::JitterLink, Action::ResetLink});
    scene.in("clock", Words::tr("Clock")).add(server, {Action::JumpClock, Action::DriftClock});
    const Scene data = scene.in("server", Words::tr("Data and connections"));
    addEvictions(data, server, lock);
    data.add(server, Action::FlushNode, offerOf(server, Action::FlushNode));
    data.add(server, {Action::StallDisk, Action::ExhaustPool});
    menu.addSeparator();
    for (const Action action : {Action::Failover, Action::SwitchEngine})
        scene.add(server, action, offerOf(server, action));
    addLimits(scene, server.name());
}

/// The server at the other end of the client's link that a menu is about: the one that the keys act on, too, or else
/// the first that it has a link to.
EntityId nodeOf(const ViewContext& context, EntityId client) {
    const EntityId wanted = faultTargets(context).node;
    const auto trace = context.trace();
    const std::size_t count = trace->entityCount();
    EntityId first = kNoEntity;
    for (EntityId id = 1; id < count; ++id) {
        const trace::Entity& e = trace->entity(id);
        if (e.kind != EntityKind::Link || e.parent != client) continue;
        if (e.other == wanted) return wanted;
        if (first == kNoEntity) first = e.other;
    }
    return first == kNoEntity ? wanted : first;
}

/// A client's own menu: what happens to its process and its messages, to all its links, and to its link to the server
/// in sight.
void addClient(const Scene& scene, EntityId client) {
    const Breakable target = Breakable::client(scene.sight, client);
    const auto onClock = [](Action action) { return action == Action::JumpClock || action == Action::DriftClock; };
    const auto onLinks = [](Action action) {
        const bool link = scenario::targetKind(action) == scenario::TargetKind::Link && action != Action::CutLink;
        return link || action == Action::RepeatRequest; // it is the drivers and proxies between that repeat
    };
    for (const Action action : target.actions()) {
        // A dead client is started again by what stands in the place of Kill.
        if (action == Action::RestartClient && target.suffers(Action::KillClient) && !scene.moment.at) continue;
        if (!onClock(action) && !onLinks(action)) scene.add(target, {action});
    }
    scene.menu.addSeparator();
    const Scene network = scene.in("cut-link", Words::tr("Network")), clock = scene.in("clock", Words::tr("Clock"));
    for (const Action action : target.actions())
        if (onClock(action) || onLinks(action)) (onClock(action) ? clock : network).add(target, {action});
    scene.menu.addSeparator();
    scene.add(Breakable::link(scene.sight, client, nodeOf(scene.context, client)),
              {Action::CutLink, Action::DelayLink, Action::JitterLink, Action::ResetLink});
}

/// The way to all other targets, times and conditions.
void addPlan(QMenu& menu, ViewContext& context, EntityId entity, const FaultMoment& moment) {
    QWidget* const owner = ownerOf(menu);
    if (!owner) return;
    QAction* const entry =
        menu.addAction(Words::tr("On a condition, or another target…"), owner, [owner, &context, entity, moment] {
            planFault(owner, context, entity, moment.at, moment.duration);
        });
    entry->setEnabled(canPlan(context));
    if (!canPlan(context)) entry->setToolTip(Words::tr("Only in a simulation can faults be planned."));
}

} // namespace

void addFaultValues(QMenu& menu, ViewContext& context, const FaultOffer& offer, const FaultMoment& moment) {
    for (const auto& [value, words] : faultValues(offer.action))
        menu.addAction(words, &context,
                       [&context, offer, moment, v = value] { strike(context, offer.fault(v), moment); });
    menu.addSeparator();
    // The dialogue outlives the menu: it belongs to the window that the menu came from.
    QWidget* const owner = ownerOf(menu);
    if (owner)
        menu.addAction(Words::tr("Other…"), owner,
                       [owner, &context, offer, moment] { askValue(owner, context, offer, moment, {}); });
}

/// The machine loses its power, and the server finds what had reached its disk. Only where that differs from all data,
/// and only at once: what is planned is a crash that lasts for a while.
static void addRestartAfterCrash(QMenu& menu, ViewContext& context, const Breakable& server,
                                 const FaultMoment& moment) {
    const scenario::Scenario& settings = context.settings();
    const auto service = scenario::serviceHaving(settings.services, settings.nodes, server.name());
    const bool flushes = service.kind == QLatin1String("redis") &&
                         service.persistence == scenario::ServiceSpec::Persistence::EverySecond;
    const FaultOffer crash = offerOf(server, Action::CrashNode);
    if (moment.at || !flushes || !crash.enabled) return;
    scenario::Fault start;
    start.action = Action::RestartNode;
    start.target = crash.target;
    menu.addAction(icon("restart", Role::Fault),
                   Words::tr("Restart %1 with what its disk has, as after a crash").arg(crash.target), &context,
                   [&context, crash = crash.fault(), start] {
                       context.breakIt(crash);
                       context.breakIt(start);
                   });
}

void addRestarts(QMenu& menu, ViewContext& context, const Breakable& server, const FaultMoment& moment) {
    showReasons(menu);
    FaultOffer kept = offerOf(server, Action::RestartNode);
    kept.text = Words::tr("Restart %1 with its data").arg(kept.target);
    // The action itself can always be had; that the data come back would be untrue.
    if (const auto keeps = server.keepsItsData(); kept.enabled && !keeps) {
        kept.enabled = false;
        kept.why = keeps.error();
    }
    addFaultOffer(menu, context, kept, moment);
    addRestartAfterCrash(menu, context, server, moment);
    addFaultOffer(menu, context, offerOf(server, Action::RestartNodeEmpty), moment);
}

void addFaultOffer(QMenu& menu, ViewContext& context, const FaultOffer& offer, const FaultMoment& moment,
                   const QKeySequence& key) {
    const QIcon picture = icon(offer.icon, offer.undoes ? Role::Accepted : Role::Fault);
    const bool lasts = moment.duration && scenario::undoing(offer.action);
    const QString text =
        lasts ? Words::tr("%1 for %2", "a fault").arg(offer.text, spanText(*moment.duration)) : offer.text;
    QAction* entry = nullptr;
    if (offer.wantsValue) {
        QMenu* values = menu.addMenu(picture, text);
        addFaultValues(*values, context, offer, moment);
        entry = values->menuAction();
    } else {
        entry = menu.addAction(picture, text, &context,
                               [&context, offer, moment] { strike(context, offer.fault(), moment); });
    }
    entry->setEnabled(offer.enabled);
    // The reason stands beside the entry while it is looked at: in its text it would make the whole menu wide.
    entry->setToolTip(offer.enabled ? text : offer.why);
    // As text: as a shortcut of this entry, too, it would be ambiguous.
    if (offer.enabled && !key.isEmpty()) entry->setText(entry->text() + u'\t' + key.toString(QKeySequence::NativeText));
}

void fillFaultMenu(QMenu& menu, ViewContext& context, EntityId entity, const FaultMoment& moment) {
    showReasons(menu);
    const auto trace = context.trace();
    const trace::Entity& e = trace->entity(entity);
    const trace::State then = moment.at ? stateAt(context, *moment.at) : trace::State{};
    const Breakable::Sight now = context.sightToActOn();
    const Breakable::Sight sight{now.session, now.trace, moment.at ? then : now.state, now.settings};
    const Scene scene{menu, context, moment, sight};
    switch (e.kind) {
    case EntityKind::Client:
    case EntityKind::Thread: {
        const EntityId client = trace->clientOf(entity);
        addClient(scene, client);
        break;
    }
    case EntityKind::Node:
        addNode(scene, entity);
        break;
    case EntityKind::Link: {
        scene.add(Breakable::link(sight, e.parent, e.other),
                  {Action::CutLink, Action::DelayLink, Action::JitterLink, Action::ResetLink});
        if (trace->entity(e.parent).kind != EntityKind::Client) break;
        menu.addSeparator();
        scene.add(Breakable::client(sight, e.parent), {Action::LoseReply, Action::LosePush, Action::RepeatRequest});
        break;
    }
    case EntityKind::Lock: {
        const EntityId client = targetsOfLock(context, entity).client; // the one that the Break panel acts on
        if (client != kNoEntity) {
            scene.add(Breakable::client(sight, client),
                      {Action::PauseClient, Action::KillClient, Action::StopWatchdog});
            menu.addSeparator();
        }
        if (e.parent != kNoEntity) addNode(scene, e.parent, QString::fromUtf8(e.name));
        break;
    }
    default:
        return;
    }
    menu.addSeparator();
    if (!moment.at) scene.add(Breakable::world(sight), {Action::HealAll});
    addPlan(menu, context, entity, moment);
}

void fillSpanMenu(QMenu& menu, ViewContext& context, EntityId entity, Nanos from, Nanos to) {
    showReasons(menu);
    FaultMoment moment{from, {}};
    if (to > from) moment.duration = to - from;
    const auto trace = context.trace();
    menu.addSection(to > from ? interval(*trace, from, to) : instant(*trace, from));
    const EntityKind kind = trace->entity(entity).kind;
    const bool own = kind == EntityKind::Client || kind == EntityKind::Thread || kind == EntityKind::Node ||
                     kind == EntityKind::Link || kind == EntityKind::Lock;
    if (entity != kNoEntity && own) return fillFaultMenu(menu, context, entity, moment);
    const FaultTargets targets = faultTargets(context);
    for (const EntityId target : {targets.client, targets.node}) {
        if (target == kNoEntity) continue;
        QMenu* const its = menu.addMenu(trace->displayName(target));
        fillFaultMenu(*its, context, target, moment);
    }
    addPlan(menu, context, targets.client, moment);
}

} // namespace lockscope::views
