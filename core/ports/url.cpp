// SPDX-License-Identifier: Apache-2.0
#include "ports/url.h"

#include "ports/sql/key_kind.h"
#include "ports/url_login.h"
#include "ports/zookeeper/options.h"
#include "trace/duration.h"

#include <QCoreApplication>
#include <QUrl>
#include <set>

namespace lockscope {

namespace {

enum class Path : std::uint8_t { None, DatabaseNumber, Master, Chroot, DatabaseName, File };

/// One scheme, or another name of one.
struct Scheme {
    const char* name;
    const char* canonical;
    Service service;
    std::uint16_t port;
    bool tls; ///< by its name; others may have an option for it
    bool several;
    Path path;
    const char* options; ///< those it knows besides ca, cert and key
};

// With databases, table=, name=, owner= and until= are a lock table of the user's own and its columns, to be watched.
constexpr Scheme kSchemes[] = {
    {"redis", "redis", Service::Redis, 6379, false, false, Path::DatabaseNumber,
     "wait timeout connect match ignore string"},
    {"rediss", "rediss", Service::Redis, 6379, true, false, Path::DatabaseNumber,
     "wait timeout connect match ignore string"},
    {"redis+sentinel", "redis+sentinel", Service::RedisSentinel, 26379, false, true, Path::Master,
     "wait timeout connect match ignore string sentinel-user sentinel-password"},
    {"rediss+sentinel", "rediss+sentinel", Service::RedisSentinel, 26379, true, true, Path::Master,
     "wait timeout connect match ignore string sentinel-user sentinel-password"},
    {"redis+cluster", "redis+cluster", Service::RedisCluster, 6379, false, true, Path::None,
     "wait timeout connect match ignore string"},
    {"rediss+cluster", "rediss+cluster", Service::RedisCluster, 6379, true, true, Path::None,
     "wait timeout connect match ignore string"},
    {"redlock", "redlock", Service::Redlock, 6379, false, true, Path::DatabaseNumber,
     "timeout connect node match ignore string"},
    {"redlocks", "redlocks", Service::Redlock, 6379, true, true, Path::DatabaseNumber,
     "timeout connect node match ignore string"},
    {"zookeeper", "zookeeper", Service::ZooKeeper, 2181, false, true, Path::Chroot,
     "session connect layout acl match ignore"},
    {"zk", "zookeeper", Service::ZooKeeper, 2181, false, true, Path::Chroot, "session connect layout acl match ignore"},
    {"mysql", "mysql", Service::MySql, 3306, false, false, Path::DatabaseName,
     "tls table timeout connect match ignore name owner until"},
    {"mariadb", "mysql", Service::MySql, 3306, false, false, Path::DatabaseName,
     "tls table timeout connect match ignore name owner until"},
    {"postgresql", "postgresql", Service::PostgreSql, 5432, false, false, Path::DatabaseName,
     "tls table pooler timeout connect match ignore name owner until"},
    {"postgres", "postgresql", Service::PostgreSql, 5432, false, false, Path::DatabaseName,
     "tls table pooler timeout connect match ignore name owner until"},
    {"sqlite", "sqlite", Service::Sqlite, 0, false, false, Path::File, "table timeout match ignore name owner until"},
    {"memcached", "memcached", Service::Memcached, 11211, false, true, Path::None, "timeout connect match ignore list"},
    {"memcacheds", "memcacheds", Service::Memcached, 11211, true, true, Path::None,
     "timeout connect match ignore list"},
    {"etcd", "etcd", Service::Etcd, 2379, false, true, Path::None, "timeout connect match ignore"},
    {"etcds", "etcds", Service::Etcd, 2379, true, true, Path::None, "timeout connect match ignore"},
};

/// Options that are times.
struct TimeOption {
    const char* name;
    Nanos least, most;
};
constexpr TimeOption kTimes[] = {
    {"timeout", 10ms, 1h},
    {"connect", 10ms, 1h},
    {"node", 1ms, 1min},
};

/// Options that display() repeats: by name, so that none is shown by chance.
constexpr const char* kShown[] = {"session", "layout",  "acl",  "table", "pooler", "key",   "wait",
                                  "timeout", "connect", "node", "name",  "owner",  "until", "list"};

const Scheme* schemeOf(const QString& name) {
    const auto found = std::ranges::find_if(kSchemes, [&](const Scheme& s) { return name == QLatin1String(s.name); });
    return found == std::end(kSchemes) ? nullptr : found;
}

using Unexpected = std::unexpected<QString>;

struct Text {
    Q_DECLARE_TR_FUNCTIONS(ConnectionUrl)
};

bool isOfScheme(QChar c) {
    return c.isLetterOrNumber() || c == u'+' || c == u'-' || c == u'.';
}

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

std::expected<Endpoint, QString> parseEndpoint(QStringView text, std::uint16_t defaultPort) {
    Endpoint endpoint{{}, defaultPort};
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
            return Unexpected(
                Text::tr("A host has more than one colon; write an IPv6 address as [::1]:6379, and a login as "
                         "user:password@host."));
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
        // Not repeated: where “@host” was forgotten, it is a password.
        const auto value = number(port, 1, 65535,
                                  Text::tr("The port of “%1” is not a number from 1 to 65535; a login is written as "
                                           "user:password@host.")
                                      .arg(endpoint.host));
        if (!value) return Unexpected(value.error());
        endpoint.port = std::uint16_t(*value);
    }
    return endpoint;
}

/// Whether an option says where the password is.
bool namesPassword(const QString& behindLogin) {
    const qsizetype question = behindLogin.indexOf(u'?');
    if (question < 0) return false;
    return std::ranges::any_of(behindLogin.sliced(question + 1).split(u'&'), [](const QString& item) {
        return item.startsWith(QLatin1String(kPasswordOption) + u'=');
    });
}

/// `named`: the password is elsewhere.
QString parseLogin(const QString& text, bool named, ConnectionUrl& url) {
    const bool sql = url.service == Service::MySql || url.service == Service::PostgreSql;
    const qsizetype colon = text.indexOf(u':');
    if (named && colon >= 0)
        return Text::tr("The URL has a password and “%1”; write only one of them.").arg(QLatin1String(kPasswordOption));
    if (colon < 0 && !text.isEmpty() && !sql && !named)
        return Text::tr(
            "The URL has a user but no password; write user:password@ (or :password@ for the default user).");
    const auto user = decoded(colon < 0 ? text : text.left(colon));
    if (!user) return user.error();
    const auto password = decoded(colon < 0 ? QString() : text.mid(colon + 1));
    if (!password) return password.error();
    if (password->isEmpty() && !user->isEmpty() && !sql && !named)
        return Text::tr("The password in the URL is empty; leave out “user:@” to connect without a login.");
    url.user = *user;
    url.password = *password;
    return {};
}

QString complaintOfTime(const QString& name, const QString& value) {
    const auto known = std::ranges::find_if(kTimes, [&](const TimeOption& t) { return name == QLatin1String(t.name); });
    if (known == std::end(kTimes)) return {};
    const std::optional<Nanos> time = parseDuration(value);
    if (time && *time >= known->least && *time <= known->most) return {};
    return Text::tr("The option “%1=%2” is not a time from %3 to %4 with its unit; write for example %1=500ms.")
        .arg(name, value, formatDuration(known->least), formatDuration(known->most));
}

/// Where a sentinels' login goes; null: the option is another one.
QString* placeOfSecret(const QString& name, ConnectionUrl& url) {
    if (name == u"sentinel-user") return &url.sentinelUser;
    return name == QLatin1String(kSecretOption) ? &url.sentinelPassword : nullptr;
}

/// How a URL of that kind asks for TLS: an option, or the beginning of another scheme; empty: it cannot.
QString wayToTls(const Scheme& scheme) {
    const QStringList known = QString::fromLatin1(scheme.options).split(u' ');
    if (known.contains(QStringLiteral("tls"))) return QStringLiteral("?tls=on");
    for (const Scheme& other : kSchemes)
        if (other.tls && other.service == scheme.service)
            return QString::fromLatin1(other.canonical) + QStringLiteral("://");
    return {};
}

QString parseQuery(const QString& text, const Scheme& scheme, ConnectionUrl& url) {
    const QStringList known = QString::fromLatin1(scheme.options).split(u' ', Qt::SkipEmptyParts);
    std::set<QString> seen;
    for (const QString& item : text.split(u'&', Qt::SkipEmptyParts)) {
        const QString name = item.section(u'=', 0, 0);
        const auto value = decoded(item.section(u'=', 1));
        if (!value) return value.error();
        if (const QLatin1String secret(kSecretOption);
            name != secret && value->contains(secret, Qt::CaseInsensitive)) // whatever follows it must not be shown
            return Text::tr("“%1” stands inside of another option; options are separated by “&”.").arg(secret);
        if (name == QLatin1String(kPasswordOption) && scheme.path != Path::File) {
            // Its name is not repeated: somebody may have written the password itself.
            url.password = qEnvironmentVariable(value->toLocal8Bit().constData());
            if (url.password.isEmpty())
                return Text::tr("The environment has no variable of the name that “%1” gives; set it to the password.")
                    .arg(name);
            if (!seen.insert(name).second) return Text::tr("The option “%1” is given twice.").arg(name);
            continue;
        }
        QString* file = name == u"ca"     ? &url.tlsFiles.ca
                        : name == u"cert" ? &url.tlsFiles.certificate
                        : name == u"key"  ? &url.tlsFiles.key
                                          : nullptr;
        // Elsewhere, and with any other word, it is a file: "key=./number" for one of that name.
        const bool ofKeys = name == u"key" && url.service == Service::PostgreSql && sql::keyKindOf(*value).has_value();
        if (ofKeys) file = nullptr;
        if (!file && !ofKeys && !known.contains(name)) {
            if (const QLatin1String secret(kSecretOption);
                known.contains(secret) && text.contains(secret)) // it may be the rest of that
                return Text::tr("An option beside “%1” is not known; write %26 for a “&” in a password.").arg(secret);
            const bool files = scheme.tls || known.contains(QStringLiteral("tls"));
            const QString others = known.join(QStringLiteral("=, ")) + u'=';
            if (!files) return Text::tr("The option “%1” is not known; there are %2.").arg(name, others);
            const QString also = Text::tr("; also %1").arg(others);
            return Text::tr("The option “%1” is not known; there are ca=, cert= and key=, each a file name%2.")
                .arg(name, also);
        }
        if (!seen.insert(ofKeys ? name + QStringLiteral("=kind") : name).second)
            return Text::tr("The option “%1” is given twice.").arg(name);
        if (value->isEmpty() && file) return Text::tr("The option “%1” is empty; give it a file name.").arg(name);
        if (value->isEmpty()) return Text::tr("The option “%1” is empty; give it a value.").arg(name);
        if (const QString complaint = complaintOfTime(name, *value); !complaint.isEmpty()) return complaint;
        if (QString* const place = file ? file : placeOfSecret(name, url))
            *place = *value;
        else
            url.options[name] = *value;
    }
    if (!url.sentinelUser.isEmpty() && url.sentinelPassword.isEmpty())
        return Text::tr("“sentinel-user” goes together with “%1”.").arg(QLatin1String(kSecretOption));
    if (url.options.contains(QStringLiteral("tls"))) {
        const QString wish = url.options[QStringLiteral("tls")];
        if (wish != u"on" && wish != u"off") return Text::tr("The option “tls” is either on or off.");
        url.tls = wish == u"on";
        url.options.erase(QStringLiteral("tls"));
    }
    if (const QString list = url.option("list"); !list.isEmpty() && list != u"metadump")
        return Text::tr("The option “list” is metadump, or left out.");
    const TlsFiles& files = url.tlsFiles;
    if (!url.tls && files != TlsFiles()) {
        const QString with = wayToTls(scheme);
        const QString first = !files.ca.isEmpty()            ? QStringLiteral("ca")
                              : !files.certificate.isEmpty() ? QStringLiteral("cert")
                                                             : QStringLiteral("key");
        if (with.isEmpty())
            return Text::tr("The option “%1” needs TLS, which connections of this kind do not have.").arg(first);
        return Text::tr("The option “%1” needs TLS; begin the URL with %2.").arg(first, with);
    }
    if (files.certificate.isEmpty() != files.key.isEmpty())
        return Text::tr("A client certificate needs both cert= and key=.");
    return {};
}

QString parseDatabase(const QString& path, ConnectionUrl& url) {
    const auto database =
        number(path, 0, 1'000'000, Text::tr("The database “%1” is not a number; write for example /0.").arg(path));
    if (!database) return database.error();
    url.database = *database;
    return {};
}

/// A login that has an option in it was none: the "@" behind it belongs to a file's name. Taken for a login, it would
/// be sent to what is no host.
bool holdsAnOption(const QString& login, const Scheme& scheme) {
    QStringList known = QString::fromLatin1(scheme.options).split(u' ', Qt::SkipEmptyParts);
    known += {QStringLiteral("ca"), QStringLiteral("cert"), QStringLiteral("key")};
    return std::ranges::any_of(known, [&](const QString& name) { return login.contains(u'?' + name + u'='); });
}

/// `path` is what stands behind the slash.
QString parsePath(const QString& path, const Scheme& scheme, ConnectionUrl& url) {
    switch (scheme.path) {
    case Path::None:
        if (!path.isEmpty()) return Text::tr("“%1://” takes no path; leave out “/%2”.").arg(url.scheme, path);
        return {};
    case Path::DatabaseNumber:
        return path.isEmpty() ? QString() : parseDatabase(path, url);
    case Path::Master: {
        const QString master = path.section(u'/', 0, 0);
        if (master.isEmpty())
            return Text::tr("The URL does not say which master; write for example %1://host:26379/mymaster.")
                .arg(url.scheme);
        url.path = master;
        const QString database = path.section(u'/', 1);
        return database.isEmpty() ? QString() : parseDatabase(database, url);
    }
    case Path::Chroot: {
        QString chroot = path;
        while (chroot.endsWith(u'/'))
            chroot.chop(1);
        if ((u'/' + chroot).contains(QLatin1String("//")))
            return Text::tr("The path “/%1” has an empty part.").arg(path);
        if (!chroot.isEmpty()) url.path = u'/' + chroot;
        return {};
    }
    case Path::DatabaseName:
        if (path.isEmpty())
            return Text::tr("The URL names no database; write for example %1://host/locks.").arg(url.scheme);
        if (path.contains(u'/')) return Text::tr("The database “%1” contains a slash.").arg(path);
        url.path = path;
        return {};
    case Path::File:
        break;
    }
    if (path.isEmpty()) return Text::tr("The URL names no file; write for example %1:///tmp/locks.db.").arg(url.scheme);
    url.path = u'/' + path;
    return {};
}

} // namespace

