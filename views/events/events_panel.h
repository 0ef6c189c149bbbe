// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/events_model.h"

#include <QWidget>

class QBoxLayout;
class QCheckBox;
class QLineEdit;
class QStackedLayout;
class QTableView;
class QToolButton;

namespace lockscope::views {

class ElidedLabel;

/// The events as sentences, one per line. The line at the playhead is marked and kept in sight; a click or the arrow
/// keys move the playhead to another line.
class EventsPanel : public QWidget {
    Q_OBJECT
public:
    explicit EventsPanel(ViewContext* context, QWidget* parent = nullptr);
    EventsModel* model() const { return m_model; }
    QTableView* view() const { return m_view; }
    QLineEdit* filterField() const { return m_filter; }
    /// Whether the list scrolls along with the playhead.
    void setFollowing(bool follow);
    QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void applyFilter();
    void follow();
    void tell();

    ViewContext* m_context;
    EventsModel* m_model;
    QBoxLayout* m_bar; ///< the kinds of events, and what is shown of them; under one another where there is no room
    QStackedLayout* m_stack;
    QTableView* m_view;
    QLineEdit* m_filter;
    ElidedLabel* m_summary;
    QToolButton* m_follow;
    std::array<QCheckBox*, kEventGroups> m_groups{};
    QTimer m_debounce;
    bool m_moving = false; ///< the current row is being set by us, not by the person
};

} // namespace lockscope::views
