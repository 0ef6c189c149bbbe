// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFont>

namespace lockscope::views {

/// The interface's font: the desktop's own; Inter where the desktop names none of its own. Chinese falls back to Noto.
/// `delta` in points is added to its size.
QFont uiFont(double delta = 0, QFont::Weight weight = QFont::Normal);
/// Section captions: small, demi-bold; SectionCaption sets it.
QFont captionFont();
/// For numbers, code and keys: digits are equally wide, so that running numbers do not dance.
QFont fixedFont(double delta = 0, QFont::Weight weight = QFont::Normal);

/// How much larger than usual all text is, 0.5…4; 1 at first. A change reaches every widget that is there: those with a
/// font of their own have it scaled, the others follow the application's.
void setTextScale(double scale);
double textScale();

} // namespace lockscope::views
