// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "statistics/statistics_model.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QStackedLayout;
class QTableView;

namespace lockscope::views {

class ElidedLabel;
class StatisticsStrip;

/// The figures of each lock up to the playhead, from the beginning or over the last while, those that were waited for
/// longest first. A click or the arrow keys select the lock.
class StatisticsPanel : public QWidget {
    Q_OBJECT
public:
    /// In which the strip and what stands above it fit, without the table.
    static int lowHeight();

    explicit StatisticsPanel(ViewContext* context, QWidget* parent = nullptr);
    StatisticsModel* model() const { return m_model; }
    QTableView* view() const { return m_view; }
    QComboBox* span() const { return m_span; }
    /// Above the table where there is room for both, and alone where there is room for it and hardly a row more.
    StatisticsStrip* strip() const { return m_strip; }

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void tell();
    void fitStrip();
    /// Shows as many words of the summary as there is room for.
    void fitSummary();

    ViewContext* m_context;
    StatisticsModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QStackedLayout* m_stack;
    QTableView* m_view;
    StatisticsStrip* m_strip;
    QWidget* m_below; ///< the table, or why there is none
    QLabel* m_title;  ///< of a panel that is too low to stand among tabs
    ElidedLabel* m_summary;
    QStringList m_summaries; ///< the same figures in ever fewer words
    QComboBox* m_span;
};

} // namespace lockscope::views
