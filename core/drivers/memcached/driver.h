// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/memcached/line.h"
#include "ports/memcached/client.h"

namespace lockscope::memcached {

/// A client of one real memcached server: a small one of our own. libmemcached's calls block until the server answers,
/// one at a time; on a thread they would cost two hand-overs for each of a lock's two round trips. This client needs
/// none, sends `add` and `gets` in one round trip, and lets any number of coroutines share a connection.
///
/// With a user in the URL it logs in at servers that require it (`memcached -Y FILE`, or SASL with `memcached -S`); TLS
/// as the URL says.
///
/// Lives on its runtime's thread, which needs a Qt event loop. May be destroyed at any time: calls in flight then end
/// with Disconnected. The runtime must outlive it.
class MemcachedDriver final : public Client {
public:
    /// `url` names one server; its time-outs override those of `options`.
    MemcachedDriver(Runtime& runtime, const ConnectionUrl& url, DriverOptions options = {});
    ~MemcachedDriver() override;

    Runtime& runtime() override { return m_line->runtime(); }
    Result<Change> add(QByteArray key, QByteArray value, Expiry expiry, bool look, std::stop_token stop = {}) override;
    Result<Change> compareAndSet(QByteArray key, QByteArray value, Expiry expiry, Mark meant, bool look,
                                 std::stop_token stop = {}) override;
    Result<std::optional<Item>> get(QByteArray key, std::stop_token stop = {}) override;
    Result<std::optional<Lifetime>> lifetime(QByteArray key, std::stop_token stop = {}) override;
    Result<KeyList> list(WantsKey wants, std::stop_token stop = {}) override;
    Result<bool> remove(QByteArray key, std::stop_token stop = {}) override;
    CallList::Registration onReconnect(const QByteArray& key, CallList::Callback back) override;

    Result<Version> version(std::stop_token stop = {}) override;
    Result<Statistics> statistics(std::stop_token stop = {}) override;
    QString where() const override { return m_line->where(); }
    std::uint64_t commandsSent() const override { return m_line->sent(); }

private:
    std::shared_ptr<Line> m_line;
};

} // namespace lockscope::memcached
