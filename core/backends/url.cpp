// SPDX-License-Identifier: Apache-2.0
#include "backends/url.h"

#include <QCoreApplication>
#include <QUrl>
#include <QUrlQuery>

namespace lockscope {

namespace {

constexpr std::uint16_t kRedisPort = 6379;

using Unexpected = std::unexpected<QString>;

struct Text {
    Q_DECLARE_TR_FUNCTIONS(ConnectionUrl)
};

bool isHex(QChar c) {
    return (c >= u'0' && c <= u'9') || (c >= u'a' && c <= u'f') || (c >= u'A' && c <= u'F');
}

// A percent sign that starts no %XX would be taken literally and surprise at the login: refuse it.
std::expected<QString, QString> decoded(const QString& text) {
    for (qsizetype at = text.indexOf(u'%'); at >= 0; at = text.indexOf(u'%', at + 1)) {
        if (at + 2 >= text.size() || !isHex(text[at + 1]) || !isHex(text[at + 2]))
            return Unexpected(Text::tr("The URL contains a stray “%”; write %25 for a percent sign."));
    }
    return QString::fromUtf8(QByteArray::fromPercentEncoding(text.toUtf8()));
}

std::expected<int, QString> number(QStringView text, int low, int high, const QString& complaint) {
    bool ok = false;
    const int value = text.toInt(&ok);
    const bool digits = std::all_of(text.begin(), text.end(), [](QChar c) { return c >= u'0' && c <= u'9'; });
    if (!ok || !digits || value < low || value > high) return Unexpected(complaint);
    return value;
}

std::expected<Endpoint, QString> parseEndpoint(QStringView text) {
    Endpoint endpoint{{}, kRedisPort};
    QStringView port;
    if (text.startsWith(u'[')) {
        const qsizetype close = text.indexOf(u']');
        if (close < 0) return Unexpected(Text::tr("The address “%1” has no closing bracket “]”.").arg(text));
        endpoint.host = text.sliced(1, close - 1).toString();
        const QStringView rest = text.sliced(close + 1);
        if (!rest.isEmpty() && !rest.startsWith(u':'))
            return Unexpected(Text::tr("After “]” in “%1” only “:port” may follow.").arg(text));
        if (!rest.isEmpty()) port = rest.sliced(1);
        if (!rest.isEmpty() && port.isEmpty())
            return Unexpected(Text::tr("“%1” ends in a colon; write host:port or leave the colon out.").arg(text));
    } else {
        if (text.count(u':') > 1)
            return Unexpected(Text::tr("“%1” has more than one colon; write an IPv6 address as [::1]:6379.").arg(text));
        const qsizetype colon = text.indexOf(u':');
        endpoint.host = (colon < 0 ? text : text.first(colon)).toString();
        if (colon >= 0) port = text.sliced(colon + 1);
        if (colon >= 0 && port.isEmpty())
            return Unexpected(Text::tr("“%1” ends in a colon; write host:port or leave the colon out.").arg(text));
    }
    if (endpoint.host.isEmpty())
        return Unexpected(Text::tr("The URL names no host; write for example redis://127.0.0.1:6379."));
    if (endpoint.host.contains(u' ')) return Unexpected(Text::tr("The host “%1” contains a space.").arg(endpoint.host));
    if (!port.isEmpty()) {
        const auto value = number(port, 1, 65535, Text::tr("The port “%1” is not a number from 1 to 65535.").arg(port));
        if (!value) return Unexpected(value.error());
        endpoint.port = std::uint16_t(*value);
    }
    return endpoint;
}

QString parseLogin(const QString& text, ConnectionUrl& url) {
    const qsizetype colon = text.indexOf(u':');
    if (colon < 0 && !text.isEmpty())
        return Text::tr(
            "The URL has a user but no password; write user:password@ (or :password@ for the default user).");
    const auto user = decoded(text.left(colon));
    if (!user) return user.error();
    const auto password = decoded(text.mid(colon + 1));
    if (!password) return password.error();
    if (password->isEmpty() && !user->isEmpty())
        return Text::tr("The password in the URL is empty; leave out “user:@” to connect without a login.");
    url.user = *user;
    url.password = *password;
    return {};
}

QString parseQuery(const QString& text, ConnectionUrl& url) {
    for (const QString& item : text.split(u'&', Qt::SkipEmptyParts)) {
        const QString name = item.section(u'=', 0, 0);
        const auto value = decoded(item.section(u'=', 1));
        if (!value) return value.error();
        QString* file = name == u"ca"     ? &url.tlsFiles.ca
                        : name == u"cert" ? &url.tlsFiles.certificate
                        : name == u"key"  ? &url.tlsFiles.key
                                          : nullptr;
        if (!file)
            return Text::tr("The option “%1” is not known; there are ca=, cert= and key=, each a file name.").arg(name);
        if (!url.tls) return Text::tr("The option “%1” needs TLS; begin the URL with rediss://.").arg(name);
        if (value->isEmpty()) return Text::tr("The option “%1” is empty; give it a file name.").arg(name);
        *file = *value;
    }
    if (url.tlsFiles.certificate.isEmpty() != url.tlsFiles.key.isEmpty())
        return Text::tr("A client certificate needs both cert= and key=.");
    return {};
}

} // namespace

QString Endpoint::display() const {
    const QString shown = host.contains(u':') ? u'[' + host + u']' : host;
    return shown + u':' + QString::number(port);
}

QString ConnectionUrl::display() const {
    QStringList where;
    for (const Endpoint& endpoint : endpoints)
        where.append(endpoint.display());
    QString text = scheme + QStringLiteral("://");
    if (!user.isEmpty()) text += QString::fromLatin1(QUrl::toPercentEncoding(user)) + u'@';
    text += where.join(u',');
    if (database != 0) text += u'/' + QString::number(database);
    return text;
}

std::expected<ConnectionUrl, QString> parseConnectionUrl(const QString& text) {
    const qsizetype mark = text.indexOf(QLatin1String("://"));
    if (mark <= 0)
        return Unexpected(Text::tr("This is not a connection URL; write for example redis://127.0.0.1:6379."));
    ConnectionUrl url;
    url.scheme = text.left(mark).trimmed().toLower();
    if (url.scheme != u"redis" && url.scheme != u"rediss")
        return Unexpected(Text::tr("“%1://” is not supported; there are redis:// and rediss://.").arg(url.scheme));
    url.tls = url.scheme == u"rediss";

    QString rest = text.mid(mark + 3).trimmed();
    // The login ends at the last @, so that a password with an unescaped @ is not shown as a host.
    const qsizetype at = rest.lastIndexOf(u'@');
    if (at >= 0) {
        if (const QString error = parseLogin(rest.left(at), url); !error.isEmpty()) return Unexpected(error);
        rest = rest.mid(at + 1);
    }
    const qsizetype hash = rest.indexOf(u'#');
    if (hash >= 0)
        return Unexpected(Text::tr("A connection URL has no “#” part; write %23 for this sign in a password."));
    const qsizetype question = rest.indexOf(u'?');
    const QString query = question < 0 ? QString() : rest.mid(question + 1);
    rest = rest.left(question);
    const qsizetype slash = rest.indexOf(u'/');
    const QString path = slash < 0 ? QString() : rest.mid(slash + 1);

    const auto endpoint = parseEndpoint(QStringView(rest).first(slash < 0 ? rest.size() : slash));
    if (!endpoint) return Unexpected(endpoint.error());
    url.endpoints.push_back(*endpoint);
    if (!path.isEmpty()) {
        const auto database =
            number(path, 0, 1'000'000, Text::tr("The database “%1” is not a number; write for example /0.").arg(path));
        if (!database) return Unexpected(database.error());
        url.database = *database;
    }
    if (const QString error = parseQuery(query, url); !error.isEmpty()) return Unexpected(error);
    return url;
}

} // namespace lockscope
