// SPDX-License-Identifier: Apache-2.0
#include "sim/stream.h"

#include "sim/peer_message.h"

#include <utility>

namespace lockscope::sim {

namespace {
constexpr Nanos kRetransmit = 200ms;
}

Stream::Stream(Grounds grounds, Server& from, Server& to)
    : m_state(std::make_shared<State>(State{grounds, from, to, {}, from.crashes()})) {
}

void Stream::write(Work work, Nanos lag, const char* what) {
    const Nanos now = m_state->grounds.scheduler.now();
    const Nanos before = m_state->unsent.empty() ? now : m_state->unsent.back().leaves;
    m_state->unsent.push_back({std::max(before, laterBy(now, lag)), std::move(work), what});
    if (!m_state->armed) pump(m_state);
}

void Stream::drop() {
    m_state->dropped = true;
    m_state->unsent.clear();
}

/// The call that goes on with what could not leave. If the world ends before it, the data go, too: they may hold the
/// stream that they wait in.
struct Stream::Wake {
    std::shared_ptr<State> state;
    explicit Wake(std::shared_ptr<State> s) : state(std::move(s)) {}
    Wake(Wake&&) = default;
    Wake& operator=(Wake&&) = delete;
    ~Wake() {
        if (state) std::exchange(state->unsent, {}).clear();
    }
    void operator()() {
        const std::shared_ptr<State> now = std::exchange(state, nullptr);
        now->armed = false;
        pump(now);
    }
};

void Stream::arm(const std::shared_ptr<State>& state, Nanos at) {
    state->armed = true;
    state->grounds.scheduler.at(at, Wake(state));
}

void Stream::pump(const std::shared_ptr<State>& state) {
    State& s = *state;
    if (s.from.crashes() != s.crashes) s.unsent.clear(); // what had not left went with the machine's power
    if (!s.link) s.link = &s.grounds.network.between(s.from.entity(), s.to.entity());
    Network::Link& link = *s.link;
    while (!s.unsent.empty()) {
        const Nanos now = s.grounds.scheduler.now();
        Unsent& next = s.unsent.front();
        if (next.leaves > now) return arm(state, next.leaves);
        const auto arrival = s.grounds.network.carry(link, link.wayFrom(s.from.entity()));
        if (next.what && (arrival || !std::exchange(next.failed, true)))
            tellMessage(s.grounds, s.from.entity(), s.to.entity(), arrival, next.what);
        if (!arrival) return arm(state, laterBy(now, kRetransmit));
        s.grounds.scheduler.at(*arrival, [state, work = std::move(next.work)]() mutable {
            if (!state->dropped) state->to.arrive(std::move(work));
        });
        s.unsent.pop_front();
    }
}

} // namespace lockscope::sim
