// SPDX-License-Identifier: Apache-2.0
#include "client/manager_servers.h"

#include <QCoreApplication>

namespace lockscope {

std::vector<ConnectionUrl> serversOf(const ManagerConfig& config) {
    std::vector<ConnectionUrl> servers;
    for (const NamespaceConfig& space : config.namespaces) {
        for (const EngineConfig& engine : space.engines)
            servers.push_back(engine.url);
        servers.insert(servers.end(), space.witnesses.begin(), space.witnesses.end());
    }
    return servers;
}

LockError startedTooLate(Nanos patience) {
    return {LockError::Kind::Unreachable,
            QCoreApplication::translate("LockManager", "Not all namespaces have an engine in use after %1 s: too few "
                                                       "of the servers that keep their records answer.")
                .arg(std::chrono::duration<double>(patience).count())};
}

} // namespace lockscope
