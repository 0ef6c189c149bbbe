// SPDX-License-Identifier: Apache-2.0
// A simulated Redis service driven command by command.
#pragma once
#include "sim/redis_service.h"

#include <QTest>

namespace lockscope::tests {

struct SimulatedGroup {
    VirtualScheduler scheduler;
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    trace::Recorder recorder{trace, [this] { return scheduler.now(); }};
    sim::Network network{scheduler, trace, {{50us, 150us}, 0}, 1, sim::Network::Streams::PerLink};
    sim::Grounds grounds{scheduler, recorder, network};
    std::unique_ptr<sim::RedisService> service;

    /// A connection, and what came over it.
    struct Session {
        sim::RespServer* server = nullptr;
        sim::RespServer::SessionId id = 0;
        bool cut = false;
        std::vector<QByteArray> heard; ///< "channel payload"
    };
    std::vector<std::unique_ptr<Session>> sessions;

    static sim::RedisService::Settings settings(int replicas, int sentinels = 0) {
        sim::RedisService::Settings settings;
        settings.shape = sim::RedisShape::Sentinel;
        settings.ids.clear();
        for (int i = 1; i <= replicas + 1; ++i)
            settings.ids.push_back("redis-" + QByteArray::number(i));
        for (int i = 1; i <= sentinels; ++i)
            settings.sentinelIds.push_back("sentinel-" + QByteArray::number(i));
        settings.replication.fullSync = Nanos(0);
        return settings;
    }
    explicit SimulatedGroup(const sim::RedisService::Settings& settings, std::uint64_t seed = 1) {
        service = std::make_unique<sim::RedisService>(grounds, settings, seed, [this](const inspect::Party& party) {
            return trace->intern(trace::EntityKind::Thread, party.client);
        });
        run(100ms);
    }
    sim::RedisServer& at(std::size_t index) { return service->redis(index); }
    void run(Nanos time) { scheduler.runUntil(scheduler.now() + time); }

    Session& connect(sim::RespServer& server) {
        sessions.push_back(std::make_unique<Session>());
        Session* const session = sessions.back().get();
        session->server = &server;
        session->id = server.connect({trace::kNoEntity,
                                      [session](const sim::RedisEngine::Push& push) {
                                          session->heard.push_back(push.channel + ' ' + push.payload);
                                      },
                                      [session] { session->cut = true; }});
        return *session;
    }
    /// Sends a command; the answer appears when there is one.
    std::shared_ptr<std::optional<redis::Reply>> send(Session& session, redis::Args args) {
        auto answer = std::make_shared<std::optional<redis::Reply>>();
        session.server->deliver(session.id, std::move(args), [answer](redis::Reply reply) { *answer = reply; });
        return answer;
    }
    redis::Reply ask(Session& session, redis::Args args) {
        return send(session, std::move(args))->value_or(redis::Reply::error("(no answer)"));
    }
    redis::Reply ask(sim::RespServer& server, redis::Args args) { return ask(connect(server), std::move(args)); }
};

} // namespace lockscope::tests
