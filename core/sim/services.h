// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/trace_feed.h"
#include "scenario/scenario.h"
#include "sim/service.h"

namespace lockscope::sim {

/// All services of a simulated world, and which of them keeps which lock.
class Services {
public:
    /// Makes the services that the scenario names, or its one Redis server. Grounds and settings outlive it. `owner`
    /// names the thread behind what a server says of a holder.
    Services(Grounds grounds, const scenario::Scenario& settings, std::uint64_t seed,
             const inspect::TraceFeed::Resolver& owner);
    ~Services();

    std::size_t size() const { return m_all.size(); }
    Service& at(std::size_t number) const { return *m_all[number]; }
    /// The service that keeps a lock.
    Service& keeping(const QByteArray& lockName) const;
    /// The service that has a server of that id; nullptr: there is none.
    Service* having(const QString& serverId) const;
    /// The service of that id, or that has a server of that id; nullptr: there is none.
    Service* engine(const QString& id) const;
    /// The URL of a lock manager's engine or witness: of a whole service by its id, or of one server alone. Empty:
    /// there is none.
    QString urlOf(const QString& engine) const;
    /// With a lock manager: that engine decides from now on what the record says.
    void decides(const QString& engine) const;

    /// All servers, service by service.
    std::vector<Server*> servers() const;
    /// A server by its id, by its present role in the first service that has such a role, or by its role in one of
    /// several services, "locks/leader"; nullptr: there is none.
    Server* find(const QString& target) const;

    trace::EntityId lockEntity(const QByteArray& lockName) const { return keeping(lockName).lockEntity(lockName); }
    /// The records of all locks are written to the trace, by what the recipes that are in use now leave on servers.
    void watchLocks() const;
    std::uint64_t steps() const;

private:
    /// Writes whose copies of the locks decide from now on.
    void tellDecider(Service& chosen) const;

    const scenario::Scenario& m_settings;
    trace::Recorder& m_recorder;
    std::vector<std::unique_ptr<Service>> m_all; ///< in the scenario's order
};

} // namespace lockscope::sim
