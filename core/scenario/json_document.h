// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "scenario/schema_check.h"
#include "trace/json_positions.h"

#include <QJsonObject>
#include <expected>

namespace lockscope::scenario {

/// The text of a file as one JSON object that still knows the line of each of its values.
class JsonDocument {
public:
    /// The problems are of JSON itself: a syntax error, or something that is no object.
    static std::expected<JsonDocument, std::vector<Problem>> read(const QByteArray& json, const QString& file);

    const QJsonObject& object() const { return m_object; }
    /// The complaints with their lines, by line; before them the keys that stand twice in one object.
    std::vector<Problem> problems(const std::vector<Complaint>& complaints) const;

private:
    JsonDocument(QJsonObject object, const QByteArray& json, QString file);
    QJsonObject m_object;
    JsonPositions m_positions;
    QString m_file;
};

} // namespace lockscope::scenario
