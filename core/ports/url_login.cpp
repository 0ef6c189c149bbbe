// SPDX-License-Identifier: Apache-2.0
#include "ports/url_login.h"

#include "ports/url.h"

#include <QRegularExpression>
#include <algorithm>
#include <cstring>

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

/// The text before a secret option whose end cannot be told from the rest of its word; cut off where a login may begin.
QString frontOf(const QString& word, qsizetype secret) {
    return word.indexOf(u'@', secret) < 0 ? word.first(secret) : word.first(std::min(loginBegin(word), secret));
}

} // namespace

qsizetype loginEnd(QStringView behindScheme) {
    return behindScheme.lastIndexOf(u'@');
}

QString withoutPassword(const QString& url) {
    const auto read = parseConnectionUrl(url);
    if (read && read->endpoints.empty()) return url; // the name of a file, which may have an @
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
    // Where the environment has the password the address has none, whether the variable is set now or not.
    static const QRegularExpression named(QStringLiteral("[?&]%1=").arg(QLatin1String(kPasswordOption)));
    const bool nameOnly = user.size() == end && rest.indexOf(named, end) >= 0;
    return begin + ((read || nameOnly) && !user.isEmpty() ? user + rest.sliced(end) : rest.sliced(end + 1));
}

void hideLogins(int argc, char** argv) {
    for (int i = 1; i < argc && qstrcmp(argv[i], "--") != 0; ++i) {
        const QByteArray word(argv[i]);
        if (!word.contains("://")) continue;
        const QByteArray shown = withoutPassword(QString::fromLocal8Bit(word)).toLocal8Bit();
        if (shown == word || shown.size() > word.size()) continue;
        std::memset(argv[i], 0, std::size_t(word.size()));
        std::memcpy(argv[i], shown.constData(), std::size_t(shown.size()));
    }
}

std::vector<Stretch> secretsOf(const QString& url) {
    std::vector<Stretch> secrets;
    const qsizetype option = secretBegin(url);
    const qsizetype begin = loginBegin(url);
    const QStringView rest = QStringView(url).sliced(begin);
    const qsizetype end = loginEnd(rest), colon = rest.indexOf(u':');
    if (colon >= 0 && (end < 0 || colon < end) && !rest.startsWith(u'[')) {
        // Without an "@" so far it may be a port, which ends at the path or the options.
        const QStringView behind = rest.sliced(colon + 1);
        const auto stop = std::ranges::find_if(behind, [](QChar c) { return !c.isDigit(); });
        const bool port = stop == behind.end() || *stop == u'/' || *stop == u'?' || *stop == u',';
        if (end >= 0)
            secrets.push_back({begin + colon + 1, end - colon - 1});
        else if (!port)
            secrets.push_back({begin + colon + 1, rest.size() - colon - 1});
    }
    if (option >= 0) {
        const qsizetype from = url.indexOf(u'=', option) + 1;
        const qsizetype to = from > 0 ? url.indexOf(u'&', from) : -1;
        if (from > 0) secrets.push_back({from, (to < 0 ? url.size() : to) - from});
    }
    return secrets;
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
