// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/memcached/line.h"

namespace lockscope::memcached {

class KeyRing;

/// A client of one or several real memcached servers. Each key lives on one server, found by libmemcached's ketama
/// hashing, so all clients with that library and the same servers find it in the same place. Hosts are hashed as
/// written: if clients write `localhost` and `127.0.0.1` for one server, they look in different places, and a lock gets
/// two holders. No other server replaces one that is down: a lock that moved would have two holders, too.
///
/// Only the hashing is libmemcached's. Its calls block until the server answers, one at a time; on a thread they would
/// cost two hand-overs for each of a lock's two round trips. This client needs none, sends `add` and `gets` in one
/// round trip, and lets any number of coroutines share a connection.
///
/// With a user in the URL it logs in at servers that require it (`memcached -Y FILE`, or SASL with `memcached -S`); TLS
/// as the URL says.
///
/// Lives on its runtime's thread, which needs a Qt event loop. May be destroyed at any time: calls in flight then end
/// with Disconnected. The runtime must outlive it.
class MemcachedDriver final : public Port {
public:
    /// The URL's time-outs override those of `options`.
    MemcachedDriver(Runtime& runtime, const ConnectionUrl& url, DriverOptions options = {});
    ~MemcachedDriver() override;

    Runtime& runtime() override { return m_runtime; }
    Result<Change> add(QByteArray key, QByteArray value, Expiry expiry, bool look, std::stop_token stop = {}) override;
    Result<Change> compareAndSet(QByteArray key, QByteArray value, Expiry expiry, Mark meant, bool look,
                                 std::stop_token stop = {}) override;
    Result<std::optional<Item>> get(QByteArray key, std::stop_token stop = {}) override;
    Result<bool> remove(QByteArray key, std::stop_token stop = {}) override;

    CallList::Registration onReconnect(const QByteArray& key, CallList::Callback back) override;

    struct Version {
        QByteArray text; ///< "1.6.18"
    };
    /// Asks every server for its version; returns the first error, if any.
    Result<Version> version(std::stop_token stop = {});
    /// Asks every server for its version and waits for the first answer; an error when none comes.
    Result<Version> anyVersion(std::stop_token stop = {});
    /// "host:port" of the server that keeps the key.
    QString whereIs(const QByteArray& key) const;
    /// The number of commands sent: the load on the servers.
    std::uint64_t commandsSent() const;

private:
    std::shared_ptr<Line> lineFor(const QByteArray& key) const;
    Runtime& m_runtime;
    std::unique_ptr<KeyRing> m_ring;
    std::vector<std::shared_ptr<Line>> m_lines; ///< in the URL's order
};

} // namespace lockscope::memcached
