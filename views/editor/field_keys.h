// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>

namespace lockscope::views {

/// The names of a document's fields, for a section of its editor.
inline QStringList keys(std::initializer_list<const char*> all) {
    QStringList keys;
    for (const char* key : all)
        keys += QLatin1String(key);
    return keys;
}

} // namespace lockscope::views
