// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/alert_desks.h"
#include "session/alert_desk.h"

#include <QAbstractTableModel>

namespace lockscope::views {

/// The alerts of the session, those of all connections together: pinned ones first, then the most severe. Alerts with
/// one cause share a row: those of the locks of one deadlock, and many of one rule and connection that began within
/// one second.
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
    const std::vector<QPointer<session::AlertDesk>>& desks() const { return m_desks.all(); }
    /// The first one; nullptr: none.
    session::AlertDesk* desk() const { return desks().empty() ? nullptr : desks().front().data(); }
    /// The desk of a row; nullptr: no such row.
    session::AlertDesk* deskOf(int row) const;
    /// The first alert of a row, which speaks for all of it; nullptr: no such row.
    const session::AlertDesk::Entry* entry(int row) const;
    /// One alert, for calls that change what is listed.
    struct Member {
        QPointer<session::AlertDesk> desk;
        inspect::AlertRule rule;
        QByteArray lock;
        friend bool operator==(const Member&, const Member&) = default;
    };
    /// All alerts of a row; none: no such row.
    std::vector<Member> members(int row) const;
    /// Whether a row stands for many locks, and not for one or a deadlock.
    bool isMany(int row) const;
    /// How many alerts the rows stand for.
    std::size_t listed() const;
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
    /// The desks may be others.
    void attach();
    void refresh();
    /// The playhead has come to `t`: of a recording, the alerts that stood then are shown.
    void lookAt(Nanos t);
    void proposeWorst();
    struct Row {
        QPointer<session::AlertDesk> desk;
        session::AlertDesk::Entry entry;
        std::vector<Member> members{}; ///< itself first
        bool ofRing = false;           ///< its lock is part of a deadlock that has a row of its own
    };
    /// Puts alerts with one cause into one row.
    static std::vector<Row> merged(std::vector<Row> all);
    static bool isMany(const Row& row);
    QString text(const Row& row, int column) const;
    /// The names of a row's locks; of more than `most` the first ones.
    static QString namesOf(const Row& row, const QString& between, std::size_t most);
    /// The lock, or the server, and the connection that it was seen over.
    QString fullName(const Row& row) const;
    ViewContext* m_context;
    AlertDesks m_desks;
    std::vector<Row> m_rows;
    trace::EntityId m_proposed = trace::kNoEntity; ///< to the context, as the worst lock
};

} // namespace lockscope::views
