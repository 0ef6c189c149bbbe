// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/row_in_sight.h"

#include <QScrollBar>
#include <QTimer>
#include <QTreeView>

namespace lockscope::views {

void keepCurrentInSight(QTreeView* view) {
    auto* const soon = new QTimer(view); // many moves of one turn of the event loop are one
    soon->setSingleShot(true);
    soon->callOnTimeout(view, [view] {
        const int across = view->horizontalScrollBar()->value();
        view->scrollTo(view->currentIndex());
        view->horizontalScrollBar()->setValue(across);
    });
    const auto beforeAMove = [view, soon] {
        if (soon->isActive() || !view->isVisible() || !view->currentIndex().isValid()) return;
        const int row = view->visualRect(view->currentIndex()).center().y();
        if (row >= 0 && row < view->viewport()->height()) soon->start();
    };
    QObject::connect(view->model(), &QAbstractItemModel::layoutAboutToBeChanged, view, beforeAMove);
    QObject::connect(view->model(), &QAbstractItemModel::rowsAboutToBeInserted, view, beforeAMove);
}

} // namespace lockscope::views
