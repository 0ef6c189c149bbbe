// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QAbstractTableModel>

namespace lockscope::views {

/// The invariants and how each fared; in the order of the words list.
class InvariantsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { NameColumn, WhenColumn, ColumnCount };
    enum Role {
        OutcomeRole = Qt::UserRole, ///< verdict::Outcome as int
        FromRole,                   ///< ns, start of the first violation; -1 = none
        InvariantRole,              ///< verdict::Invariant as int
    };
    explicit InvariantsModel(ViewContext* context, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    void refresh();
    verdict::Outcome outcome(verdict::Invariant invariant) const;
    QString when(verdict::Invariant invariant) const;
    ViewContext* m_context;
    std::shared_ptr<const verdict::Verdict> m_verdict;
};

/// Every violation of the trace, by time; each explains itself.
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
    };
    explicit ViolationsModel(ViewContext* context, QObject* parent = nullptr);
    /// Only violations of this invariant; nullopt = all.
    void setOnly(std::optional<verdict::Invariant> invariant);
    /// The row of a violation that goes on at t, else -1.
    int rowAt(Nanos t) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    void refresh();
    void reset();
    /// Violations of a verdict; looked at and not copied: there may be ten thousands, and a verdict every few frames.
    struct Listed {
        std::shared_ptr<const verdict::Verdict> verdict;
        std::optional<std::vector<std::size_t>> only; ///< which of them; nullopt = all
        std::size_t size() const { return only ? only->size() : verdict->violations.size(); }
        const verdict::Violation& operator[](std::size_t i) const { return verdict->violations[only ? (*only)[i] : i]; }
    };
    Listed wanted() const;
    ViewContext* m_context;
    std::shared_ptr<const trace::Trace> m_trace;
    std::optional<verdict::Invariant> m_only;
    Listed m_violations;
    std::size_t m_rows = 0; ///< of m_violations, that are told of
};

} // namespace lockscope::views
