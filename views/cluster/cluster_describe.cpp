// SPDX-License-Identifier: GPL-3.0-or-later
// The items of the picture in words.
#include "cluster/cluster_paint.h"
#include "cluster/cluster_panel.h"
#include "theme/format.h"
#include "trace/client_name.h"
#include "trace/member.h"
#include "trace/text.h"

namespace lockscope::views {

using trace::EntityId;
using trace::EntityKind;
using trace::kNoEntity;

QString ClusterPanel::describe(const ClusterLayout::Item& item) const {
    const auto trace = m_context->trace();
    const QString name =
        item.kind == EntityKind::Client ? trace::clientName(*trace, item.entity) : trace->displayName(item.entity);
    const trace::State& state = m_context->state();
    const Looks looks(*m_context);
    using Life = trace::ClientState::Life;
    if (item.kind == EntityKind::Client) {
        const ClientLook look = looks.of(item.entity);
        QStringList all{tr("client %1: %2").arg(name, clientWords(look, m_context->playhead()))};
        if (const QString session = sessionWords(look); !session.isEmpty()) all += session;
        for (const ClientServers::Stay& stay : serversOf(item.entity)) {
            const QString server = trace->displayName(stay.server);
            all += stay.before == kNoEntity
                       ? tr("connected with %1").arg(server)
                       : tr("connected with %1 since %2, before with %3")
                             .arg(server, instantShort(*trace, stay.since), trace->displayName(stay.before));
        }
        return all.join(QStringLiteral(", "));
    }
    if (item.kind == EntityKind::Node) {
        const auto found = state.nodes.find(item.entity);
        const Life life = found == state.nodes.end() ? Life::Unknown : found->second.life;
        const bool away = isAway(*m_context, item.entity);
        const QString words = tr("server %1: %2")
                                  .arg(name, life == Life::Dead           ? tr("dead", "a server")
                                             : away                       ? awayWords(*m_context, item.entity)
                                             : life == Life::Paused       ? tr("paused")
                                             : life == Life::Unknown      ? tr("not seen yet")
                                             : looks.inSight(item.entity) ? tr("running")
                                                                          : tr("out of sight"));
        const QString role = life == Life::Dead ? QString() : nodeRoleWords(*m_context, item.entity);
        QStringList all{words};
        if (const QString why = away ? awayReason(*m_context, item.entity) : QString(); !why.isEmpty()) all += why;
        if (!role.isEmpty()) all += role;
        if (const QByteArray has = m_slots.of(item.entity, m_context->playhead(), *trace); !has.isEmpty())
            //: Of a cluster's server: the numbers of its slots, such as "448 5461-5470".
            all += tr("slots %1").arg(trace::readable(has));
        const bool told = found != state.nodes.end() && found->second.lag >= 0 && !away;
        if (told && found->second.lagUnit == trace::LagUnit::Bytes && found->second.follows != kNoEntity)
            all += behindWords(found->second.lag);
        if (trace::isMember(*trace, item.entity) && !away && looks.heldOn(item.entity) > 0)
            all += nodeWords(*m_context, item.entity, looks);
        if (found != state.nodes.end() && found->second.poolExhausted)
            all += tr("the pool of its clients is exhausted");
        if (found != state.nodes.end() && found->second.diskStalled) all += tr("its disk stalls");
        return all.join(QStringLiteral(", "));
    }
    const auto found = state.links.find(item.entity);
    const trace::LinkState link = found == state.links.end() ? trace::LinkState{} : found->second;
    QStringList words;
    // Both names: an arrow tells a reader of the screen nothing.
    const trace::Entity& ends = trace->entity(item.entity);
    const bool back = link.ways == trace::CutWays::Back;
    if (link.cut && link.ways == trace::CutWays::Both) words += tr("cut");
    if (link.cut && link.ways != trace::CutWays::Both)
        words += tr("nothing comes from %1 to %2")
                     .arg(trace->displayName(back ? ends.other : ends.parent),
                          trace->displayName(back ? ends.parent : ends.other));
    if (link.extraLatency) words += tr("%1 slower").arg(duration(Nanos(link.extraLatency)));
    if (link.replyLossArmed) words += tr("the next reply will be lost");
    if (link.pushLossArmed) words += tr("the next message will be lost");
    if (link.repeatArmed) words += tr("the next request will be done twice");
    return tr("link %1: %2").arg(name, words.isEmpty() ? tr("whole") : words.join(QStringLiteral(", ")));
}

} // namespace lockscope::views
