// SPDX-License-Identifier: Apache-2.0
// A server in words, as far as it tells of itself.
#include "inspect/lock_report.h"
#include "inspect/server_line.h"
#include "inspect/text.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <climits>

namespace lockscope::inspect {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(ServerWords)
};

constexpr qsizetype kShownOfId = 8; ///< enough of a run id to tell servers apart

QString replicaText(const ReplicaState& replica) {
    const QString address = readable(replica.address);
    if (!replica.inStep) return Text::tr("%1 not in step").arg(address);
    if (replica.behind < 0) return address;
    //: A replica's address, and how much of the master's changes it has not confirmed.
    return Text::tr("%1 (%2 behind)").arg(address, QLocale().formattedDataSize(replica.behind));
}

} // namespace

QString roleText(const ServerIdentity& server) {
    using Role = ServerIdentity::Role;
    switch (server.role) {
    case Role::Master:
        return Text::tr("master");
    case Role::Replica:
        return server.master.isEmpty() ? Text::tr("replica") : Text::tr("replica of %1").arg(readable(server.master));
    case Role::Leader:
        return Text::tr("leader");
    case Role::Follower:
        return Text::tr("follower");
    case Role::Observer:
        return Text::tr("observer");
    case Role::Learner:
        return Text::tr("learner");
    case Role::Alone:
        return Text::tr("the only server");
    case Role::Unknown:
        break;
    }
    return Text::tr("role not known");
}

const char* nameOf(ServerIdentity::Role role) {
    using Role = ServerIdentity::Role;
    switch (role) {
    case Role::Master:
        return "master";
    case Role::Replica:
        return "replica";
    case Role::Leader:
        return "leader";
    case Role::Follower:
        return "follower";
    case Role::Observer:
        return "observer";
    case Role::Learner:
        return "learner";
    case Role::Alone:
        return "standalone";
    case Role::Unknown:
        break;
    }
    return "";
}

QString joinedParts(const QStringList& parts) {
    QStringList told = parts;
    told.removeAll(QString());
    return told.join(QStringLiteral(" · "));
}

QString ServerLine::text() const {
    return joinedParts({address, role, state});
}

QStringList textsOf(const std::vector<ServerLine>& servers) {
    QStringList texts;
    for (const ServerLine& server : servers)
        texts << server.text();
    return texts;
}

QString textOf(const WatchedServerState& server) {
    return lineOf(server).text();
}

ServerLine lineOf(const WatchedServerState& server) {
    ServerLine line{.address = readable(server.address)};
    if (!server.trouble.isEmpty()) {
        line.state = Text::tr("not known: %1").arg(server.trouble);
        return line;
    }
    if (!server.identity) {
        line.role = Text::tr("role not known");
        return line;
    }
    const ServerIdentity& its = *server.identity;
    // Some kinds of servers have no roles.
    if (its.role != ServerIdentity::Role::Unknown || its.mode != ServerIdentity::Mode::Unknown)
        line.role = roleText(its);
    QStringList parts;
    //: Of a cluster's node: the numbers of the slots that it has.
    if (!its.slotRanges.isEmpty()) parts << Text::tr("slots %1").arg(readable(its.slotRanges));
    if (!its.runId.isEmpty()) parts << Text::tr("run id %1…").arg(readable(its.runId.left(kShownOfId)));
    if (its.behind >= 0)
        //: Of a replica: how much of its master's changes its data lack.
        parts << Text::tr("%1 behind").arg(QLocale().formattedDataSize(its.behind));
    if (its.behindSeconds >= 0)
        //: Of a database that is a replica: the age of what it shows, in seconds.
        parts << Text::tr("%1 s behind").arg(its.behindSeconds);
    if (its.entriesBehind >= 0)
        //: Of an etcd's follower: how many entries of the cluster's log it has not applied yet.
        parts << Text::tr("%n entry(ies) behind", nullptr, int(std::min<std::int64_t>(its.entriesBehind, INT_MAX)));
    const bool namesReplicas = its.mode != ServerIdentity::Mode::Unknown || !its.replicas.empty(); // else nobody asked
    if (its.role == ServerIdentity::Role::Master && namesReplicas) {
        QStringList replicas;
        for (const ReplicaState& replica : its.replicas)
            replicas << replicaText(replica);
        parts << (replicas.isEmpty() ? Text::tr("no replica")
                                     : Text::tr("replicas: %1").arg(replicas.join(QStringLiteral(", "))));
    }
    if (its.persistence == "none")
        parts << Text::tr("nothing outlives a restart");
    else if (!its.persistence.isEmpty())
        //: The ways in which a Redis keeps its data on disk: "rdb", "aof", "rdb+aof".
        parts << Text::tr("persistence %1").arg(readable(its.persistence));
    if (!its.evicts.isEmpty()) parts << Text::tr("eviction %1").arg(readable(its.evicts));
    line.state = joinedParts(parts);
    return line;
}

} // namespace lockscope::inspect
