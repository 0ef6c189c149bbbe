// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/conditions.h"
#include "sim/services.h"
#include "workload/participant.h"
#include "workload/resources.h"

#include <expected>

namespace lockscope::sim {

using Client = workload::Participant;

/// A whole simulated world on virtual time: clients, servers, a network, guarded resources, and the scenario's faults.
/// Reads no real clock and no other randomness than its seed: equal scenario and seed give an equal trace. One thread.
class World {
public:
    /// On the scenario's servers, or on those of its recipe (onFittingServers()). Preconditions: the scenario is one
    /// that parseScenario() accepts, and can begin with its recipe; `trace` is empty.
    World(const scenario::Scenario& scenario, std::uint64_t seed, std::shared_ptr<trace::Trace> trace);
    ~World();

    Nanos now() const { return m_scheduler.now(); }
    /// Everything until t has happened.
    void runUntil(Nanos t);
    /// The next thing happens, if it is due by `limit`; false when nothing is.
    bool runNext(Nanos limit);

    /// Does something to the world now, after all that happens at this instant, or once its condition is met from now
    /// on. The complaint is a sentence: no such target, or a setting that makes no sense; then nothing has changed.
    std::expected<void, QString> apply(const scenario::Fault& fault);
    /// Called with a sentence when a fault by hand strikes at its time, and its target cannot bear it.
    std::function<void(const QString&)> onRefused;
    /// The fault strikes at its time, as if the scenario had it. Precondition: that time is still to come.
    void plan(const scenario::Fault& fault) { schedule(fault); }
    /// The work that its server has done so far: a measure of cost that is equal on every machine.
    std::uint64_t serverSteps() const { return m_services->steps(); }
    /// The scenario's settings as they are now.
    const scenario::Scenario& settings() const { return m_settings; }

private:
    /// Further than this nobody looks; sums of such durations stay far from overflowing.
    static constexpr Nanos kLongest = std::chrono::hours(24 * 365 * 10);
    /// The aspect of its target that a fault changes.
    enum class Aspect : std::uint8_t { Life, Cut, Delay, Clock, Jitter, Drift, Pool, Disk };
    using Struck = std::pair<Aspect, trace::EntityId>; ///< of a client, a server or a link
    /// A fault that has struck and not ended yet.
    struct Lasting {
        std::uint64_t number = 0; ///< tells faults apart
        Nanos value{};            ///< of actions that take one
    };
    static Aspect aspectOf(scenario::Action action);
    void schedule(const scenario::Fault& fault);
    void strike(const scenario::Fault& fault);
    std::expected<void, QString> act(const scenario::Fault& fault);
    std::expected<void, QString> set(const QString& setting, const QString& text, std::uint8_t flags);
    /// Notes what the fault has done to that entity. A fault with a duration ends after it: then the faults that still
    /// last decide the target's state. A fault that a person has undone or replaced meanwhile has no end of its own any
    /// more.
    void noteStruck(const scenario::Fault& fault, const QString& target, trace::EntityId entity);
    void endFault(const Struck& struck, std::uint64_t number, const scenario::Fault& undo);
    void healAll(std::uint8_t flags);
    /// Starts clients from number `before` on, or kills those that are too many.
    void setClients(int count, int before = 0);
    /// Changes the lock manager's engine: any running client's manager asks the others to agree.
    std::expected<void, QString> switchEngine(const scenario::Fault& fault, std::uint8_t flags);
    /// The record follows the engine that the managers use.
    void followEngine(const trace::Event& event);
    /// Whether what this fault undoes still lasts.
    bool stillLasts(const scenario::Fault& undo);
    /// `lock`: whose holder or waiter; empty: the first one's.
    Client* findClient(const QString& target, QByteArray lock = {});
    /// Tells the faults that wait for something to happen.
    void watchConditions();
    /// Writes that a fault, or a setting, changed something.
    void emit(trace::EventKind kind, std::uint8_t flags, trace::EntityId actor,
              trace::EntityId subject = trace::kNoEntity, std::int64_t value = 0, std::uint32_t aux = 0);
    void pauseClient(Client& client, std::uint8_t flags);
    void resumeClient(Client& client, std::uint8_t flags);
    void killClient(Client& client, std::uint8_t flags);
    /// `how`: DelayLink, JitterLink.
    void delayLink(Network::Link& link, scenario::Action how, Nanos value, std::uint8_t flags);
    void jumpClock(Client* client, Server* server, Nanos offset, std::uint8_t flags);
    /// `gain`: each second.
    void driftClock(Client* client, Server* server, Nanos gain, std::uint8_t flags);
    void resetLink(const Network::Link& link, std::uint8_t flags);
    /// A link that a fault strikes, and in which directions, seen from one of its ends.
    struct StruckLink {
        Network::Link* link = nullptr;
        Party from = trace::kNoEntity;
        Network::Ways ways = Network::Ways::Both;
    };
    /// The links that a target stands for: "A-redis-1" one of two parties, "A" all that a client or a server has,
    /// "A,B|redis-1" those between two sets.
    std::vector<StruckLink> linksOf(const QString& target);
    std::expected<void, QString> actOnEach(const scenario::Fault& fault, QStringList targets);
    /// The entity of a client or a server; kNoEntity: there is none.
    trace::EntityId partyOf(const QString& target);
    /// Evicts a lock's keys from a server, or deletes all its data.
    std::expected<void, QString> dropData(const scenario::Fault& fault, Server& server, std::uint8_t flags);
    /// Strangers take the connections of the pool that the server's clients share, or give them back.
    std::expected<void, QString> changePool(const scenario::Fault& fault, const Server& server, std::uint8_t flags);
    /// Nothing reaches the server's disk any more, or all does again.
    std::expected<void, QString> changeDisk(const scenario::Fault& fault, Server& server, std::uint8_t flags);
    void actOnServer(const scenario::Fault& fault, Server& server, std::uint8_t flags);
    std::expected<void, QString> actOnClient(const scenario::Fault& fault, std::uint8_t flags);
    /// Whether something on this link sends requests again by itself.
    bool repeats(const Network::Link& link) const;
    std::expected<void, QString> actOnLinks(const scenario::Fault& fault, std::uint8_t flags);
    /// Writes which ways of the link are cut now.
    void emitCut(const Network::Link& link, std::uint8_t flags);
    static std::uint8_t flagsOf(const scenario::Fault& fault);

    scenario::Scenario m_settings;
    std::uint64_t m_seed;
    VirtualScheduler m_scheduler;
    trace::Recorder m_recorder;
    Network m_network;
    std::map<QByteArray, trace::EntityId> m_threads; ///< by process identity
    std::unique_ptr<Services> m_services;
    workload::Resources m_resources;
    std::vector<std::unique_ptr<Client>> m_clients;
    std::unique_ptr<Conditions> m_conditions;
    std::map<Struck, std::vector<Lasting>> m_lasting; ///< in the order in which they struck
    std::uint64_t m_lastFault = 0;
    std::int64_t m_epoch = 0; ///< of the engine that the record follows
};

} // namespace lockscope::sim
