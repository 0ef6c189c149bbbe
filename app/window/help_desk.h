// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "welcome/shortcut_sheet.h"

#include <QObject>
#include <QPointer>

class QMenu;

namespace lockscope::views {
class GlossaryDialog;
}

namespace lockscope::app {

class MainWindow;

/// Answers "what is this?": the glossary, the timeline's legend, and what the program itself is.
class HelpDesk : public QObject {
    Q_OBJECT
public:
    explicit HelpDesk(MainWindow* window);

    /// The commands of the Help menu.
    QList<QAction*> makeActions();
    /// Shows the legend below the timeline, or hides it; a checkable command.
    QAction* makeLegendAction();
    /// The keys of the window's parts that are no commands, for the sheet of shortcuts.
    static QList<views::ShortcutSheet::Extra> keysOfParts();
    /// Ends a context menu with what stands there on the screen: its name, one sentence, and its lesson.
    void explainIn(QMenu* menu, const QPoint& where);
    /// Null before it was shown.
    views::GlossaryDialog* glossary() const;

protected:
    /// The menu of whatever in the window has none of its own.
    bool eventFilter(QObject* watched, QEvent* event) override;

public Q_SLOTS:
    /// Explains the thing under the mouse, or else the one with the focus.
    void explainThis();
    /// Shows a term of the glossary; empty: the glossary from its start.
    void showTerm(const QString& id);
    void showAbout();
    /// Shows what simulated servers leave out, of the kind in sight first.
    void showLimits();
    /// The timeline is there, or is another one now: its legend comes if it was wanted.
    void attachTimeline();
    /// Panels are there that were not before: their menus explain what they are about.
    void attachPanels();
    /// The presenter's view has the legend, whatever was chosen for the usual one.
    void setLegendForced(bool forced);

private:
    void showLegend();

    MainWindow* m_window;
    QPointer<views::GlossaryDialog> m_glossary;
    QAction* m_legend = nullptr;
    bool m_legendForced = false;
};

} // namespace lockscope::app
