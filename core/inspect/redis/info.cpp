// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/info.h"

#include <QList>

namespace lockscope::inspect {

QByteArray lineOfInfo(const QByteArray& info, const QByteArray& name) {
    for (const QByteArray& line : info.split('\n'))
        if (line.startsWith(name + ':')) return line.mid(name.size() + 1).trimmed();
    return {};
}

ServerIdentity identityFrom(const QByteArray& infoServer, const QByteArray& infoReplication) {
    ServerIdentity identity;
    identity.runId = lineOfInfo(infoServer, "run_id");
    identity.version = lineOfInfo(infoServer, "redis_version");
    identity.uptime = std::chrono::seconds(lineOfInfo(infoServer, "uptime_in_seconds").toLongLong());
    using Mode = ServerIdentity::Mode;
    const QByteArray mode = lineOfInfo(infoServer, "redis_mode");
    identity.mode = mode == "cluster"      ? Mode::Cluster
                    : mode == "sentinel"   ? Mode::Sentinel
                    : mode == "standalone" ? Mode::Standalone
                                           : Mode::Unknown;
    identity.replicationId = lineOfInfo(infoReplication, "master_replid");
    const QByteArray role = lineOfInfo(infoReplication, "role");
    if (role == "master") identity.role = ServerIdentity::Role::Master;
    if (role == "slave") {
        identity.role = ServerIdentity::Role::Replica;
        identity.master = lineOfInfo(infoReplication, "master_host") + ':' + lineOfInfo(infoReplication, "master_port");
    }
    return identity;
}

int slotsOfMyself(const QByteArray& clusterNodes) {
    constexpr int kSlotsFrom = 8; // id, address, flags, master, ping, pong, epoch, link state, then slots
    for (const QByteArray& line : clusterNodes.split('\n')) {
        const QList<QByteArray> words = line.trimmed().split(' ');
        if (words.size() < kSlotsFrom || !words[2].split(',').contains("myself")) continue;
        int slots = 0;
        for (const QByteArray& range : words.mid(kSlotsFrom)) {
            if (range.startsWith('[')) continue; // a slot on its way: it stands among the others, too, while it is here
            const qsizetype dash = range.indexOf('-');
            slots += dash < 0 ? 1 : range.mid(dash + 1).toInt() - range.left(dash).toInt() + 1;
        }
        return slots;
    }
    return -1;
}

std::int64_t flushesIn(const QByteArray& infoCommandStats) {
    std::int64_t calls = 0;
    for (const char* command : {"cmdstat_flushall", "cmdstat_flushdb"}) {
        const QByteArray stats = lineOfInfo(infoCommandStats, command); // "calls=2,usec=…"
        if (stats.startsWith("calls=")) calls += stats.mid(6, stats.indexOf(',') - 6).toLongLong();
    }
    return calls;
}

} // namespace lockscope::inspect
