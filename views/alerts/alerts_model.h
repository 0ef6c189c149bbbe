// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "session/alert_desk.h"

#include <QAbstractTableModel>

namespace lockscope::views {

/// The alerts of the session, one row each: pinned ones first, then the most severe.
class AlertsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { LockColumn, SentenceColumn, AdviceColumn, OpenForColumn, PinColumn, MuteColumn, ColumnCount };
    enum Role {
        EntityRole = Qt::UserRole, ///< the lock in the trace; kNoEntity: of the server, or not there yet
        SeverityRole,              ///< inspect::AlertSeverity as int
    };

    explicit AlertsModel(ViewContext* context, QObject* parent = nullptr);

    session::AlertDesk* desk() const { return m_desk; }
    /// nullptr: no such row.
    const session::AlertDesk::Entry* entry(int row) const;
    /// The row of a rule and a lock; -1 = none.
    int rowOf(const inspect::AlertRule& rule, const QByteArray& lock) const;
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
    QString text(const session::AlertDesk::Entry& entry, int column) const;
    ViewContext* m_context;
    QPointer<session::AlertDesk> m_desk;
    std::vector<session::AlertDesk::Entry> m_rows;
};

} // namespace lockscope::views
