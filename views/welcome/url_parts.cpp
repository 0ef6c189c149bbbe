// SPDX-License-Identifier: GPL-3.0-or-later
#include "welcome/url_parts.h"

#include "ports/url_login.h"

#include <QUrl>
#include <algorithm>

namespace lockscope::views {

namespace {

/// How the addresses of a kind of server ask for TLS.
enum class Encrypts : std::uint8_t { Never, ByScheme, ByOption };

struct Kind {
    const char *plain, *encrypted; ///< schemes
    Encrypts encrypts;
    UrlParts::Behind behind;
};

using Behind = UrlParts::Behind;
constexpr Kind kKinds[] = {
    {"redis", "rediss", Encrypts::ByScheme, Behind::Database},
    {"redis+sentinel", "rediss+sentinel", Encrypts::ByScheme, Behind::Master},
    {"redis+cluster", "rediss+cluster", Encrypts::ByScheme, Behind::Nothing},
    {"redlock", "redlocks", Encrypts::ByScheme, Behind::Database},
    {"memcached", "memcacheds", Encrypts::ByScheme, Behind::Nothing},
    {"etcd", "etcds", Encrypts::ByScheme, Behind::Nothing},
    {"zookeeper", "zookeeper", Encrypts::Never, Behind::Path},
    {"zk", "zk", Encrypts::Never, Behind::Path},
    {"mysql", "mysql", Encrypts::ByOption, Behind::Database},
    {"mariadb", "mariadb", Encrypts::ByOption, Behind::Database},
    {"postgresql", "postgresql", Encrypts::ByOption, Behind::Database},
    {"postgres", "postgres", Encrypts::ByOption, Behind::Database},
};

const Kind* kindOf(const QString& scheme) {
    const auto found = std::ranges::find_if(kKinds, [&](const Kind& kind) {
        return scheme == QLatin1String(kind.plain) || scheme == QLatin1String(kind.encrypted);
    });
    return found == std::end(kKinds) ? nullptr : found;
}

constexpr QLatin1String kMark("://");
constexpr QLatin1String kTlsOn("tls=on");

QString decoded(const QString& text) {
    return QUrl::fromPercentEncoding(text.toUtf8());
}

QString encoded(const QString& text, const char* but = "") {
    return QString::fromLatin1(QUrl::toPercentEncoding(text, but));
}

/// A file of TLS; nullptr: the option is another one. With PostgreSQL, key= may also say how names become keys.
QString* fileOf(UrlParts& parts, const QString& name, const QString& value) {
    if (name == u"ca") return &parts.authority;
    if (name == u"cert") return &parts.certificate;
    if (name != u"key") return nullptr;
    const bool ofNames =
        parts.scheme.startsWith(u"postgres") && (value == u"hash" || value == u"number" || value == u"two-int");
    return ofNames ? nullptr : &parts.key;
}

} // namespace

UrlParts UrlParts::of(const QString& url) {
    UrlParts parts;
    QString rest = url.trimmed();
    if (const qsizetype mark = rest.indexOf(kMark); mark >= 0) {
        parts.scheme = rest.first(mark).toLower();
        rest.remove(0, mark + kMark.size());
    }
    if (const Kind* const kind = kindOf(parts.scheme)) {
        parts.tls = kind->encrypts == Encrypts::ByScheme && parts.scheme == QLatin1String(kind->encrypted);
        parts.scheme = QLatin1String(kind->plain);
    }
    if (!parts.apply()) {
        parts.behind = rest;
        return parts;
    }
    if (const qsizetype login = loginEnd(rest); login >= 0) {
        const QString text = rest.first(login);
        parts.user = decoded(text.section(u':', 0, 0));
        parts.password = decoded(text.section(u':', 1));
        rest.remove(0, login + 1);
    }
    if (const qsizetype question = rest.indexOf(u'?'); question >= 0) {
        for (const QString& item : rest.sliced(question + 1).split(u'&', Qt::SkipEmptyParts)) {
            const QString value = decoded(item.section(u'=', 1));
            if (item == kTlsOn)
                parts.tls = true;
            else if (QString* const file = fileOf(parts, item.section(u'=', 0, 0), value))
                *file = value;
            else
                parts.options << item;
        }
        rest.truncate(question);
    }
    const qsizetype slash = rest.indexOf(u'/');
    if (slash >= 0) parts.behind = decoded(rest.sliced(slash + 1));
    QStringList servers = rest.first(slash < 0 ? rest.size() : slash).split(u',', Qt::SkipEmptyParts);
    for (QString& server : servers)
        server = server.trimmed();
    parts.servers = servers.join(QStringLiteral(", "));
    return parts;
}

QString UrlParts::text() const {
    const Kind* const kind = kindOf(scheme);
    const bool byScheme = tls && kind && kind->encrypts == Encrypts::ByScheme;
    QString text = byScheme ? QString::fromLatin1(kind->encrypted) : scheme;
    if (!text.isEmpty()) text += kMark;
    if (!apply()) return text + behind;
    if (!user.isEmpty() || !password.isEmpty()) {
        text += encoded(user);
        if (!password.isEmpty()) text += u':' + encoded(password);
        text += u'@';
    }
    QStringList each = servers.split(u',', Qt::SkipEmptyParts);
    for (QString& server : each)
        server = server.trimmed();
    text += each.join(u',');
    if (!behind.isEmpty()) text += u'/' + encoded(behind, "/");
    QStringList items;
    if (tls && kind && kind->encrypts == Encrypts::ByOption) items << kTlsOn;
    const auto addFile = [&items](const char* name, const QString& file) {
        if (!file.isEmpty()) items << QLatin1String(name) + u'=' + encoded(file, "/");
    };
    addFile("ca", authority);
    addFile("cert", certificate);
    addFile("key", key);
    items += options;
    return items.isEmpty() ? text : text + u'?' + items.join(u'&');
}

bool UrlParts::apply() const {
    return scheme != u"sqlite";
}

bool UrlParts::canEncrypt() const {
    const Kind* const kind = kindOf(scheme);
    return kind && kind->encrypts != Encrypts::Never;
}

bool UrlParts::lacksPassword() const {
    const auto isElsewhere = [](const QString& item) { return item.startsWith(QLatin1String(kPasswordOption) + u'='); };
    return !user.isEmpty() && password.isEmpty() && std::ranges::none_of(options, isElsewhere);
}

UrlParts::Behind UrlParts::kindOfBehind() const {
    const Kind* const kind = kindOf(scheme);
    return kind ? kind->behind : Behind::Database;
}

} // namespace lockscope::views
