// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/axis_keys.h"

#include "editor/axis_scale.h"

#include <QKeyEvent>

namespace lockscope::views {

int chosenByKey(const QKeyEvent& event, int current, int count) {
    Q_ASSERT(count > 0);
    const bool forward = event.key() == Qt::Key_Down || event.key() == Qt::Key_PageDown;
    if (forward) return (current + 1) % count;
    return current <= 0 ? count - 1 : current - 1;
}

Nanos movedByKey(const QKeyEvent& event) {
    const Nanos by = event.modifiers() & Qt::ShiftModifier ? Nanos(1s) : kAxisSnap;
    return event.key() == Qt::Key_Left ? -by : by;
}

} // namespace lockscope::views
