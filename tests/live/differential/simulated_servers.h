// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "server_group.h"
#include "simulated_group.h"

namespace lockscope::differential {

/// Simulated Redis servers behind a face that real ones have, too. `Face`: Group, or what a test needs besides.
template <typename Face>
class SimulatedServers : public Face {
public:
    int connect(int server) override {
        m_sessions.push_back(&m_group.connect(m_group.at(std::size_t(server))));
        return int(m_sessions.size()) - 1;
    }
    std::optional<redis::Reply> ask(int session, const redis::Args& args) override {
        constexpr int kPatience = 400; // looks at the clock, 2 s
        auto& end = *m_sessions[std::size_t(session)];
        if (end.cut || end.id == 0) return std::nullopt;
        const auto answer = m_group.send(end, args);
        for (int i = 0; i < kPatience && !*answer && !end.cut; ++i)
            m_group.run(5ms);
        return *answer;
    }
    void kill(int server) override { m_group.at(std::size_t(server)).kill(); }
    void restart(int server) override { m_group.at(std::size_t(server)).start(); }
    void pause(int server) override { m_group.at(std::size_t(server)).pause(); }
    void resume(int server) override { m_group.at(std::size_t(server)).resume(); }
    void advance(std::chrono::milliseconds time) override { m_group.run(time); }

protected:
    /// `settled`: how long the group runs before the test begins.
    SimulatedServers(sim::RedisService::Settings settings, std::uint64_t seed, std::chrono::milliseconds settled)
        : m_group(std::move(settings), seed) {
        m_group.run(settled);
    }
    tests::SimulatedGroup m_group;

private:
    std::vector<tests::SimulatedGroup::Session*> m_sessions;
};

} // namespace lockscope::differential
