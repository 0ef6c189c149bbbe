// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/memcached/client.h"

namespace lockscope::memcached {

class KeyRing;

/// One or several memcached servers as one. Each key lives on one server, found by libmemcached's ketama hashing, so
/// all clients with that library and the same servers find it in the same place. Hosts are hashed as written: if
/// clients write `localhost` and `127.0.0.1` for one server, they look in different places, and a lock gets two
/// holders. No other server replaces one that is down: a lock that moved would have two holders, too.
///
/// Lives on its runtime's thread. May be destroyed at any time: calls in flight then end with Disconnected.
class RingPort final : public Port {
public:
    /// The servers in the URL, dialled one by one.
    RingPort(Runtime& runtime, const Dialler& dial, const ConnectionUrl& url);
    ~RingPort() override;

    Runtime& runtime() override { return m_runtime; }
    Result<Change> add(QByteArray key, QByteArray value, Expiry expiry, bool look, std::stop_token stop = {}) override;
    Result<Change> compareAndSet(QByteArray key, QByteArray value, Expiry expiry, Mark meant, bool look,
                                 std::stop_token stop = {}) override;
    Result<std::optional<Item>> get(QByteArray key, std::stop_token stop = {}) override;
    Result<std::optional<Lifetime>> lifetime(QByteArray key, std::stop_token stop = {}) override;
    /// The lists of all servers, one after the other: of each those keys that this ring looks for there.
    Result<KeyList> list(WantsKey wants, std::stop_token stop = {}) override;
    Result<bool> remove(QByteArray key, std::stop_token stop = {}) override;
    CallList::Registration onReconnect(const QByteArray& key, CallList::Callback back) override;

    /// Asks every server for its version; returns the first error, if any.
    Result<Client::Version> version(std::stop_token stop = {});
    /// Asks every server for its version and waits for the first answer; an error when none comes.
    Result<Client::Version> anyVersion(std::stop_token stop = {});
    /// Client::statistics() of each server, in the URL's order.
    Result<std::vector<Statistics>> statistics(std::stop_token stop = {});
    /// "host:port" of the server that keeps the key.
    QString whereIs(const QByteArray& key) const;

private:
    Client& serverOf(const QByteArray& key) const;
    Runtime& m_runtime;
    std::shared_ptr<const KeyRing> m_ring;
    std::vector<std::shared_ptr<Client>> m_servers; ///< in the URL's order
};

} // namespace lockscope::memcached
