// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/what_is_this.h"

#include "alerts/alerts_strip.h"
#include "cluster/cluster_panel.h"
#include "connections/connections_panel.h"
#include "events/events_panel.h"
#include "faults/break_panel.h"
#include "faults/workload_panel.h"
#include "locks/lock_detail_panel.h"
#include "locks/locks_panel.h"
#include "locks/protocol_panel.h"
#include "locks/queue_view.h"
#include "locks/ttl_history.h"
#include "models/locks_model.h"
#include "models/told_violation.h"
#include "models/verdict_model.h"
#include "statistics/statistics_panel.h"
#include "timeline/timeline_view.h"
#include "transport/transport_bar.h"
#include "transport/verdict_banner.h"
#include "transport/why_line.h"
#include "verdict/verdict_panel.h"
#include "waits/waits_panel.h"

#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QTreeView>

namespace lockscope::app {
namespace {

using views::LaneKind;

QString invariantOf(const views::ViewContext& context, std::size_t violation) {
    const auto verdict = context.verdict();
    if (violation >= verdict->violations.size()) return QStringLiteral("verdict");
    return QString::fromLatin1(verdict::invariantId(verdict->violations[violation].invariant));
}

/// The invariant that the window's sentence is about, or the verdict as such.
QString toldInvariant(const views::ViewContext& context) {
    const auto told = views::toldViolation(context);
    return told ? invariantOf(context, *told) : QStringLiteral("verdict");
}

QString ofBelief(const views::Span& span) {
    switch (views::BeliefState(span.state)) {
    case views::BeliefState::Waiting:
        return QStringLiteral("waiter");
    case views::BeliefState::Holding:
        return QStringLiteral("belief");
    case views::BeliefState::Stale:
        return QStringLiteral("stale-belief");
    }
    return {};
}

QString ofLane(LaneKind kind) {
    switch (kind) {
    case LaneKind::Belief:
        return QStringLiteral("belief");
    case LaneKind::Record:
        return QStringLiteral("record");
    case LaneKind::Copy:
        return QStringLiteral("replica");
    case LaneKind::Effect:
        return QStringLiteral("effect");
    case LaneKind::Node:
        return QStringLiteral("server");
    case LaneKind::Watchers:
        return QStringLiteral("sentinel");
    case LaneKind::Link:
        return QStringLiteral("partition");
    case LaneKind::Clock:
        return QStringLiteral("clock-skew");
    case LaneKind::Session:
        return QStringLiteral("session");
    }
    return {};
}

QString onTimeline(const views::TimelineView& view, const views::ViewContext& context, std::optional<QPoint> mouse) {
    const std::lock_guard lock(view.loader()->data()->mutex());
    const views::TimelineScene scene = view.scene();
    using What = views::TimelineHit::What;
    views::TimelineHit hit;
    if (mouse) {
        hit = views::hitTest(scene, view.viewport()->size(), *mouse);
    } else if (view.focusRow() >= 0) {
        hit.what = What::Label;
        hit.row = view.focusRow();
        hit.lane = scene.layout.rows()[std::size_t(view.focusRow())].lane;
    }
    if (hit.what == What::Fault) return QStringLiteral("mark-fault");
    if (hit.what == What::Life) return QStringLiteral("pause");
    if (hit.lane && hit.what == What::Span && hit.lane->kind == LaneKind::Belief)
        return ofBelief(hit.lane->spans[hit.index]);
    if (hit.lane && hit.what == What::Span && hit.lane->kind == LaneKind::Record) return QStringLiteral("lease");
    if (!hit.violations.empty() && (hit.what == What::Lane || hit.what == What::Nothing))
        return invariantOf(context, hit.violations.front());
    return hit.lane ? ofLane(hit.lane->kind) : QString();
}

QString ofSetting(const views::WorkloadPanel& form, const QWidget* field, const views::ViewContext& context) {
    struct Meaning {
        const char* setting;
        const char* term;
    };
    constexpr Meaning kMeanings[]{{"lease", "lease"},       {"watchdog", "watchdog"}, {"token_check", "token-check"},
                                  {"deadline", "deadline"}, {"clients", "client"},    {"hold", "holder"},
                                  {"think", "client"},      {"on_loss", "expired"}};
    const auto isIts = [&](const char* setting) {
        const QWidget* const control = form.control(QLatin1String(setting));
        return control && (control == field || control->isAncestorOf(field));
    };
    if (isIts("recipe")) return context.settings().recipe;
    for (const Meaning& one : kMeanings)
        if (isIts(one.setting)) return QLatin1String(one.term);
    return QStringLiteral("scenario");
}

/// The term of a column of the table of locks.
QString inTable(const QTreeView& table, std::optional<QPoint> mouse) {
    switch (mouse ? table.columnAt(table.viewport()->mapFromGlobal(*mouse).x()) : -1) {
    case views::LocksModel::HolderColumn:
        return QStringLiteral("holder");
    case views::LocksModel::TtlColumn:
        return QStringLiteral("time-left");
    case views::LocksModel::RenewalColumn:
        return QStringLiteral("renewal");
    case views::LocksModel::WaitersColumn:
        return QStringLiteral("waiter");
    case views::LocksModel::TokenColumn:
        return QStringLiteral("fencing-token");
    default:
        return QStringLiteral("record");
    }
}

/// The invariant of the row or the card of the verdict that the mouse is on, or the keyboard.
QString ofCard(const views::VerdictPanel& panel, std::optional<QPoint> mouse) {
    for (const QListView* list : {panel.invariants(), panel.violations()}) {
        if (!mouse && !list->hasFocus()) continue;
        const QModelIndex row = mouse && list->viewport()->rect().contains(list->viewport()->mapFromGlobal(*mouse))
                                    ? list->indexAt(list->viewport()->mapFromGlobal(*mouse))
                                : mouse ? QModelIndex()
                                        : list->currentIndex();
        if (!row.isValid()) continue;
        if (list == panel.violations()) return row.data(views::ViolationsModel::IdRole).toString();
        const int invariant = row.data(views::InvariantsModel::InvariantRole).toInt();
        return QString::fromLatin1(verdict::invariantId(verdict::Invariant(invariant)));
    }
    return {};
}

/// The term of a line of a lock's detail, by its caption; the ring and what stands on the server are the record.
QString ofDetail(const QWidget* asked) {
    using views::LockDetailPanel;
    const auto* const label = qobject_cast<const QLabel*>(asked);
    const std::pair<QString, const char*> captions[]{{LockDetailPanel::tr("Who decides"), "quorum"},
                                                     {LockDetailPanel::tr("Believers"), "belief"},
                                                     {LockDetailPanel::tr("Token"), "fencing-token"},
                                                     {LockDetailPanel::tr("Held for"), "holder"},
                                                     {LockDetailPanel::tr("Renewal"), "renewal"}};
    for (const auto& [caption, term] : captions)
        if (label && label->text() == caption) return QLatin1String(term);
    return QStringLiteral("record");
}

/// The term of a button that breaks something.
QString ofFault(std::optional<scenario::Action> action) {
    using enum scenario::Action;
    if (!action) return QStringLiteral("mark-fault");
    switch (*action) {
    case PauseClient:
    case PauseNode:
        return QStringLiteral("pause");
    case CutLink:
    case DelayLink:
    case JitterLink:
    case ResetLink:
        return QStringLiteral("partition");
    case JumpClock:
        return QStringLiteral("clock-skew");
    case DriftClock:
        return QStringLiteral("drift");
    case StopWatchdog:
        return QStringLiteral("watchdog");
    case Failover:
        return QStringLiteral("failover");
    case HealAll:
        return QStringLiteral("heal");
    default:
        return QStringLiteral("mark-fault");
    }
}

/// The term of a widget, or of the panel that it is a part of. `mouse`: where on the screen it is asked about.
QString termOf(const QWidget* asked, const views::ViewContext& context, std::optional<QPoint> mouse) {
    for (const QWidget* widget = asked; widget; widget = widget->parentWidget()) {
        if (const auto* view = qobject_cast<const views::TimelineView*>(widget))
            return onTimeline(*view, context,
                              mouse ? std::optional(view->viewport()->mapFromGlobal(*mouse)) : std::nullopt);
        if (const auto* form = qobject_cast<const views::WorkloadPanel*>(widget))
            return ofSetting(*form, asked, context);
        if (const auto* panel = qobject_cast<const views::VerdictPanel*>(widget)) {
            const QString invariant = ofCard(*panel, mouse);
            return invariant.isEmpty() ? toldInvariant(context) : invariant;
        }
        if (qobject_cast<const views::VerdictBanner*>(widget) || qobject_cast<const views::WhyLine*>(widget))
            return toldInvariant(context);
        if (qobject_cast<const views::ProtocolPanel*>(widget)) return context.settings().recipe;
        if (const auto* panel = qobject_cast<const views::BreakPanel*>(widget)) return ofFault(panel->actionOf(asked));
        if (widget->objectName() == QLatin1String("break.foot")) return QStringLiteral("mark-fault");
        if (qobject_cast<const views::EventsPanel*>(widget)) return QStringLiteral("event");
        if (qobject_cast<const views::AlertsStrip*>(widget)) return QStringLiteral("alert");
        if (qobject_cast<const views::QueueView*>(widget)) return QStringLiteral("waiter");
        if (qobject_cast<const views::TtlHistory*>(widget)) return QStringLiteral("time-left");
        if (qobject_cast<const views::LockDetailPanel*>(widget)) return ofDetail(asked);
        if (qobject_cast<const views::WaitsPanel*>(widget)) return QStringLiteral("wait-for-graph");
        if (qobject_cast<const views::StatisticsPanel*>(widget)) return QStringLiteral("waiter");
        if (qobject_cast<const views::ConnectionsPanel*>(widget)) return QStringLiteral("server");
        if (qobject_cast<const views::TransportBar*>(widget))
            return qobject_cast<const QLineEdit*>(asked) && !qobject_cast<const views::CommandField*>(asked)
                       ? QStringLiteral("seed")
                       : QString();
        if (const auto* panel = qobject_cast<const views::LocksPanel*>(widget)) return inTable(*panel->view(), mouse);
        if (const auto* cluster = qobject_cast<const views::ClusterPanel*>(widget)) {
            const auto* const item = mouse ? cluster->picture().at(cluster->mapFromGlobal(*mouse)) : nullptr;
            const bool client = item && item->kind == trace::EntityKind::Client;
            return client ? QStringLiteral("client") : QStringLiteral("server");
        }
    }
    return {};
}

} // namespace

QString whatIsThis(const QWidget& window, const views::ViewContext& context, const QPoint& where) {
    const QPoint inside = window.mapFromGlobal(where);
    const QWidget* const under = window.rect().contains(inside) ? window.childAt(inside) : nullptr;
    if (under) {
        const QString term = termOf(under, context, where);
        if (!term.isEmpty()) return term;
    }
    return termOf(window.focusWidget(), context, std::nullopt);
}

} // namespace lockscope::app
