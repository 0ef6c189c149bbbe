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
    /// The text of the value at a JSON pointer, as it stands in the file; empty: there is none.
    QString written(const QString& pointer) const;
    /// The complaints with their lines, by line; before them the keys that stand twice in one object.
    std::vector<Problem> problems(const std::vector<Complaint>& complaints) const;

private:
    JsonDocument(QJsonObject object, const QByteArray& json, QString file);
    QJsonObject m_object;
    QByteArray m_json;
    JsonPositions m_positions;
    QString m_file;
};

/// Complaints about a scenario by the published schema of its version, in document order; empty when it is valid.
std::vector<Complaint> checkAgainstSchema(const JsonDocument& document);
/// Complaints about any document by this schema (JSON Schema, draft 7; its definitions stand under "definitions").
std::vector<Complaint> checkAgainstSchema(const JsonDocument& document, const QByteArray& schema);

} // namespace lockscope::scenario
