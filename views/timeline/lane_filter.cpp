// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lane_filter.h"

#include "theme/fonts.h"
#include "theme/icons.h"

#include <QAction>
#include <QKeyEvent>

namespace lockscope::views {

LaneFilter::LaneFilter(QWidget* parent) : QLineEdit(parent) {
    setObjectName(QStringLiteral("timeline.filter-field"));
    setPlaceholderText(tr("Filter lanes"));
    setAccessibleName(tr("Filter lanes"));
    setAccessibleDescription(tr("Only lanes with this text in a name are shown: of a client, a lock, a server. Escape "
                                "shows all of them again."));
    setToolTip(accessibleDescription());
    setFont(uiFont(-1));
    QAction* const close = addAction(icon("close", Role::TextDim), TrailingPosition);
    close->setObjectName(QStringLiteral("timeline.filter-close"));
    close->setToolTip(tr("All lanes again (Esc)"));
    connect(close, &QAction::triggered, this, &LaneFilter::closed);
    hide();
}

void LaneFilter::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Escape || (enter && text().isEmpty()))
        Q_EMIT closed();
    else if (enter)
        Q_EMIT done();
    else
        QLineEdit::keyPressEvent(event);
}

} // namespace lockscope::views
