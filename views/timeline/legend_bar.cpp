// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/legend_bar.h"

#include "theme/widgets.h"

#include <QPainter>
#include <algorithm>
#include <array>

namespace lockscope::views {

namespace {

/// The rank among signs in sight: the seldom ones, of which a picture tells, before those that every picture has.
int rankInSight(LegendSign sign) {
    using enum LegendSign;
    constexpr std::array kSeldomFirst{Refused, Damage, Stale, Paused, Broken, Gap,      RenewFailed, Ghost,
                                      Untold,  Holds,  Lease, Waits,  Margin, Accepted, Planned,     Fault};
    return int(std::ranges::find(kSeldomFirst, sign) - kSeldomFirst.begin());
}

} // namespace

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

void LegendBar::setInSight(std::set<LegendSign> signs) {
    if (signs == m_inSight) return;
    m_inSight = std::move(signs);
    place();
}

std::vector<LegendSign> LegendBar::shown() const {
    std::vector<LegendSign> signs;
    for (const LegendEntry* entry : m_entries)
        if (entry->isVisibleTo(this)) signs.push_back(entry->sign());
    return signs;
}

void LegendBar::place() {
    std::vector<LegendEntry*> wanted = m_entries;
    // A wedge is looked for in vain where a session or a connection keeps every lock in sight.
    const bool isTold = !m_inSight.empty();
    std::erase_if(wanted, [&](LegendEntry* entry) {
        const bool missing = entry->sign() == LegendSign::Lease && isTold && !m_inSight.contains(LegendSign::Lease);
        if (missing) entry->hide();
        return missing;
    });
    std::ranges::stable_sort(wanted, {}, [&](const LegendEntry* entry) {
        constexpr int kOutOfSight = 100;
        return m_inSight.contains(entry->sign()) ? rankInSight(entry->sign()) : kOutOfSight;
    });
    int left = width() - 3 * kGrid;
    for (LegendEntry* entry : wanted) {
        const int wide = entry->sizeHint().width();
        entry->setVisible(wide <= left);
        left -= wide <= left ? wide + legendItemGap() : left; // none after one that has no room
    }
    int x = 2 * kGrid;
    for (LegendEntry* entry : m_entries) {
        if (!entry->isVisibleTo(this)) continue;
        const QSize size = entry->sizeHint();
        entry->setGeometry(x, (height() - size.height()) / 2, size.width(), size.height());
        x += size.width() + legendItemGap();
    }
}

void LegendBar::resizeEvent(QResizeEvent*) {
    place();
}

void LegendBar::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    Q_EMIT appeared();
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
