// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "session/session.h"
#include "timeline/fault_chips.h"

#include <QWidget>
#include <optional>

namespace lockscope::views {

class TimelineView;

/// The time scale above the lanes, with the playhead's pill and a strip of violations and faults. Dragging the scale
/// moves the playhead. On the strip of a simulation, dragging over free ground draws a span for a fault; dragging the
/// mark of a fault that a person caused moves that fault, and dragging its end lets it last longer or shorter. With the
/// keyboard's focus, Left and Right choose such a fault, and the keys of changedByKey() and takesBack() change it.
class TimelineRuler : public QWidget {
    Q_OBJECT
public:
    explicit TimelineRuler(TimelineView* view);
    /// The fault that keys act on, by its place in Session::doneByHand(); nullopt: there is none.
    std::optional<std::size_t> chosen() const;
    /// Whether faults can be drawn here at all.
    void setHands(bool canPlan);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    // timeline_ruler.cpp
    void seek(double x);
    QStringList tipLines(const QPointF& position);
    void paintHeld(const PaintKit& kit);
    void paintChosen(const PaintKit& kit, const TimelineScene& scene);

    // timeline_ruler_input.cpp
    enum class Part : std::uint8_t { Whole, End };
    /// A fault's mark that the mouse holds.
    struct Held {
        scenario::Fault deed;
        Part part = Part::Whole;
        std::int64_t from = 0, to = 0; ///< of what is held
        double pressX = 0;
        bool moved = false;
        QString words;
    };
    /// The mark under a point, if there is one.
    std::optional<FaultChip> chipAt(const QPointF& position) const;
    /// The deed whose mark, or whose end, is under a point.
    std::optional<Held> deedAt(const QPointF& position) const;
    void choose(std::size_t deed);
    void chooseBy(int step);
    void say();
    void pressOnStrip(const QPointF& position);
    /// A click on the strip, beside all marks.
    void clickOnStrip(const QPointF& position);
    bool handlesKey(const QKeyEvent& event) const;
    void popUpMenu(std::size_t deed, const QPoint& where);
    session::Session* session() const;

    TimelineView* m_view;
    std::optional<Held> m_held;
    std::optional<scenario::Fault> m_chosen; ///< by its looks: its place changes as it is moved
    std::optional<double> m_drawnFrom;       ///< where a span may begin that is being drawn
    std::vector<BandWords> m_bandWords;      ///< as they were painted last
};

} // namespace lockscope::views
