// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "window/settings.h"

#include <QDockWidget>
#include <QMainWindow>

namespace lockscope::app {

class LazyPanel;

/// The docks around the timeline, and the layouts they can stand in. Built when the first session opens.
class WorkArea : public QObject {
    Q_OBJECT
public:
    WorkArea(QMainWindow* window, views::ViewContext* context, Settings* settings);

    QWidget* timeline() const { return m_timeline; }
    QDockWidget* controls() const { return m_controls; }
    QDockWidget* connections() const { return m_connections; }
    QDockWidget* inspector() const { return m_inspector; }
    QDockWidget* locks() const { return m_locks; }
    QDockWidget* events() const { return m_events; }
    QDockWidget* cluster() const { return m_cluster; }
    QDockWidget* waits() const { return m_waits; }
    QDockWidget* statistics() const { return m_statistics; }
    QList<QDockWidget*> docks() const {
        return {m_connections, m_controls, m_inspector, m_locks, m_events, m_cluster, m_waits, m_statistics};
    }

    /// Visible for Qt, but behind the front tab of its place.
    static bool isBehind(const QDockWidget* dock);

    /// Gives the columns the width that the size of the text asks for.
    void fitText();

    Layout layout() const { return m_layout; }
    /// The layout that suits a session, until another one is chosen or takeBack(): it is not remembered as chosen.
    void lend(Layout layout);
    /// Back to the layout that was chosen.
    void takeBack();
    /// Chosen by the user. Keeps the arrangement at hand for its layout, then takes up this one, as it was left.
    void setLayout(Layout layout);
    /// The layout's own arrangement again.
    void restoreDefault();
    /// Remembers the arrangement at hand, and that of the tables in it.
    void remember();
    /// Shows the docks of the layout, or hides all of them (the welcome page has the window to itself).
    void setVisible(bool visible);
    /// Title bars to grab, for moving panels; hidden otherwise.
    void setMovable(bool movable);

Q_SIGNALS:
    void layoutChanged(lockscope::app::Layout layout);
    /// A panel that waited to be seen exists now, with its actions.
    void panelBuilt();
    /// The user wants to watch a further server, or to change a connection.
    void connectionWanted();
    void connectionEdited(lockscope::trace::EntityId connection);

private:
    QDockWidget* dock(const char* id, const QString& title, QWidget* panel, Qt::DockWidgetArea area);
    bool isPartOf(Layout layout, const QDockWidget* dock) const;
    int tablesHeight(Layout layout) const;
    void arrange(Layout layout);
    void stackInspector();
    void show(Layout layout);
    void refreshTitles();
    /// The table of locks says what it is where it stands beside the tabs.
    void titleLocks();
    void recallTables();

    QMainWindow* m_window;
    views::ViewContext* m_context;
    Settings* m_settings;
    QWidget* m_timeline;
    QDockWidget* m_connections;
    QDockWidget* m_controls;
    QDockWidget* m_inspector;
    QDockWidget* m_locks;
    QDockWidget* m_events;
    QDockWidget* m_cluster;
    QDockWidget* m_waits;
    QDockWidget* m_statistics;
    QTimer m_titlePace;
    QSet<QString> m_recalled; ///< tables that are as they were left, or were changed since
    Layout m_layout, m_chosen;
    bool m_visible = false;
    bool m_movable = false;
};

} // namespace lockscope::app
