// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/lock_facts.h"
#include "models/view_context.h"

#include <QAbstractItemModel>
#include <QTimer>

namespace lockscope::views {

/// The locks of a trace as they stand at the playhead: one row each, in the order in which they were first seen, so
/// that rows are only ever added. Grouped, the rows are children of their servers.
class LocksModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column {
        LockColumn,
        ServerColumn,
        FormatColumn,
        ModeColumn,
        HolderColumn,
        HoldsColumn,
        TtlColumn,
        RenewalColumn,
        WaitersColumn,
        TokenColumn,
        HeldForColumn,
        StateColumn,
        ColumnCount
    };
    enum Role {
        SortRole = Qt::UserRole, ///< raw value of the column
        EntityRole,              ///< the lock; of a group row its server
        ToneRole,                ///< Pill::Tone of the column's text as int, where it has one
    };

    explicit LocksModel(ViewContext* context, QObject* parent = nullptr);

    /// A tree of servers with their locks, or one flat table.
    void setGrouped(bool grouped);
    bool isGrouped() const { return m_grouped; }

    /// The facts that a row shows; nullptr for group rows.
    const LockFacts* facts(const QModelIndex& index) const;
    /// The row of a lock, column 0.
    QModelIndex indexOf(trace::EntityId lock) const;
    int lockCount() const { return int(m_facts.size()); }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Group {
        trace::EntityId server;
        std::vector<int> locks; ///< indexes into m_facts
    };
    void reload();
    void refreshSoon();
    void refresh();
    void addLocks();
    void appendLock(trace::EntityId lock);
    void announce(const std::vector<int>& changed);
    int factsIndex(const QModelIndex& index) const;
    QString text(const LockFacts& facts, int column) const;
    QVariant sortValue(const LockFacts& facts, int column) const;
    QVariant toneOf(const LockFacts& facts, int column) const;
    static QString holdCounts(const LockFacts& facts);
    QString holderText(const LockFacts& facts) const;

    ViewContext* m_context;
    bool m_grouped = false;
    std::vector<LockFacts> m_facts; ///< by order of appearance
    std::map<trace::EntityId, int> m_position;
    std::vector<Group> m_groups;
    std::vector<std::pair<int, int>> m_place; ///< group and row within it, by facts index
    std::size_t m_seenEntities = 0;
    QTimer m_soon; ///< many changes of one turn of the event loop are one refresh
};

} // namespace lockscope::views
