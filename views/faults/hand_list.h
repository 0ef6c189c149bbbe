// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QWidget>

class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace lockscope::views {

class SectionCaption;

/// The list of the faults and changes that a person made in the session: time, kind and target. Enter or a double click
/// moves the playhead to one. Delete, or the cross at the row's end, takes it back: the run is computed again without
/// it. The keys of changedByKey() move it and let it last longer or shorter, F2 opens the dialogue that changes it. The
/// list is hidden while it is empty.
class HandList : public QWidget {
    Q_OBJECT
public:
    explicit HandList(ViewContext* context, QWidget* parent = nullptr);
    QTreeWidget* rows() const { return m_rows; }
    QToolButton* restartWithout() const { return m_restart; }
    /// How many rows are seen at once; more are scrolled.
    void setMostRows(int most);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum Column { TimeColumn, WhatColumn, TakeBackColumn, ColumnCount };
    void refresh();
    void fit();
    void goTo(const QTreeWidgetItem* row);
    void takeBack(const QTreeWidgetItem* row);
    std::optional<std::size_t> indexOf(const QTreeWidgetItem* row) const;
    bool canTakeBack() const;

    ViewContext* m_context;
    SectionCaption* m_caption;
    QTreeWidget* m_rows;
    QToolButton* m_restart;
    std::vector<scenario::Fault> m_shown;
    int m_mostRows = 4;
};

} // namespace lockscope::views
