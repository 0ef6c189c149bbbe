// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/info.h"

#include "inspect/uptime.h"
#include "ports/endpoint.h"
#include "ports/redis/cluster_keys.h"

#include <QList>
#include <algorithm>

namespace lockscope::inspect {

QByteArray lineOfInfo(const QByteArray& info, const QByteArray& name) {
    for (const QByteArray& line : info.split('\n'))
        if (line.startsWith(name + ':')) return line.mid(name.size() + 1).trimmed();
    return {};
}

namespace {

/// "slave0:ip=127.0.0.1,port=7002,state=online,offset=1240,lag=1"
std::vector<ReplicaState> replicasIn(const QByteArray& infoReplication) {
    const QByteArray offset = lineOfInfo(infoReplication, "master_repl_offset");
    std::vector<ReplicaState> replicas;
    for (const QByteArray& line : infoReplication.split('\n')) {
        const qsizetype colon = line.indexOf(':');
        bool number = false;
        (void)line.mid(5, colon - 5).toInt(&number);
        if (colon < 0 || !line.startsWith("slave") || !number) continue; // "slave_repl_offset:" is another line
        QByteArray host, port, state, confirmed;
        for (const QByteArray& field : line.mid(colon + 1).trimmed().split(',')) {
            const qsizetype sign = field.indexOf('=');
            const QByteArray name = field.left(sign), value = field.mid(sign + 1);
            if (name == "ip") host = value;
            if (name == "port") port = value;
            if (name == "state") state = value;
            if (name == "offset") confirmed = value;
        }
        ReplicaState replica;
        replica.address = Endpoint{QString::fromUtf8(host), port.toUShort()}.display().toUtf8();
        replica.inStep = state == "online";
        if (!offset.isEmpty() && !confirmed.isEmpty())
            replica.behind = std::max<std::int64_t>(offset.toLongLong() - confirmed.toLongLong(), 0);
        replicas.push_back(std::move(replica));
    }
    return replicas;
}

std::int64_t callsIn(const QByteArray& infoCommandStats, const char* command) {
    const QByteArray stats = lineOfInfo(infoCommandStats, command); // "calls=2,usec=…"
    if (!stats.startsWith("calls=")) return 0;
    return std::clamp<qint64>(stats.mid(6, stats.indexOf(',') - 6).toLongLong(), 0, INT64_MAX / 4);
}

} // namespace

ServerIdentity identityFrom(const QByteArray& infoServer, const QByteArray& infoReplication) {
    ServerIdentity identity;
    identity.runId = lineOfInfo(infoServer, "run_id");
    identity.version = lineOfInfo(infoServer, "redis_version");
    const qint64 uptime = lineOfInfo(infoServer, "uptime_in_seconds").toLongLong();
    identity.uptime = uptimeOf(uptime);
    using Mode = ServerIdentity::Mode;
    const QByteArray mode = lineOfInfo(infoServer, "redis_mode");
    identity.mode = mode == "cluster"      ? Mode::Cluster
                    : mode == "sentinel"   ? Mode::Sentinel
                    : mode == "standalone" ? Mode::Standalone
                                           : Mode::Unknown;
    identity.replicationId = lineOfInfo(infoReplication, "master_replid");
    const QByteArray role = lineOfInfo(infoReplication, "role");
    if (role == "master") {
        identity.role = ServerIdentity::Role::Master;
        identity.replicas = replicasIn(infoReplication);
    }
    if (role == "slave") {
        identity.role = ServerIdentity::Role::Replica;
        identity.master = lineOfInfo(infoReplication, "master_host") + ':' + lineOfInfo(infoReplication, "master_port");
    }
    return identity;
}

bool ClusterNode::owns(int slot) const {
    return std::ranges::any_of(slotsFromTo,
                               [slot](const auto& range) { return range.first <= slot && slot <= range.second; });
}

std::vector<ClusterNode> clusterNodesIn(const QByteArray& clusterNodes) {
    constexpr int kSlotsFrom = 8; // id, address, flags, master, ping, pong, epoch, link state, then slots
    std::vector<ClusterNode> nodes;
    for (const QByteArray& line : clusterNodes.split('\n')) {
        const QList<QByteArray> words = line.trimmed().split(' ');
        if (words.size() < kSlotsFrom) continue;
        ClusterNode node;
        const QByteArray address = words[1].left(words[1].indexOf('@')); // "host:port@bus,name"
        const auto at = endpointOf(QString::fromUtf8(address));
        if (!at) continue;
        node.at = *at;
        const QList<QByteArray> flags = words[2].split(',');
        node.myself = flags.contains("myself");
        node.master = flags.contains("master");
        QByteArrayList ranges;
        for (const QByteArray& range : words.mid(kSlotsFrom)) {
            if (range.startsWith('[')) continue; // a slot on its way: it stands among the others, too, while it is here
            const qsizetype dash = range.indexOf('-');
            bool begins = false, ends = true;
            const int from = range.left(dash < 0 ? range.size() : dash).toInt(&begins);
            const int to = dash < 0 ? from : range.mid(dash + 1).toInt(&ends);
            if (!begins || !ends || from < 0 || to < from || to >= kClusterSlots) continue; // no slots that there are
            node.slotsFromTo.emplace_back(from, to);
            node.slots += to - from + 1;
            ranges << range;
        }
        node.slotRanges = ranges.join(' ');
        nodes.push_back(std::move(node));
    }
    return nodes;
}

std::int64_t flushesIn(const QByteArray& infoCommandStats) {
    return callsIn(infoCommandStats, "cmdstat_flushall") + callsIn(infoCommandStats, "cmdstat_flushdb");
}

std::int64_t swapsIn(const QByteArray& infoCommandStats) {
    return callsIn(infoCommandStats, "cmdstat_swapdb");
}

} // namespace lockscope::inspect
