// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_file.h"

#include "scenario/lock_times.h"
#include "scenario/scenario_reader.h"
#include "trace/json_positions.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonParseError>

namespace lockscope::scenario {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("scenario", text);
}

const QString kFolder = QStringLiteral(":/scenarios/");
const QString kSchemaEnding = QStringLiteral(".schema.json");

/// The "order" of a built-in scenario's file; those without one are the last.
int orderOf(const QString& id) {
    QFile file(kFolder + id + QStringLiteral(".json"));
    if (!file.open(QIODevice::ReadOnly)) return INT_MAX;
    const int order = QJsonDocument::fromJson(file.readAll())[u"order"].toInt();
    return order > 0 ? order : INT_MAX;
}

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

namespace {

/// Whether it is still to run.
enum class Time : std::uint8_t { ToRun, HasRun };

std::expected<Scenario, std::vector<Problem>> parse(const QByteArray& json, const QString& file, Time time) {
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
    // Times that could not be read cannot be compared.
    const bool legible = std::ranges::none_of(
        complaints, [](const Complaint& complaint) { return complaint.path.startsWith(QLatin1String("/lock")); });
    if (time == Time::ToRun && legible) checkLockTimes(scenario, document[u"lockscope"].toInt(), complaints);
    std::ranges::move(located(complaints, positions, file), std::back_inserter(problems));
    if (!problems.empty()) return std::unexpected(std::move(problems));
    return scenario;
}

} // namespace

std::expected<Scenario, std::vector<Problem>> parseScenario(const QByteArray& json, const QString& file) {
    return parse(json, file, Time::ToRun);
}

std::optional<Scenario> recordedScenario(const QByteArray& json) {
    auto scenario = parse(json, QString(), Time::HasRun);
    return scenario ? std::optional(*std::move(scenario)) : std::nullopt;
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
    static const QStringList kIds = [] {
        std::vector<std::pair<int, QString>> all;
        const QStringList files = QDir(kFolder).entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name);
        for (const QString& file : files)
            if (!file.endsWith(kSchemaEnding)) all.emplace_back(orderOf(file.chopped(5)), file.chopped(5));
        std::ranges::stable_sort(all, {}, &std::pair<int, QString>::first);
        QStringList ids;
        for (const auto& [order, id] : all)
            ids += id;
        return ids;
    }();
    return kIds;
}

QByteArray scenarioSchema(int version) {
    const QString name = version == 2 ? QStringLiteral("scenario-2") : QStringLiteral("scenario");
    QFile file(kFolder + name + kSchemaEnding);
    if (!file.open(QIODevice::ReadOnly)) qFatal("a schema of scenarios is missing from the program");
    return file.readAll();
}

} // namespace lockscope::scenario
