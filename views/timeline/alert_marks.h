// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "session/alert_desk.h"
#include "session/connection_desk.h"
#include "timeline/scene.h"

#include <QPointer>

namespace lockscope::views {

class ViewContext;

/// The alerts of a live session as marks on the lanes: a sign where one began, and a line for as long as it stood.
class AlertMarks {
public:
    /// Takes up the session's desks; `changed` is called when the marks differ, as long as `owner` lives.
    void attach(ViewContext* context, QObject* owner, const std::function<void()>& changed);
    /// Over the lanes. The caller holds the data's mutex.
    void paint(QPainter& painter, const QSize& size, const TimelineScene& scene) const;
    /// The sentences of the alerts that stand on a row at an instant, or begin there within `slack` ns; empty: none.
    QString wordsAt(const TimelineScene& scene, int row, std::int64_t t, std::int64_t slack) const;

private:
    struct Mark {
        trace::EntityId lane = trace::kNoEntity; ///< the lock, or the server
        std::int64_t from = 0, to = 0;
        inspect::AlertSeverity severity{};
        QString words;
    };
    void gather();
    void gather(const session::AlertDesk& desk);
    QPointer<ViewContext> m_context;
    std::vector<QPointer<session::AlertDesk>> m_desks;
    QPointer<session::ConnectionDesk> m_connections;
    std::vector<Mark> m_marks;
};

} // namespace lockscope::views
