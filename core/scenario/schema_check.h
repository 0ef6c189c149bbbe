// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QJsonObject>
#include <QString>
#include <vector>

namespace lockscope::scenario {

/// A complaint before its line is known.
struct Complaint {
    QString path; ///< JSON pointer
    QString message;
};

/// Complaints about a document by the published schema, in document order; empty when it is valid.
std::vector<Complaint> checkAgainstSchema(const QJsonObject& document);

/// "; did you mean “hold”?" when a known word is near `word`, else the list of all: "; known are …".
QString suggestion(const QString& word, const QStringList& known);

} // namespace lockscope::scenario
