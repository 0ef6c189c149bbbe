// SPDX-License-Identifier: Apache-2.0
// A simulated ZooKeeper, and clients that reach it by the wire that production's connections use.
#pragma once
#include "sim/zookeeper/service.h"
#include "sim/zookeeper/wire.h"
#include "simulated_ground.h"

namespace lockscope::tests {

struct ZooKeeperGroup : SimulatedGround {
    using Kind = zookeeper::Error::Kind;
    using Mode = zookeeper::NodeMode;

    std::unique_ptr<sim::ZkService> service;

    /// A client process.
    struct Process {
        std::unique_ptr<VirtualRuntime> runtime;
        trace::EntityId entity = trace::kNoEntity;
        std::unique_ptr<zookeeper::Client> wire;
        const zookeeper::Session& session() const { return wire->session(); }
    };
    std::vector<std::unique_ptr<Process>> processes;

    static sim::ZkService::Settings settings(int servers, sim::ZkSettings ensemble = {}) {
        sim::ZkService::Settings settings;
        settings.ids.clear();
        for (int i = 1; i <= servers; ++i)
            settings.ids.push_back("zk-" + QByteArray::number(i));
        settings.ensemble = ensemble;
        settings.ensemble.extendedTypes = true;
        return settings;
    }
    /// The times of the servers on which the behaviours were tried.
    static sim::ZkSettings quick(Nanos tick = 500ms, int syncLimit = 4) {
        sim::ZkSettings quick;
        quick.tick = tick;
        quick.syncLimit = syncLimit;
        quick.longestSession = 60s;
        return quick;
    }
    explicit ZooKeeperGroup(const sim::ZkService::Settings& settings, std::uint64_t seed = 1)
        : service(std::make_unique<sim::ZkService>(grounds, settings, seed, owner())) {}
    explicit ZooKeeperGroup(int servers = 1, std::uint64_t seed = 1)
        : ZooKeeperGroup(settings(servers, quick()), seed) {}
    ~ZooKeeperGroup() {
        for (const auto& process : processes)
            process->runtime->kill();
    }

    sim::ZkServer& at(std::size_t index) { return service->server(index); }
    static QString urlOptions() { return QStringLiteral("?session=4s"); }

    /// `servers`: the numbers (from 0) of those in its URL, "0,1"; empty: all.
    Process& client(const QByteArray& name, Nanos session = 4s, const QByteArray& servers = {},
                    const QString& login = {}, const QString& chroot = {}) {
        processes.push_back(std::make_unique<Process>());
        Process& process = *processes.back();
        process.entity = trace->intern(trace::EntityKind::Client, name);
        process.runtime = std::make_unique<VirtualRuntime>(scheduler, 100 + processes.size());
        QString url = service->url();
        if (!servers.isEmpty()) {
            QStringList addresses;
            for (const QByteArray& index : servers.split(','))
                addresses += QString::fromLatin1(at(index.toUInt()).id()) + QStringLiteral(":2181");
            url = QStringLiteral("zookeeper://") + addresses.join(u',');
        }
        if (!login.isEmpty()) url.insert(url.indexOf(u"//") + 2, login + u'@');
        const auto parsed = parseConnectionUrl(url + chroot);
        if (!parsed) qFatal("%s", qPrintable(parsed.error()));
        zookeeper::DriverOptions options;
        options.session = session;
        process.wire = service->diallers({process.entity}).zookeeper(*process.runtime, *parsed, options);
        return process;
    }
    auto create(Process& process, const QByteArray& path, Mode mode = Mode::Persistent, const QByteArray& data = {},
                Nanos ttl = {}) {
        return ask(process, [=](zookeeper::Port& port) { return port.create(path, data, mode, ttl); });
    }
    auto set(Process& process, const QByteArray& path, const QByteArray& data, int version = -1) {
        return ask(process, [=](zookeeper::Port& port) { return port.set(path, data, version); });
    }
    auto remove(Process& process, const QByteArray& path, int version = -1) {
        return ask(process, [=](zookeeper::Port& port) { return port.remove(path, version); });
    }
    auto get(Process& process, const QByteArray& path, std::optional<zookeeper::Watch> watch = {}) {
        return ask(process, [=](zookeeper::Port& port) { return port.get(path, watch); });
    }
    auto children(Process& process, const QByteArray& path, std::optional<zookeeper::Watch> watch = {}) {
        return ask(process, [=](zookeeper::Port& port) { return port.children(path, watch); });
    }
    auto exists(Process& process, const QByteArray& path, std::optional<zookeeper::Watch> watch = {}) {
        return ask(process, [=](zookeeper::Port& port) { return port.exists(path, watch); });
    }
    auto multi(Process& process, const std::vector<zookeeper::Op>& ops) {
        return ask(process, [=](zookeeper::Port& port) { return port.multi(ops); });
    }
    bool open(Process& process) {
        return ask(process, [](zookeeper::Port& port) { return port.connected(); }).has_value();
    }
    /// Whether a server has the node now.
    bool has(std::size_t server, const QByteArray& path) { return at(server).state().tree.find(path) != nullptr; }
    /// The events that a watch has got so far: "Deleted /a".
    QByteArrayList events(Process& process, const zookeeper::Watch& watch) {
        QByteArrayList list;
        const auto taken = std::make_shared<QByteArrayList>();
        const auto done = std::make_shared<bool>(false);
        process.runtime->spawn([&process, watch, taken, done]() -> QCoro::Task<> {
            static const char* const kNames[] = {"Created", "Deleted",   "Changed", "Children",
                                                 "Session", "Suspended", "Lost"};
            for (;;) {
                const auto event = co_await watch.next(*process.runtime, Nanos(0));
                if (!event) break;
                *taken += (QByteArray(kNames[int(event->kind)]) + ' ' + event->path).trimmed();
            }
            *done = true;
        });
        while (!*done && scheduler.runNext(scheduler.now())) {
        }
        return *taken;
    }
};

} // namespace lockscope::tests
