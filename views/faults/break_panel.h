// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "faults/fault_targets.h"

#include <QAbstractButton>

class QMenu;
class QBoxLayout;
class QGridLayout;
class QScrollArea;
class QShortcut;
class QToolButton;
class QVBoxLayout;

namespace lockscope::views {

class BreakButton;
class SectionCaption;
class TargetLine;

/// The buttons that break things, each with its key, in three groups: for a client, for a server and for the link
/// between the two. They act on the selection, else on the client that was paused last, else on the holder and its
/// server; a line over each group says on which. Below them are a button for each client, server or link that suffers
/// from a fault, which makes the fault good, and the list of what was done by hand. A key that can do nothing now says
/// why.
class BreakPanel : public QWidget {
    Q_OBJECT
public:
    explicit BreakPanel(ViewContext* context, QWidget* parent = nullptr);

    /// One for each button and the one that plans faults, with text, icon and shortcut: for menus and the sheet of
    /// shortcuts.
    QList<QAction*> breakActions() const { return m_actions + QList<QAction*>{m_plan}; }
    /// "acts on A, the holder": of the client.
    QString targetText() const { return m_targetText; }
    /// The client, server or link that the commands of that kind act on, as its line tells it: "A · holds".
    QString targetOf(session::Breakable::Kind kind) const;
    /// The buttons that make faults good, in the order shown.
    QList<QAbstractButton*> cures() const { return m_cures; }
    /// "Heal everything" and the cures, without their place below the buttons: for one that stays in sight. It keeps
    /// working while the panel lives.
    QWidget* takeFoot();
    /// About how many lines of cures are seen at once; more are scrolled.
    void setCureLines(int most);
    /// The fault of a button, or of the buttons' part that a widget is; nullopt: it is none.
    std::optional<scenario::Action> actionOf(const QWidget* widget) const;

private:
    void refreshSoon();
    void refresh();
    void addGroup(session::Breakable::Kind kind, QVBoxLayout* column);
    QToolButton* moreOf(session::Breakable::Kind kind);
    void addVerb(std::size_t which);
    void addPlan(QBoxLayout* row);
    void refreshLines(const FaultTargets& targets);
    void showOffer(std::size_t which, const FaultOffer& offer);
    void showStruck();
    void fitStruck();
    void sayWhyNot(std::size_t which);
    void trigger(std::size_t which);
    void popUp(std::size_t which);

    ViewContext* m_context;
    SectionCaption* m_caption;
    QList<QAction*> m_actions;
    QAction* m_plan = nullptr; ///< opens a PlanDialog
    // One for each verb, in the order of the actions.
    std::vector<FaultOffer> m_offers;
    std::vector<BreakButton*> m_buttons;
    std::vector<QShortcut*> m_refusals; ///< the keys of faults that cannot be done now
    TargetLine *m_client = nullptr, *m_server = nullptr, *m_link = nullptr;
    std::vector<std::pair<session::Breakable::Kind, QToolButton*>> m_more; ///< menus of all verbs
    QWidget* m_foot;           ///< the button that heals everything, and m_struck
    QScrollArea* m_struckRoom; ///< shows a few lines of m_struck
    QWidget* m_struck;         ///< holds m_cures
    QGridLayout* m_struckGrid;
    QList<QAbstractButton*> m_cures;
    QPointer<QWidget> m_moreStruck; ///< says how many struck ones have no button of their own
    std::vector<Struck> m_struckShown;
    int m_cureLines = 4;
    QString m_targetText;
    QTimer m_soon;
};

} // namespace lockscope::views
