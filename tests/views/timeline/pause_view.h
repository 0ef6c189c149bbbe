// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "scenes.h"
#include "theme/palette.h"
#include "timeline/timeline_view.h"

#include <QTest>

namespace lockscope::views {

/// A timeline of the pause that outlives its lease, as it stands on a screen at 6.812 s, in the light theme.
struct PauseView {
    Cast cast = gcPause();
    FixedSession session{cast.trace, 60s, true};
    ViewContext context;
    TimelineView view{&context};

    PauseView() {
        Theme::instance().setChoice(ThemeChoice::Light);
        context.setSession(&session);
        context.setPlayhead(6812ms);
        view.resize(1000, 700);
        view.show();
        const bool exposed = QTest::qWaitForWindowExposed(&view);
        Q_ASSERT(exposed);
        view.setFocus();
        settle();
    }
    double x(Nanos t) const {
        const TimelineScene scene = view.scene();
        return scene.metrics.labelWidth() + scene.coordinates(view.viewport()->width()).x(t.count());
    }
    /// In the middle of the entity's bar at an instant.
    QPoint onBar(trace::EntityId entity, Nanos t) const {
        const int row = view.layoutOfLanes().rowOf(entity);
        const LaneKind kind = view.layoutOfLanes().rows()[std::size_t(row)].lane->kind;
        const QRectF bar = view.scene().metrics.bar(kind, 0, 0);
        return {int(x(t)), view.rowRect(row).top() + int(bar.center().y())};
    }
    QImage picture() { return view.viewport()->grab().toImage(); }
};

} // namespace lockscope::views
