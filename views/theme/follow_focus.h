// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QApplication>
#include <QScrollArea>

namespace lockscope::views {

/// Brings what gets the focus within a scrolled area into sight, also where the focus comes from outside of it: by
/// itself a QScrollArea follows the focus only from one of its own controls to the next.
inline void followFocus(QScrollArea* area) {
    QObject::connect(qApp, &QApplication::focusChanged, area, [area](QWidget*, QWidget* now) {
        if (now && area->widget() && area->widget()->isAncestorOf(now)) area->ensureWidgetVisible(now);
    });
}

} // namespace lockscope::views
