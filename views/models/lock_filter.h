// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/locks_model.h"

#include <QSortFilterProxyModel>
#include <expected>

namespace lockscope::views {

/// The small language of the filter field: words and conditions, all of which must be true. `state:held` `name:ord`
/// `server:` `format:` `holder:` `certainty:guess` `alert:late` `alert:failed-over` compare by part of the text
/// (`alert:any`: there is one; `ttl:never`: held, and nothing ends it), `ttl<5s` `held>1m` `waiters>=3` `holds>1`
/// `token>33` by value, anything else is looked for in name, server, format and holder. A minus before a term turns it
/// round.
class LockFilter {
public:
    /// An error is a sentence for the user.
    static std::expected<LockFilter, QString> parse(const QString& text);
    bool isEmpty() const { return m_terms.empty(); }
    /// `index` is a lock's row of a LocksModel.
    bool matches(const LocksModel& model, const QModelIndex& index) const;

private:
    enum class Compare : std::uint8_t { Contains, Less, LessEqual, Equal, GreaterEqual, Greater };
    struct Term {
        int column = -1; ///< -1 = any of the texts
        Compare compare = Compare::Contains;
        QString text;
        qint64 value = 0;
        bool negated = false;
    };
    static std::expected<Term, QString> parseTerm(QString text);
    static bool matches(const Term& term, const LocksModel& model, const QModelIndex& index);
    std::vector<Term> m_terms;
};

/// Sorts and filters a LocksModel. Keeps groups that have a row left. As long as no column is chosen to sort by, locks
/// with alerts come first, the worst of them at the top; all others stand in the order in which they were first seen,
/// and guesses last.
class LocksProxy : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit LocksProxy(LocksModel* model, QObject* parent = nullptr);
    void setFilter(LockFilter filter);
    /// Whether there are keys that are only guesses: as long as no column is chosen, they stand behind all others.
    void putGuessesLast(bool any);
    /// The row of a lock here, column 0; invalid when it is filtered out.
    QModelIndex indexOf(trace::EntityId lock) const;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
    /// Rows stay where they are, and in sight, until this is taken back: somebody is about to click one of them.
    void setSteady(bool steady);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    void arrange();
    bool m_guesses = false, m_steady = false, m_waiting = false;
    int m_chosen = -1; ///< the column that somebody wants to sort by
    Qt::SortOrder m_order = Qt::AscendingOrder;
    LocksModel* m_model;
    LockFilter m_filter;
};

} // namespace lockscope::views
