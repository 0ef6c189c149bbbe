// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QAbstractTableModel>

namespace lockscope::views {

/// The invariants and how each fared up to the playhead, as the toolbar says it; what the run has found later is
/// counted apart. In the order of the words list.
class InvariantsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { NameColumn, WhenColumn, ColumnCount };
    enum Role {
        OutcomeRole = Qt::UserRole, ///< verdict::Outcome as int
        FromRole,                   ///< ns, start of the first violation; -1 = none
        InvariantRole,              ///< verdict::Invariant as int
        LaterRole,                  ///< how many violations begin after the playhead
    };
    explicit InvariantsModel(ViewContext* context, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    void refresh();
    void playheadMoved(Nanos t);
    verdict::Outcome outcome(verdict::Invariant invariant) const;
    /// The violations of one invariant: how many had begun at the playhead, and how many begin after it.
    struct Tally {
        int soFar = 0, later = 0;
        QString first; ///< when the first one of those so far was
    };
    Tally tally(verdict::Invariant invariant) const;
    QString when(verdict::Invariant invariant) const;
    ViewContext* m_context;
    std::shared_ptr<const verdict::Verdict> m_verdict;
    std::size_t m_begun = 0; ///< violations that had begun at the playhead when the views were told last
    bool m_open = false;     ///< one of them went on then
};

/// Every violation of the trace, by time; each explains itself, and those after the playhead are marked.
class ViolationsModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        FromRole = Qt::UserRole, ///< ns
        ToRole,                  ///< ns, INT64_MAX while it goes on
        EntityRole,              ///< the first actor, else the lock
        IdRole,                  ///< "mutual-exclusion"
        WhenRole,                ///< "6.0 – 7.2 s"
        ExplainRole,
        LaterRole, ///< begins after the playhead
    };
    explicit ViolationsModel(ViewContext* context, QObject* parent = nullptr);
    /// Only violations of this invariant; nullopt = all.
    void setOnly(std::optional<verdict::Invariant> invariant);
    /// The row of a violation that goes on at t, else -1.
    int rowAt(Nanos t) const;
    /// How many had begun at the playhead.
    int begun() const { return int(m_begun); }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    void refresh();
    void reset();
    void playheadMoved(Nanos t);
    std::size_t begunAt(Nanos t) const;
    /// Violations of a verdict; looked at and not copied: there may be ten thousands, and a verdict every few frames.
    struct Listed {
        std::shared_ptr<const verdict::Verdict> verdict;
        std::optional<std::vector<std::size_t>> only; ///< which of them; nullopt = all
        std::size_t begun = 0; ///< those that may be seen: a part of the future may be computed already
        std::size_t size() const { return only ? only->size() : begun; }
        const verdict::Violation& operator[](std::size_t i) const { return verdict->violations[only ? (*only)[i] : i]; }
    };
    Listed wanted() const;
    ViewContext* m_context;
    std::shared_ptr<const trace::Trace> m_trace;
    std::optional<verdict::Invariant> m_only;
    Listed m_violations;
    std::size_t m_rows = 0;  ///< the violations that views have been told of
    std::size_t m_begun = 0; ///< of those, how many had begun at the playhead
};

} // namespace lockscope::views
