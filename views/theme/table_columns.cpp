// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/table_columns.h"

#include "theme/roomy_columns.h"

#include <QDataStream>
#include <QHeaderView>
#include <QTableView>
#include <QTreeView>

namespace lockscope::views {

namespace {

QHeaderView* headerOf(const QAbstractItemView& view) {
    if (const auto* tree = qobject_cast<const QTreeView*>(&view)) return tree->header();
    const auto* table = qobject_cast<const QTableView*>(&view);
    return table ? table->horizontalHeader() : nullptr;
}

} // namespace

QByteArray columnsOf(const QAbstractItemView& view) {
    const QHeaderView* const header = headerOf(view);
    if (!header) return {};
    const RoomyColumns::Plain plain(header); // the next window may be a narrower one
    QByteArray columns;
    QDataStream stream(&columns, QIODevice::WriteOnly);
    stream << qint32(header->count()) << header->saveState();
    return columns;
}

bool restoreColumns(QAbstractItemView& view, const QByteArray& columns) {
    QHeaderView* const header = headerOf(view);
    QDataStream stream(columns);
    qint32 count = 0;
    QByteArray state;
    stream >> count >> state;
    const RoomyColumns::Plain plain(header);
    // Qt itself takes the state of any number of columns, and then has those of one name stand for another.
    return header && stream.status() == QDataStream::Ok && count == header->count() && header->restoreState(state);
}

} // namespace lockscope::views
