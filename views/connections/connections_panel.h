// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "connections/connections_model.h"

#include <QWidget>

class QListView;
class QMenu;
class QPushButton;

namespace lockscope::views {

class ConnectionsAside;
class DimLabel;

/// The column of a session that watches servers: its connections as cards, each with health in words, its own access
/// and its own costs. Choosing one selects its server everywhere.
class ConnectionsPanel : public QWidget {
    Q_OBJECT
public:
    explicit ConnectionsPanel(ViewContext* context, QWidget* parent = nullptr);

    /// One row a card.
    ConnectionsModel* model() const { return m_model; }
    QListView* view() const { return m_view; }
    QPushButton* addButton() const { return m_add; }
    /// The sections below the cards, where there is room.
    ConnectionsAside* aside() const { return m_aside; }
    /// The line above the cards: "273 locks".
    QString summary() const;
    /// The menu of a connection; the caller owns it.
    QMenu* makeMenu(trace::EntityId connection);

    /// Asks above that widget whether changes are to be allowed on a connection. Does nothing without such a one.
    static void askToAllow(const QPointer<session::ConnectionDesk>& desk, trace::EntityId connection, QWidget* above);

Q_SIGNALS:
    /// The user wants a further connection.
    void addRequested();
    /// The user wants to change the address or name of this one.
    void editRequested(lockscope::trace::EntityId connection);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void follow();
    /// Gives the cards the height that they need, and what is left to the sections below.
    void fit();
    void tellServers(trace::EntityId connection);
    trace::EntityId current() const;
    ViewContext* m_context;
    ConnectionsModel* m_model;
    QListView* m_view;
    QPushButton* m_add;
    ConnectionsAside* m_aside;
    DimLabel* m_summary;
    bool m_following = false;
};

} // namespace lockscope::views
