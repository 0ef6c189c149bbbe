// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFont>
#include <QStringList>

namespace lockscope::views {

/// A recipe's step broken into lines: the first is at most `first` pixels wide, because badges stand beside it, each
/// further one `wide`. At most `most` lines; what does not fit there ends in "…".
QStringList stepLines(const QString& text, const QFont& font, int first, int wide, int most);

} // namespace lockscope::views
