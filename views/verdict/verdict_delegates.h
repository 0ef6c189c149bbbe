// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFont>
#include <QStyledItemDelegate>
#include <vector>

namespace lockscope::views {

/// ✖ mutual-exclusion                    6.0 – 7.2 s; the time where there is room for it: the cards tell it, too.
class InvariantDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// A violation: what and when, then why, in as many lines as it takes. In a list of items of one size, in a few lines
/// that end in "…" when there is more to say; a tooltip says it.
///
/// A list asks for the height of every item whenever one is added: each is measured once for a width.
class ViolationDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;
    /// The words of these rows are others now.
    void forget(int first, int last);
    /// Rows from this one on are gone.
    void forgetFrom(int first);

private:
    mutable std::vector<int> m_heights; ///< of the words, by row; 0 = not measured
    mutable int m_width = 0;            ///< for which they were measured
    mutable QFont m_font;
};

} // namespace lockscope::views
