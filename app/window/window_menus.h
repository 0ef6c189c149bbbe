// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

class QMenu;

namespace lockscope::app {

class BackgroundKeeper;
class MainWindow;
class StretchDesk;

/// The window's own commands, in their menus. The menus' names are there at once, for the first picture of the window;
/// what is in them comes with fill().
class WindowMenus : public QObject {
    Q_OBJECT
public:
    explicit WindowMenus(MainWindow* window);
    /// Once, when the window has its transport bar.
    void fill();

    /// Enables what makes sense with the session at hand.
    void refresh();

private:
    void fillFile();
    void fillEdit();
    void fillSession();
    void fillPlay();
    void fillLessons();
    void fillBreak();
    void fillView();
    void fillHelp();
    void fillRecent();
    void fillScenarios();

    MainWindow* m_window;
    QMenu *m_file, *m_edit, *m_session, *m_play, *m_learn, *m_break, *m_view, *m_help;
    StretchDesk* m_stretches;
    BackgroundKeeper* m_keeper;
    QMenu* m_recent = nullptr;
    QMenu* m_scenarios = nullptr;
};

} // namespace lockscope::app
