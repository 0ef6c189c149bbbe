// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;

namespace lockscope::views {

class LegendBar;
class TimelineView;

/// The timeline with the bar above it: how far the reading of a recording has come, and a button that ends it.
class TimelinePanel : public QWidget {
    Q_OBJECT
public:
    explicit TimelinePanel(ViewContext* context, QWidget* parent = nullptr);
    TimelineView* view() const { return m_view; }
    /// Hidden at first.
    LegendBar* legend() const { return m_legend; }

Q_SIGNALS:
    /// A menu of a lane is about to open there, on the screen: others may add to it.
    void menuFilled(QMenu* menu, QPoint where);

private:
    void attach();
    void refresh();
    void stopOrGoOn();

    QPointer<ViewContext> m_context;
    TimelineView* m_view;
    LegendBar* m_legend;
    QWidget* m_strip;
    QLabel* m_words;
    QProgressBar* m_bar;
    QPushButton* m_cancel;
    QTimer m_pace;                         ///< of the legend: nobody reads it with each frame
    std::uint64_t m_rows = 0, m_total = 0; ///< of a recording that is being read
};

} // namespace lockscope::views
