// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/locks_panel.h"

#include "locks/force_release.h"
#include "locks/lock_chips.h"
#include "locks/locks_delegate.h"
#include "locks/row_in_sight.h"
#include "session/connection_desk.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "theme/pointer_aim.h"
#include "theme/style.h"
#include "theme/table_columns.h"

#include <QActionGroup>
#include <QBoxLayout>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QStackedLayout>
#include <QToolButton>
#include <QTreeView>

namespace lockscope::views {

namespace {
constexpr auto kMeasurePace = 200ms;
constexpr int kHeaderPad = 12; ///< pixels at each side of a column's title

/// A tree asks each row of a changed range for its place. With thousands of locks in it only those in sight matter.
class LocksView : public QTreeView {
public:
    void dataChanged(const QModelIndex& first, const QModelIndex& last, const QList<int>& roles) override {
        constexpr int kFew = 64;
        if (last.row() - first.row() < kFew)
            QTreeView::dataChanged(first, last, roles);
        else
            viewport()->update();
    }
};

constexpr int kNarrow = 480; ///< in which there is no room for more words than how many locks are held

bool severalServers(session::Session* session) {
    const session::ConnectionDesk* const desk = session::connectionDeskOf(session);
    return desk && desk->openCount() > 1;
}

/// By logical index. In a narrow window the server's name beside its badge and the bar of a lease give way first. Then
/// whole columns leave: what their cells say stands in the lock's own panel, and a word or two cut to "e…" says
/// nothing. The lock, its state, its holder and how long it lasts stay to the end.
QList<RoomyColumns::Width> columnWidths() {
    QList<RoomyColumns::Width> widths(LocksModel::ColumnCount);
    widths[LocksModel::LockColumn] = {132, 84, 1, 0, 132};
    widths[LocksModel::ServerColumn] = {80, 44, 6, 2};
    widths[LocksModel::FormatColumn] = {120, 112, 5, 4};
    widths[LocksModel::ModeColumn] = {92, 80, 2, 5};
    widths[LocksModel::HolderColumn] = {150, 100, 1};
    widths[LocksModel::HoldsColumn] = {56, 46, 7, 7};
    widths[LocksModel::TtlColumn] = {140, 116, 3};
    widths[LocksModel::RenewalColumn] = {132, 120, 4, 3};
    widths[LocksModel::WaitersColumn] = {76, 76, 2, 1};
    widths[LocksModel::TokenColumn] = {64, 60, 7, 6};
    widths[LocksModel::HeldForColumn] = {106, 88, 2, 1};
    widths[LocksModel::StateColumn] = {104, 84, 0};
    return widths;
}
} // namespace

LocksPanel::LocksPanel(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_model(new LocksModel(context, this)),
      m_proxy(new LocksProxy(m_model, this)),
      m_view(new LocksView),
      m_filter(new QLineEdit),
      m_title(new QLabel),
      m_summary(new ElidedLabel),
      m_tree(new QToolButton),
      m_release(new ForceRelease(context, this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(kGrid + 4, kGrid / 2, kGrid, kGrid / 2);
    bar->setSpacing(kGrid);
    m_summary->setFont(uiFont(-1));
    m_title->setFont(uiFont(0, QFont::DemiBold));
    m_title->setObjectName(QStringLiteral("locks.title"));
    m_title->hide();
    bar->addWidget(m_title);
    m_chips = new LockChips(m_filter, this);
    bar->addWidget(m_chips);
    bar->addWidget(m_summary, 1);
    m_tree->setIcon(icon("tree", views::Role::TextDim));
    m_tree->setCheckable(true);
    m_tree->setObjectName(QLatin1String(kKept) + QStringLiteral("locks.grouped"));
    m_tree->setAutoRaise(true);
    m_tree->setToolTip(tr("Group (Ctrl+G)"));
    m_tree->setAccessibleName(tr("Group the locks"));
    makeGroupMenu();
    bar->addWidget(m_tree);
    m_filter->setPlaceholderText(tr("filter: state:held ttl<5s"));
    m_filter->setAccessibleName(tr("Filter locks"));
    m_filter->setToolTip(
        tr("Words and conditions, all of which must be true: name:ord  state:held  ttl<5s  ttl:never  held>1m  "
           "waiters>=3  mode:shared  server:redis  holder:A  certainty:guess  alert:any  -word (Ctrl+F)"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(120);
    m_filter->setMaximumWidth(230);
    bar->addWidget(m_filter, 1);
    layout->addLayout(bar);

    m_view->setObjectName(QLatin1String(kKept) + QStringLiteral("locks"));
    m_view->setModel(m_proxy);
    m_view->setItemDelegate(new LocksDelegate(m_view));
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setMouseTracking(true);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(-1, Qt::AscendingOrder);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->setAccessibleName(tr("Locks"));
    m_view->installEventFilter(this);
    connect(&PointerAim::instance(), &PointerAim::changed, this,
            [this](bool aiming) { m_proxy->setSteady(aiming && isVisible()); });
    makeFrameless(m_view);
    QHeaderView* header = m_view->header();
    header->setStretchLastSection(true);
    header->setSortIndicatorClearable(true);
    header->setHighlightSections(false);
    header->setMinimumSectionSize(32); // the style wants more for an arrow that few columns ever have
    header->setTextElideMode(Qt::ElideRight);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    // The state is what the eye looks for: it stands beside the name, wherever the window ends.
    header->moveSection(LocksModel::StateColumn, LocksModel::LockColumn + 1);
    m_columns = new RoomyColumns(header, columnWidths());
    connect(m_columns, &RoomyColumns::leftChanged, this, &LocksPanel::tellSoon);
    header->setResizeContentsPrecision(0); // only rows in sight are measured: there may be very many

    m_stack = new QStackedLayout;
    // Before its pages: a stack without a parent shows its first page as a window of its own.
    layout->addLayout(m_stack, 1);
    m_stack->addWidget(m_view);
    m_none = new EmptyState("lock", {}, {});
    m_stack->addWidget(m_none);
    m_stack->addWidget(new EmptyState("filter", tr("No lock matches the filter"),
                                      tr("Clear the filter to see all locks again (Esc in the field).")));

    m_debounce.setSingleShot(true);
    m_debounce.setInterval(150);
    connect(&m_debounce, &QTimer::timeout, this, &LocksPanel::applyFilter);
    connect(m_filter, &QLineEdit::textChanged, &m_debounce, qOverload<>(&QTimer::start));
    connect(m_filter, &QLineEdit::returnPressed, this, &LocksPanel::applyFilter);
    m_filter->installEventFilter(this);
    connect(m_tree, &QToolButton::toggled, this, &LocksPanel::group);
    const auto choose = [this](const QModelIndex& row) {
        if (m_following || !row.isValid()) return;
        if (m_proxy->mapToSource(row).data(LocksModel::EntityRole).isValid())
            m_context->select(row.data(LocksModel::EntityRole).toUInt());
    };
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, choose);
    // A row may be the current one without being chosen, as after a click that brings the focus: what is highlighted is
    // what the panels beside show, and what a release acts on.
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [choose](const QItemSelection& chosen) {
                if (!chosen.isEmpty()) choose(chosen.indexes().front());
            });
    connect(m_view, &QTreeView::customContextMenuRequested, this,
            [this](const QPoint& at) { showMenu(m_view->viewport()->mapToGlobal(at), m_view->indexAt(at)); });
    connect(m_context, &ViewContext::selectionChanged, this, &LocksPanel::follow);
    connect(m_context, &ViewContext::lockFilterRequested, this, [this](const QString& filter) {
        m_filter->setText(filter);
        applyFilter();
    });
    connect(m_context, &ViewContext::sessionChanged, this, [this] {
        // Whether an empty table means that there is no lock depends on how it stands with the server.
        session::Session* const session = m_context->session();
        if (session)
            connect(session, &session::Session::healthChanged, this, &LocksPanel::tellSoon, Qt::UniqueConnection);
        tellSoon();
    });
    m_tellSoon.setSingleShot(true);
    connect(&m_tellSoon, &QTimer::timeout, this, &LocksPanel::tell);
    m_measureSoon.setSingleShot(true);
    m_measureSoon.setInterval(kMeasurePace);
    connect(&m_measureSoon, &QTimer::timeout, this, &LocksPanel::measureColumns);
    const auto measure = [this] {
        if (!m_measureSoon.isActive()) m_measureSoon.start();
    };
    keepCurrentInSight(m_view);
    connect(m_proxy, &QAbstractItemModel::rowsInserted, this, measure);
    connect(m_proxy, &QAbstractItemModel::dataChanged, this, measure);
    connect(m_proxy, &QAbstractItemModel::modelReset, this, measure);
    connect(m_context, &ViewContext::sessionChanged, m_columns, &RoomyColumns::forgetNeeds);
    connect(m_proxy, &QAbstractItemModel::rowsInserted, this, &LocksPanel::tellSoon);
    connect(m_proxy, &QAbstractItemModel::rowsRemoved, this, &LocksPanel::tellSoon);
    connect(m_proxy, &QAbstractItemModel::modelReset, this, [this] {
        showGroups();
        tell();
        follow();
    });
    connect(m_proxy, &QAbstractItemModel::dataChanged, this, &LocksPanel::tellSoon);
    connect(m_proxy, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex& parentIndex) {
        if (!parentIndex.isValid() && m_model->isGrouped()) showGroups();
        m_view->setRootIsDecorated(m_model->isTree());
        if (m_view->selectionModel()->selection().isEmpty()) follow();
    });

    const auto command = [this](const QKeySequence& keys, auto&& what) {
        auto* action = new QAction(this);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, what);
        addAction(action);
        return action;
    };
    command(QKeySequence::Find, [this] { m_filter->setFocus(Qt::ShortcutFocusReason); })->setText(tr("Filter locks"));
    command(Qt::CTRL | Qt::Key_G, [this] { m_tree->toggle(); })->setText(tr("Group the locks"));
    showGroups();
    tell();
    follow();
}

void LocksPanel::makeGroupMenu() {
    using Grouping = LocksModel::Grouping;
    auto* menu = new QMenu(m_tree);
    auto* choice = new QActionGroup(menu);
    struct Entry {
        Grouping by;
        QString text, chosen;
    };
    for (const Entry& entry : {Entry{Grouping::Server, tr("By &connection or server"), tr("Group by: connection")},
                               Entry{Grouping::Backend, tr("By &backend"), tr("Group by: backend")},
                               Entry{Grouping::Holder, tr("By &holder"), tr("Group by: holder")}}) {
        QAction* const action = menu->addAction(entry.text);
        action->setCheckable(true);
        action->setChecked(entry.by == m_wanted);
        choice->addAction(action);
        action->setProperty("chosen", entry.chosen);
        connect(action, &QAction::triggered, this, [this, by = entry.by] {
            m_wanted = by;
            if (m_tree->isChecked())
                group();
            else
                m_tree->setChecked(true);
        });
    }
    m_tree->setMenu(menu);
    m_tree->setPopupMode(QToolButton::MenuButtonPopup);
    tellGrouping();
}

/// Says how the locks are grouped, where there is room for words.
void LocksPanel::tellGrouping() {
    constexpr int kRoomForWords = 820; // beside the chips and the filter
    QString words = tr("Group by: none");
    for (const QAction* one : m_tree->menu()->actions())
        if (m_tree->isChecked() && one->isChecked()) words = one->property("chosen").toString();
    m_tree->setText(words);
    m_tree->setToolButtonStyle(width() < kRoomForWords ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
}

void LocksPanel::setTitle(const QString& title) {
    m_title->setText(title);
    m_title->setVisible(!title.isEmpty());
}

void LocksPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_filter->setMaximumWidth(width() < kNarrow ? 120 : 230);
    tellGrouping();
}

void LocksPanel::group() {
    m_model->setGrouping(m_tree->isChecked() ? m_wanted : LocksModel::Grouping::None);
    tellGrouping();
    showGroups();
    follow();
}

void LocksPanel::applyFilter() {
    auto filter = LockFilter::parse(m_filter->text());
    if (!filter) {
        m_summary->setText(filter.error());
        m_summary->setRole(views::Role::ViolationText);
        return;
    }
    m_summary->setRole(views::Role::TextDim);
    m_proxy->setFilter(std::move(*filter));
    if (m_model->isGrouped()) showGroups();
    tell();
    follow();
}

/// Opens the groups, and leaves the locks in them folded.
void LocksPanel::showGroups() {
    m_view->setRootIsDecorated(m_model->isTree());
    if (m_model->isGrouped()) m_view->expandToDepth(0);
}

void LocksPanel::follow() {
    m_following = true;
    // A selected copy is the current row, if it is in sight.
    const QModelIndex copy = m_proxy->indexOf(m_context->selection());
    const bool open = LocksModel::isCopy(m_proxy->mapToSource(copy)) && m_view->isExpanded(copy.parent());
    const QModelIndex index = open ? copy : m_proxy->indexOf(m_context->focusedLock());
    if (index.isValid()) {
        const bool other = m_view->currentIndex() != index;
        m_view->selectionModel()->setCurrentIndex(index,
                                                  QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        // Nobody has chosen it: it deserves to be looked at, and has to be in sight for that.
        if (other && m_context->selection() == trace::kNoEntity) m_view->scrollTo(index);
    } else
        m_view->selectionModel()->clear();
    m_following = false;
}

void LocksPanel::tellSoon() {
    if (!m_tellSoon.isActive()) m_tellSoon.start(m_model->pace());
}

LocksPanel::Counted LocksPanel::counted(const QAbstractItemModel* rows) const {
    Counted now;
    const auto countBelow = [&](const QModelIndex& parentIndex, auto&& self) -> void {
        const int last = rows->rowCount(parentIndex);
        for (int row = 0; row < last; ++row) {
            const QModelIndex index = rows->index(row, 0, parentIndex);
            const LockFacts* const facts = m_model->facts(rows == m_proxy ? m_proxy->mapToSource(index) : index);
            if (!facts) {
                self(index, self);
                continue;
            }
            ++now.locks;
            // The locks of a server out of sight are unknown by now. One that shows only to waiters is no gap in the
            // watch.
            const bool seen =
                facts->condition != LockCondition::Unobserved && facts->condition != LockCondition::Undecided;
            now.unseen += facts->condition == LockCondition::Unobserved && !facts->noLongerShown;
            const bool guess = facts->condition == LockCondition::PerhapsHeld;
            now.guessed += guess;
            now.guesses += facts->certainty == trace::Certainty::Guess;
            now.held += seen && !guess && (facts->held() || facts->condition == LockCondition::Held);
            now.endless += facts->neverEnds();
            const auto waiters = int(facts->waiterCount().value_or(0));
            now.waiting += waiters;
            now.waitedFor += waiters > 0;
        }
    };
    countBelow({}, countBelow);
    return now;
}

void LocksPanel::tell() {
    m_tellSoon.stop();
    const int all = m_model->lockCount();
    const Counted now = counted(m_proxy);
    const int shown = now.locks;
    m_stack->setCurrentIndex(all == 0 ? 1 : shown == 0 ? 2 : 0);
    if (all == 0) tellNone();
    if (!LockFilter::parse(m_filter->text())) return; // what is wrong with it stands there
    const session::Session* const session = m_context->session();
    const bool chips = session && session->abilities().live && all > 0;
    m_chips->setVisible(chips);
    if (chips) { // which tell what a filter would find, whatever the one in use leaves
        const Counted whole = shown < all ? counted(m_model) : now;
        m_chips->setCounts({whole.held, whole.waitedFor, m_model->alertedCount(), whole.endless, whole.guesses});
        m_proxy->putGuessesLast(whole.guesses > 0 && whole.guesses < all);
    }
    QStringList summary;
    if (shown < all)
        summary += tr("%1 of %n lock(s) shown", "", all).arg(shown);
    else if (all > 0 && !chips)
        summary += tr("%1 held, %2 waiting").arg(count(now.held), count(now.waiting));
    if (shown == all && now.unseen > 0) summary += tr("%1 not observed").arg(count(now.unseen));
    if (shown == all && now.guessed > 0 && !chips) summary += tr("%1 perhaps held").arg(count(now.guessed));
    const QStringList left = m_columns->left();
    //: Columns of the table that are left out, in a window that is too narrow.
    if (!left.isEmpty() && width() >= kNarrow) summary += tr("%n column(s) hidden", "", int(left.size()));
    m_summary->setToolTip(left.isEmpty() ? QString()
                                         : tr("No room here for: %1. The lock's own panel has them; a wider window "
                                              "shows them here.")
                                               .arg(left.join(tr(", "))));
    m_summary->setText(summary.join(tr(", ")));
}

/// Tells the columns how much their words take.
void LocksPanel::measureColumns() {
    const QAbstractItemView* const view = m_view; // a tree hides its hints
    QList<int> needs;
    for (int column = 0; column < LocksModel::ColumnCount; ++column) {
        // The header's own hint leaves room for an arrow that few columns ever have.
        const QString title = m_model->headerData(column, Qt::Horizontal).toString();
        const int head = m_view->header()->fontMetrics().horizontalAdvance(title) + 2 * kHeaderPad;
        needs.push_back(std::max(view->sizeHintForColumn(column), head));
    }
    m_columns->need(needs);
}

void LocksPanel::tellNone() {
    const session::Session* const session = m_context->session();
    const bool live = session && session->abilities().live;
    using Level = session::Health::Level;
    if (!live)
        m_none->setTexts(tr("No locks yet"),
                         tr("Play a scenario, or connect to a server: every lock shows up here with "
                            "its holder, the time left and the waiters."));
    else if (session->health().level == Level::Good || session->health().level == Level::Partial)
        m_none->setTexts(severalServers(m_context->session()) ? tr("No lock on these servers")
                                                              : tr("No lock on this server"),
                         tr("Connected. A lock shows up here as soon as somebody takes one."));
    else if (session->health().level == Level::Working)
        m_none->setTexts(tr("Connecting"), session->health().text);
    else
        m_none->setTexts(tr("The server cannot be seen"), session->health().text);
}

bool LocksPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_view && event->type() == QEvent::Show)
        m_measureSoon.start(); // rows have sizes once they are shown
    if (watched == m_view && event->type() == QEvent::FocusIn && !m_view->currentIndex().isValid()) {
        // Else the view makes its first row the current one as if a person had: the focus alone selects nothing.
        m_following = true;
        m_view->selectionModel()->setCurrentIndex(m_proxy->index(0, 0), QItemSelectionModel::NoUpdate);
        m_following = false;
    }
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (watched == m_filter && key->key() == Qt::Key_Escape && !m_filter->text().isEmpty()) {
            m_filter->clear();
            applyFilter();
            return true;
        }
        if (watched == m_filter && key->key() == Qt::Key_Down) {
            m_view->setFocus(Qt::TabFocusReason);
            return true;
        }
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        const QModelIndex current = m_view->currentIndex();
        if (watched == m_view && enter && m_model->facts(m_proxy->mapToSource(current))) {
            m_context->reveal(m_context->playhead(), current.data(LocksModel::EntityRole).toUInt());
            return true;
        }
    }
    if (watched == m_view && event->type() == QEvent::ContextMenu) {
        // The menu key opens it at the current row, whose place the mouse need not know.
        const auto* menu = static_cast<QContextMenuEvent*>(event);
        if (menu->reason() == QContextMenuEvent::Keyboard) {
            const QModelIndex current = m_view->currentIndex();
            showMenu(m_view->viewport()->mapToGlobal(m_view->visualRect(current).bottomLeft()), current);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace lockscope::views
