// SPDX-License-Identifier: Apache-2.0
// Runs with faults that are drawn at random.
#pragma once
#include "session/shared_run.h"

#include <QStringList>
#include <functional>
#include <random>
#include <set>

namespace lockscope::tests {

struct Stage {
    const char* scenario;
    const char* recipe;
    QStringList servers;
};

inline std::vector<Stage> stages() {
    const QStringList redis{u"redis-1"_qs}, three{u"redis-1"_qs, u"redis-2"_qs, u"redis-3"_qs}, sql{u"sql-1"_qs},
        etcd{u"etcd-1"_qs, u"etcd-2"_qs, u"etcd-3"_qs}, zk{u"zk-1"_qs, u"zk-2"_qs, u"zk-3"_qs};
    return {{"contention", "redis-set", redis},
            {"contention", "redis-reentrant", redis},
            {"contention", "redis-fenced", redis},
            {"contention", "redis-fair", redis},
            {"contention", "redis-redlock", three},
            {"contention", "etcd-lease", etcd},
            {"contention", "zk-mutex", zk},
            {"contention", "sql-lease", sql},
            {"contention", "sql-advisory", sql},
            {"contention", "sql-for-update", sql},
            {"replicas", "redis-set", three},
            {"replicas", "redis-fair", three},
            {"replicas", "redis-fenced", three},
            {"contention-permits", "redis-semaphore", redis},
            {"redlock-restart-fsync", "redis-redlock", three},
            {"sql-pool-exhausted", "sql-for-update", sql},
            {"sql-pool-exhausted", "sql-lease", sql}};
}

/// Some clients and servers on one side, others on the other, and which way nothing passes.
inline QString partition(const QStringList& servers, const std::function<std::uint64_t(std::uint64_t)>& below) {
    QStringList sides[2];
    for (const QString& one : QStringList{u"A"_qs, u"B"_qs, u"C"_qs} + servers)
        sides[below(2)] += one;
    for (QStringList& side : sides)
        if (side.isEmpty()) return {};
    const QStringList ways{u"%7C"_qs, u"%7C"_qs, u">"_qs, u"<"_qs};
    return sides[0].join(u"%2C"_qs) + ways[qsizetype(below(4))] + sides[1].join(u"%2C"_qs);
}

/// A run as one line of text, by the draws of that seed alone.
inline QString drawn(std::uint64_t seed) {
    std::mt19937_64 random(seed * 0x9e3779b97f4a7c15u + 1);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    const std::vector<Stage> all = stages();
    const Stage& stage = all[below(all.size())];
    QString text =
        u"%1?recipe=%2&seed=%3"_qs.arg(QLatin1String(stage.scenario), QLatin1String(stage.recipe)).arg(below(1000));
    const QStringList clients{u"A"_qs, u"B"_qs, u"C"_qs, u"holder"_qs, u"waiter"_qs};
    std::set<std::uint64_t> instants;
    for (std::uint64_t i = 0, n = 1 + below(5); i < n; ++i)
        instants.insert(2000 + below(14'000));
    for (const std::uint64_t ms : instants) {
        const QString server = stage.servers[qsizetype(below(std::uint64_t(stage.servers.size())))];
        const QString client = clients[qsizetype(below(std::uint64_t(clients.size())))];
        const QString link = client.size() == 1 ? client + u"%7C"_qs + server : u"A%7C"_qs + server;
        const QString span = u",for=%1s"_qs.arg(double(5 + below(85)) / 10);
        const QString apart = partition(stage.servers, below);
        const QString ofAll = u"A%2CB%2CC%2CD%7C"_qs + stage.servers.mid(0, qsizetype(1 + below(3))).join(u"%2C"_qs);
        const std::vector<QString> faults{u"cut-link,"_qs + apart + span,
                                          u"cut-link,"_qs + apart,
                                          u"cut-link,"_qs + ofAll + span,
                                          u"cut-link,"_qs + client + u"<"_qs + server + span,
                                          u"stall-disk,"_qs + server + span,
                                          u"stall-disk,"_qs + server,
                                          u"exhaust-pool,"_qs + server + span,
                                          u"set,deadline=ignored"_qs,
                                          u"set,on_loss=carry-on"_qs,
                                          u"pause-client,"_qs + client + span,
                                          u"kill-client,"_qs + client + span,
                                          u"hang-work,"_qs + client,
                                          u"pause-node,"_qs + server + span,
                                          u"kill-node,"_qs + server + span,
                                          u"crash-node,"_qs + server + span,
                                          u"restart-node,"_qs + server,
                                          u"restart-node-empty,"_qs + server,
                                          u"cut-link,"_qs + link + span,
                                          u"reset-link,"_qs + link,
                                          u"lose-reply,"_qs + client,
                                          u"jump-clock,"_qs + server + u",value=%1s"_qs.arg(below(2) ? 20 : -10),
                                          u"drift-clock,"_qs + server + u",value=%1s"_qs.arg(below(2) ? 0.3 : -0.3),
                                          u"flush-node,"_qs + server,
                                          u"evict-key,"_qs + server};
        const QString more =
            text + u"&do=%1s,%2"_qs.arg(QString::number(double(ms) / 1000, 'f', 3), faults[below(faults.size())]);
        if (session::readSharedText(u"lockscope:"_qs + more)) text = more; // else servers of that kind refuse it
    }
    return text;
}

} // namespace lockscope::tests
