// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/memcached/line.h"

namespace lockscope::sim {

/// A simulated client's way to one memcached, as the real driver is one. Commands sent before the client died still
/// arrive. May be destroyed at any time: calls in flight then end with Disconnected.
class MemcachedWire final : public memcached::Client {
public:
    /// Everything outlives it. `server` nullptr: nobody has the URL's address. `client`: its user in the trace.
    MemcachedWire(Grounds grounds, MemcachedServer* server, Runtime& runtime, trace::EntityId client,
                  const ConnectionUrl& url);
    ~MemcachedWire() override;

    Runtime& runtime() override { return m_line->runtime; }
    memcached::Result<memcached::Change> add(QByteArray key, QByteArray value, memcached::Expiry expiry, bool look,
                                             std::stop_token stop = {}) override;
    memcached::Result<memcached::Change> compareAndSet(QByteArray key, QByteArray value, memcached::Expiry expiry,
                                                       memcached::Mark meant, bool look,
                                                       std::stop_token stop = {}) override;
    memcached::Result<std::optional<memcached::Item>> get(QByteArray key, std::stop_token stop = {}) override;
    memcached::Result<bool> remove(QByteArray key, std::stop_token stop = {}) override;
    CallList::Registration onReconnect(const QByteArray& key, CallList::Callback back) override;

    memcached::Result<Version> version(std::stop_token stop = {}) override;
    QString where() const override { return m_line->where; }
    std::uint64_t commandsSent() const override { return m_line->sent; }

private:
    std::shared_ptr<MemcachedLine> m_line;
};

} // namespace lockscope::sim
