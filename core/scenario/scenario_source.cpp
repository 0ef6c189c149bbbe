// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_source.h"

#include "scenario/scenario_file.h"
#include "scenario/user_files.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

namespace lockscope::scenario {

QString scenarioSource(const QString& id) {
    const QString path = builtinScenarios().contains(id) ? QStringLiteral(":/scenarios/%1.json").arg(id)
                                                         : userFile(Shelf::Scenarios, id);
    QFile file(path);
    if (path.isEmpty() || !file.open(QIODevice::ReadOnly)) return {};
    return QJsonDocument::fromJson(file.readAll()).object()[u"source"].toString();
}

QString sourceNames(const QString& source) {
    static const QRegularExpression kAddress(QStringLiteral(",? *https?://[^ ;]*"));
    return QString(source).remove(kAddress);
}

} // namespace lockscope::scenario
