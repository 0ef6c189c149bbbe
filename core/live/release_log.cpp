// SPDX-License-Identifier: Apache-2.0
#include "live/release_log.h"

#include "live/live_session.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

namespace lockscope::live {

QString releaseLogPath() {
    return QDir(QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation))
        .filePath(QStringLiteral("Lockscope/Lockscope/releases.jsonl"));
}

std::expected<void, QString> note(const ReleaseEntry& entry) {
    QJsonArray commands;
    for (const QByteArray& line : entry.commands)
        commands.append(QString::fromUtf8(line));
    const QJsonObject object{{QStringLiteral("at"), entry.at.toString(Qt::ISODateWithMs)},
                             {QStringLiteral("server"), entry.server},
                             {QStringLiteral("lock"), inspect::toJson(entry.lock)},
                             {QStringLiteral("commands"), commands},
                             {QStringLiteral("result"), entry.result}};
    QFile file(releaseLogPath());
    const bool there = QDir().mkpath(QFileInfo(file).absolutePath());
    const QByteArray line = QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
    if (!there || !file.open(QIODevice::Append | QIODevice::WriteOnly) || file.write(line) != line.size())
        return std::unexpected(LiveSession::tr("The release was not noted in %1: %2. Check that its folder can "
                                               "be written.")
                                   .arg(file.fileName(), file.errorString()));
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    return {};
}

} // namespace lockscope::live
