// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/difference_mark.h"

#include "theme/fonts.h"
#include "theme/palette.h"
#include "timeline/timeline_view.h"

#include <QPainter>

namespace lockscope::views {

DifferenceMark::DifferenceMark(TimelineView* view) : QWidget(view->viewport()), m_view(view) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    view->viewport()->installEventFilter(this);
    setGeometry(view->viewport()->rect());
    connect(view->zoom(), &TimelineZoom::changed, this, QOverload<>::of(&QWidget::update));
}

void DifferenceMark::setInstant(std::optional<Nanos> at) {
    m_at = at;
    update();
}

bool DifferenceMark::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) setGeometry(m_view->viewport()->rect());
    return QWidget::eventFilter(watched, event);
}

void DifferenceMark::paintEvent(QPaintEvent*) {
    if (!m_at) return;
    const TimelineView::Sight sight = m_view->sight();
    const std::int64_t at = m_at->count();
    if (at < sight.from || at > sight.to) return;
    const TimelineMetrics metrics{QFontMetricsF(uiFont()).height()};
    const TimelineCoordinates axis{sight.from, sight.to, double(std::max(1, width() - metrics.labelWidth()))};
    const double x = metrics.labelWidth() + axis.x(at);
    QPainter painter(this);
    painter.setPen(QPen(color(Role::Text), 1.5, Qt::DashLine));
    painter.drawLine(QPointF(x, 0), QPointF(x, height()));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(uiFont(-1, QFont::DemiBold));
    const QString words = tr("here they part");
    const QFontMetrics letters = painter.fontMetrics();
    const int wide = letters.horizontalAdvance(words) + 16, high = letters.height() + 4;
    const double left = std::clamp(x - wide / 2.0, double(metrics.labelWidth()), double(width() - wide));
    const QRectF pill(left, 2, wide, high);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(Role::Playhead));
    painter.drawRoundedRect(pill, high / 2.0, high / 2.0);
    painter.setPen(color(Role::PlayheadText));
    painter.drawText(pill, Qt::AlignCenter, words);
}

} // namespace lockscope::views
