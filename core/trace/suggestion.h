// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QStringList>

namespace lockscope {

/// The known word that `word` is probably a misspelling of; empty when none is near.
QString nearestWord(const QString& word, const QStringList& known);

/// "; did you mean “hold”?" when a known word is near `word`, else the list of all: "; known are …".
QString suggestion(const QString& word, const QStringList& known);

} // namespace lockscope
