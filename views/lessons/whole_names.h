// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace lockscope::views {

/// A text to be shown in lines of words: names such as "redis-set" and "redis-1" stay on one line. Their hyphens become
/// others, which no line ends at: to look words up, take the text itself.
QString withWholeNames(const QString& text);

} // namespace lockscope::views
