// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/alert_desks.h"
#include "timeline/paint_kit.h"
#include "timeline/scene.h"

#include <functional>
#include <span>

namespace lockscope::views {

/// The alerts of a live session as marks on the lanes: a sign where one began, and a line for as long as it stood.
class AlertMarks {
public:
    /// `changed` is called when an alert made the marks differ.
    AlertMarks(ViewContext* context, std::function<void()> changed);
    /// Reads the marks anew: for another session or trace.
    void gather();
    /// Over the lanes, on which `written` stands. The caller holds the data's mutex.
    void paint(QPainter& painter, const QSize& size, const TimelineScene& scene,
               std::span<const WrittenWords> written) const;
    /// The sentences of the alerts that stand on a row at an instant, or begin there within `slack` ns; empty: none.
    QString wordsAt(const TimelineScene& scene, int row, std::int64_t t, std::int64_t slack) const;

private:
    struct Mark {
        trace::EntityId lane = trace::kNoEntity; ///< the lock, or the server
        std::int64_t from = 0, to = 0;
        inspect::AlertSeverity severity{};
        QString words;
    };
    void gather(const session::AlertDesk& desk);
    QPointer<ViewContext> m_context;
    AlertDesks m_desks;
    std::vector<Mark> m_marks;
};

} // namespace lockscope::views
