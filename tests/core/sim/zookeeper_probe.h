// SPDX-License-Identifier: Apache-2.0
// Faults of a simulated ensemble, and a client that looks at one of its servers meanwhile.
#pragma once
#include "zookeeper_group.h"

namespace lockscope::tests {

inline QByteArray seconds(Nanos time) {
    return QByteArray::number(double(time.count()) / 1e9);
}

/// Cuts the links between a server and the others; clients reach all of them.
inline void cut(ZooKeeperGroup& g, std::size_t server, bool severed = true) {
    for (std::size_t i = 0; i < g.service->size(); ++i)
        if (i != server) g.network.between(g.at(i).entity(), g.at(server).entity()).setCut(severed);
}

/// A leader that the others follow: not the one that was cut off or is dead.
inline bool anotherLeads(ZooKeeperGroup& g, std::size_t old) {
    for (std::size_t i = 0; i < g.service->size(); ++i) {
        const bool leads = g.at(i).role() == sim::ZkRole::Leading && g.at(i).serves();
        if (i != old && leads) return true;
    }
    return false;
}

inline bool allServe(ZooKeeperGroup& g) {
    for (std::size_t i = 0; i < g.service->size(); ++i)
        if (!g.at(i).serves()) return false;
    return true;
}

/// A client that looks at one server, and the result of its latest look: a probe's view of a fault.
struct Probe {
    ZooKeeperGroup& group;
    std::shared_ptr<sim::ZkSocket> socket;
    bool open = false, ended = false;
    QByteArray seen; ///< the data of /n as seen last
    Nanos endedAt{}, answeredAt{};

    Probe(ZooKeeperGroup& g, std::size_t server, const sim::ZkGreeting& greeting = {0, 60000, 0, 0}) : group(g) {
        const auto entity = g.trace->intern(trace::EntityKind::Client, "P" + QByteArray::number(quint64(server)));
        sim::ZkServer& at = g.at(server);
        socket = std::make_shared<sim::ZkSocket>(g.grounds, g.network.between(entity, at.entity()), entity, at,
                                                 sim::ZkSocket::ClientEnd{
                                                     [this](const sim::ZkWelcome& w) { open = w.session != 0; },
                                                     [this](std::uint64_t, const sim::ZkReply& reply) {
                                                         seen = reply.data;
                                                         answeredAt = group.scheduler.now();
                                                     },
                                                     [](const sim::ZkEvent&) {},
                                                     [this] {
                                                         ended = true;
                                                         endedAt = group.scheduler.now();
                                                     },
                                                 });
        socket->greet(greeting);
        g.run(50ms);
    }
    ~Probe() { socket->close(); }
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;
    void look() {
        sim::ZkRequest request;
        request.kind = sim::ZkRequest::Kind::Get;
        request.path = "/n";
        socket->ask(1, request);
    }
    /// Looks each 20 ms until the connection ends.
    Nanos lookUntilTheEnd(Nanos limit = 30s) {
        const Nanos begun = group.scheduler.now();
        while (!ended && group.scheduler.now() - begun < limit) {
            look();
            group.run(20ms);
        }
        return ended ? endedAt - begun : kNever;
    }
};

} // namespace lockscope::tests
