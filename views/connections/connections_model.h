// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "session/connection_desk.h"

#include <QAbstractListModel>

namespace lockscope::views {

/// The connections of a session that watches servers, one row each, in the order in which they were made.
class ConnectionsModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        EntityRole = Qt::UserRole, ///< the connection in the trace
        AlertsRole,                ///< how many alerts stand, without the muted ones, as int
    };
    explicit ConnectionsModel(ViewContext* context, QObject* parent = nullptr);

    /// nullptr: the session watches no servers.
    session::ConnectionDesk* desk() const { return m_desk; }
    /// nullptr: no such row.
    const session::ConnectionFacts* facts(int row) const;
    int rowOf(trace::EntityId connection) const;
    int alertsOf(trace::EntityId connection) const;
    /// Locks seen over all connections that are open.
    int lockCount() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    /// The text is the name; the accessible text is everything that the card tells.
    QVariant data(const QModelIndex& index, int role) const override;

    /// "38 commands/s · 0.4 % of its time": what watching costs.
    static QString costText(const session::ConnectionFacts& facts);
    /// "214 locks · 188 held".
    static QString lockText(const session::ConnectionFacts& facts);
    /// The health without the address, which stands elsewhere on the card.
    QString healthText(const session::ConnectionFacts& facts) const;

Q_SIGNALS:
    void refreshed();

private:
    void attach();
    void refresh();
    ViewContext* m_context;
    QPointer<session::ConnectionDesk> m_desk;
    std::vector<session::ConnectionFacts> m_rows;
};

} // namespace lockscope::views
