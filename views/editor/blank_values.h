// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/edited_document.h"

namespace lockscope::views {

/// A new element of a list at this place, as a beginning that the reader accepts where there is one.
QJsonObject blankElement(const EditedDocument& document, const QString& list);

/// A new object for this field.
QJsonObject blankObject(const EditedDocument& document, const QString& place);

/// The text of a new document.
QByteArray blankDocument(EditedDocument::Kind kind);

} // namespace lockscope::views
