// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/lock_filter.h"
#include "theme/roomy_columns.h"

#include <QWidget>

class QLineEdit;
class QMenu;
class QStackedLayout;
class QToolButton;
class QTreeView;

namespace lockscope::views {

class ForceRelease;
class LockChips;

/// The table that on-call people read: one row a lock, as it stands at the playhead.
class LocksPanel : public QWidget {
    Q_OBJECT
public:
    explicit LocksPanel(ViewContext* context, QWidget* parent = nullptr);

    int lockCount() const { return m_model->lockCount(); }
    QTreeView* view() const { return m_view; }
    /// See LocksModel::setUsualOverDays().
    void setUsualOverDays(std::function<Nanos(trace::EntityId lock)> usual) {
        m_model->setUsualOverDays(std::move(usual));
    }
    QLineEdit* filterField() const { return m_filter; }
    /// Stands before the rest where no tab says it; empty: there is none.
    void setTitle(const QString& title);

Q_SIGNALS:
    /// A menu of a row is about to open there, on the screen: others may add to it.
    void menuFilled(QMenu* menu, QPoint where);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void applyFilter();
    void follow();
    void showGroups();
    void makeGroupMenu();
    void tellGrouping();
    void group();
    void tell();
    void tellSoon();
    struct Counted {
        int locks = 0, held = 0, guessed = 0, guesses = 0, unseen = 0, endless = 0;
        int waitedFor = 0, waiting = 0; ///< locks, and clients
    };
    /// The locks of the proxy, which a filter leaves, or of the model.
    Counted counted(const QAbstractItemModel* rows) const;
    void measureColumns();
    /// Says why there is no lock in the table.
    void tellNone();
    void showMenu(const QPoint& position, const QModelIndex& index);
    void addForce(QMenu& menu, trace::EntityId lock);

    ViewContext* m_context;
    LocksModel* m_model;
    LocksProxy* m_proxy;
    QStackedLayout* m_stack;
    EmptyState* m_none;
    QTreeView* m_view;
    RoomyColumns* m_columns; ///< of the view
    QLineEdit* m_filter;
    QLabel* m_title;
    DimLabel* m_summary;
    LockChips* m_chips; ///< of watched servers, where they stand for the summary's counts
    QToolButton* m_tree;
    ForceRelease* m_release;
    LocksModel::Grouping m_wanted = LocksModel::Grouping::Server; ///< when grouped
    QTimer m_debounce;
    QTimer m_tellSoon;    ///< many changes of one turn of the event loop are counted once
    QTimer m_measureSoon; ///< widths follow the words at a pace that an eye can follow
    bool m_following = false;
};

} // namespace lockscope::views
