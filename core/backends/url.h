// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <cstdint>
#include <expected>
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

/// A connection URL, read: `redis://[[user]:password@]host[:port][/database]`, `rediss://` for TLS with
/// `?ca=FILE&cert=FILE&key=FILE`. User, password and file names are percent-decoded. Contains the password: show
/// display(), never the text it came from.
struct ConnectionUrl {
    QString scheme; ///< "redis" or "rediss", lower case
    std::vector<Endpoint> endpoints;
    QString user;
    QString password;
    int database = 0;
    bool tls = false;
    TlsFiles tlsFiles;

    /// The URL without the password and without what is at its default: safe to show and to log.
    QString display() const;
    friend bool operator==(const ConnectionUrl&, const ConnectionUrl&) = default;
};

/// Reads a connection URL. The error is a sentence for the user: what is wrong, where, and what to write instead; it
/// never repeats the part between `//` and `@`.
std::expected<ConnectionUrl, QString> parseConnectionUrl(const QString& text);

} // namespace lockscope
