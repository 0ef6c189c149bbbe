// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/manager/lock_manager.h"
#include "scenario/scenario.h"
#include "workload/client_world.h"

namespace lockscope::workload {

/// The namespace that a scenario's lock manager is configured with. Its name is what stands before the colon in the
/// first lock's name. `urlOf` makes a server's id a URL. Precondition: the scenario has a manager.
NamespaceConfig namespaceOf(const scenario::Scenario& scenario,
                            const std::function<ConnectionUrl(const QString& server)>& urlOf);
/// How long nothing is granted at a switch; 0 without a manager, and where nobody waits for anybody.
Nanos switchTime(const scenario::Scenario& scenario);

/// The engines of a scenario's lock manager as one client process uses them: by a manager of its own or, in naive
/// mode, by a connection to each.
class Engines {
public:
    /// `client` is the process; everything outlives this. `number`: the engine that naive clients are told to use.
    /// Precondition: the scenario has a manager, and the world its
    /// servers.
    Engines(ClientWorld& world, Runtime& runtime, const Participant& client, trace::Recorder& recorder,
            const scenario::Scenario& settings, int number);
    ~Engines();
    Engines(const Engines&) = delete;
    Engines& operator=(const Engines&) = delete;

    /// A lock of the manager, by its full name, "shop:orders"; nullptr in naive mode, and for a name of another
    /// namespace.
    std::unique_ptr<AnyLock> lock(const QByteArray& name);
    /// The recipe of the engine that this client uses now, as far as it knows.
    QByteArray recipe() const;
    /// Calls `changed` when the manager grants on another engine from now on: who waits asks there, by its recipe.
    void onInUse(std::function<void()> changed);
    /// Naive mode: the connection to the engine that clients are told to use.
    Connection& inUse() { return *m_connections[std::size_t(m_number)]; }

    /// Changes to the engine of that number in the configuration. With a manager it asks the processes to agree, in the
    /// background; naively, this client uses it from its next round on.
    void switchTo(int number);

private:
    static QCoro::Task<> start(LockManager& manager);
    static QCoro::Task<> change(LockManager& manager, QByteArray space, int number);

    Runtime& m_runtime;
    QByteArray m_space;
    std::vector<QByteArray> m_recipes, m_ids; ///< of the engines, in their order
    std::unique_ptr<LockManager> m_manager;
    std::vector<std::unique_ptr<Connection>> m_connections; ///< in naive mode, in the order of the engines
    int m_number = 0;
};

} // namespace lockscope::workload
