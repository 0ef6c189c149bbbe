// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QString>
#include <cstdint>
#include <expected>
#include <map>
#include <vector>

namespace lockscope {

/// A server's address.
struct Endpoint {
    QString host; ///< name or address; IPv6 without brackets
    std::uint16_t port = 0;
    /// "host:port", "[::1]:6379".
    QString display() const;
    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// PEM files for TLS. Empty: the system's authorities, no client certificate.
struct TlsFiles {
    QString ca;
    QString certificate;
    QString key;
    friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

/// The kind of server behind a URL.
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

/// A parsed connection URL; user, password, path and options are percent-decoded. It contains the password: show
/// display(), never the original text.
///
/// `redis://[[user]:password@]host[:port][/database]`, `rediss://` for TLS with `?ca=FILE&cert=FILE&key=FILE`;
/// `redis+sentinel://h1:p1,h2:p2/MASTER[/database]`, `redis+cluster://h1:p1,…`, `redlock://h1:p1,h2:p2,…`;
/// `zookeeper://[user:password@]h1:p1,h2:p2[/chroot]` (alias zk; digest login; options: backends/zookeeper/options.h);
/// `mysql://[user[:password]@]host[:port]/db` (alias mariadb), `postgresql://…` (alias postgres), `sqlite:///path`;
/// `memcached://[user:password@]h1:p1,…`, `etcd://[user:password@]h1:p1,…`; `memcacheds://`, `etcds://` with TLS.
///
/// Options: `?timeout=` is how long one answer may take, `?connect=` how long connecting may, each 10 ms to an hour.
/// With redlock, `?node=` is how long a lock waits for one server, 1 ms to a minute. With sentinels, `?sentinel-user=`
/// and `?sentinel-password=` are the login at the sentinels. With postgresql, `?key=` hash, number or two-int says how
/// sql-advisory makes keys from names: sql::KeyKind.
struct ConnectionUrl {
    QString scheme; ///< canonical, lower case: "redis", "rediss", "zookeeper", …
    Service service = Service::Redis;
    std::vector<Endpoint> endpoints; ///< at least one; none with SQLite
    QString user;
    QString password;
    int database = 0; ///< Redis only
    QString path;     ///< Sentinel: the master's name; ZooKeeper: the chroot with its slash; SQL: the database or file
    bool tls = false;
    TlsFiles tlsFiles;
    std::map<QString, QString> options; ///< `?name=value`: options that the scheme knows and that are not secret
    /// The login at the sentinels, if it differs from the servers'; the password is empty when it does not.
    QString sentinelUser, sentinelPassword;

    /// The URL without passwords, certificate files, `tls=` and database 0: safe to show and to log.
    QString display() const;
    /// display() without options: identifies the servers.
    QString address() const;
    /// An option's value, or empty.
    QString option(const char* name) const;
    /// Sets `time` to the option's value; leaves it unchanged when the URL has no such option.
    void takeTime(const char* name, Nanos& time) const;
    friend bool operator==(const ConnectionUrl&, const ConnectionUrl&) = default;
};

/// Parses a connection URL. The error is a sentence for the user: what is wrong, where, and what to write instead. It
/// never repeats the part between `//` and `@`.
std::expected<ConnectionUrl, QString> parseConnectionUrl(const QString& text);

} // namespace lockscope
