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
    const bool orphan = role == "replica" && (state.copiesNobody || stateOf(context, state.follows).life == Life::Dead);
    return roleWords(role, trace->displayName(state.follows), orphan);
}

void paintReplication(QPainter& painter, const ViewContext& context, const ClusterLayout::Item& replica,
                      const ClusterLayout& layout) {
    const trace::NodeState state = stateOf(context, replica.entity);
    const ClusterLayout::Item* const master = state.follows == kNoEntity ? nullptr : layout.find(state.follows);
    if (!master || master == &replica || replica.watcher) return;
    const bool broken = state.life == Life::Dead || stateOf(context, state.follows).life == Life::Dead;
    const double direction = replica.box.center().x() > master->box.center().x() ? 1 : -1;
    const QPointF from(master->box.center().x() + direction * master->box.width() / 4, master->box.top() - 2);
    const QPointF to(replica.box.center().x() - direction * replica.box.width() / 4, replica.box.top() - 3);
    const double rise = 24;
    QPainterPath path(from);
    path.cubicTo(from - QPointF(0, rise), to - QPointF(0, rise), to);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(broken ? QPen(color(Role::Fault), 1.25, Qt::DashLine) : QPen(color(Role::Accepted), 1.75));
    painter.drawPath(path);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(broken ? Role::Fault : Role::Accepted));
    painter.drawPolygon(QPolygonF{to + QPointF(0, 2), to + QPointF(-4, -6), to + QPointF(4, -6)});
    if (state.lag < 0 || state.lagUnit == trace::LagUnit::Bytes) return;
    const QString words = Words::tr("lag %1").arg(duration(Nanos(state.lag)));
    painter.setFont(uiFont(-2, QFont::DemiBold));
    QRectF ground(0, 0, painter.fontMetrics().horizontalAdvance(words) + 10, painter.fontMetrics().height() + 1);
    // Beside the arrow's tip: two arrows of one master do not meet there.
    ground.moveCenter(QPointF(to.x() + direction * (ground.width() / 2 + 8), to.y() - 12));
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(Role::SurfaceSunken));
    painter.drawRoundedRect(ground, 4, 4);
    painter.setPen(color(broken ? Role::FaultText : Role::AcceptedText));
    painter.drawText(ground, Qt::AlignCenter, words);
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
    line(Qt::AlignLeft | Qt::AlignBottom, dead     ? Words::tr("dead")
                                          : paused ? Words::tr("paused")
                                                   : watcherWords(context, watcher.entity));
}

} // namespace lockscope::views
