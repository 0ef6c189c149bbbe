// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"
#include "trace/time.h"

#include <QHostAddress>
#include <expected>
#include <functional>
#include <optional>

namespace lockscope::zookeeper {

/// The permissions of the nodes that are created.
enum class Acl : std::uint8_t {
    Creator, ///< everything for clients with the same login, nothing for others
    Read,    ///< as Creator, and everybody may read (but not wait, which creates a node in the queue)
    Open,    ///< everything for everybody
};

/// How a ZooKeeper driver behaves; the URL's `session=` and `connect=` set the first two.
struct DriverOptions {
    /// The session time-out to request; the server grants it within its own bounds (2 to 20 ticks, by default 4 to 40
    /// s). The default equals the leases of the other backends and lies within those bounds, so it is granted
    /// unchanged. The least request is half a second.
    Nanos session = 30s;
    /// How long a call waits for a session if there is none.
    Nanos connect = 5s;
    /// How long the addresses of host names are tried in vain before the names are resolved again.
    Nanos staleAfter = 10s;
    /// nullopt: Creator with a login, Open without.
    std::optional<Acl> acl{};
    /// Resolves a host name, instead of the system; an empty list when it is unknown.
    std::function<QList<QHostAddress>(const QString& host)> lookup{};
};

/// The naming of locks in an empty queue: it decides which libraries see them. In a queue with contenders, zk-mutex
/// adopts their naming, and zk-rw refuses the other one.
enum class Layout : std::uint8_t {
    Curator,
    Kazoo,
    Both, ///< one node of each kind, to exclude libraries that see only one kind; zk-mutex only
};

/// The options of a URL: `session=10s`, `layout=curator`, `kazoo` or `both`, `acl=creator`, `read` or `open`.
struct UrlOptions {
    DriverOptions driver;
    Layout layout = Layout::Curator;
};
/// The error is a sentence for the user: which option has an invalid value, and what to write instead.
std::expected<UrlOptions, QString> urlOptions(const ConnectionUrl& url);

} // namespace lockscope::zookeeper
