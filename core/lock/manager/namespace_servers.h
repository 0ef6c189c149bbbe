// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"
#include "lock/manager/lock_manager.h"
#include "lock/manager/switchboard.h"

namespace lockscope::detail {

/// A namespace's connections, one to each server however often it is named, and which of them keep the record.
class NamespaceServers {
public:
    struct Server {
        ConnectionUrl url;
        std::unique_ptr<Connection> connection;
    };
    /// A server that keeps the record. One server has one vote, with however many connections.
    struct Keeper {
        ConnectionUrl url;
        RecordStore* store = nullptr;
    };

    NamespaceServers(Runtime& runtime, const NamespaceConfig& config, QByteArray client, trace::Recorder* recorder,
                     trace::EntityId self, LockManager::Connector connector);

    /// The connection to a server; made if there is none.
    Connection* connect(const ConnectionUrl& url);
    const std::vector<Server>& all() const { return m_servers; }
    const std::vector<Keeper>& keepers() const { return m_keepers; }
    /// The record of which engine is in use, on these servers.
    std::unique_ptr<Switchboard> makeBoard() const;
    /// The mistakes in a configuration of these servers that show only with the connections at hand; paths begin at the
    /// namespace.
    std::vector<ConfigMistake> mistakesIn(const NamespaceConfig& config);

private:
    Runtime& m_runtime;
    QByteArray m_space;
    QByteArray m_client;
    trace::Recorder* m_recorder;
    trace::EntityId m_self;
    LockManager::Connector m_connector;
    std::vector<Server> m_servers;
    std::vector<Keeper> m_keepers;
};

} // namespace lockscope::detail
