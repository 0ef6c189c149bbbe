// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/event_words.h"
#include "models/lock_news.h"
#include "models/view_context.h"

#include <QAbstractTableModel>
#include <QTimer>

namespace lockscope::views {

/// The rows of a trace as a table, made when they are looked at. A filter builds an index of the rows that match, a few
/// milliseconds at a time, so that ten million events never stop the window; new rows are taken in the same way.
class EventsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { TimeColumn, KindColumn, WhoColumn, WhatColumn, DetailColumn, ColumnCount };
    enum Role {
        TraceRowRole = Qt::UserRole, ///< index of the row in the trace
        TimeRole,                    ///< ns
        EntityRole,                  ///< the actor, or the subject when nobody acted
        IconRole,                    ///< name for paintIcon()
        ToneRole,                    ///< views::Role of the icon as int
    };

    explicit EventsModel(ViewContext* context, QObject* parent = nullptr);

    /// Words that must all occur in a row (in kind, actor, subject or text, in any case; a leading minus: must not),
    /// and the groups that are shown. Starts a new index when something changed.
    void setFilter(const QString& text, std::array<bool, kEventGroups> groups);
    bool isFiltered() const { return m_filtered; }
    /// True while rows are still being looked at.
    bool isIndexing() const { return m_slices.isActive(); }
    /// How much of the trace has been looked at, 0…1.
    double progress() const;

    /// The model row of the last event at or before t; -1 when there is none.
    int rowAt(Nanos t) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

Q_SIGNALS:
    /// The index grew or is complete.
    void indexed();

private:
    struct Term {
        QString text;
        bool negated = false;
        std::array<bool, 256> kinds{};
        std::array<bool, kLockNews> news{}; ///< by LockNews, as roughNews() gives it
        /// By id: whether a name has the text. Looked at when a row with it comes by: a trace may have millions.
        enum class Name : std::uint8_t { NotSeen, Without, With };
        std::vector<Name> entities;
    };
    void restart();
    void slice();
    bool matches(std::size_t row);
    /// The text of a cell of a row that tells of a watched lock in the words of locks; empty: another row's words.
    QString newsText(const LockTale& tale, const trace::Event& event, int column) const;
    bool isNamed(Term& term, trace::EntityId id) const;
    std::size_t traceRow(int row) const;
    std::size_t seenRows() const;

    ViewContext* m_context;
    std::shared_ptr<const trace::Trace> m_trace;
    QString m_text;
    std::array<bool, kEventGroups> m_groups{};
    bool m_filtered = false;
    std::vector<Term> m_terms;
    std::array<bool, 256> m_kindShown{};
    std::vector<std::uint32_t> m_rows; ///< with a filter: the trace rows that match
    std::size_t m_looked = 0;          ///< trace rows that were looked at; without a filter: that are shown
    QTimer m_slices;
};

} // namespace lockscope::views
