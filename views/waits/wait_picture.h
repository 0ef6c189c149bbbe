// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "waits/wait_layout.h"

#include <QWidget>

class QMenu;

namespace lockscope::views {

struct LockFacts;

/// A wait-for graph as a picture, with the length of each wait and hold, and with scissors at the hold of a circle
/// whose end frees most waiters. Click or arrow keys select a client or a lock.
class WaitPicture : public QWidget {
    Q_OBJECT
public:
    /// Across: for a wide place, waiters stand right of their locks. Down: for a narrow one, they stand below them.
    enum class Direction : std::uint8_t { Across, Down };
    explicit WaitPicture(ViewContext* context, Direction direction = Direction::Across);

    /// Shows a graph of the context's trace at the playhead, or a part of it. `possible`: circles that close only if
    /// clients of one name are one client (trace::possibleCycles()).
    void show(const trace::WaitGraph& graph, const std::vector<trace::WaitCycle>& possible = {});
    const WaitLayout& layout() const { return m_layout; }
    /// The item that has the keyboard; -1 = none.
    int current() const { return m_current; }
    /// The second line of an item: the rule that joined a client, or how many more wait for a lock; else empty.
    QString note(int item) const { return m_notes[std::size_t(item)]; }
    /// "holds 3 m 59 s", "waits 4.2 s"; empty where nobody knows since when.
    QString edgeText(int edge) const { return m_edgeTexts[std::size_t(edge)]; }
    /// Two items that may be one client, which would close a circle.
    struct Join {
        std::size_t holder = 0, waiter = 0; ///< items
    };
    const std::vector<Join>& joins() const { return m_joins; }
    /// Whether an edge belongs to a circle that is only possible.
    bool isPossible(int edge) const { return m_possible[std::size_t(edge)]; }
    /// The tool tip at a point of the widget; empty: nothing is there.
    QString tipAt(QPointF point) const;
    /// The commands for an item; empty for most. The caller owns it.
    QMenu* makeMenu(int item);
    QSize sizeHint() const override { return m_layout.size.toSize(); }

Q_SIGNALS:
    void moved(const QRect& item); ///< the keyboard went to this item

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    /// When a wait or a hold began.
    /// Adds what the lock's facts know besides of its only holder.
    void refineHold(trace::Beginning& since, const LockFacts& facts, trace::EntityId party) const;
    void notePossible(const std::vector<trace::WaitCycle>& possible);
    void setCurrent(int item);
    void step(int columns, int rows);
    QString nameOf(int item) const;
    QString edgeSentence(int edge) const;
    int edgeAt(QPointF point) const;
    void paintEdge(QPainter& painter, std::size_t edge) const;
    void paintJoin(QPainter& painter, const Join& join) const;
    void paintEdgeText(QPainter& painter, std::size_t edge, std::vector<QRectF>& taken) const;
    void paintBreak(QPainter& painter, const WaitLayout::Edge& edge) const;
    void paintItem(QPainter& painter, std::size_t item) const;

    ViewContext* m_context;
    const Direction m_direction;
    WaitLayout m_layout;
    std::vector<QString> m_notes;          ///< by item
    std::vector<QString> m_edgeTexts;      ///< by edge
    std::vector<trace::Beginning> m_since; ///< by edge
    std::vector<bool> m_possible;          ///< by edge
    std::vector<Join> m_joins;
    int m_current = -1;
};

} // namespace lockscope::views
