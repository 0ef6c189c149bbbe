// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/suggestion.h"

#include <QJsonObject>
#include <QString>
#include <vector>

namespace lockscope::scenario {

/// A complaint before its line is known.
struct Complaint {
    QString path; ///< JSON pointer
    QString message;
};

/// Complaints about a scenario by the published schema of its version, in document order; empty when it is valid.
std::vector<Complaint> checkAgainstSchema(const QJsonObject& document);
/// Complaints about any document by this schema (JSON Schema, draft 7; its definitions stand under "definitions").
std::vector<Complaint> checkAgainstSchema(const QJsonObject& document, const QByteArray& schema);

using lockscope::suggestion;

} // namespace lockscope::scenario
