// SPDX-License-Identifier: Apache-2.0
#include "ports/sql/options.h"

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

qlonglong wholeSeconds(Nanos duration, std::int64_t least) {
    return std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(duration).count(), least);
}

/// The system's authorities, where Debian, Fedora and SUSE have them in one file.
QString systemAuthorities() {
    for (const char* name :
         {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem"}) {
        if (QFileInfo::exists(QString::fromLatin1(name))) return QString::fromLatin1(name);
    }
    return {};
}

std::expected<QStringList, Error> mySqlOptions(const ConnectionUrl& url, const DriverOptions& options) {
    QStringList list = {QStringLiteral("CLIENT_FOUND_ROWS=1"),
                        QStringLiteral("MYSQL_OPT_CONNECT_TIMEOUT=%1").arg(wholeSeconds(options.connectTimeout, 1)),
                        QStringLiteral("MYSQL_OPT_WRITE_TIMEOUT=%1").arg(wholeSeconds(options.statementTimeout, 1))};
    if (!url.tls) return list;
    // This client library looks at the authority only, not at the host's name: any certificate that any public
    // authority gave would do.
    if (url.tlsFiles.ca.isEmpty())
        return wrongUrl(
            Text::tr("TLS to MySQL and MariaDB needs ca=FILE in the URL: the authority of your own server."));
    list << QStringLiteral("SSL_CA=") + url.tlsFiles.ca;
    if (!url.tlsFiles.certificate.isEmpty())
        list << QStringLiteral("SSL_CERT=") + url.tlsFiles.certificate << QStringLiteral("SSL_KEY=") + url.tlsFiles.key;
    return list;
}

QString quoted(QString text) {
    return u'\'' + text.replace(u'\\', QLatin1String("\\\\")).replace(u'\'', QLatin1String("\\'")) + u'\'';
}

QStringList postgreSqlOptions(const ConnectionUrl& url, const DriverOptions& options) {
    QStringList list = {QStringLiteral("application_name=lockscope"),
                        QStringLiteral("connect_timeout=%1").arg(wholeSeconds(options.connectTimeout, 2)),
                        QStringLiteral("gssencmode=disable")};
    if (!url.tls) {
        list << QStringLiteral("sslmode=disable");
        return list;
    }
    const QString authorities = url.tlsFiles.ca.isEmpty() ? systemAuthorities() : url.tlsFiles.ca;
    list << QStringLiteral("sslmode=verify-full") << QStringLiteral("sslrootcert=") + quoted(authorities);
    if (!url.tlsFiles.certificate.isEmpty())
        list << QStringLiteral("sslcert=") + quoted(url.tlsFiles.certificate)
             << QStringLiteral("sslkey=") + quoted(url.tlsFiles.key);
    return list;
}

} // namespace

std::expected<Settings, Error> settingsOf(const ConnectionUrl& url, const DriverOptions& options) {
    for (const QString& file : {url.tlsFiles.ca, url.tlsFiles.certificate, url.tlsFiles.key}) {
        // Options are one text with semicolons between them, for which QtSql knows no quotes.
        if (file.contains(u';'))
            return wrongUrl(Text::tr("The file name “%1” must not contain a semicolon.").arg(file));
        if (!file.isEmpty() && !QFileInfo(file).isReadable())
            return wrongUrl(Text::tr("The file “%1” cannot be read. Check ca=, cert= and key= in the URL.").arg(file));
    }
    Settings settings;
    settings.onThreads = options.onThreads;
    settings.tls = url.tls;
    settings.database = url.path;
    settings.user = url.user;
    settings.password = url.password;
    settings.where = url.address().section(QLatin1String("://"), 1).section(u'@', -1);
    if (!url.endpoints.empty()) {
        settings.host = url.endpoints.front().host;
        settings.port = url.endpoints.front().port;
    }
    switch (url.service) {
    case Service::MySql: {
        settings.dialect = Dialect::MySql;
        settings.plugin = QStringLiteral("QMYSQL");
        // The client library takes the name for “by the local socket, whatever the port”.
        if (settings.host == QLatin1String("localhost")) settings.host = QStringLiteral("127.0.0.1");
        const auto list = mySqlOptions(url, options);
        if (!list) return std::unexpected(list.error());
        settings.options = list->join(u';');
        break;
    }
    case Service::PostgreSql:
        settings.dialect = Dialect::PostgreSql;
        settings.plugin = QStringLiteral("QPSQL");
        if (const auto pooler = url.options.find(QStringLiteral("pooler")); pooler != url.options.end()) {
            if (pooler->second != u"session")
                return wrongUrl(Text::tr("The option “pooler” has one value, session: it says that a pooler gives each "
                                         "connection a server process of its own."));
            settings.poolerKeepsSessions = true;
        }
        settings.options = postgreSqlOptions(url, options).join(u';');
        break;
    case Service::Sqlite:
        settings.dialect = Dialect::Sqlite;
        settings.plugin = QStringLiteral("QSQLITE");
        // Short, so that a stop request is heard; the driver asks again.
        settings.options = QStringLiteral("QSQLITE_BUSY_TIMEOUT=20");
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
