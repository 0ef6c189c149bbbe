// SPDX-License-Identifier: Apache-2.0
// Simulated memcached servers, and clients that reach them by the wire that production's connections use.
#pragma once
#include "sim/memcached/service.h"
#include "sim/memcached/wire.h"
#include "simulated_ground.h"

namespace lockscope::tests {

struct MemcachedGroup : SimulatedGround {
    using Kind = sim::MemcachedCommand::Kind;
    using Command = sim::MemcachedCommand;
    std::unique_ptr<sim::MemcachedService> service;

    /// A client process, with a way to the first server.
    struct Process {
        std::unique_ptr<VirtualRuntime> runtime;
        trace::EntityId entity = trace::kNoEntity;
        std::unique_ptr<memcached::Client> wire;
        std::shared_ptr<sim::MemcachedLine> line; ///< another connection, for commands that no recipe sends
    };
    std::vector<std::unique_ptr<Process>> processes;

    explicit MemcachedGroup(int servers = 1, sim::MemcachedStore::Settings store = {}, std::uint64_t seed = 1) {
        sim::MemcachedService::Settings settings;
        settings.ids.clear();
        for (int i = 1; i <= servers; ++i)
            settings.ids.push_back("memcached-" + QByteArray::number(i));
        settings.store = store;
        service = std::make_unique<sim::MemcachedService>(grounds, settings, seed, owner());
    }
    ~MemcachedGroup() {
        for (const auto& process : processes)
            process->runtime->kill();
    }
    static QString urlOptions() { return {}; }

    sim::MemcachedServer& at(std::size_t index = 0) { return service->server(index); }

    Process& client(const QByteArray& name) {
        processes.push_back(std::make_unique<Process>());
        Process& process = *processes.back();
        process.entity = trace->intern(trace::EntityKind::Client, name);
        process.runtime = std::make_unique<VirtualRuntime>(scheduler, 100 + processes.size());
        const auto url = parseConnectionUrl(QStringLiteral("memcached://memcached-1:11211"));
        process.wire = service->diallers({process.entity}).memcached(*process.runtime, *url);
        process.line =
            std::make_shared<sim::MemcachedLine>(grounds, &at(), *process.runtime, process.entity,
                                                 QStringLiteral("memcached-1:11211"), sim::MemcachedLine::Settings());
        return process;
    }
    /// The answers to commands in one packet, as lines; an item as "VALUE <value> <number>".
    QByteArrayList tell(Process& process, const std::vector<Command>& commands) {
        const auto answer =
            ask(process, [&](memcached::Client&) { return sim::MemcachedLine::ask(process.line, commands, {}); });
        if (!answer) return {answer.error().message.toUtf8()};
        QByteArrayList lines;
        for (const sim::MemcachedReply& reply : *answer) {
            if (reply.item)
                lines += "VALUE " + reply.item->value + ' ' + QByteArray::number(quint64(reply.item->mark.unique));
            else
                lines += reply.line();
        }
        return lines;
    }
    QByteArray tell(Process& process, const Command& command) {
        return tell(process, std::vector<Command>{command}).front();
    }
    QByteArray set(Process& process, const QByteArray& key, const QByteArray& value, std::int64_t expiry = 0) {
        return tell(process, Command{Kind::Set, key, value, expiry});
    }
    QByteArray add(Process& process, const QByteArray& key, const QByteArray& value, std::int64_t expiry = 0) {
        return tell(process, Command{Kind::Add, key, value, expiry});
    }
    QByteArray cas(Process& process, const QByteArray& key, const QByteArray& value, std::uint64_t unique,
                   std::int64_t expiry = 0) {
        return tell(process, Command{Kind::CompareAndSet, key, value, expiry, unique});
    }
    QByteArray get(Process& process, const QByteArray& key) { return tell(process, Command{Kind::Get, key}); }
    /// The number of an item; 0: there is none.
    std::uint64_t number(const QByteArray& key) {
        const auto* const item = at().find(key);
        return item ? item->unique : 0;
    }
    /// Runs to shortly after the server's clock has ticked.
    void tick(int times = 1) {
        const auto second = at().clock() + times;
        scheduler.runUntil(at().beginningOf(second) + 1ms);
    }
};

} // namespace lockscope::tests
