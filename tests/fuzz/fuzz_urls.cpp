// SPDX-License-Identifier: Apache-2.0
#include "driver.h"
#include "ports/url.h"
#include "ports/url_login.h"

#include <QUrl>

using namespace lockscope;
using namespace lockscope::fuzz;

namespace {

/// Stands where passwords do.
const QByteArray kSecret = "Zq7hunter";

const std::vector<QByteArray> kUrls{
    "redis://127.0.0.1:6379",
    "redis://:" + kSecret + "@localhost/3",
    "rediss://ann:" + kSecret + "@[::1]:6380/1?ca=/etc/ca.pem&cert=c.pem&key=k.pem",
    "redis+sentinel://ann:" + kSecret + "@h1:26379,h2:26380/mymaster/2?timeout=500ms&connect=2s",
    "redis+sentinel://h1/m?sentinel-user=bob&sentinel-password=" + kSecret,
    "rediss+cluster://:" + kSecret + "@h1:7000,h2:7001?wait=1",
    "redlock://h1,h2,h3/1?node=50ms",
    "zk://ann:" + kSecret + "@h1,[fe80::1]:5/a/b/?session=4s&layout=kazoo&acl=read",
    "mysql://root:" + kSecret + "@h/locks?tls=on&table=t",
    "postgres://ann@h:5433/locks?pooler=transaction&timeout=1s",
    "sqlite:///tmp/a%20b@c.db?table=x",
    "memcacheds://ann:" + kSecret + "@h1:1,h2:2?timeout=10ms",
    "etcd://root:p%40" + kSecret + "%2F@h1:2379,h2",
};

const std::vector<QByteArray> kWords{
    "://",
    "@",
    ":",
    "/",
    "?",
    "&",
    "=",
    "#",
    ",",
    "[",
    "]",
    "%",
    "%41",
    "%00",
    "%2F",
    "%ff",
    " ",
    "\n",
    "\xe5\xaf\x86",
    "redis",
    "rediss",
    "redis+sentinel",
    "zookeeper",
    "postgresql",
    "mysql",
    "sqlite",
    "etcds",
    "memcached",
    "timeout=",
    "connect=",
    "1s",
    "sentinel-password=",
    "sentinel-user=",
    "ca=",
    "tls=on",
    "table=",
    "65536",
    "user:",
    kSecret,
    ":" + kSecret + "@",
};

/// The URL again, from what is shown of it: a login and secrets are put back.
QString again(const ConnectionUrl& url) {
    QString text = url.display();
    const QString user = QString::fromLatin1(QUrl::toPercentEncoding(url.user));
    if (!url.password.isEmpty()) {
        const qsizetype begin = text.indexOf(QLatin1String("://")) + 3;
        text.replace(begin, user.isEmpty() ? 0 : user.size() + 1,
                     user + u':' + QString::fromLatin1(QUrl::toPercentEncoding(url.password)) + u'@');
    }
    const auto add = [&](const char* name, const QString& value) {
        if (value.isEmpty()) return;
        text += (text.contains(u'?') ? u'&' : u'?') + QLatin1String(name) + u'=' +
                QString::fromLatin1(QUrl::toPercentEncoding(value));
    };
    add(kSecretOption, url.sentinelPassword);
    if (url.tls && (url.service == Service::MySql || url.service == Service::PostgreSql))
        add("tls", QStringLiteral("on"));
    add("ca", url.tlsFiles.ca);
    add("cert", url.tlsFiles.certificate);
    add("key", url.tlsFiles.key);
    return text;
}

/// Whether the secret stands only where it is one: between the scheme and the last "@".
bool isHidden(const QString& text, const QString& secret) {
    const qsizetype begin = text.indexOf(QLatin1String("://")), end = text.lastIndexOf(u'@');
    if (begin <= 0 || end < begin) return false;
    const auto isOfScheme = [](QChar c) { return c.isLetterOrNumber() || c == u'+' || c == u'-' || c == u'.'; };
    const QString front = text.first(begin).trimmed(), between = text.sliced(begin + 3, end - begin - 3);
    return std::ranges::all_of(front, isOfScheme) && !front.contains(secret) && between.contains(secret) &&
           !text.sliced(end).contains(secret) &&
           front.compare(QLatin1String("sqlite"), Qt::CaseInsensitive) != 0; // which has no login
}

class UrlTarget final : public Target {
public:
    const char* name() const override { return "fuzz_urls"; }
    std::vector<QByteArray> seeds() override { return kUrls; }
    QByteArray mutate(const QByteArray& input, std::span<const QByteArray> others, Chance& chance) override {
        return m_mutator.mutate(input, others, chance);
    }
    Outcome check(const QByteArray& input) override {
        const QString text = QString::fromUtf8(input), secret = QString::fromLatin1(kSecret);
        const bool hidden = isHidden(text, secret);
        if (hidden)
            for (const QString& shown : {withoutPassword(text), shownWord(text), withoutLogins(text, {text})})
                if (shown.contains(secret) && !userIsIt(text, secret))
                    return Outcome::wrong(QStringLiteral("the password is shown: ") + shown);
        const auto url = parseConnectionUrl(text);
        if (!url) {
            if (url.error().isEmpty()) return Outcome::wrong(QStringLiteral("refused without a word"));
            if (hidden && url.error().contains(secret))
                return Outcome::wrong(QStringLiteral("the complaint shows the password: ") + url.error());
            ++m_refused;
            return Outcome::fine(sayingOf(url.error()).left(24));
        }
        ++m_read;
        return checkRead(*url, secret);
    }
    std::optional<QString> idle() const override {
        if (m_read > 50 && m_refused > 50) return std::nullopt;
        return QStringLiteral("%1 URLs read, %2 refused").arg(m_read).arg(m_refused);
    }

private:
    /// A user who is called like the secret: names are shown.
    static bool userIsIt(const QString& text, const QString& secret) {
        const auto url = parseConnectionUrl(text);
        return url && (url->user.contains(secret) || url->sentinelUser.contains(secret));
    }

