// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/legend_bar.h"

#include "theme/widgets.h"

#include <QPainter>

namespace lockscope::views {

LegendEntry::LegendEntry(LegendSign sign, const QString& words, QWidget* parent)
    : QAbstractButton(parent), m_sign(sign) {
    setText(words);
    setAccessibleName(words);
    setToolTip(tr("What is this?"));
    setFocusPolicy(Qt::TabFocus); // a click must not take the keys away from the timeline
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
}

QSize LegendEntry::sizeHint() const {
    return legendItemSize(text());
}

void LegendEntry::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (hasFocus() || underMouse()) {
        painter.setPen(hasFocus() ? QPen(color(Role::FocusRing), 1.5) : QPen(Qt::NoPen));
        painter.setBrush(underMouse() ? color(Role::SurfaceHover) : QColor(Qt::transparent));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
    }
    paintLegendItem(painter, rect(), m_sign, text());
}

LegendBar::LegendBar(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Legend"));
    for (const LegendItem& item : legendItems()) {
        auto* entry = new LegendEntry(item.sign, item.words, this);
        connect(entry, &QAbstractButton::clicked, this,
                [this, term = QLatin1String(item.term)] { Q_EMIT termAsked(term); });
        m_entries.push_back(entry);
    }
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize LegendBar::sizeHint() const {
    int width = 4 * kGrid;
    for (const LegendEntry* entry : m_entries)
        width += entry->sizeHint().width() + legendItemGap();
    return {width, m_entries.front()->sizeHint().height() + kGrid};
}

QSize LegendBar::minimumSizeHint() const {
    return {m_entries.front()->sizeHint().width() + 4 * kGrid, sizeHint().height()};
}

void LegendBar::place() {
    int x = 2 * kGrid;
    bool room = true;
    for (LegendEntry* entry : m_entries) {
        const QSize size = entry->sizeHint();
        room = room && x + size.width() <= width() - kGrid;
        entry->setVisible(room);
        entry->setGeometry(x, (height() - size.height()) / 2, size.width(), size.height());
        x += size.width() + legendItemGap();
    }
}

void LegendBar::resizeEvent(QResizeEvent*) {
    place();
}

void LegendBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) {
        updateGeometry();
        place();
    }
    QWidget::changeEvent(event);
}

void LegendBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::Surface));
    painter.fillRect(QRect(0, 0, width(), 1), color(Role::Hairline));
}

} // namespace lockscope::views
