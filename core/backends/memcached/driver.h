// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/memcached/line.h"

namespace lockscope::memcached {

class KeyRing;

/// A client of one or several real memcached servers. Each key lives on one server, found by libmemcached's ketama
/// hashing, so that all clients that use that library with the same servers look in the same place. What is hashed is a
/// host as it is written: clients that call one server `localhost` and `127.0.0.1` look in different places, and a lock
/// has two holders. No server stands in for one that is down: a lock that moved would have two holders, too.
///
/// Only the hashing is libmemcached's. Its calls block until the server answers, each on its own: they would have to
/// run on a thread, two hand-overs for each of the two round trips of a lock, where this client needs none, sends `add`
/// and `gets` in one round trip, and lets any number of coroutines share a connection.
///
/// With a user in the URL it logs in at servers that want it (`memcached -Y FILE`, or SASL by `memcached -S`); TLS as
/// the URL says.
///
/// Lives on its runtime's thread, which needs a Qt event loop. May be destroyed at any time, calls in flight included:
/// they end with Disconnected. The runtime must outlive it.
class MemcachedDriver final : public Port {
public:
    /// The URL's time-outs go before those of `options`.
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
    /// Asks every server for its version; the first error if there is one.
    Result<Version> version(std::stop_token stop = {});
    /// Asks every server for its version, and waits for one that answers: an error when none does.
    Result<Version> anyVersion(std::stop_token stop = {});
    /// "host:port" of the server on which a key lives.
    QString whereIs(const QByteArray& key) const;
    /// Commands that this client has sent: the load it is for the servers.
    std::uint64_t commandsSent() const;

private:
    std::shared_ptr<Line> lineFor(const QByteArray& key) const;
    Runtime& m_runtime;
    std::unique_ptr<KeyRing> m_ring;
    std::vector<std::shared_ptr<Line>> m_lines; ///< in the URL's order
};

} // namespace lockscope::memcached
