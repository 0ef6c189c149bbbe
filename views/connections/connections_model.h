// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/alert_causes.h"
#include "models/view_context.h"
#include "session/connection_desk.h"

#include <QAbstractListModel>
#include <QTimer>

namespace lockscope::views {

/// The connections of a session that watches servers, one row each, in the order in which they were made. A
/// recording of such a session has the connections that it tells of, as they stood at the playhead.
class ConnectionsModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        EntityRole = Qt::UserRole, ///< the connection in the trace
        AlertsRole,                ///< how many causes of alerts stand, without the muted ones, as int
    };
    explicit ConnectionsModel(ViewContext* context, QObject* parent = nullptr);

    /// nullptr: the session watches no servers, or did so once and is a recording.
    session::ConnectionDesk* desk() const { return m_desk; }
    /// nullptr: no such row.
    const session::ConnectionFacts* facts(int row) const;
    int rowOf(trace::EntityId connection) const;
    /// How many causes of alerts stand; causesOf() has those that the session has listed, the worst first.
    int alertsOf(trace::EntityId connection) const;
    std::vector<AlertCause> causesOf(trace::EntityId connection) const;
    /// The words of a card about them, from the fullest to the shortest: "deadlock + 2", "3 alerts"; empty: none
    /// stands.
    QStringList alertWords(trace::EntityId connection) const;
    /// "deadlock: stock ⇄ payments; renewal late: orders".
    QString alertNames(trace::EntityId connection) const;
    /// Locks seen over all connections that are open.
    int lockCount() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    /// The text is the name; the accessible text is everything that the card tells.
    QVariant data(const QModelIndex& index, int role) const override;

    /// "38 commands/s · takes 0.4 %": what watching costs. In a recording, which costs nothing, the address.
    QString costText(const session::ConnectionFacts& facts) const;
    /// "214 locks · 188 held".
    static QString lockText(const session::ConnectionFacts& facts);
    /// The health without the address, which stands elsewhere on the card.
    QString healthText(const session::ConnectionFacts& facts) const;

Q_SIGNALS:
    void refreshed();

private:
    void attach();
    void refresh();
    std::vector<session::ConnectionFacts> recorded() const;
    ViewContext* m_context;
    QTimer m_pace; ///< runs until the playhead of a recording is followed
    QPointer<session::ConnectionDesk> m_desk;
    std::vector<session::ConnectionFacts> m_rows;
};

} // namespace lockscope::views
