// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/axis_scale.h"
#include "editor/edited_document.h"

#include <QWidget>

namespace lockscope::views {

/// The faults of a scenario on its axis of time: those with an instant stand at it, those with a condition in a row
/// above. A fault is dragged to another instant, removed by Delete, and made by a double click or by Insert.
///
/// By keys: Up and Down choose a fault, Left and Right move it by 100 ms (with Shift by 1 s).
class FaultAxis : public QWidget {
    Q_OBJECT
public:
    explicit FaultAxis(EditedDocument* document, QWidget* parent = nullptr);

    /// The number of the chosen fault; -1: none.
    int current() const { return m_current; }
    void setCurrent(int index);
    /// Begins `px` from the left, as lanes below do; 0: near the edge.
    void setLeft(int px);
    /// How many faults are shown.
    int count() const { return int(m_document->at(QStringLiteral("/faults")).toArray().size()); }
    /// Where a fault's mark is, in pixels; empty: it has none.
    QRect markOf(int index) const;
    /// The instant at a pixel, and the pixel of an instant.
    Nanos timeAt(int x) const { return scale().timeAt(x); }
    int xOf(Nanos at) const { return scale().xOf(at); }
    QSize sizeHint() const override { return {640, 132}; }
    QSize minimumSizeHint() const override { return {240, 132}; }

Q_SIGNALS:
    void currentChanged(int index);
    /// The chosen fault in words, for a status line.
    void told(QString sentence);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Mark {
        int index = 0;
        std::optional<Nanos> at; ///< nullopt: by a condition
        Nanos lasts{};
        QString words;
        QRect rect;
    };
    /// The text has never been JSON: there is nothing to show, not even of before.
    bool isUnread() const;
    QString unreadNotice() const;
    AxisScale scale() const { return {width(), m_until, m_left}; }
    void layOut();
    void add(Nanos at);
    void remove(int index);
    void move(int index, Nanos at);
    void tell();
    int hit(const QPoint& at) const;

    EditedDocument* m_document;
    std::vector<Mark> m_marks;
    Nanos m_until = 60s;
    int m_left = AxisScale::kMargin; ///< px
    int m_laidOutFor = -1;           ///< the width
    int m_current = -1;
    std::optional<Nanos> m_dragged; ///< where the chosen fault is being dragged to
    int m_grip = 0;                 ///< from the instant's pixel to where it was gripped
};

} // namespace lockscope::views
