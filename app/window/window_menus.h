// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

class QMenu;

namespace lockscope::app {

class MainWindow;

/// The window's own commands, in their menus.
class WindowMenus : public QObject {
    Q_OBJECT
public:
    explicit WindowMenus(MainWindow* window);

private:
    void makeFile();
    void makeSession();
    void makePlay();
    void makeView();
    void makeHelp();
    void fillRecent();
    void fillScenarios();
    void refresh();

    MainWindow* m_window;
    QMenu* m_recent = nullptr;
    QMenu* m_scenarios = nullptr;
};

} // namespace lockscope::app
