// SPDX-License-Identifier: GPL-3.0-or-later
// The copies of a lock that several servers keep, a line each.
#include "locks/lock_detail_panel.h"
#include "models/lock_facts.h"
#include "theme/format.h"

namespace lockscope::views {

QStringList LockDetailPanel::copyLines(trace::EntityId lock) const {
    QStringList lines;
    const auto trace = m_context->trace();
    const trace::State& state = m_context->state();
    const auto whole = state.records.find(lock);
    for (const trace::EntityId id : m_context->copiesOf(lock)) {
        const auto record = state.records.find(id);
        if (record == state.records.end()) continue;
        const trace::Record& copy = record->second;
        const trace::EntityId node = trace->entity(id).parent;
        const auto server = state.nodes.find(node);
        const bool dead = server != state.nodes.end() && server->second.life == trace::ClientState::Life::Dead;
        const bool decides = whole != state.records.end() && whole->second.decider == node;
        if (dead) {
            lines += tr("%1  dead since %2")
                         .arg(trace->displayName(node), instantShort(*trace, Nanos(server->second.since)));
            continue;
        }
        QString words = tr("free");
        // Where a leader ends leases, none ends without one.
        const QByteArray role = server == state.nodes.end() ? QByteArray() : trace->entity(server->second.role).name;
        const bool waitsForALeader = whole != state.records.end() && whole->second.deciders == 0 &&
                                     (role == "follower" || role == "looking" || role == "leader");
        if (!copy.observed) {
            words = unknown();
        } else if (copy.owner != trace::kNoEntity) {
            words = namesOf({copy.owner}, *trace);
            if (copy.deadline >= 0 && !waitsForALeader)
                words =
                    tr("%1, %2 left")
                        .arg(words, duration(std::max(Nanos(copy.deadline) - m_context->playhead(), Nanos::zero())));
        }
        //: A server's copy of a lock: %1 the server, %2 what the copy is, %3 who holds it there.
        lines += tr("%1  %2: %3").arg(trace->displayName(node), decides ? tr("decides") : tr("a copy"), words);
    }
    return lines;
}

} // namespace lockscope::views
