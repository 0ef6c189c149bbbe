// SPDX-License-Identifier: Apache-2.0
#include "backends/url_login.h"

#include "backends/url.h"

#include <QRegularExpression>

namespace lockscope {

namespace {

bool isOfScheme(QChar c) {
    return c.isLetterOrNumber() || c == u'+' || c == u'-' || c == u'.' || c == u'=';
}

/// Where a login would begin: behind the "://", where what stands in front of it looks like a scheme, or at once.
qsizetype loginBegin(const QString& word) {
    const qsizetype mark = word.indexOf(QLatin1String("://"));
    return mark > 0 && std::all_of(word.begin(), word.begin() + mark, isOfScheme) ? mark + 3 : 0;
}

qsizetype secretBegin(const QString& word) {
    return word.indexOf(QLatin1String(kSecretOption), 0, Qt::CaseInsensitive);
}

/// What stands in front of a secret option that cannot be told from the rest of its word; nothing of it when a login
/// may reach into it.
QString frontOf(const QString& word, qsizetype secret) {
    return word.indexOf(u'@', secret) < 0 ? word.first(secret) : word.first(std::min(loginBegin(word), secret));
}

} // namespace

qsizetype loginEnd(QStringView behindScheme) {
    return behindScheme.lastIndexOf(u'@');
}

QString withoutPassword(const QString& url) {
    const auto read = parseConnectionUrl(url);
    if (read && read->service == Service::Sqlite) return url; // the name of a file, which may have an @
    QString text = url.trimmed();
    if (read && !read->sentinelPassword.isEmpty()) {
        static const QRegularExpression option(QStringLiteral("(?<=[?&])%1=[^&]*&?").arg(QLatin1String(kSecretOption)));
        text.remove(option);
        while (text.endsWith(u'?') || text.endsWith(u'&'))
            text.chop(1);
    } else if (const qsizetype secret = secretBegin(text); secret >= 0 && !read) {
        text = frontOf(text, secret);
    }
    const QString begin = text.first(loginBegin(text)), rest = text.sliced(begin.size());
    const qsizetype end = loginEnd(rest);
    if (end < 0) return text;
    const QString user = rest.first(end).section(u':', 0, 0);
    return begin + (read && !user.isEmpty() ? user + rest.sliced(end) : rest.sliced(end + 1));
}

QString shownWord(const QString& word) {
    if (const qsizetype secret = secretBegin(word); secret >= 0) return shownWord(frontOf(word, secret)) + u'…';
    const QString begin = word.first(loginBegin(word)), rest = word.sliced(begin.size());
    const qsizetype end = loginEnd(rest);
    return end < 0 ? word : begin + u'…' + rest.sliced(end);
}

QString withoutLogins(QString message, const QStringList& words) {
    QStringList longestFirst = words; // a word may be the end of another one
    std::ranges::stable_sort(longestFirst, std::ranges::greater(), &QString::size);
    for (const QString& word : std::as_const(longestFirst)) {
        if (const QString shown = shownWord(word); shown != word) message.replace(word, shown);
    }
    return message;
}

} // namespace lockscope
