// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/manager_file.h"

#include "cli/output.h"
#include "cli/text.h"
#include "trace/json_positions.h"
#include "trace/suggestion.h"

#include <QFile>
#include <QJsonDocument>

namespace lockscope::cli {

std::expected<ManagerConfig, std::vector<ConfigMistake>> readManagerFile(const QString& path) {
    QFile file(path);
    if (file.open(QIODevice::ReadOnly)) return parseManagerConfig(file.readAll());
    return std::unexpected(
        std::vector<ConfigMistake>{{0, {}, tr("the configuration cannot be read: %1").arg(file.errorString())}});
}

void locate(const QString& path, std::vector<ConfigMistake>& mistakes) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return;
    const QByteArray text = file.readAll();
    if (!QJsonDocument::fromJson(text).isObject()) return; // it was changed meanwhile
    const JsonPositions positions(text);
    for (ConfigMistake& mistake : mistakes)
        mistake.line = positions.line(mistake.path);
}

void complainAbout(const QString& path, const std::vector<ConfigMistake>& mistakes) {
    for (const ConfigMistake& mistake : mistakes) {
        QString text = path;
        if (mistake.line > 0) text += QStringLiteral(":%1").arg(mistake.line);
        text += QStringLiteral(": ");
        if (!mistake.path.isEmpty()) text += mistake.path + QStringLiteral(": ");
        complainOfWords(text + mistake.message);
    }
}

std::expected<NamespaceConfig, QString> namespaceOf(const ManagerConfig& config, const QString& name) {
    QStringList names;
    for (const NamespaceConfig& one : config.namespaces) {
        if (QString::fromUtf8(one.name) == name) return one;
        names += QString::fromUtf8(one.name);
    }
    if (!name.isEmpty()) return std::unexpected(tr("there is no namespace “%1”%2").arg(name, suggestion(name, names)));
    if (config.namespaces.size() == 1) return config.namespaces.front();
    return std::unexpected(tr("the configuration has several namespaces: say which, %1").arg(names.join(tr(" or "))));
}

} // namespace lockscope::cli
