// SPDX-License-Identifier: Apache-2.0
// The ground on which tests put simulated servers, and client processes that reach them by wires.
#pragma once
#include "inspect/trace_feed.h"
#include "runtime/virtual_runtime.h"
#include "sim/server.h"

#include <QTest>

namespace lockscope::tests {

struct SimulatedGround {
    VirtualScheduler scheduler;
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    trace::Recorder recorder{trace, [this] { return scheduler.now(); }};
    sim::Network network{scheduler, trace, {{50us, 150us}, 0}, 1, sim::Network::Streams::PerLink};
    sim::Grounds grounds{scheduler, recorder, network};
    std::map<QByteArray, trace::EntityId> threads; ///< by the identity that is written into records

    inspect::TraceFeed::Resolver owner() {
        return [this](const inspect::Party& party) {
            const auto known = threads.find(party.client);
            return known == threads.end() ? trace->intern(trace::EntityKind::Thread, party.client) : known->second;
        };
    }
    void run(Nanos time) { scheduler.runUntil(scheduler.now() + time); }
    /// How long it takes until that is so; kNever: longer than `limit`.
    template <typename Condition>
    Nanos until(Condition condition, Nanos limit = 60s) {
        const Nanos begun = scheduler.now();
        while (!condition() && scheduler.runNext(begun + limit)) {
        }
        return condition() ? scheduler.now() - begun : kNever;
    }
    /// Starts a call of a process's wire; its answer appears when there is one.
    template <typename Process, typename F>
    auto start(Process& process, F call) {
        using Answer = typename decltype(call(*process.wire))::value_type;
        const auto answer = std::make_shared<std::optional<Answer>>();
        process.runtime->spawn([&process, call, answer]() -> QCoro::Task<> {
            Answer got = co_await call(*process.wire);
            answer->emplace(std::move(got));
        });
        return answer;
    }
    /// Runs until the call has its answer.
    template <typename Process, typename F>
    auto ask(Process& process, F call, Nanos limit = 60s) {
        const auto answer = start(process, call);
        const Nanos end = scheduler.now() + limit;
        while (!*answer && scheduler.runNext(end)) {
        }
        if (!*answer) qFatal("no answer at all");
        return std::move(**answer);
    }
};

} // namespace lockscope::tests
