// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/memcached/key_ring.h"
#include "sim/kinds.h"
#include "sim/memcached/record.h"

namespace lockscope::sim {

/// Simulated memcached servers, which share nothing: each keeps the keys that the ring of all gives it.
class MemcachedService final : public Service {
public:
    struct Settings {
        static Settings of(const ServicePlan& plan);
        /// How long a dead client's hold lasts at most: recipes ask for whole seconds and one more, so that the item
        /// outlasts the lease on a clock that ticks in whole seconds.
        static Nanos longestHold(const scenario::ServiceSpec& spec, Nanos lease);
        std::vector<QByteArray> ids{"memcached-1"};
        MemcachedStore::Settings store = {};
        bool engine = false; ///< of a lock manager: locks belong to no server
    };
    MemcachedService(Grounds grounds, const Settings& settings, std::uint64_t seed,
                     const inspect::TraceFeed::Resolver& owner);
    ~MemcachedService() override;

    QByteArray kind() const override { return "memcached"; }
    std::vector<Server*> servers() const override;
    /// By its id: no server has a role.
    Server* find(const QString& target) const override;
    QString url() const override;
    trace::EntityId lockEntity(const QByteArray& lockName) override;
    /// `recipe` is of no meaning here: the lock is the item of its name, on the server that the ring of
    /// all gives it.
    void watch(const QByteArray& lockName, const QByteArray& recipe) override;
    void setDecides(bool decides) override;
    std::expected<void, QString> failOver(const Server& master) override;
    std::expected<void, QString> canDrop(const Server& server) const override;
    void evict(Server& server, const QByteArray& lockName) override;
    void flush(Server& server) override;
    void forceRelease(const QByteArray& lockName) override;
    std::uint64_t steps() const override;

    MemcachedServer& server(std::size_t index) const { return *m_servers[index]; }
    /// The server that keeps that key, for clients with the service's URL.
    MemcachedServer& serverOf(const QByteArray& key) const;
    /// The server at an address; nullptr: there is none.
    MemcachedServer* at(const Endpoint& endpoint) const;
    /// The diallers of one client.
    Diallers diallers(const ClientEnd& client) const override;

private:
    Grounds m_grounds;
    std::vector<std::unique_ptr<MemcachedServer>> m_servers;
    std::vector<std::unique_ptr<MemcachedRecord>> m_records; ///< by server
    std::unique_ptr<memcached::KeyRing> m_ring;
};

} // namespace lockscope::sim
