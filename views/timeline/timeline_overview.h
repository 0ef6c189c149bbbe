// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QPixmap>
#include <QTimer>
#include <QWidget>
#include <optional>

namespace lockscope::views {

class TimelineView;

/// The whole trace in small below the lanes, with a frame around what is visible. Dragging moves the frame; a click
/// sets the playhead, so that the run is played on from there.
class TimelineOverview : public QWidget {
    Q_OBJECT
public:
    explicit TimelineOverview(TimelineView* view);
    /// The data, the verdict or the theme changed: repaints the picture, at most about five times a second.
    void refresh();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    std::int64_t timeAt(double x) const;
    void centre(double x);
    TimelineView* m_view;
    QPixmap m_picture;
    std::int64_t m_end = -1; ///< of the time axis in m_picture
    bool m_stale = true;
    QTimer m_later;
    std::optional<double> m_pressX; ///< of a press that has not become a drag
};

} // namespace lockscope::views
