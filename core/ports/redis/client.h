// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/options.h"

namespace lockscope::redis {

/// Keys whose content may have changed since they were read.
struct ChangedKeys {
    std::vector<QByteArray> keys;
    bool everything = false; ///< any key: the database was emptied, or there were more changes than are listed
};

/// A connection on which a server tells of changes of keys that another connection has read: the target of that one's
/// CLIENT TRACKING with REDIRECT. Messages of changes that come before they are taken are joined.
class ChangeFeed {
public:
    virtual ~ChangeFeed() = default;
    /// The server's number of this connection, for REDIRECT.
    virtual std::int64_t id() const = 0;
    /// The next changes; nullopt: the connection is lost, and nothing more comes. Throws Cancelled.
    virtual QCoro::Task<std::optional<ChangedKeys>> next(std::stop_token stop = {}) = 0;
};

/// Owns a feed; a class for the reason of OwnedSubscription.
class OwnedChangeFeed {
public:
    explicit OwnedChangeFeed(std::unique_ptr<ChangeFeed> feed) : m_feed(std::move(feed)) {}
    ChangeFeed* operator->() const { return m_feed.get(); } ///< never null

private:
    std::unique_ptr<ChangeFeed> m_feed;
};

/// A port to one server, with its connection: a socket in production, a simulated channel in the simulator.
class Client : public Port {
public:
    /// Connects; returns the result of the first try. Later tries go on by themselves; after a failed login, the next
    /// call that comes a while later starts one.
    virtual QCoro::Task<std::expected<void, Error>> open(std::stop_token stop = {}) = 0;
    /// The state of the connection for commands.
    virtual const Status& status() const = 0;
    /// The number of the connection for commands (Reply::connection); 0 while there is none.
    virtual std::uint32_t connection() const = 0;
    /// Calls `callback` at each change of status(), from the runtime's scheduler. It must not destroy the client.
    virtual void onStatus(std::function<void(const Status&)> callback) = 0;
    /// "host:port", for Status::describe().
    virtual QString where() const = 0;
    /// As subscribe(), for all channels that match a glob pattern. Unreachable where the client has none of these.
    virtual QCoro::Task<std::expected<OwnedSubscription, Error>> subscribePattern(QByteArray pattern,
                                                                                  std::stop_token stop = {});
    /// Opens a connection that hears of changes. Refused where the client has none, where the server knows no CLIENT
    /// ID, and where this user may not subscribe to `__redis__:invalidate`. The client must outlive the feed.
    virtual QCoro::Task<std::expected<OwnedChangeFeed, Error>> changeFeed(std::stop_token stop = {});
    /// The number of commands sent, own pings and subscriptions included: the load on the server.
    virtual std::uint64_t commandsSent() const { return 0; }
};

/// Makes a client, not connected yet, of the one server that the URL names; the URL's time-outs override those of the
/// options.
using Dialler =
    std::function<std::unique_ptr<Client>(Runtime& runtime, const ConnectionUrl& url, const DriverOptions& options)>;

} // namespace lockscope::redis
