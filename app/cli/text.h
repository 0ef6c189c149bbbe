// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>

namespace lockscope::cli {

/// A text of the command line in the user's language.
inline QString tr(const char* text, const char* comment = nullptr, int n = -1) {
    return QCoreApplication::translate("cli", text, comment, n);
}

} // namespace lockscope::cli
