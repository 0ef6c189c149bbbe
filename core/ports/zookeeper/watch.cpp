// SPDX-License-Identifier: Apache-2.0
#include "ports/zookeeper/watch.h"

#include "runtime/waits_here.h"

#include <algorithm>

namespace lockscope::zookeeper {

QCoro::Task<std::optional<WatchEvent>> Watch::next(Runtime& runtime, Nanos timeout, std::stop_token stop) const {
    const std::shared_ptr<State> state = m_state; // this handle may go away while we wait
    if (state->events.empty() || !runtime.alive() || stop.stop_requested()) {
        Waiter waiter(runtime, timeout, std::move(stop));
        const WaitsHere here(state->waiter, waiter);
        co_await waiter.end();
    }
    if (state->events.empty()) co_return std::nullopt;
    WatchEvent event = std::move(state->events.front());
    state->events.pop_front();
    co_return event;
}

Watch::State::~State() {
    if (const auto h = hub.lock()) h->forget(*this);
}

void Watch::State::tell(const WatchEvent& event) {
    const bool again = !events.empty() && events.back().kind == event.kind && events.back().path == event.path;
    if (!again) events.push_back(event);
    if (waiter) waiter->wake();
}

std::uint64_t WatchHub::add(Table table, const QByteArray& path, const Watch& watch) {
    const QByteArray key = char(table) + path;
    std::uint64_t& id = m_ids[key];
    if (id == 0) {
        id = ++m_lastId;
        m_nodes[id].key = key;
    }
    Node& node = m_nodes[id];
    ++node.looks;
    auto& watches = node.watches;
    Watch::State* const state = watch.m_state.get();
    if (std::ranges::find(watches, state) == watches.end()) {
        watches.push_back(state);
        state->nodes.push_back(id);
        state->hub = weak_from_this();
    }
    return id;
}

void WatchHub::settled(std::uint64_t id, bool set) {
    const auto node = m_nodes.find(id);
    if (node == m_nodes.end()) return;
    --node->looks;
    node->set = node->set || set;
    if (!node->set && node->looks == 0) erase(id);
}

void WatchHub::erase(std::uint64_t id) {
    const auto node = m_nodes.find(id);
    for (Watch::State* state : node->watches)
        std::erase(state->nodes, id);
    m_ids.remove(node->key);
    m_nodes.erase(node);
}

void WatchHub::fire(std::uint64_t id, const WatchEvent& event) {
    const auto node = m_nodes.find(id);
    if (node == m_nodes.end()) return;
    for (Watch::State* state : node->watches)
        state->tell(event);
    erase(id);
}

void WatchHub::addSession(const Watch& watch) {
    Watch::State& state = *watch.m_state;
    if (state.place) return;
    state.place = m_session.insert(m_session.end(), &state);
    state.hub = weak_from_this();
}

void WatchHub::tellSession(WatchEvent::Kind kind) {
    const WatchEvent event{kind, {}};
    if (kind != WatchEvent::Kind::Session) {
        for (const Node& node : std::as_const(m_nodes)) {
            for (Watch::State* state : node.watches)
                state->tell(event);
        }
    }
    for (Watch::State* state : m_session)
        state->tell(event);
    if (kind != WatchEvent::Kind::Lost) return;
    while (!m_nodes.isEmpty())
        erase(m_nodes.begin().key());
}

void WatchHub::forget(Watch::State& state) {
    if (state.place) m_session.erase(*state.place);
    for (const std::uint64_t id : std::as_const(state.nodes)) {
        const auto node = m_nodes.find(id);
        if (node != m_nodes.end()) std::erase(node->watches, &state);
    }
}

} // namespace lockscope::zookeeper
