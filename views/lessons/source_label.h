// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "theme/palette.h"

#include <QFocusEvent>
#include <QLabel>
#include <QPainter>

namespace lockscope::views {

/// A text with links that the keyboard comes by: a frame says that it has the focus, as everything else has one.
class SourceLabel : public QLabel {
public:
    using QLabel::QLabel;

protected:
    void focusInEvent(QFocusEvent* event) override {
        QLabel::focusInEvent(event);
        update();
    }
    void focusOutEvent(QFocusEvent* event) override {
        QLabel::focusOutEvent(event);
        update();
    }
    void paintEvent(QPaintEvent* event) override {
        QLabel::paintEvent(event);
        if (!hasFocus()) return;
        QPainter painter(this);
        painter.setPen(QPen(color(Role::FocusRing), 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
};

} // namespace lockscope::views