QString Endpoint::display() const {
    const QString shown = host.contains(u':') ? u'[' + host + u']' : host;
    return shown + u':' + QString::number(port);
}

QString ConnectionUrl::display() const {
    QStringList shown;
    const auto show = [&shown](const QString& name, const QString& value) {
        shown += name + u'=' + QString::fromLatin1(QUrl::toPercentEncoding(value));
    };
    for (const char* name : kShown)
        if (const QString value = option(name); !value.isEmpty()) show(QString::fromLatin1(name), value);
    if (!sentinelUser.isEmpty()) show(QStringLiteral("sentinel-user"), sentinelUser);
    return shown.isEmpty() ? address() : address() + u'?' + shown.join(u'&');
}

namespace {
/// A path as it may stand in a URL: to be read by people, so that only what would be read as something else is encoded.
QString shownPath(const QString& path, bool file) {
    QString shown;
    for (qsizetype i = 0; i < path.size(); ++i) {
        const QChar c = path[i];
        const bool atEnd = i + 1 == path.size();
        const bool other =
            c == u'%' || c == u'?' || c == u'#' || (c == u'@' && !file) || c.category() == QChar::Other_Control;
        if (other || (c.isSpace() && atEnd))
            shown += QString::fromLatin1(QUrl::toPercentEncoding(QString(c)));
        else
            shown += c;
    }
    return shown;
}
} // namespace

