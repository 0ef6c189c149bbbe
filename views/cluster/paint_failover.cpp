// SPDX-License-Identifier: GPL-3.0-or-later
// The roles in the picture of the cluster: replication as arrows, and the Sentinels with what they think.
#include "cluster/paint_failover.h"

#include "cluster/cluster_paint.h"
#include "models/role_words.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/palette.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <set>

namespace lockscope::views {

using trace::EntityId;
using trace::kNoEntity;
using Life = trace::ClientState::Life;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Cluster)
};

trace::NodeState stateOf(const ViewContext& context, EntityId node) {
    const auto found = context.state().nodes.find(node);
    return found == context.state().nodes.end() ? trace::NodeState{} : found->second;
}

/// From one server over to another.
QPainterPath arcBetween(const QRectF& one, const QRectF& other) {
    const double direction = other.center().x() > one.center().x() ? 1 : -1;
    const QPointF from(one.center().x() + direction * one.width() / 4, one.top() - 2);
    const QPointF to(other.center().x() - direction * other.width() / 4, other.top() - 3);
    const QPointF rise(0, 24);
    QPainterPath path(from);
    path.cubicTo(from - rise, to - rise, to);
    return path;
}

/// The opinion of a Sentinel: which node it thinks down, or that nothing is wrong.
QString watcherWords(const ViewContext& context, EntityId watcher) {
    const auto trace = context.trace();
    const auto& doubts = context.state().doubts;
    const auto doubt = doubts.lower_bound({watcher, 0});
    if (doubt == doubts.end() || doubt->first.first != watcher) return Words::tr("sees nothing wrong");
    const QString whom = trace->displayName(doubt->first.second);
    return doubt->second == trace::Doubt::Agreed ? Words::tr("agreed: %1 is down").arg(whom)
                                                 : Words::tr("%1 is down?").arg(whom);
}

} // namespace

QString nodeRoleWords(const ViewContext& context, EntityId node) {
    const auto trace = context.trace();
    const trace::NodeState state = stateOf(context, node);
    if (state.role == kNoEntity) return {};
    const QByteArray role = trace->entity(state.role).name;
    if (role == "sentinel") {
        const QString thinks = watcherWords(context, node);
        return state.votedFor == kNoEntity
                   ? thinks
                   : Words::tr("%1, voted for %2").arg(thinks, trace->displayName(state.votedFor));
    }
    if (state.candidate) return Words::tr("candidate");
    if (role == "looking" && state.votedFor != kNoEntity)
        return Words::tr("votes for %1").arg(trace->displayName(state.votedFor));
    const bool orphan = role == "replica" && (state.copiesNobody || stateOf(context, state.follows).life == Life::Dead);
    return roleWords(role, trace->displayName(state.follows), orphan);
}

namespace {

/// The replication to a node, as its arrow shows it.
struct Copying {
    trace::NodeState state;
    bool broken = false;  ///< one of both is dead, or their link is cut
    double direction = 1; ///< 1: to the right, -1: to the left
    QPainterPath path;    ///< from the master
};

/// nullopt: it copies no node that is in the picture.
std::optional<Copying> copyingOf(const ViewContext& context, const ClusterLayout::Item& replica,
                                 const ClusterLayout& layout) {
    const trace::NodeState state = stateOf(context, replica.entity);
    const ClusterLayout::Item* const master = state.follows == kNoEntity ? nullptr : layout.find(state.follows);
    if (!master || master == &replica || replica.watcher) return std::nullopt;
    const auto joins = [&](EntityId link) {
        const trace::Entity& ends = context.trace()->entity(link);
        return std::minmax(ends.parent, ends.other) == std::minmax(replica.entity, state.follows);
    };
    const bool cut = std::ranges::any_of(context.state().links,
                                         [&](const auto& link) { return link.second.cut && joins(link.first); });
    const auto isDead = [&](EntityId node) {
        return stateOf(context, node).life == Life::Dead || isAway(context, node);
    };
    return Copying{state, cut || isDead(replica.entity) || isDead(state.follows),
                   replica.box.center().x() > master->box.center().x() ? 1.0 : -1.0,
                   arcBetween(master->box, replica.box)};
}

} // namespace

void paintReplication(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& replica,
                      const ClusterLayout& layout) {
    const auto copying = copyingOf(context, replica, layout);
    if (!copying) return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(copying->broken ? QPen(color(Role::Fault), 1.25, Qt::DashLine) : QPen(color(Role::Accepted), 1.75));
    painter.drawPath(copying->path);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(copying->broken ? Role::Fault : Role::Accepted));
    const QPointF to = copying->path.currentPosition();
    painter.drawPolygon(QPolygonF{to + QPointF(0, 2), to + QPointF(-4, -6), to + QPointF(4, -6)});
}

