// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace lockscope::views {

/// The name of a chapter of scenarios, as their files write it ("time"), for a person: translated. A chapter that is
/// not known keeps its own name; an empty one has none.
QString chapterWords(const QString& chapter);

} // namespace lockscope::views