QString ConnectionUrl::address() const {
    QStringList where;
    for (const Endpoint& endpoint : endpoints)
        where.append(endpoint.display());
    QString text = scheme + QStringLiteral("://");
    if (!user.isEmpty()) text += QString::fromLatin1(QUrl::toPercentEncoding(user)) + u'@';
    text += where.join(u',');
    if (!path.isEmpty()) {
        if (!path.startsWith(u'/')) text += u'/';
        text += shownPath(path, endpoints.empty());
    }
    if (database != 0) text += u'/' + QString::number(database);
    return text;
}

QString ConnectionUrl::option(const char* name) const {
    const auto found = options.find(QString::fromLatin1(name));
    return found == options.end() ? QString() : found->second;
}

void ConnectionUrl::takeTime(const char* name, Nanos& time) const {
    time = parseDuration(option(name)).value_or(time);
}

std::expected<ConnectionUrl, QString> parseConnectionUrl(const QString& text) {
    const qsizetype mark = text.indexOf(QLatin1String("://"));
    if (mark <= 0)
        return Unexpected(Text::tr("This is not a connection URL; write for example redis://127.0.0.1:6379."));
    const QString written = text.left(mark).trimmed().toLower();
    const Scheme* const scheme = schemeOf(written);
    if (!std::ranges::all_of(written, isOfScheme)) // it may be a login in the wrong place: not to be repeated
        return Unexpected(Text::tr("This is not a connection URL; write for example redis://127.0.0.1:6379."));
    if (!scheme) {
        QStringList names;
        for (const Scheme& s : kSchemes)
            names += QString::fromLatin1(s.name) + QStringLiteral("://");
        return Unexpected(
            Text::tr("“%1://” is not supported; there are %2.").arg(written, names.join(QStringLiteral(", "))));
    }
    ConnectionUrl url;
    url.scheme = QString::fromLatin1(scheme->canonical);
    url.service = scheme->service;
    url.tls = scheme->tls;

    QString rest = text.mid(mark + 3).trimmed();
    const qsizetype at = scheme->path == Path::File ? -1 : loginEnd(rest);
    if (at >= 0) {
        if (holdsAnOption(rest.left(at), *scheme))
            return Unexpected(
                Text::tr("An “@” stands behind an option; write %40 for this sign there, and %3F for a “?” "
                         "in a password."));
        const bool named = namesPassword(rest.mid(at + 1));
        if (const QString error = parseLogin(rest.left(at), named, url); !error.isEmpty()) return Unexpected(error);
        rest = rest.mid(at + 1);
    }
    const qsizetype hash = rest.indexOf(u'#');
    if (hash >= 0)
        return Unexpected(Text::tr("A connection URL has no “#” part; write %23 for this sign in a password."));
    const qsizetype question = rest.indexOf(u'?');
    const QString query = question < 0 ? QString() : rest.mid(question + 1);
    rest = rest.left(question);
    if (scheme->path != Path::File && rest.contains(QLatin1String(kSecretOption)))
        return Unexpected(Text::tr("An option stands in front of the “?” that options begin with."));
    const qsizetype slash = rest.indexOf(u'/');
    const auto path = decoded(slash < 0 ? QString() : rest.mid(slash + 1));
    if (!path) return Unexpected(path.error());

    const QString hosts = rest.left(slash);
    if (scheme->path == Path::File) {
        if (!hosts.isEmpty()) {
            const QString file = rest.contains(u'@') ? QStringLiteral("FILE") : rest; // it may have a login in it
            return Unexpected(Text::tr("A file has no host: write three slashes, %1:///%2.").arg(url.scheme, file));
        }
    } else {
        const QStringList list = hosts.split(u',');
        if (list.size() > 1 && !scheme->several)
            return Unexpected(
                Text::tr("“%1://” takes one host; there are %n.", nullptr, int(list.size())).arg(url.scheme));
        for (const QString& host : list) {
            auto endpoint = parseEndpoint(host, scheme->port);
            if (!endpoint) return Unexpected(endpoint.error());
            if (std::ranges::find(url.endpoints, *endpoint) != url.endpoints.end())
                return Unexpected(Text::tr("The URL names “%1” twice.").arg(endpoint->display()));
            url.endpoints.push_back(*std::move(endpoint));
        }
    }
    if (const QString error = parsePath(*path, *scheme, url); !error.isEmpty()) return Unexpected(error);
    if (const QString error = parseQuery(query, *scheme, url); !error.isEmpty()) return Unexpected(error);
    if (url.service == Service::ZooKeeper) {
        if (const auto read = zookeeper::urlOptions(url); !read) return Unexpected(read.error());
    }
    return url;
}

} // namespace lockscope
