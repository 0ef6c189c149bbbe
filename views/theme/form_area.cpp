// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/form_area.h"

#include "theme/follow_focus.h"
#include "theme/screen_room.h"

#include <QEvent>
#include <QLayout>
#include <QScrollBar>
#include <QTimer>

namespace lockscope::views {
namespace {

constexpr int kLeastLines = 5; ///< of the form, on the lowest of screens

} // namespace

FormArea::FormArea(QWidget* form, QWidget* parent) : QScrollArea(parent) {
    Q_ASSERT(form->layout());
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus); // what is in it takes the focus, and comes into sight with it
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWidget(form);
    form->installEventFilter(this);
    followFocus(this);
}

int FormArea::formHeight(int width) const {
    const QLayout* const layout = widget()->layout();
    return layout->hasHeightForWidth() ? layout->totalHeightForWidth(width) : widget()->sizeHint().height();
}

QSize FormArea::sizeHint() const {
    const int wide = std::max(widget()->sizeHint().width(), width());
    return {widget()->sizeHint().width(), formHeight(wide)};
}

QSize FormArea::minimumSizeHint() const {
    return {widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width(),
            kLeastLines * fontMetrics().lineSpacing()};
}

void FormArea::growWindow() {
    const int missing = formHeight(viewport()->width()) - viewport()->height();
    QWidget* const top = window();
    if (missing <= 0 || !top->isVisible()) return;
    const QRect free = top->screen()->availableGeometry();
    const QSize size = roomFor(top, {top->width(), top->height() + missing});
    if (size.height() <= top->height()) return;
    top->resize(top->width(), size.height());
    if (top->geometry().bottom() > free.bottom())
        top->move(top->x(), std::max(free.top(), top->y() - (top->geometry().bottom() - free.bottom())));
}

bool FormArea::eventFilter(QObject* watched, QEvent* event) {
    // Once the layout has come to rest: the form is measured as it then is.
    if (watched == widget() && event->type() == QEvent::LayoutRequest)
        QTimer::singleShot(0, this, &FormArea::growWindow);
    return QScrollArea::eventFilter(watched, event);
}

void FormArea::showEvent(QShowEvent* event) {
    QScrollArea::showEvent(event);
    // The window has its size only after it is shown.
    QTimer::singleShot(0, this, &FormArea::growWindow);
}

} // namespace lockscope::views
