// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/distributed_lock.h"
#include "recipes/redis/redis_recipe.h"
#include "runtime/virtual_runtime.h"
#include "sim/redis_server.h"
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
              link(world.network.between(entity, world.node.entity())),
              runtime(world.scheduler, qHash(name)),
              uuid(runtime.randomUuid()),
              wire(world.grounds, world.node, runtime, {entity, thread}) {
            world.threads[uuid] = thread;
        }
        ~Process() { runtime.kill(); }
        Process(const Process&) = delete;
        Process& operator=(const Process&) = delete;
        trace::EntityId entity, thread;
        sim::Network::Link& link;
        VirtualRuntime runtime;
        QByteArray uuid;
        sim::RedisWire wire;
        std::shared_ptr<recipes::Doubts> doubts = std::make_shared<recipes::Doubts>();
    };

    VirtualScheduler scheduler;
    scenario::Network wires;
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    trace::Recorder recorder{trace, [this] { return scheduler.now(); }};
    sim::Network network{scheduler, trace, wires, 1};
    sim::Grounds grounds{scheduler, recorder, network};
    std::map<QByteArray, trace::EntityId> threads;
    sim::RedisServer node{grounds, "redis-1", 1};
    sim::RedisRecord record{scheduler, recorder, node.entity(),
                            [this](const inspect::Party& party) { return threads[party.client]; }};
    sim::RedisEngine::SessionId admin = node.connect({});

    explicit LockWorld(const QByteArray& lock, scenario::Network settings = {{100us, 200us}, 0}) : wires(settings) {
        record.decidedBy({&node});
        record.watch(lock, {lock});
    }

    std::unique_ptr<DistributedLock> lock(Process& process, const QByteArray& recipe, const QByteArray& name,
                                          HoldOptions options = {}) {
        return std::make_unique<DistributedLock>(
            LockClient{process.runtime, process.uuid, &recorder, process.entity},
            recipes::makeRedisRecipe(recipe, {process.wire, name, process.uuid, {}, process.doubts}), options,
            record.lockEntity(name));
    }
    /// The server's answer to an operator.
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
