// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "faults/fault_offers.h"

#include <QWidget>

class QMenu;

namespace lockscope::views {

class SectionCaption;

/// The buttons that break things, each with its key. They act on what is selected, else on the holder, and say so.
class BreakPanel : public QWidget {
    Q_OBJECT
public:
    explicit BreakPanel(ViewContext* context, QWidget* parent = nullptr);

    /// One for each button, with text, icon and shortcut: for menus and the sheet of shortcuts.
    QList<QAction*> breakActions() const { return m_actions; }
    /// "acts on A, the holder".
    QString targetText() const { return m_targetText; }

private:
    enum Which { Pause, Kill, KillNode, PauseNode, Cut, Clock, Delay, LoseReply, Watchdog, Heal, Count };
    void refreshSoon();
    void refresh();
    void showOffer(Which which, const FaultOffer& offer);
    void trigger(Which which);

    ViewContext* m_context;
    SectionCaption* m_caption;
    QList<QAction*> m_actions;
    std::array<FaultOffer, Count> m_offers;
    std::array<QWidget*, Count> m_buttons{};
    QString m_targetText;
    QTimer m_soon;
};

} // namespace lockscope::views
