// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/pointer_aim.h"

#include <QApplication>
#include <QEvent>
#include <chrono>

namespace lockscope::views {

using namespace std::chrono_literals;

PointerAim& PointerAim::instance() {
    static auto* const one = new PointerAim; // the application owns it
    return *one;
}

PointerAim::PointerAim() : QObject(qApp) {
    m_rest.setSingleShot(true);
    m_rest.setInterval(1500ms); // a hand that stands still for so long reads, and does not aim
    connect(&m_rest, &QTimer::timeout, this, [this] { Q_EMIT changed(false); });
    qApp->installEventFilter(this);
}

bool PointerAim::eventFilter(QObject* watched, QEvent* event) {
    const QEvent::Type type = event->type();
    if (type == QEvent::MouseMove || type == QEvent::HoverMove) {
        const bool before = m_rest.isActive();
        m_rest.start();
        if (!before) Q_EMIT changed(true);
    } else if (type == QEvent::Leave && watched->isWidgetType() && static_cast<QWidget*>(watched)->isWindow() &&
               m_rest.isActive()) {
        m_rest.stop();
        Q_EMIT changed(false);
    }
    return false;
}

} // namespace lockscope::views
