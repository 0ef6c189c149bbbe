// SPDX-License-Identifier: Apache-2.0
#include "live/forced_releases.h"

#include "inspect/verbatim.h"
#include "live/release_log.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::live {

namespace {
constexpr qint64 kRecent = 256 * 1024; ///< bytes at the file's end: hundreds of releases
constexpr qint64 kSoonMs = 10'000;     ///< so long after it at most, a look shows what a release by force did

/// Where an entry was written for the same server under another user or other options.
QString addressOf(const QString& shown) {
    const auto url = parseConnectionUrl(shown);
    if (!url) return shown;
    ConnectionUrl plain = *url;
    plain.user.clear();
    return plain.address();
}
} // namespace

ForcedReleases::ForcedReleases(const ConnectionUrl& server) : m_server(addressOf(server.display())) {
}

void ForcedReleases::read() {
    const qint64 size = QFileInfo(releaseLogPath()).size();
    if (size == m_size) return;
    m_size = size;
    QFile file(releaseLogPath());
    if (!file.open(QIODevice::ReadOnly)) return;
    if (size > kRecent) file.seek(size - kRecent);
    while (!file.atEnd()) {
        const QJsonObject entry = QJsonDocument::fromJson(file.readLine()).object(); // a line that is cut has none
        if (addressOf(entry[QLatin1String("server")].toString()) != m_server) continue;
        const QString result = entry[QLatin1String("result")].toString();
        const QString lock = entry[QLatin1String("lock")].toObject()[QLatin1String("name")].toString();
        if (result == kFreedResult || result == kSentResult)
            m_forced[lock] = QDateTime::fromString(entry[QLatin1String("at")].toString(), Qt::ISODateWithMs);
        else
            m_forced.erase(lock);
    }
    const QDateTime now = QDateTime::currentDateTimeUtc();
    std::erase_if(m_forced, [&](const auto& one) { return one.second.msecsTo(now) > kSoonMs; });
}

bool ForcedReleases::has(const QByteArray& lock) {
    read();
    const auto found = m_forced.find(inspect::verbatim(lock)); // as the entry's toJson() has it
    return found != m_forced.end() && found->second.msecsTo(QDateTime::currentDateTimeUtc()) <= kSoonMs;
}

} // namespace lockscope::live
