// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/roomy_columns.h"

#include <QEvent>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <algorithm>

namespace lockscope::views {

namespace {
/// By how much columns may be narrower than wanted so that all of them are seen: what they leave empty, and no text.
constexpr double kNarrowest = 0.9;
} // namespace

RoomyColumns::RoomyColumns(QHeaderView* header, QList<int> widths)
    : QObject(header), m_header(header), m_widths(std::move(widths)) {
    share(true);
    header->installEventFilter(this);
    connect(header, &QHeaderView::sectionResized, this, [this](int column) {
        // The last one stretches by itself.
        if (!m_inside && m_header->visualIndex(column) != m_header->count() - 1) m_shares = false;
    });
}

RoomyColumns* RoomyColumns::of(const QHeaderView* header) {
    return header ? header->findChild<RoomyColumns*>(QString(), Qt::FindDirectChildrenOnly) : nullptr;
}

bool RoomyColumns::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) share(true);
    return QObject::eventFilter(watched, event);
}

void RoomyColumns::share(bool room) {
    if (!m_shares) return;
    const QScopedValueRollback inside(m_inside, true);
    int sum = 0;
    for (int i = 0; i < m_widths.size(); ++i)
        if (!m_header->isSectionHidden(i)) sum += m_widths[i];
    double factor = room && sum > 0 ? double(m_header->width()) / sum : 1.0;
    if (factor < kNarrowest) factor = 1.0; // it scrolls anyway
    for (int i = 0; i < m_widths.size(); ++i)
        if (!m_header->isSectionHidden(i)) m_header->resizeSection(i, int(m_widths[i] * factor));
}

bool RoomyColumns::arePlain() const {
    for (int i = 0; i < m_widths.size(); ++i) {
        const bool stretches = m_header->stretchLastSection() && m_header->visualIndex(i) == m_header->count() - 1;
        if (!stretches && !m_header->isSectionHidden(i) && m_header->sectionSize(i) != m_widths[i]) return false;
    }
    return true;
}

RoomyColumns::Plain::Plain(const QHeaderView* header) : m_columns(of(header)) {
    if (m_columns) m_columns->share(false);
}

RoomyColumns::Plain::~Plain() {
    if (!m_columns) return;
    m_columns->m_shares = m_columns->arePlain();
    m_columns->share(true);
}

} // namespace lockscope::views
