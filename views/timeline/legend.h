// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QRect>
#include <QString>
#include <set>
#include <vector>

class QPainter;

namespace lockscope::views {

// The timeline's signs and the words for them, for the bar below it and for pictures of a run.

enum class LegendSign : std::uint8_t {
    Holds,
    Waits,
    Stale,
    Paused,
    Lease,
    Accepted,
    Untold,
    Refused,
    Damage,
    Broken,
    Fault,
    Planned,
    Gap,
    Margin,
    RenewFailed,
    Ghost
};
struct LegendItem {
    LegendSign sign;
    QString words;
    const char* term; ///< of the glossary
};
/// All of them in the language in use, the most needed first.
std::vector<LegendItem> legendItems();
/// The room that one takes.
QSize legendItemSize(const QString& words);
/// The room between two.
int legendItemGap();
/// Paints one, left-aligned, as the timeline paints it.
void paintLegendItem(QPainter& painter, const QRect& place, LegendSign sign, const QString& words);
/// The margin above and below, and twice that beside.
inline constexpr int kLegendPad = 8;
/// How high a legend of one line is.
int legendHeight();
/// Paints as many of these as fit into one line.
void paintLegend(QPainter& painter, const QRect& place, const std::set<LegendSign>& signs);

} // namespace lockscope::views
