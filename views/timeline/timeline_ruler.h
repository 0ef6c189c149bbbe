// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

namespace lockscope::views {

class TimelineView;

/// The time scale above the lanes, with the playhead's pill and a strip of violation pills. Dragging moves the
/// playhead.
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

private:
    void seek(double x);
    TimelineView* m_view;
};

} // namespace lockscope::views
