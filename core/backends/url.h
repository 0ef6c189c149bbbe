// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QString>
#include <cstdint>
#include <expected>
#include <map>
#include <vector>

namespace lockscope {

/// Where a server listens.
struct Endpoint {
    QString host; ///< name or address; IPv6 without brackets
    std::uint16_t port = 0;
    /// "host:port", "[::1]:6379".
    QString display() const;
    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// Files that TLS needs; PEM. Empty = not given: the system's authorities, no client certificate.
struct TlsFiles {
    QString ca;
    QString certificate;
    QString key;
    friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

/// What answers behind a URL.
enum class Service : std::uint8_t {
    Redis,
    RedisSentinel,
    RedisCluster,
    Redlock, ///< independent Redis masters
    ZooKeeper,
    MySql, ///< MySQL and MariaDB
    PostgreSql,
    Sqlite,
    Memcached,
    Etcd,
};

/// A connection URL, read. User, password, path and options are percent-decoded. Contains the password: show display(),
/// never the text it came from.
///
/// `redis://[[user]:password@]host[:port][/database]`, `rediss://` for TLS with `?ca=FILE&cert=FILE&key=FILE`;
/// `redis+sentinel://h1:p1,h2:p2/MASTER[/database]`, `redis+cluster://h1:p1,…`, `redlock://h1:p1,h2:p2,…`;
/// `zookeeper://[user:password@]h1:p1,h2:p2[/chroot]` (alias zk; digest login;
/// its options: backends/zookeeper/options.h);
/// `mysql://[user[:password]@]host[:port]/db` (alias mariadb), `postgresql://…` (alias postgres), `sqlite:///path`;
/// `memcached://[user:password@]h1:p1,…`, `etcd://[user:password@]h1:p1,…`; `memcacheds://`, `etcds://` with TLS.
///
/// `?timeout=` is how long one answer may take, `?connect=` how long connecting may, each 10 ms to an hour; with
/// redlock,
/// `?node=` is how long a lock waits for one server, 1 ms to a minute. With sentinels, `?sentinel-user=` and
/// `?sentinel-password=` are the login at these.
struct ConnectionUrl {
    QString scheme; ///< canonical, lower case: "redis", "rediss", "zookeeper", …
    Service service = Service::Redis;
    std::vector<Endpoint> endpoints; ///< at least one, except of SQLite, which has none
    QString user;
    QString password;
    int database = 0; ///< of Redis
    QString path;     ///< Sentinel: the master's name; ZooKeeper: the chroot with its slash; SQL: the database or file
    bool tls = false;
    TlsFiles tlsFiles;
    std::map<QString, QString> options; ///< `?name=value`, of those that the scheme knows and that are no secret
    /// What the sentinels want to hear, where it is not the servers' login; the password is empty when that is so.
    QString sentinelUser, sentinelPassword;

    /// The URL without passwords and without what is at its default: safe to show and to log.
    QString display() const;
    /// As display(), without options: which servers, however they are used.
    QString address() const;
    /// An option's value, or empty.
    QString option(const char* name) const;
    /// `time` becomes what the option says; it stays as it is when the URL has no such option.
    void takeTime(const char* name, Nanos& time) const;
    friend bool operator==(const ConnectionUrl&, const ConnectionUrl&) = default;
};

/// Reads a connection URL. The error is a sentence for the user: what is wrong, where, and what to write instead; it
/// never repeats the part between `//` and `@`.
std::expected<ConnectionUrl, QString> parseConnectionUrl(const QString& text);

} // namespace lockscope
