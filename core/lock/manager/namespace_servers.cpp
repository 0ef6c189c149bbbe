// SPDX-License-Identifier: Apache-2.0
#include "lock/manager/namespace_servers.h"

#include <QCoreApplication>
#include <set>

namespace lockscope::detail {

namespace {
struct Text {
    Q_DECLARE_TR_FUNCTIONS(LockManager)
};

/// With fewer servers, the loss of one would leave no write quorum.
constexpr std::size_t kKeepersForFailure = 3;
} // namespace

NamespaceServers::NamespaceServers(Runtime& runtime, const NamespaceConfig& config, QByteArray client,
                                   trace::Recorder* recorder, trace::EntityId self, LockManager::Connector connector)
    : m_runtime(runtime),
      m_space(config.name),
      m_client(std::move(client)),
      m_recorder(recorder),
      m_self(self),
      m_connector(std::move(connector)) {
    for (const EngineConfig& engine : config.engines)
        connect(engine.url);
    for (const ConnectionUrl& witness : config.witnesses) {
        const auto same = [&](const Server& server) { return server.url.address() == witness.address(); };
        if (std::ranges::none_of(m_servers, same)) connect(witness);
    }
    std::set<QString> counted;
    for (const Server& server : m_servers) {
        RecordStore* const store = server.connection->records();
        if (store && counted.insert(server.url.address()).second) m_keepers.push_back({server.url, store});
    }
}

Connection* NamespaceServers::connect(const ConnectionUrl& url) {
    for (const Server& server : m_servers) {
        if (server.url == url) return server.connection.get();
    }
    m_servers.push_back({url, m_connector(m_runtime, url, m_client)});
    if (m_recorder) m_servers.back().connection->record(m_recorder, m_self);
    return m_servers.back().connection.get();
}

std::unique_ptr<Switchboard> NamespaceServers::makeBoard() const {
    std::vector<RecordStore*> stores;
    for (const Keeper& keeper : m_keepers)
        stores.push_back(keeper.store);
    return std::make_unique<Switchboard>(m_runtime, m_space + "/.engine", std::move(stores));
}

std::vector<ConfigMistake> NamespaceServers::mistakesIn(const NamespaceConfig& config) {
    std::vector<ConfigMistake> mistakes;
    // Found now: otherwise it would show only after a switch, when the engine is needed.
    for (std::size_t i = 0; i < config.engines.size(); ++i) {
        const EngineConfig& engine = config.engines[i];
        const auto made = connect(engine.url)->makeRecipe(engine.recipe, {config.name + ":orders", 1});
        if (!made && made.error().kind == LockError::Kind::NotSupported)
            mistakes.push_back({0, QStringLiteral("/engines/%1/recipe").arg(i), made.error().message});
    }
    if (m_keepers.empty())
        mistakes.push_back({0, QStringLiteral("/witnesses"),
                            Text::tr("none of the servers keeps records; name a Redis, ZooKeeper, etcd or a database "
                                     "among the witnesses")});
    else if (config.onFailure && m_keepers.size() < kKeepersForFailure)
        mistakes.push_back({0, QStringLiteral("/switch/on-failure"),
                            Text::tr("switching on failure needs three servers that keep records, and there are %1; "
                                     "name witnesses")
                                .arg(m_keepers.size())});
    return mistakes;
}

} // namespace lockscope::detail
