// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/distributed_lock.h"
#include "recipes/redis/redis_recipe.h"
#include "runtime/virtual_runtime.h"
#include "sim/redis_wire.h"

namespace lockscope::tests {

inline LockOptions leaseOf(Nanos lease, Nanos watchdog = Nanos(0)) {
    LockOptions options;
    options.lease = lease;
    options.watchdog = watchdog;
    return options;
}

/// One simulated Redis and a few client processes, for tests that drive locks by hand.
struct LockWorld {
    struct Process {
        Process(LockWorld& world, const QByteArray& name)
            : entity(world.recorder.trace().intern(trace::EntityKind::Client, name)),
              thread(world.recorder.trace().intern(trace::EntityKind::Thread, "1", entity)),
              runtime(world.scheduler, qHash(name)),
              uuid(runtime.randomUuid()),
              wire(world.scheduler, world.network, link, world.node, runtime, world.recorder, entity, thread) {
            link.entity = world.recorder.trace().intern(trace::EntityKind::Link, {}, entity, world.node.entity());
            world.threads[uuid] = thread;
        }
        ~Process() { runtime.kill(); }
        Process(const Process&) = delete;
        Process& operator=(const Process&) = delete;
        trace::EntityId entity, thread;
        sim::Network::Link link;
        VirtualRuntime runtime;
        QByteArray uuid;
        sim::RedisWire wire;
        std::shared_ptr<recipes::Doubts> doubts = std::make_shared<recipes::Doubts>();
    };

    VirtualScheduler scheduler;
    scenario::Network wires;
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    trace::Recorder recorder{trace, [this] { return scheduler.now(); }};
    sim::Network network{scheduler, wires, 1};
    std::map<QByteArray, trace::EntityId> threads;
    sim::Node node{scheduler, recorder, "redis-1", 1,
                   [this](const inspect::Party& party) { return threads[party.client]; }};
    sim::RedisEngine::SessionId admin = node.connect(
        trace::kNoEntity, [](const auto&) {}, [] {});

    explicit LockWorld(const QByteArray& lock, scenario::Network settings = {{100us, 200us}, 0}) : wires(settings) {
        node.watch(lock);
    }

    std::unique_ptr<DistributedLock> lock(Process& process, const QByteArray& recipe, const QByteArray& name,
                                          LockOptions options = {}) {
        return std::make_unique<DistributedLock>(
            LockClient{process.runtime, process.uuid, &recorder, process.entity},
            recipes::makeRedisRecipe(recipe, {process.wire, name, process.uuid, {}, process.doubts}), options,
            node.lockEntity(name));
    }
    /// What the server answers to an operator.
    redis::Reply ask(redis::Args args) {
        redis::Reply answer;
        node.deliver(admin, std::move(args), [&answer](redis::Reply reply) { answer = std::move(reply); });
        return answer;
    }
    void run(Nanos duration) { scheduler.runUntil(scheduler.now() + duration); }
    int count(trace::EventKind kind) const {
        int n = 0;
        for (std::size_t i = 0; i < trace->size(); ++i)
            n += trace->kindAt(i) == kind ? 1 : 0;
        return n;
    }
};

} // namespace lockscope::tests
