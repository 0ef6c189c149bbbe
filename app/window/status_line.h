// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "transport/player.h"
#include "window/watch_gaps.h"

#include <QStatusBar>

class QProgressBar;
class QToolButton;

namespace lockscope::app {

/// Shows the servers, the program's load on them, the rate of events, and the time per frame.
class StatusLine : public QStatusBar {
    Q_OBJECT
public:
    StatusLine(views::ViewContext* context, views::Player* player, QWidget* parent = nullptr);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void attach();
    void refresh();
    QString left() const;
    /// The parts of the line at the right, the most important first.
    QStringList right();
    /// The cost of watching, the age of the picture and the gaps, as far as they are known; each in a few words.
    QStringList watchWords();

    views::ViewContext* m_context;
    QLabel* m_left;
    QLabel* m_right;
    QProgressBar* m_progress; ///< of a recording that is being read
    QToolButton* m_cancel;
    QPointer<session::Session> m_session;
    QTimer m_pace;
    WatchGaps m_gaps;
    double m_frameMs = 0; ///< smoothed; 0 = not playing
};

} // namespace lockscope::app
