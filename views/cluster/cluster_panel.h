// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "cluster/client_servers.h"
#include "cluster/cluster_layout.h"
#include "cluster/flights.h"
#include "cluster/member_slots.h"
#include "models/view_context.h"

#include <QTimer>
#include <QWidget>
#include <set>

class QMenu;

namespace lockscope::views {

/// The cluster as a picture at the playhead: nodes, clients, the links between them, and messages under way. Click or
/// arrow keys select; right click or the menu key breaks things.
class ClusterPanel : public QWidget {
    Q_OBJECT
public:
    explicit ClusterPanel(ViewContext* context, QWidget* parent = nullptr);

    const ClusterLayout& picture() const;
    const std::vector<Flight>& flights() const { return m_flights; }
    /// The part that a link in the picture plays for its client at the playhead.
    LinkUse useOf(const ClusterLayout::Item& link) const;
    /// How it stands with an item, in words: for tips, screen readers and tests.
    QString describe(const ClusterLayout::Item& item) const;
    /// The item that has the keyboard; -1 = none.
    int current() const { return m_current; }
    void setCurrent(int index);
    /// Shows also links between servers, and to Sentinels, that no fault has struck yet: so that one can strike them.
    void setAllLinks(bool all);
    QSize sizeHint() const override { return {640, 300}; }
    QSize minimumSizeHint() const override { return {220, 128}; }

Q_SIGNALS:
    /// A menu of an item is about to open there, on the screen: others may add to it.
    void menuFilled(QMenu* menu, QPoint where);

protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void showEvent(QShowEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent*) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    /// Takes in what changes the picture's places: roles, and which links are worth a line. True: it is another one.
    bool reshape();
    /// Shows the playhead's instant.
    void catchUp();
    void forget();
    void grow();
    /// Reads the rows that the trace has got: only while it is in sight.
    void growRows();
    /// A client has its place from its first thread or link on: the observer of watched servers has neither.
    void meet(trace::EntityId client);
    void follow();
    void step(int dx, int dy);
    void openGroundMenu(const QPoint& at);
    void openMenu(trace::EntityId entity, const QPoint& at);
    Nanos leastFlight() const;
    /// Where a client is connected at the playhead.
    std::vector<ClientServers::Stay> serversOf(trace::EntityId client) const;

    ViewContext* m_context;
    mutable ClusterLayout m_layout;
    mutable bool m_layoutValid = false;
    bool m_allLinks = false;
    std::vector<trace::EntityId> m_nodes, m_clients, m_links;
    std::set<trace::EntityId> m_met;               ///< m_clients
    std::set<trace::EntityId> m_disturbed;         ///< links that a fault has struck
    std::vector<trace::EntityId> m_plain, m_shown; ///< nodes that are no watchers; links that are in the picture
    ClusterShape m_shape;
    ClientServers m_servers;
    MemberSlots m_slots;
    std::size_t m_seenEntities = 0;
    std::vector<Flight> m_flights;
    Nanos m_lastPlayhead{}, m_pace{}; ///< how far the playhead moved between the last two pictures
    int m_current = -1;
    trace::EntityId m_hovered = trace::kNoEntity;
    QWidget* m_empty;
    QTimer m_soon;
};

} // namespace lockscope::views
