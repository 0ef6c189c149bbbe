// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>

namespace lockscope::views {

/// The parts of a connection's address as people know them: texts without percent signs. Reads addresses that are only
/// half typed, too; whether one is right says parseConnectionUrl().
struct UrlParts {
    /// The part behind the servers.
    enum class Behind : std::uint8_t { Nothing, Database, Master, Path };

    QString scheme; ///< without the sign for TLS: "redis+sentinel" of "rediss+sentinel://…"; empty: none is typed yet
    QString user, password;
    QString servers; ///< "sentinel-1:26379, sentinel-2:26379"
    QString behind;  ///< a database, a master's name, a path within ZooKeeper; without its first slash
    bool tls = false;
    QString authority, certificate, key; ///< PEM files
    QStringList options;                 ///< all others, as they are written: "timeout=5s"

    static UrlParts of(const QString& url);
    /// The address: of(text()) are the same parts.
    QString text() const;

    /// Whether the scheme has these parts: a file has none.
    bool apply() const;
    bool canEncrypt() const;
    /// A user stands there without a password, and nothing says where the password is.
    bool lacksPassword() const;
    Behind kindOfBehind() const;
    friend bool operator==(const UrlParts&, const UrlParts&) = default;
};

} // namespace lockscope::views
