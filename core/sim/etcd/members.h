// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/etcd/wire.h"

namespace lockscope::sim {

/// The members of one cluster, and the connection to the one in use. Shared by the wire and its calls in flight, which
/// outlive it briefly. It tries as the real driver does (drivers/etcd/members.cpp).
class EtcdWire::Members final : public std::enable_shared_from_this<Members> {
public:
    Members(Grounds grounds, Lookup lookup, Runtime& runtime, trace::EntityId client, const ConnectionUrl& url);

    static etcd::Result<Answer> ask(std::shared_ptr<Members> self, EtcdRequest request, std::stop_token stop);
    static etcd::Result<etcd::OwnedWatch> watch(std::shared_ptr<Members> self, EtcdRequest request,
                                                std::stop_token stop);
    void shutDown();
    QString where() const { return whereIs(m_current); }

    Runtime& runtime;

private:
    using LinkPtr = std::shared_ptr<EtcdLink>;
    /// The connection to the member in use.
    LinkPtr link();
    Nanos oneTry(Nanos left) const;
    void giveUp(std::size_t member); ///< moves on to the next one
    QString whereIs(std::size_t member) const { return m_url.endpoints[member].display(); }

    Grounds m_grounds;
    Lookup m_lookup;
    trace::EntityId m_client;
    ConnectionUrl m_url;
    etcd::DriverOptions m_options;
    std::size_t m_current = 0;
    LinkPtr m_link;
    std::vector<std::weak_ptr<EtcdLink>> m_former; ///< to members that were given up: calls may be in flight
    bool m_gone = false;
};

} // namespace lockscope::sim
