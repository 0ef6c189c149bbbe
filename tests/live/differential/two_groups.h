// SPDX-License-Identifier: Apache-2.0
// A master, two replicas and three Sentinels: real ones, and simulated ones, behind one face.
#pragma once
#include "sandbox/redis_sentinel.h"
#include "simulated_servers.h"

#include <random>

namespace lockscope::differential {

/// A group that Sentinels watch.
class WatchedGroup : public Group {
public:
    /// The server that most Sentinels name as the master.
    virtual int masterByWord() = 0;
};

class RealGroup final : public WatchedGroup {
public:
    explicit RealGroup(int downAfterMs) : m_group(m_runtime, options(downAfterMs)) {}
    QString start() { return test::start(m_group); }

    int connect(int server) override { return m_sessions.connect(m_group.group().at(server).port()); }
    std::optional<redis::Reply> ask(int session, const redis::Args& args) override {
        return m_sessions.ask(session, args);
    }
    void kill(int server) override { m_group.group().at(server).kill(); }
    void restart(int server) override {
        const auto started = test::run(m_group.group().at(server).start());
        if (!started) qWarning("%s", qPrintable(started.error()));
    }
    void pause(int server) override { m_group.group().at(server).pause(); }
    void resume(int server) override { m_group.group().at(server).resume(); }
    // Real servers live by real time: so much of it the story lets pass, as it does in the model.
    void advance(std::chrono::milliseconds time) override { QTest::qWait(int(time.count())); }
    int masterByWord() override {
        std::array<int, 3> votes{};
        for (int i = 0; i < m_group.count(); ++i) {
            RealClient client(m_group.port(i));
            if (!client.ok()) continue;
            const auto reply = client.ask({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", sandbox::RedisSentinels::kMaster});
            for (int s = 0; s < 3 && reply.items.size() == 2; ++s)
                votes[std::size_t(s)] += reply.items[1].text.toInt() == m_group.group().at(s).port() ? 1 : 0;
        }
        return int(std::max_element(votes.begin(), votes.end()) - votes.begin());
    }

private:
    static sandbox::RedisSentinelOptions options(int downAfterMs) {
        sandbox::RedisSentinelOptions options;
        options.downAfterMs = downAfterMs;
        return options;
    }
    EventLoopRuntime m_runtime;
    sandbox::RedisSentinels m_group;
    RealSessions m_sessions;
};

class SimulatedSide final : public SimulatedServers<WatchedGroup> {
public:
    SimulatedSide(int downAfterMs, std::uint64_t seed) : SimulatedServers(settings(downAfterMs), seed, 12s) {}

    int masterByWord() override {
        std::array<int, 3> votes{};
        for (std::size_t i = 0; i < 3; ++i) {
            const auto reply =
                m_group.ask(m_group.service->sentinel(i), {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main"});
            for (std::size_t s = 0; s < 3 && reply.items.size() == 2; ++s)
                votes[s] += reply.items[0].text == m_group.at(s).id() ? 1 : 0;
        }
        return int(std::max_element(votes.begin(), votes.end()) - votes.begin());
    }

private:
    static sim::RedisService::Settings settings(int downAfterMs) {
        auto settings = tests::SimulatedGroup::settings(2, 3);
        settings.sentinel.downAfter = std::chrono::milliseconds(downAfterMs);
        settings.sentinel.failoverTimeout = 3s;
        return settings;
    }
};

} // namespace lockscope::differential
