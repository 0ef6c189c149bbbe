// SPDX-License-Identifier: GPL-3.0-or-later
#include "waits/lock_waits.h"

#include "theme/style.h"
#include "theme/widgets.h"
#include "waits/wait_picture.h"

#include <QBoxLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>

namespace lockscope::views {

LockWaits::LockWaits(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_caption(new SectionCaption(tr("Wait-for"))),
      m_scroll(new QScrollArea),
      m_picture(new WaitPicture(context, WaitPicture::Direction::Down)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_caption);
    m_scroll->setWidget(m_picture);
    m_scroll->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    m_scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    makeFrameless(m_scroll);
    column->addWidget(m_scroll);
    connect(m_picture, &WaitPicture::moved, m_scroll,
            [this](const QRect& item) { m_scroll->ensureVisible(item.center().x(), 0, item.width() / 2 + kGrid, 0); });
    hide();
}

/// As high as the picture, with room for the scroll bar where it is wider.
void LockWaits::fit() {
    const QSize size = m_picture->sizeHint().expandedTo({0, 0}); // nothing has been laid out at first
    m_picture->resize(size);
    const bool wider = size.width() > width();
    m_scroll->setFixedHeight(size.height() + (wider ? m_scroll->horizontalScrollBar()->sizeHint().height() : 0));
}

void LockWaits::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
    if (m_pointedAt) scrollThere();
}

void LockWaits::moveEvent(QMoveEvent* event) {
    QWidget::moveEvent(event);
    if (m_pointedAt) scrollThere(); // what stands above it has grown
}

QString LockWaits::hint() const {
    return m_caption->hint();
}

void LockWaits::setLock(trace::EntityId lock) {
    const trace::State& state = m_context->state();
    trace::WaitGraph around;
    // The whole graph costs more than this lock alone, and most locks have no waiter.
    if (lock != trace::kNoEntity && trace::waiterCount(state, lock) > 0)
        around = waitsAround(lock, trace::waitGraph(state, *m_context->trace()));
    // A circle is a verdict.
    const bool shown = !around.edges.empty() && !m_context->heldBack().verdictFrom, appears = isHidden();
    setVisible(shown);
    if (!shown) return;
    m_caption->setHint(around.cycles.empty() ? tr("chain of %n wait(s)", nullptr, int(around.edges.size()))
                                             : tr("circle of %n client(s)", nullptr, int(around.edges.size())));
    m_picture->show(around);
    fit();
    if (m_pointedAt && appears) scrollThere();
}

void LockWaits::setPointedAt(bool pointedAt) {
    if (pointedAt == m_pointedAt) return;
    m_pointedAt = pointedAt;
    scrollThere();
}

QScrollArea* LockWaits::areaAround() const {
    for (QWidget* up = parentWidget(); up; up = up->parentWidget())
        if (auto* const area = qobject_cast<QScrollArea*>(up)) return area;
    return nullptr;
}

void LockWaits::scrollThere() {
    QScrollArea* const area = areaAround();
    if (!area) return;
    // Once the layout has come to rest, and again whenever there is further to scroll.
    connect(area->verticalScrollBar(), &QScrollBar::rangeChanged, this, &LockWaits::keepInSight, Qt::UniqueConnection);
    QTimer::singleShot(0, this, [this, area] {
        keepInSight();
        if (!m_pointedAt) area->verticalScrollBar()->setValue(0);
    });
}

void LockWaits::keepInSight() {
    if (m_pointedAt && !isHidden()) areaAround()->ensureWidgetVisible(this, 0, kGrid);
}

} // namespace lockscope::views
