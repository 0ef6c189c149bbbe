// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/alert_desks.h"
#include "models/hold_history.h"
#include "models/lock_copies.h"
#include "models/told_clients.h"

#include <QAbstractItemModel>
#include <QElapsedTimer>
#include <QTimer>

namespace lockscope::views {

/// The locks of a trace as they stand at the playhead: one row each, in the order in which they were first seen, so
/// that rows are only ever added. Grouped, the rows are children of their groups. Where several servers keep a lock,
/// what each of them has are rows below it.
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
        EntityRole,              ///< the lock; of a group row its server, connection or holder
        ToneRole,                ///< Pill::Tone of the column's text as int, where it has one
        AlertRole,               ///< how bad the lock's worst alert at the playhead is: 0 none, then by severity
        BadgeRole,               ///< number of the lock's connection as int, -1: there is one at most; a group's, too
        PlaceRole,               ///< the name of its connection
        PulseRole,               ///< a Pulse, of a held lock in sight with renewals that were seen
    };
    /// By what locks are put together.
    enum class Grouping : std::uint8_t { None, Server, Backend, Holder };

    explicit LocksModel(ViewContext* context, QObject* parent = nullptr);

    /// A tree of groups with their locks, or one flat table. Server: by connection, where there are any.
    void setGrouping(Grouping grouping);
    Grouping grouping() const { return m_grouping; }
    bool isGrouped() const { return m_grouping != Grouping::None; }

    /// The facts that a row shows, a lock's or a copy's; nullptr for group rows.
    const LockFacts* facts(const QModelIndex& index) const;
    /// Whether a row is one server's copy of the lock above it.
    static bool isCopy(const QModelIndex& index) { return index.isValid() && index.internalId() >= kCopyOf; }
    /// Whether there are rows below other rows.
    bool isTree() const { return isGrouped() || m_anyCopy; }
    /// The row of a lock, or of a copy, column 0.
    QModelIndex indexOf(trace::EntityId lock) const;
    int lockCount() const { return int(m_facts.size()); }
    /// The time that changes are collected for: none, or with thousands of locks so much that the window stays quick.
    std::chrono::milliseconds pace() const;
    /// `usual`: how long a lock is usually held, over days; 0: that is not known.
    void setUsualOverDays(std::function<Nanos(trace::EntityId lock)> usual) { m_usualOverDays = std::move(usual); }
    /// Whether some lock has an alert at the playhead.
    bool hasAlerts() const { return alertedCount() > 0; }
    /// How many locks have one.
    int alertedCount() const { return int(m_alerts.size()); }
    /// The id of the rule of a lock's worst alert, as it is written: "failed-over"; empty: it has none.
    QString alertId(const QModelIndex& index) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

Q_SIGNALS:
    /// hasAlerts() differs.
    void alertsCame(bool any);

