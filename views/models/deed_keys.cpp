// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/deed_keys.h"

namespace lockscope::views {

std::optional<scenario::Fault> changedByKey(const scenario::Fault& deed, const QKeyEvent& key) {
    Q_ASSERT(deed.at);
    if (!(key.modifiers() & Qt::AltModifier)) return std::nullopt;
    const Nanos step = key.modifiers() & Qt::ShiftModifier ? Nanos(1s) : Nanos(100ms);
    scenario::Fault changed = deed;
    switch (key.key()) {
    case Qt::Key_Left:
        changed.at = std::max(*deed.at - step, Nanos(0));
        return changed;
    case Qt::Key_Right:
        changed.at = *deed.at + step;
        return changed;
    case Qt::Key_Up:
        if (!deed.duration) return std::nullopt;
        changed.duration = *deed.duration + step;
        return changed;
    case Qt::Key_Down:
        if (!deed.duration) return std::nullopt;
        changed.duration = std::max(*deed.duration - step, Nanos(100ms));
        return changed;
    default:
        return std::nullopt;
    }
}

bool takesBack(const QKeyEvent& key) {
    return key.modifiers() == Qt::NoModifier && (key.key() == Qt::Key_Delete || key.key() == Qt::Key_Backspace);
}

} // namespace lockscope::views