    static Outcome checkRead(const ConnectionUrl& url, const QString& secret) {
        if (url.endpoints.empty() != (url.service == Service::Sqlite))
            return Outcome::wrong(QStringLiteral("%1 endpoints").arg(url.endpoints.size()));
        for (const Endpoint& endpoint : url.endpoints)
            if (endpoint.port == 0 || endpoint.host.isEmpty())
                return Outcome::wrong(QStringLiteral("an endpoint without a host or a port: ") + endpoint.display());
        const auto holds = [&](const QString& text) { return text.contains(secret); };
        const bool elsewhere = holds(url.user) || holds(url.sentinelUser) || holds(url.path) ||
                               std::ranges::any_of(url.endpoints, holds, &Endpoint::host) ||
                               std::ranges::any_of(url.options, [&](const auto& o) { return holds(o.second); });
        for (const QString& shown : {url.display(), url.address()})
            if (!elsewhere && holds(shown)) return Outcome::wrong(QStringLiteral("the password is shown: ") + shown);

        const QString written = again(url);
        const auto second = parseConnectionUrl(written);
        if (!second) return Outcome::wrong(written + QStringLiteral(" is refused: ") + second.error());
        if (!(*second == url)) return Outcome::wrong(written + QStringLiteral(" is read as another URL"));
        if (second->display() != url.display())
            return Outcome::wrong(url.display() + QStringLiteral(" becomes ") + second->display());
        return Outcome::fine("read: " + url.scheme.toUtf8() + QByteArray::number(int(url.endpoints.size())) +
                             (url.user.isEmpty() ? "" : " user") + (url.password.isEmpty() ? "" : " password") +
                             (url.path.isEmpty() ? "" : " path") + QByteArray::number(int(url.options.size())));
    }

    Mutator m_mutator{kWords};
    int m_read = 0, m_refused = 0;
};

} // namespace

int main(int argc, char** argv) {
    UrlTarget target;
    return fuzz::run(argc, argv, target);
}
