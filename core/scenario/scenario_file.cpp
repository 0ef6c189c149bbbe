// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_file.h"

#include "scenario/json_positions.h"
#include "scenario/scenario_reader.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonParseError>

namespace lockscope::scenario {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("scenario", text);
}

const QString kFolder = QStringLiteral(":/scenarios/");
const QString kSchemaFile = QStringLiteral("scenario.schema.json");

/// From what works to what breaks, simple causes first. A new file that is not named here comes last.
const QStringList kTeachingOrder{
    QStringLiteral("contention"),
    QStringLiteral("gc-pause"),
    QStringLiteral("crash-holder"),
    QStringLiteral("delete-others-lock"),
    QStringLiteral("watchdog-dies"),
    QStringLiteral("partition-holder"),
    QStringLiteral("failover-async"),
    QStringLiteral("redlock-minority-down"),
    QStringLiteral("redlock-majority-down"),
    QStringLiteral("redlock-slow"),
    QStringLiteral("redlock-restart"),
    QStringLiteral("redlock-clock-jump"),
};

std::vector<Problem> located(const std::vector<Complaint>& complaints, const JsonPositions& positions,
                             const QString& file) {
    std::vector<Problem> problems;
    problems.reserve(complaints.size());
    for (const Complaint& complaint : complaints) {
        problems.push_back({file, positions.line(complaint.path), complaint.path, complaint.message});
    }
    std::ranges::stable_sort(problems, {}, &Problem::line);
    return problems;
}

} // namespace

std::expected<Scenario, std::vector<Problem>> parseScenario(const QByteArray& json, const QString& file) {
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(json, &error);
    if (error.error != QJsonParseError::NoError) {
        return std::unexpected(std::vector<Problem>{{file, JsonPositions::lineOf(json, error.offset), QString(),
                                                     tr("this is not JSON: %1").arg(error.errorString())}});
    }
    if (!document.isObject()) {
        return std::unexpected(std::vector<Problem>{{file, 1, QString(), tr("a scenario is an object, { … }")}});
    }
    const JsonPositions positions(json);
    std::vector<Problem> problems;
    for (const auto& [path, line] : positions.duplicates()) {
        problems.push_back({file, line, path, tr("this field stands here for the second time; leave one out")});
    }

    std::vector<Complaint> complaints = checkAgainstSchema(document.object());
    Scenario scenario;
    if (complaints.empty()) scenario = readDocument(document.object(), complaints);
    std::ranges::move(located(complaints, positions, file), std::back_inserter(problems));
    if (!problems.empty()) return std::unexpected(std::move(problems));
    return scenario;
}

std::expected<Scenario, std::vector<Problem>> loadScenario(const QString& idOrPath) {
    const QStringList ids = builtinScenarios();
    const bool builtin = ids.contains(idOrPath);
    const QString path = builtin ? kFolder + idOrPath + QStringLiteral(".json") : idOrPath;
    QFile file(path);
    if (!builtin && !QFileInfo::exists(path)) {
        return std::unexpected(std::vector<Problem>{
            {idOrPath, 0, QString(),
             tr("there is neither a built-in scenario nor a file of this name%1").arg(suggestion(idOrPath, ids))}});
    }
    if (!file.open(QIODevice::ReadOnly) || QFileInfo(path).isDir()) {
        return std::unexpected(
            std::vector<Problem>{{idOrPath, 0, QString(), tr("the file cannot be read: %1").arg(file.errorString())}});
    }
    return parseScenario(file.readAll(), idOrPath);
}

QStringList builtinScenarios() {
    QStringList ids;
    const QStringList files = QDir(kFolder).entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name);
    for (const QString& file : files) {
        if (file != kSchemaFile) ids += file.chopped(5);
    }
    std::ranges::stable_sort(ids, {}, [](const QString& id) {
        const qsizetype place = kTeachingOrder.indexOf(id);
        return place < 0 ? kTeachingOrder.size() : place;
    });
    return ids;
}

QByteArray scenarioSchema() {
    QFile file(kFolder + kSchemaFile);
    if (!file.open(QIODevice::ReadOnly)) qFatal("scenario.schema.json is missing from the program");
    return file.readAll();
}

} // namespace lockscope::scenario
