// SPDX-License-Identifier: Apache-2.0
#include "connections/factories.h"
#include "connections/kept.h"
#include "connections/records.h"
#include "connections/wrong_permits.h"
#include "recipes/of_question.h"
#include "recipes/zookeeper/zk_condition.h"

#include <QCoreApplication>

namespace lockscope {

namespace {

/// The error for a recipe whose nodes kazoo does not look at: such a lock would keep no kazoo client out.
LockError notOfKazoos(const QByteArray& recipe) {
    return {LockError::Kind::NotSupported,
            QCoreApplication::translate("LockError", "“%1” has no names that kazoo sees. With layout=kazoo there are "
                                                     "zk-mutex and zk-rw; or leave the option out of the URL.")
                .arg(QString::fromLatin1(recipe))};
}

/// The error for a recipe whose nodes only one of the two libraries looks at.
LockError notOfBoth(const QByteArray& recipe) {
    return {LockError::Kind::NotSupported,
            QCoreApplication::translate("LockError", "“%1” cannot have nodes of two libraries. With layout=both there "
                                                     "is zk-mutex; or leave the option out of the URL.")
                .arg(QString::fromLatin1(recipe))};
}

class ZooKeeperConnection final : public Connection {
public:
    ZooKeeperConnection(Runtime& runtime, const zookeeper::Dialler& dial, ConnectionUrl url, QByteArray client)
        : m_url(std::move(url)),
          m_client(client.isEmpty() ? runtime.randomUuid() : std::move(client)),
          m_options(zookeeper::urlOptions(m_url).value_or(zookeeper::UrlOptions())),
          m_ensemble(dial(runtime, m_url, m_options.driver)) {}

    Runtime& runtime() override { return m_ensemble->runtime(); }
    const QByteArray& client() const override { return m_client; }
    const ConnectionUrl& url() const override { return m_url; }
    QByteArray backend() const override { return "zookeeper"; }
    QByteArray defaultRecipe() const override { return "zk-mutex"; }

    Outcome<void> open(std::stop_token stop) override {
        const zookeeper::Result<void> ready = co_await m_ensemble->connected(kNever, stop);
        if (!ready) co_return std::unexpected(recipes::lockError(ready.error()));
        co_return {};
    }
    Outcome<void> close() override {
        co_await m_ensemble->close();
        co_return {};
    }
    Outcome<void> ping(std::stop_token stop) override {
        // A sync goes to the leader and back: without a leader no lock could be granted.
        const zookeeper::Result<void> synced = co_await m_ensemble->sync("/", stop);
        if (!synced) co_return std::unexpected(ofQuestion(recipes::lockError(synced.error())));
        co_return {};
    }

    std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArray& id,
                                                                          LockSpec spec) override {
        const std::expected<QByteArray, LockError> path = recipes::lockPath(spec.name);
        if (!path) return std::unexpected(path.error());
        if (auto wrong = wrongPermits(spec.name, spec.permits)) return std::unexpected(*std::move(wrong));
        auto recipe = recipes::makeZooKeeperRecipe(id, {*m_ensemble, *path, m_client, spec.permits, m_options.layout});
        if (!recipe) return std::unexpected(noSuchRecipe(id, *this));
        if (m_options.layout == zookeeper::Layout::Kazoo && !recipe->info().layout.contains("kazoo"))
            return std::unexpected(notOfKazoos(id));
        if (m_options.layout == zookeeper::Layout::Both && id != "zk-mutex") return std::unexpected(notOfBoth(id));
        return std::make_unique<KeptRecipe>(m_ensemble, std::move(recipe));
    }
    std::expected<std::unique_ptr<recipes::ConditionRecipe>, LockError> makeCondition(const QByteArray& recipe,
                                                                                      LockSpec spec) override {
        const recipes::RecipeInfo* const info = recipes::findRecipe(recipe);
        if (!info || !info->condition) return Connection::makeCondition(recipe, std::move(spec));
        const std::expected<QByteArray, LockError> path = recipes::lockPath(spec.name);
        if (!path) return std::unexpected(path.error());
        return std::make_unique<KeptCondition>(
            m_ensemble, std::make_unique<recipes::ZkCondition>(recipes::ZkLock{*m_ensemble, *path, m_client}));
    }

    RecordStore* records() override { return &m_records; }

private:
    ConnectionUrl m_url;
    QByteArray m_client;
    zookeeper::UrlOptions m_options;
    std::shared_ptr<zookeeper::Client> m_ensemble; ///< shared with recipes
    ZooKeeperRecords m_records{*m_ensemble};
};

} // namespace

std::unique_ptr<Connection> makeZooKeeperConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                    QByteArray client) {
    return std::make_unique<ZooKeeperConnection>(runtime, diallers.zookeeper, std::move(url), std::move(client));
}

} // namespace lockscope
