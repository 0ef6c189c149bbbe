// SPDX-License-Identifier: Apache-2.0
#include "backends/zookeeper/driver.h"
#include "lock/connections/factories.h"
#include "lock/connections/kept.h"
#include "lock/connections/records.h"
#include "recipes/zookeeper/zk_condition.h"

#include <QCoreApplication>

namespace lockscope {

namespace {

/// What `?session=` says, nullopt when it makes no sense: "10s", "500ms", "2m".
std::optional<Nanos> durationOf(const QString& text) {
    qsizetype digits = 0;
    while (digits < text.size() && text[digits].isDigit())
        ++digits;
    bool ok = false;
    const qlonglong number = text.left(digits).toLongLong(&ok);
    const QString unit = text.mid(digits);
    const Nanos one = unit == u"ms" ? Nanos(1ms) : unit == u"s" ? Nanos(1s) : unit == u"m" ? Nanos(1min) : Nanos(0);
    if (!ok || number <= 0 || number > 86'400'000 || one == Nanos(0) || one * number > 24h) return std::nullopt;
    return one * number;
}

class ZooKeeperConnection final : public Connection {
public:
    ZooKeeperConnection(Runtime& runtime, ConnectionUrl url, QByteArray client)
        : m_url(std::move(url)),
          m_client(client.isEmpty() ? runtime.randomUuid() : std::move(client)),
          m_driver(std::make_shared<zookeeper::ZooKeeperDriver>(runtime, m_url, optionsOf(m_url))) {}

    Runtime& runtime() override { return m_driver->runtime(); }
    const QByteArray& client() const override { return m_client; }
    const ConnectionUrl& url() const override { return m_url; }
    QByteArray backend() const override { return "zookeeper"; }
    QByteArray defaultRecipe() const override { return "zk-mutex"; }

    Outcome<void> open(std::stop_token stop) override {
        const QString session = m_url.option("session");
        if (!session.isEmpty() && !durationOf(session)) {
            co_return std::unexpected(LockError{
                LockError::Kind::Refused,
                QCoreApplication::translate("LockError", "The option “session=%1” is no duration; write for example "
                                                         "session=10s.")
                    .arg(session)});
        }
        const zookeeper::Result<void> ready = co_await m_driver->connected(kNever, stop);
        if (!ready) co_return std::unexpected(recipes::lockError(ready.error()));
        co_return {};
    }
    Outcome<void> close() override {
        co_await m_driver->close();
        co_return {};
    }
    Outcome<void> ping(std::stop_token stop) override {
        // To the leader and back: without one no lock could be granted.
        const zookeeper::Result<void> synced = co_await m_driver->sync("/", stop);
        if (!synced) co_return std::unexpected(recipes::lockError(synced.error()));
        co_return {};
    }

    std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArray& id,
                                                                          LockSpec spec) override {
        const std::expected<QByteArray, LockError> path = recipes::lockPath(spec.name);
        if (!path) return std::unexpected(path.error());
        auto recipe = recipes::makeZooKeeperRecipe(id, {*m_driver, *path, m_client, spec.permits});
        if (!recipe) return std::unexpected(noSuchRecipe(id, *this));
        return std::make_unique<KeptRecipe>(m_driver, std::move(recipe));
    }
    std::expected<std::unique_ptr<recipes::ConditionRecipe>, LockError> makeCondition(const QByteArray& recipe,
                                                                                      LockSpec spec) override {
        const recipes::RecipeInfo* const info = recipes::findRecipe(recipe);
        if (!info || !info->condition) return Connection::makeCondition(recipe, std::move(spec));
        const std::expected<QByteArray, LockError> path = recipes::lockPath(spec.name);
        if (!path) return std::unexpected(path.error());
        return std::make_unique<KeptCondition>(
            m_driver, std::make_unique<recipes::ZkCondition>(recipes::ZkLock{*m_driver, *path, m_client}));
    }

    RecordStore* records() override { return &m_records; }

private:
    static zookeeper::DriverOptions optionsOf(const ConnectionUrl& url) {
        zookeeper::DriverOptions options;
        options.session = durationOf(url.option("session")).value_or(options.session);
        return options;
    }
    ConnectionUrl m_url;
    QByteArray m_client;
    std::shared_ptr<zookeeper::ZooKeeperDriver> m_driver; ///< shared with recipes
    ZooKeeperRecords m_records{*m_driver};
};

} // namespace

std::unique_ptr<Connection> makeZooKeeperConnection(Runtime& runtime, ConnectionUrl url, QByteArray client) {
    return std::make_unique<ZooKeeperConnection>(runtime, std::move(url), std::move(client));
}

} // namespace lockscope
