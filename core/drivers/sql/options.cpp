// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/options.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>

namespace lockscope::sql {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(SqlError)
};

std::unexpected<Error> wrongUrl(const QString& message) {
    return std::unexpected(Error{Error::Kind::WrongUrl, {}, message});
}

/// The system's authorities, where Debian, Fedora and SUSE have them in one file.
QString systemAuthorities() {
    for (const char* name :
         {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem"}) {
        if (QFileInfo::exists(QString::fromLatin1(name))) return QString::fromLatin1(name);
    }
    return {};
}

} // namespace

std::expected<Settings, Error> settingsOf(const ConnectionUrl& url) {
    for (const QString& file : {url.tlsFiles.ca, url.tlsFiles.certificate, url.tlsFiles.key}) {
        if (!file.isEmpty() && !QFileInfo(file).isReadable())
            return wrongUrl(Text::tr("The file “%1” cannot be read. Check ca=, cert= and key= in the URL.").arg(file));
    }
    Settings settings;
    settings.tls = url.tls;
    settings.tlsFiles = url.tlsFiles;
    settings.database = url.path;
    settings.user = url.user;
    settings.password = url.password;
    settings.where = url.address().section(QLatin1String("://"), 1).section(u'@', -1);
    if (!url.endpoints.empty()) {
        settings.host = url.endpoints.front().host;
        settings.port = url.endpoints.front().port;
    }
    switch (url.service) {
    case Service::MySql:
        settings.dialect = Dialect::MySql;
        // The client library takes the name for “by the local socket, whatever the port”.
        if (settings.host == QLatin1String("localhost")) settings.host = QStringLiteral("127.0.0.1");
        // This client library looks at the authority only, not at the host's name: any certificate that any public
        // authority gave would do.
        if (url.tls && url.tlsFiles.ca.isEmpty())
            return wrongUrl(
                Text::tr("TLS to MySQL and MariaDB needs ca=FILE in the URL: the authority of your own server."));
        break;
    case Service::PostgreSql:
        settings.dialect = Dialect::PostgreSql;
        if (url.tls && url.tlsFiles.ca.isEmpty()) settings.tlsFiles.ca = systemAuthorities();
        if (const auto pooler = url.options.find(QStringLiteral("pooler")); pooler != url.options.end()) {
            if (pooler->second != u"session")
                return wrongUrl(Text::tr("The option “pooler” has one value, session: it says that a pooler gives each "
                                         "connection a server process of its own."));
            settings.poolerKeepsSessions = true;
        }
        break;
    case Service::Sqlite:
        settings.dialect = Dialect::Sqlite;
        break;
    default:
        return wrongUrl(Text::tr("“%1” is not the URL of a database.").arg(url.display()));
    }
    return settings;
}

QByteArray quotedTable(Dialect dialect, const QString& name) {
    static const QRegularExpression valid(
        QStringLiteral("^[A-Za-z_][A-Za-z0-9_]{0,47}(\\.[A-Za-z_][A-Za-z0-9_]{0,47})?$"));
    if (!valid.match(name).hasMatch()) return {};
    const char mark = dialect == Dialect::MySql ? '`' : '"';
    QByteArrayList parts;
    for (const QString& part : name.split(u'.'))
        parts << mark + part.toLatin1() + mark;
    return parts.join('.');
}

} // namespace lockscope::sql
