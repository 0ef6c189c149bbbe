// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <utility>
#include <vector>

class QJsonObject;

namespace lockscope::views {

/// A field of scenarios and lessons as a form names it; the field's own name when there is no better word.
QString fieldLabel(const QString& key);
/// How its value is written, or what it does: a sentence for its tool tip and for screen readers; empty: the label says
/// all.
QString fieldHint(const QString& key);

/// One of the values that a field can have, with its word in the file: "Pause client · pause-client". The word in the
/// file alone where it says it all.
QString choiceWords(const QString& key, const QString& choice);

/// The fields that have words here, and the values that do, each with its field: for the test that compares them with
/// the published schemas.
QStringList wordedFields();
std::vector<std::pair<QString, QString>> wordedChoices();

/// The kinds of rows of a trace by their words in a file, in the order of the trace's own list.
QStringList rowKinds();

/// One element of a list in a line, by what tells it from others: "work · A, B", and a fault as everywhere:
/// "3 s · Pause the holder for 8 s". `language`: of narration.
QString elementWords(const QJsonObject& element, const QString& language);

} // namespace lockscope::views
