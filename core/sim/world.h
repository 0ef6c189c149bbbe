// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/client.h"

#include <expected>

namespace lockscope::sim {

/// A whole simulated world on virtual time: clients, a Redis, a network, a guarded resource, and the scenario's faults.
/// Reads no real clock and no other randomness than its seed: equal scenario and seed give an equal trace. One thread.
class World {
public:
    /// Preconditions: the scenario is one that parseScenario() accepts; `trace` is empty.
    World(const scenario::Scenario& scenario, std::uint64_t seed, std::shared_ptr<trace::Trace> trace);
    ~World();

    Nanos now() const { return m_scheduler.now(); }
    /// Everything until t has happened.
    void runUntil(Nanos t);
    /// The next thing happens, if it is due by `limit`; false when nothing is.
    bool runNext(Nanos limit);

    /// Does something to the world now, after all that happens at this instant. The complaint is a sentence: no such
    /// target, or a setting that makes no sense; then nothing has changed.
    std::expected<void, QString> apply(const scenario::Fault& fault);
    /// The scenario's settings as they are now.
    const scenario::Scenario& settings() const { return m_settings; }

private:
    /// What of its target a fault changes.
    enum class Aspect : std::uint8_t { Life, Cut, Delay, Clock };
    static Aspect aspectOf(scenario::Action action);
    static std::optional<Aspect> changedBy(trace::EventKind kind);
    void schedule(const scenario::Fault& fault);
    void strike(const scenario::Fault& fault);
    std::expected<void, QString> act(const scenario::Fault& fault);
    std::expected<void, QString> set(const QString& setting, const QString& text, std::uint8_t flags);
    /// Unless what it did to that entity (a client, a node, a link) has been changed again by then.
    void undoLater(const scenario::Fault& fault, const QString& target, trace::EntityId struck);
    void healAll(std::uint8_t flags);
    /// Starts clients from number `before` on, or kills those that are too many.
    void setClients(int count, int before = 0);
    /// Whether what this fault undoes still lasts.
    bool stillLasts(const scenario::Fault& undo);
    Client* findClient(const QString& target);
    void watchForTriggers(const trace::Event& event);
    /// Writes that a fault, or a setting, changed something.
    void emit(trace::EventKind kind, std::uint8_t flags, trace::EntityId actor,
              trace::EntityId subject = trace::kNoEntity, std::int64_t value = 0, std::uint32_t aux = 0);
    void pauseClient(Client& client, std::uint8_t flags);
    void resumeClient(Client& client, std::uint8_t flags);
    void killClient(Client& client, std::uint8_t flags);

    scenario::Scenario m_settings;
    std::uint64_t m_seed;
    VirtualScheduler m_scheduler;
    trace::Recorder m_recorder;
    Network m_network;
    std::map<QByteArray, trace::EntityId> m_threads; ///< by process identity
    Node m_node;
    std::unique_ptr<GuardedResource> m_resource;
    std::vector<std::unique_ptr<Client>> m_clients;
    std::vector<scenario::Fault> m_triggered; ///< those that wait for an event
    int m_healings = 0;                       ///< an undoing that was asked for before the last one is off
    std::map<std::pair<Aspect, trace::EntityId>, int> m_changes; ///< so far; an undoing of an earlier one is off
    std::map<trace::EventKind, int> m_seen;                      ///< events that triggers count
};

} // namespace lockscope::sim
