// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/fault_chips.h"

#include <QWidget>
#include <optional>

namespace lockscope::views {

class TimelineView;

/// The time scale above the lanes, with the playhead's pill and a strip of violations and faults. Dragging moves the
/// playhead; dragging the mark of a fault that a person caused moves that fault.
class TimelineRuler : public QWidget {
    Q_OBJECT
public:
    explicit TimelineRuler(TimelineView* view);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void seek(double x);
    /// The mark under a point, if there is one.
    std::optional<FaultChip> chipAt(const QPointF& position) const;
    /// Which of the session's faults done by hand strikes at that instant; nullopt: none, or the past cannot be
    /// changed.
    std::optional<std::size_t> byHandAt(std::int64_t at) const;
    std::int64_t timeOf(double x) const;

    /// A fault's mark that the mouse holds.
    struct Held {
        std::size_t index = 0; ///< in Session::doneByHand()
        std::int64_t from = 0, to = 0;
        double pressX = 0;
        bool moved = false;
        QString words;
    };
    TimelineView* m_view;
    std::optional<Held> m_held;
};

} // namespace lockscope::views
