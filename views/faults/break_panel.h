// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "faults/fault_offers.h"

#include <QAbstractButton>

class QMenu;
class QGridLayout;
class QShortcut;

namespace lockscope::views {

class HandList;
class SectionCaption;

/// The buttons that break things, each with its key. They act on the selection, else on the client that was paused
/// last, else on the holder, and say so. Below them are a button for each client, node or link that suffers from a
/// fault, which makes the fault good, and the list of what was done by hand. A key that can do nothing now says why.
class BreakPanel : public QWidget {
    Q_OBJECT
public:
    explicit BreakPanel(ViewContext* context, QWidget* parent = nullptr);

    /// One for each button, with text, icon and shortcut: for menus and the sheet of shortcuts.
    QList<QAction*> breakActions() const { return m_actions; }
    /// "acts on A, the holder".
    QString targetText() const { return m_targetText; }
    /// The buttons that make faults good, in the order shown.
    QList<QAbstractButton*> cures() const { return m_cures; }
    HandList* handList() const { return m_hand; }

private:
    enum Which { Pause, Kill, KillNode, PauseNode, Cut, Clock, Delay, LoseReply, Watchdog, Heal, Count };
    void refreshSoon();
    void refresh();
    void showOffer(Which which, const FaultOffer& offer);
    void showStruck();
    void sayWhyNot(Which which);
    void trigger(Which which);

    ViewContext* m_context;
    SectionCaption* m_caption;
    QList<QAction*> m_actions;
    std::array<FaultOffer, Count> m_offers;
    std::array<QWidget*, Count> m_buttons{};
    std::array<QShortcut*, Count> m_refusals{}; ///< the keys of faults that cannot be done now
    QWidget* m_struck;                          ///< holds m_cures
    QGridLayout* m_struckGrid;
    QList<QAbstractButton*> m_cures;
    QPointer<QWidget> m_moreStruck; ///< says how many struck ones have no button of their own
    std::vector<Struck> m_struckShown;
    HandList* m_hand;
    QString m_targetText;
    QTimer m_soon;
};

} // namespace lockscope::views
