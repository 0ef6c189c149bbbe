// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "session/alert_desk.h"
#include "session/connection_desk.h"

#include <QAbstractTableModel>

namespace lockscope::views {

/// The alerts of the session, those of all connections together, one row each: pinned ones first, then the most severe.
class AlertsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { LockColumn, SentenceColumn, AdviceColumn, OpenForColumn, PinColumn, MuteColumn, ColumnCount };
    enum Role {
        EntityRole = Qt::UserRole, ///< the lock in the trace; kNoEntity: of the server, or not there yet
        SeverityRole,              ///< inspect::AlertSeverity as int
        BadgeRole,                 ///< number of its connection as int, -1: there is one at most
        PlaceRole,                 ///< the name of its connection
    };

    explicit AlertsModel(ViewContext* context, QObject* parent = nullptr);

    /// The desks whose alerts are listed: one a connection.
    const std::vector<QPointer<session::AlertDesk>>& desks() const { return m_desks; }
    /// The first one; nullptr: none.
    session::AlertDesk* desk() const { return m_desks.empty() ? nullptr : m_desks.front().data(); }
    /// The desk of a row; nullptr: no such row.
    session::AlertDesk* deskOf(int row) const;
    /// nullptr: no such row.
    const session::AlertDesk::Entry* entry(int row) const;
    /// The row of a rule and a lock of a desk; -1 = none.
    int rowOf(const session::AlertDesk* desk, const inspect::AlertRule& rule, const QByteArray& lock) const;
    /// How many more alerts there are than rows; how many of them a mute covers.
    std::size_t more() const;
    std::size_t muted() const;
    /// The lock of a row in the trace; kNoEntity: of the server.
    trace::EntityId lockOf(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

Q_SIGNALS:
    /// Rows, or what stands around them, differ.
    void refreshed();

private:
    void attach();
    void refresh();
    struct Row {
        QPointer<session::AlertDesk> desk;
        session::AlertDesk::Entry entry;
    };
    QString text(const Row& row, int column) const;
    /// The lock, or the server, and the connection that it was seen over.
    QString fullName(const Row& row) const;
    ViewContext* m_context;
    std::vector<QPointer<session::AlertDesk>> m_desks;
    QPointer<session::ConnectionDesk> m_connections;
    std::vector<Row> m_rows;
};

} // namespace lockscope::views
