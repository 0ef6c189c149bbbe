// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_file.h"

#include "scenario/json_document.h"
#include "scenario/lock_times.h"
#include "scenario/scenario_reader.h"
#include "scenario/strike_check.h"
#include "scenario/user_files.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>

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

/// Whether it is still to run.
enum class Time : std::uint8_t { ToRun, HasRun };

std::expected<Scenario, std::vector<Problem>> parse(const QByteArray& json, const QString& file, Time time) {
    const auto document = JsonDocument::read(json, file);
    if (!document) return std::unexpected(document.error());

    std::vector<Complaint> complaints = checkAgainstSchema(*document);
    Scenario scenario;
    if (complaints.empty()) scenario = readDocument(document->object(), complaints);
    // Times that could not be read cannot be compared.
    const bool legible = std::ranges::none_of(
        complaints, [](const Complaint& complaint) { return complaint.path.startsWith(QLatin1String("/lock")); });
    if (time == Time::ToRun && complaints.empty()) checkStrikes(scenario, complaints);
    if (time == Time::ToRun && legible) checkLockTimes(scenario, document->object()[u"lockscope"].toInt(), complaints);
    if (auto problems = document->problems(complaints); !problems.empty()) return std::unexpected(std::move(problems));
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
    const QString own = builtin ? QString() : userFile(Shelf::Scenarios, idOrPath);
    const QString path = builtin ? kFolder + idOrPath + QStringLiteral(".json") : own.isEmpty() ? idOrPath : own;
    QFile file(path);
    if (!builtin && !QFileInfo::exists(path)) {
        return std::unexpected(
            std::vector<Problem>{{idOrPath, 0, QString(),
                                  tr("there is neither a built-in scenario nor a file of this name%1")
                                      .arg(suggestion(idOrPath, ids + userFiles(Shelf::Scenarios)))}});
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