void paintReplicationLag(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& replica,
                         const ClusterLayout& layout) {
    const auto copying = copyingOf(context, replica, layout);
    if (!copying || copying->state.lag < 0) return;
    const bool inBytes = copying->state.lagUnit == trace::LagUnit::Bytes;
    if (inBytes && copying->broken) return; // it was told by a master that tells nothing any more
    const QString words =
        inBytes ? behindWords(copying->state.lag) : Words::tr("lag %1").arg(duration(Nanos(copying->state.lag)));
    painter.setFont(uiFont(-2, QFont::DemiBold));
    QRectF ground(0, 0, painter.fontMetrics().horizontalAdvance(words) + 10, painter.fontMetrics().height() + 1);
    // Beside the arrow's tip: two arrows of one master do not meet there.
    const QPointF to = copying->path.currentPosition();
    ground.moveCenter(QPointF(to.x() + copying->direction * (ground.width() / 2 + 8), to.y() - 12));
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(Role::SurfaceSunken));
    painter.drawRoundedRect(ground, 4, 4);
    painter.setPen(color(copying->broken ? Role::FaultText : Role::AcceptedText));
    painter.drawText(ground, Qt::AlignCenter, words);
}

std::optional<QPointF> placeBetweenServers(const Flight& flight, const ClusterLayout& layout) {
    const ClusterLayout::Item* const from = layout.find(flight.client);
    const ClusterLayout::Item* const to = layout.find(flight.node);
    if (!from || !to) return std::nullopt;
    return arcBetween(from->box, to->box).pointAtPercent(std::clamp(flight.progress, 0.0, 1.0));
}

void paintPeerWays(QPainter& painter, const std::vector<Flight>& flights, const ClusterLayout& layout) {
    std::set<std::pair<EntityId, EntityId>> ways;
    for (const Flight& flight : flights)
        if (flight.kind == trace::EventKind::PeerMessage) ways.insert(std::minmax(flight.client, flight.node));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color(Role::FieldBorder), 1));
    for (const auto& [one, other] : ways) {
        const ClusterLayout::Item* const from = layout.find(one);
        const ClusterLayout::Item* const to = layout.find(other);
        if (from && to) painter.drawPath(arcBetween(from->box, to->box));
    }
}

void paintWatcher(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& watcher) {
    const trace::NodeState state = stateOf(context, watcher.entity);
    const bool dead = state.life == Life::Dead, paused = state.life == Life::Paused;
    const auto& doubts = context.state().doubts;
    const auto doubt = doubts.lower_bound({watcher.entity, 0});
    const bool doubting = doubt != doubts.end() && doubt->first.first == watcher.entity;
    painter.setPen(dead || paused ? QPen(color(Role::Fault), 1.25, Qt::DashLine)
                   : doubting     ? QPen(color(Role::Waiting), 1.5)
                                  : QPen(color(Role::FieldBorder), 1));
    painter.setBrush(color(dead ? Role::SurfaceRaised : doubting ? Role::WaitingSoft : Role::Surface));
    painter.drawRoundedRect(watcher.box, 6, 6);
    const bool words = watcher.box.height() >= 32;
    const QRectF room = watcher.box.adjusted(9, words ? 3 : 0, -6, words ? -3 : 0);
    const auto line = [&](int flags, const QString& text) {
        painter.drawText(room, flags, painter.fontMetrics().elidedText(text, Qt::ElideRight, int(room.width())));
    };
    painter.setFont(uiFont(-1.5, QFont::DemiBold));
    painter.setPen(color(dead ? Role::TextDim : Role::Text));
    line(words ? Qt::AlignLeft | Qt::AlignTop : Qt::AlignLeft | Qt::AlignVCenter,
         context.trace()->displayName(watcher.entity));
    if (!words) return;
    painter.setFont(uiFont(-2));
    painter.setPen(color(dead || paused ? Role::FaultText : doubting ? Role::WaitingText : Role::TextDim));
    // While it doubts, its vote says more than its opinion: it has agreed to a failover.
    const bool votes = doubting && state.votedFor != kNoEntity;
    line(Qt::AlignLeft | Qt::AlignBottom,
         dead     ? Words::tr("dead", "a server")
         : paused ? Words::tr("paused")
         : votes  ? Words::tr("votes for %1").arg(context.trace()->displayName(state.votedFor))
                  : watcherWords(context, watcher.entity));
}

} // namespace lockscope::views
