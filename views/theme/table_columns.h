// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractItemView>
#include <QByteArray>

namespace lockscope::views {

/// Object names of tables, and of buttons that switch them, that stand the next time as they were left begin so.
inline constexpr const char* kKept = "kept.";

/// The columns of a table or tree as a person has left them: widths, order, what it is sorted by.
QByteArray columnsOf(const QAbstractItemView& view);

/// Sets them again. False, and nothing changes, when they are another table's, or of a version with other columns.
bool restoreColumns(QAbstractItemView& view, const QByteArray& columns);

} // namespace lockscope::views
