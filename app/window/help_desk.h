// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "transport/command_field.h"

#include <QObject>
#include <QPointer>

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
    /// Terms and shared runs that the typed words mean, for "Find or do…".
    std::vector<views::CommandField::Find> finds(const QString& typed);
    /// Null before it was shown.
    views::GlossaryDialog* glossary() const;

public Q_SLOTS:
    /// Explains the thing under the mouse, or else the one with the focus.
    void explainThis();
    /// Shows a term of the glossary; empty: the glossary from its start.
    void showTerm(const QString& id);
    void showAbout();
    /// The timeline is there, or is another one now: its legend comes if it was wanted.
    void attachTimeline();

private:
    void setLegendShown(bool shown);

    MainWindow* m_window;
    QPointer<views::GlossaryDialog> m_glossary;
    QAction* m_legend = nullptr;
};

} // namespace lockscope::app
