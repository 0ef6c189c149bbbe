// SPDX-License-Identifier: Apache-2.0
#include "inspect/topology_words.h"

#include "inspect/member_change.h"
#include "inspect/text.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::inspect {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(ServerWords)
};

using Role = ServerIdentity::Role;

QString mastersText(int masters, int replicas, int late) {
    QString text = masters == 1 ? Text::tr("master") : Text::tr("%n master(s)", nullptr, masters);
    //: Follows "master" or "3 masters".
    if (replicas > 0) text += Text::tr(" + %n replica(s)", nullptr, replicas);
    if (late > 0) text += Text::tr(", %n of them not in step", "replicas", late);
    return text;
}

QString quorumText(int answering, int all) {
    //: A majority of servers answers, so that they decide: %1 and %2 are numbers.
    return (answering > all / 2 ? Text::tr("quorum: %1 of %2 answer") : Text::tr("no quorum: %1 of %2 answer"))
        .arg(answering)
        .arg(all);
}

} // namespace

QString topologyText(const std::vector<WatchedServerState>& servers, bool together) {
    int answering = 0, masters = 0, replicas = 0, named = 0, late = 0, slots = 0;
    bool slotsKnown = false;
    QByteArray leader, evicts;
    for (const WatchedServerState& server : servers) {
        answering += server.trouble.isEmpty() && server.identity;
        if (!server.identity) continue;
        const ServerIdentity& its = *server.identity;
        masters += its.role == Role::Master;
        replicas += its.role == Role::Replica;
        if (its.role == Role::Leader) leader = server.address;
        if (its.role == Role::Master) {
            named += int(its.replicas.size());
            late += int(std::ranges::count(its.replicas, false, &ReplicaState::inStep));
        }
        if (its.slots >= 0) slots += its.slots, slotsKnown = true;
        if (!its.evicts.isEmpty() && its.evicts != "noeviction") evicts = its.evicts;
    }
    replicas = std::max(replicas, named);
    const int all = int(servers.size());
    QStringList parts;
    if (together) {
        if (all > 1) parts << quorumText(answering, all);
    } else if (isEnsemble(servers)) {
        if (!leader.isEmpty()) parts << Text::tr("leader %1").arg(readable(leader));
        if (all > 1) parts << quorumText(answering, all);
    } else if (masters > 1 || (masters == 1 && replicas > 0)) {
        parts << mastersText(masters, replicas, late);
    }
    if (masters > 1 && slotsKnown && slots < kClusterSlots)
        parts << Text::tr("%1 of %2 slots").arg(slots).arg(kClusterSlots);
    //: %1 is a policy of Redis: "allkeys-lru".
    if (!evicts.isEmpty()) parts << Text::tr("evicts keys: %1").arg(readable(evicts));
    return parts.join(QStringLiteral(", "));
}

} // namespace lockscope::inspect