private:
    /// The internal id of a copy's row is this and the number of its lock; of a lock's in a group the group and 1.
    static constexpr quintptr kCopyOf = quintptr(1) << 40;
    void addCopy(trace::EntityId copy);
    QString copyText(const LockFacts& copy, int column) const;
    /// The entity of connections, servers and holders; the name of backends.
    struct GroupKey {
        trace::EntityId entity = trace::kNoEntity;
        QString name;
        friend bool operator==(const GroupKey&, const GroupKey&) = default;
    };
    struct Group {
        GroupKey key;
        std::vector<int> locks; ///< indexes into m_facts
    };
    GroupKey groupOf(const LockFacts& facts) const;
    QString groupName(const GroupKey& key) const;
    /// Puts every lock into its group again.
    void arrangeGroups();
    void reload();
    void refreshSoon();
    /// The next part of a pass over all locks, or all of one.
    void refresh();
    void beginPass();
    /// Whether a row's words about its alerts, its age or its connection are others than before the pass.
    bool wordsDiffer(trace::EntityId lock) const;
    void addLocks();
    void regroup(const std::vector<int>& changed);
    /// How long ago the locks of a connection were looked at, or one lock that was looked at before the others, in
    /// whole seconds: of those where that is long.
    using Ages = std::map<trace::EntityId, std::int64_t>;
    Ages agesNow() const;
    /// That of a lock; 0: it is as new as it should be.
    std::int64_t ageIn(const Ages& ages, trace::EntityId lock) const;
    int badge(trace::EntityId entity) const;
    void appendLock(trace::EntityId lock);
    void announce(const std::vector<int>& changed);
    int factsIndex(const QModelIndex& index) const;
    QString text(const LockFacts& facts, int column) const;
    QVariant sortValue(const LockFacts& facts, int column) const;
    QVariant toneOf(const LockFacts& facts, int column) const;
    static QString holdCounts(const LockFacts& facts);
    QString holderText(const LockFacts& facts) const;
    /// An alert of a lock, in words.
    struct Alerted {
        inspect::AlertRule::Kind kind{};
        QString sentence;
        friend bool operator==(const Alerted&, const Alerted&) = default;
    };
    /// How long a lock is usually held: over days where that is known, else by the holds that were seen; 0: not known.
    struct Usual {
        Nanos time{};
        bool overDays = false;
    };
    Usual usualOf(trace::EntityId lock) const;
    /// The waiters in their order, a line for each, and who told of them.
    QString waitersTip(const LockFacts& facts) const;
    /// The holders, and who they are as far as the server tells.
    QString holderTip(const LockFacts& facts) const;
    ToldClients toldClients(const LockFacts& facts) const;
    /// The tip of a time that is longer than usual.
    QString heldForTip(const LockFacts& facts) const;
    /// How many times as long as usual a lock is held by now; 0: that is not known, or less than twice.
    std::int64_t timesUsual(const LockFacts& facts) const;
    /// The renewals of a lock for its cell; without beats: there is nothing to draw.
    Pulse pulseOf(const LockFacts& facts) const;
    /// The worst alert of a lock at the playhead; nullptr: it has none.
    const Alerted* alertOf(const LockFacts& facts) const;
    /// By connection and name of the lock.
    using Alerts = std::map<std::pair<trace::EntityId, QByteArray>, Alerted>;
    Alerts alertsNow() const;
    const Alerted* alertIn(const Alerts& alerts, trace::EntityId lock) const;

    /// On its way over the locks: with many of them it takes several turns of the event loop, so that none is long.
    struct Pass {
        Ages ages;     ///< m_ages as it was told before
        Alerts alerts; ///< m_alerts as it was told before
        bool badgesDiffer = false, agesDiffer = false, alertsDiffer = false;
        int next = 0, count = 0;  ///< m_facts' indexes: the next one, and how many there were at first
        std::vector<int> changed; ///< m_facts' indexes so far
    };

    ViewContext* m_context;
    std::optional<Pass> m_pass;
    bool m_again = false; ///< something came during the pass
    Grouping m_grouping = Grouping::None;
    std::vector<LockFacts> m_facts; ///< by order of appearance
    std::map<trace::EntityId, int> m_position;
    LockCopies m_copies;
    HoldHistory m_history;
    std::function<Nanos(trace::EntityId)> m_usualOverDays;
    bool m_anyCopy = false;
    AlertDesks m_desks;
    Alerts m_alerts;
    Ages m_ages;
    std::vector<trace::EntityId> m_badges; ///< the connections of the trace, in their order
    QElapsedTimer m_arranged;              ///< since arrangeGroups()
    bool m_regroup = false;                ///< some lock stands in another group than it belongs to
    std::vector<Group> m_groups;
    std::vector<std::pair<int, int>> m_place; ///< group and row within it, by facts index
    std::size_t m_seenEntities = 0;
    QTimer m_soon; ///< many changes of one turn of the event loop are one refresh
};

} // namespace lockscope::views
