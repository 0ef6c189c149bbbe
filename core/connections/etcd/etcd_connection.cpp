// SPDX-License-Identifier: Apache-2.0
#include "connections/factories.h"
#include "connections/kept.h"
#include "connections/records.h"
#include "recipes/etcd/etcd_lease.h"

#include <QCoreApplication>

namespace lockscope {

namespace {
/// The parts that all recipes of a connection share; they live as long as the last of them.
struct EtcdParts {
    EtcdParts(Runtime& runtime, const etcd::Dialler& dial, const ConnectionUrl& url) : cluster(dial(runtime, url)) {}
    ~EtcdParts() { leases->end(); }
    EtcdParts(const EtcdParts&) = delete;
    EtcdParts& operator=(const EtcdParts&) = delete;
    std::unique_ptr<etcd::Client> cluster;
    std::shared_ptr<recipes::EtcdLeases> leases = std::make_shared<recipes::EtcdLeases>(*cluster);
};

class EtcdConnection final : public Connection {
public:
    EtcdConnection(Runtime& runtime, const etcd::Dialler& dial, ConnectionUrl url, QByteArray client)
        : m_url(std::move(url)),
          m_client(client.isEmpty() ? runtime.randomUuid() : std::move(client)),
          m_parts(std::make_shared<EtcdParts>(runtime, dial, m_url)) {}

    Runtime& runtime() override { return m_parts->cluster->runtime(); }
    const QByteArray& client() const override { return m_client; }
    const ConnectionUrl& url() const override { return m_url; }
    QByteArray backend() const override { return "etcd"; }
    QByteArray defaultRecipe() const override { return "etcd-lease"; }

    Outcome<void> open(std::stop_token stop) override {
        const auto opened = co_await m_parts->cluster->open(stop);
        if (!opened) co_return std::unexpected(recipes::lockError(opened.error()));
        co_return {};
    }
    Outcome<void> close() override {
        const std::shared_ptr<EtcdParts> parts = m_parts; // until all have been given back, whatever becomes of this
        const auto closed = co_await parts->leases->close();
        co_return closed;
    }
    Outcome<void> ping(std::stop_token stop) override { return open(std::move(stop)); }

    std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArray& id,
                                                                          LockSpec spec) override {
        if (spec.name.isEmpty())
            return std::unexpected(LockError{LockError::Kind::Refused,
                                             QCoreApplication::translate("LockError", "A lock on etcd needs a name.")});
        auto recipe = recipes::makeEtcdRecipe(id, {*m_parts->cluster, spec.name, m_parts->leases});
        if (!recipe) return std::unexpected(noSuchRecipe(id, *this));
        return std::make_unique<KeptRecipe>(m_parts, std::move(recipe));
    }

    RecordStore* records() override { return &m_records; }

private:
    ConnectionUrl m_url;
    QByteArray m_client;
    std::shared_ptr<EtcdParts> m_parts;
    EtcdRecords m_records{*m_parts->cluster};
};
} // namespace

std::unique_ptr<Connection> makeEtcdConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                               QByteArray client) {
    return std::make_unique<EtcdConnection>(runtime, diallers.etcd, std::move(url), std::move(client));
}

} // namespace lockscope
