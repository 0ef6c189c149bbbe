// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QWidget>

class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace lockscope::views {

class SectionCaption;

/// What a person has done to the session: when, what, to whom. Enter (or a double click) goes there; Delete, or the
/// cross at its end, takes it back, and the run is computed again without it. Hidden while there is nothing.
class HandList : public QWidget {
    Q_OBJECT
public:
    explicit HandList(ViewContext* context, QWidget* parent = nullptr);
    QTreeWidget* rows() const { return m_rows; }
    QToolButton* restartWithout() const { return m_restart; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum Column { TimeColumn, WhatColumn, TakeBackColumn, ColumnCount };
    void refresh();
    void goTo(const QTreeWidgetItem* row);
    void takeBack(const QTreeWidgetItem* row);
    bool canTakeBack() const;

    ViewContext* m_context;
    SectionCaption* m_caption;
    QTreeWidget* m_rows;
    QToolButton* m_restart;
    std::vector<scenario::Fault> m_shown;
};

} // namespace lockscope::views
