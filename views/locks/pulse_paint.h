// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/hold_history.h"

class QPainter;
class QRectF;

namespace lockscope::views {

/// A small electrocardiogram: a line up to now with a spike for each renewal, as long as the beats that are kept last;
/// where a renewal was due and did not come, the line is flat, and a hollow ring stands. Precondition: there are beats.
void paintPulse(QPainter& painter, const QRectF& strip, const Pulse& pulse);

} // namespace lockscope::views
