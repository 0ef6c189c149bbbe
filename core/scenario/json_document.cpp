// SPDX-License-Identifier: Apache-2.0
#include "scenario/json_document.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonParseError>

namespace lockscope::scenario {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("scenario", text);
}

} // namespace

JsonDocument::JsonDocument(QJsonObject object, const QByteArray& json, QString file)
    : m_object(std::move(object)), m_json(json), m_positions(json), m_file(std::move(file)) {
}

std::expected<JsonDocument, std::vector<Problem>> JsonDocument::read(const QByteArray& json, const QString& file) {
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(json, &error);
    if (error.error != QJsonParseError::NoError) {
        return std::unexpected(std::vector<Problem>{{file, JsonPositions::lineOf(json, error.offset), QString(),
                                                     tr("this is not JSON: %1").arg(error.errorString())}});
    }
    if (!document.isObject()) {
        return std::unexpected(std::vector<Problem>{{file, 1, QString(), tr("such a file is an object, { … }")}});
    }
    return JsonDocument(document.object(), json, file);
}

QString JsonDocument::written(const QString& pointer) const {
    const auto place = m_positions.place(pointer);
    return place ? QString::fromUtf8(m_json.mid(place->begin, place->end - place->begin)) : QString();
}

std::vector<Problem> JsonDocument::problems(const std::vector<Complaint>& complaints) const {
    std::vector<Problem> problems;
    for (const auto& [path, line] : m_positions.duplicates()) {
        problems.push_back({m_file, line, path, tr("this field stands here for the second time; leave one out")});
    }
    const auto first = std::ssize(problems);
    for (const Complaint& complaint : complaints)
        problems.push_back({m_file, m_positions.line(complaint.path), complaint.path, complaint.message});
    std::ranges::stable_sort(problems.begin() + first, problems.end(), {}, &Problem::line);
    return problems;
}

} // namespace lockscope::scenario
