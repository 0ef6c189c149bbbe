// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPainter>

namespace lockscope::views {

/// The small signs that stand on lanes by the hundred. Drawn smoothly once and copied from then on: smoothing each of
/// them anew would take most of a frame.
enum class Sprite : std::uint8_t {
    FaultPlanned,  ///< hollow purple flag; the point is its tip
    FaultByHand,   ///< filled purple flag; the point is its tip
    Accepted,      ///< green diamond with a check; the point of this and the following is the centre
    AcceptedSmall, ///< plain green diamond
    Untold,        ///< grey diamond: accepted, and what it did is held back
    UntoldSmall,
    Refused, ///< hollow diamond with a cross
    RefusedSmall,
    Damage,      ///< vermilion diamond with an exclamation mark
    GaveUp,      ///< amber cross
    Lost,        ///< vermilion cross
    MessageDown, ///< a message whose flight is too short to be seen; the point is the middle of its left edge
    MessageUp,
    MessagePush, ///< dotted, upwards
    Count_
};

/// Draws a sign at a point, `u` times its normal size, in the theme in use. On paper and in SVG it stays vectors.
void paintSprite(QPainter& painter, Sprite sprite, const QPointF& point, double u, double devicePixelRatio);
/// Half the height of Accepted, Refused and Damage.
inline constexpr double kDiamondRadius = 11;
/// Width and height of the messages.
inline constexpr double kMessageSlant = 4, kMessageHeight = 20;

} // namespace lockscope::views
