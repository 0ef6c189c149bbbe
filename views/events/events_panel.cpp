// SPDX-License-Identifier: GPL-3.0-or-later
#include "events/events_panel.h"

#include "events/events_delegate.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "theme/style.h"
#include "theme/table_columns.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QStackedLayout>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <climits>

namespace lockscope::views {

EventsPanel::EventsPanel(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_model(new EventsModel(context, this)),
      m_bar(new QHBoxLayout),
      m_view(new QTableView),
      m_filter(new QLineEdit),
      m_summary(new ElidedLabel),
      m_follow(new QToolButton) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_bar->setContentsMargins(kGrid + 4, kGrid / 2, kGrid, kGrid / 2);
    m_bar->setSpacing(kGrid / 2);
    auto* kinds = new QHBoxLayout;
    kinds->setSpacing(kGrid);
    auto* rest = new QHBoxLayout;
    rest->setSpacing(kGrid);
    for (int i = 0; i < kEventGroups; ++i) {
        auto* button = new QCheckBox(eventGroupName(EventGroup(i)));
        button->setChecked(true);
        button->setFont(uiFont(-1));
        button->setToolTip(tr("Show or hide: %1").arg(button->text()));
        connect(button, &QCheckBox::toggled, this, &EventsPanel::applyFilter);
        m_groups[std::size_t(i)] = button;
        kinds->addWidget(button);
    }
    kinds->addSpacing(kGrid);
    kinds->addStretch();
    m_bar->addLayout(kinds);
    m_bar->addLayout(rest, 1);
    m_summary->setFont(uiFont(-1));
    rest->addWidget(m_summary, 1);
    m_follow->setIcon(icon("follow", views::Role::TextDim));
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    m_follow->setAutoRaise(true);
    m_follow->setToolTip(tr("Scroll along with the playhead"));
    m_follow->setAccessibleName(tr("Scroll along with the playhead"));
    rest->addWidget(m_follow);
    m_filter->setPlaceholderText(tr("filter: A refused -step"));
    m_filter->setAccessibleName(tr("Filter events"));
    m_filter->setToolTip(tr("Words that must all occur in an event: a client, a lock, a kind, a command. "
                            "A minus before a word: must not occur. (Ctrl+F)"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(120);
    m_filter->setMaximumWidth(210);
    m_filter->installEventFilter(this);
    rest->addWidget(m_filter, 1);
    layout->addLayout(m_bar);

    m_view->setObjectName(QLatin1String(kKept) + QStringLiteral("events"));
    m_view->setModel(m_model);
    m_view->setItemDelegate(new EventsDelegate(m_view));
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setShowGrid(false);
    m_view->setMouseTracking(true);
    m_view->setTabKeyNavigation(false);
    m_view->setWordWrap(false);
    m_view->setAccessibleName(tr("Events"));
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_view->verticalHeader()->setMinimumSectionSize(16);
    m_view->verticalHeader()->setDefaultSectionSize(std::max(25, QFontMetrics(uiFont()).height() + 7));
    QHeaderView* header = m_view->horizontalHeader();
    header->setHighlightSections(false);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setStretchLastSection(true);
    // By the letters: with a larger font, and by the clock, a time is longer.
    const auto letters = [](int count) {
        return QFontMetrics(fixedFont()).horizontalAdvance(QString(count, u'0')) + 2 * kGrid;
    };
    const std::array widths{letters(12), 200, 110, 130, 320};
    for (int i = 0; i < EventsModel::ColumnCount; ++i)
        header->resizeSection(i, widths[std::size_t(i)]);
    makeFrameless(m_view);
    m_view->installEventFilter(this);
    m_stack = new QStackedLayout;
    // Before its pages: a stack without a parent shows its first page as a window of its own.
    layout->addLayout(m_stack, 1);
    m_stack->addWidget(m_view);
    m_stack->addWidget(new EmptyState("timeline", tr("Nothing has happened yet"),
                                      tr("Play a scenario, or connect to a server: every message, grant, renewal and "
                                         "fault becomes a line here.")));
    m_stack->addWidget(
        new EmptyState("filter", tr("No event matches"), tr("Show more kinds of events, or clear the filter (Esc).")));

    m_debounce.setSingleShot(true);
    m_debounce.setInterval(200);
    connect(&m_debounce, &QTimer::timeout, this, &EventsPanel::applyFilter);
    connect(m_filter, &QLineEdit::textChanged, &m_debounce, qOverload<>(&QTimer::start));
    connect(m_filter, &QLineEdit::returnPressed, this, &EventsPanel::applyFilter);
    connect(m_model, &EventsModel::indexed, this, [this] {
        tell();
        follow();
    });
    connect(m_context, &ViewContext::playheadChanged, this, &EventsPanel::follow);
    connect(m_follow, &QToolButton::toggled, this, &EventsPanel::follow);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (m_moving || !current.isValid()) return;
                // By hand, so the playhead goes where the person looks.
                m_moving = true;
                m_context->reveal(Nanos(current.data(EventsModel::TimeRole).toLongLong()),
                                  current.data(EventsModel::EntityRole).toUInt());
                m_moving = false;
            });
    auto* find = new QAction(tr("Filter events"), this);
    find->setShortcut(QKeySequence::Find);
    find->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(find, &QAction::triggered, this, [this] { m_filter->setFocus(Qt::ShortcutFocusReason); });
    addAction(find);
    tell();
    follow();
}

void EventsPanel::setFollowing(bool following) {
    m_follow->setChecked(following);
}

void EventsPanel::applyFilter() {
    std::array<bool, kEventGroups> groups{};
    for (int i = 0; i < kEventGroups; ++i)
        groups[std::size_t(i)] = m_groups[std::size_t(i)]->isChecked();
    m_moving = true; // a model that starts anew has no current row
    m_model->setFilter(m_filter->text().simplified(), groups);
    m_moving = false;
}

void EventsPanel::follow() {
    if (m_moving || !isVisible()) return;
    const int row = m_model->rowAt(m_context->playhead());
    const QModelIndex current = m_view->currentIndex();
    // Several events of one instant: the one that was clicked stays.
    if (current.isValid() && current.data(EventsModel::TimeRole).toLongLong() == m_context->playhead().count()) return;
    m_moving = true;
    if (row < 0) {
        m_view->selectionModel()->clear();
    } else if (current.row() != row) {
        const QModelIndex index = m_model->index(row, 0);
        // The view scrolls to a new current row by itself; it shall not when the person looks elsewhere.
        const bool autoScroll = m_view->hasAutoScroll();
        m_view->setAutoScroll(false);
        m_view->selectionModel()->setCurrentIndex(index,
                                                  QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        m_view->setAutoScroll(autoScroll);
        if (m_follow->isChecked()) m_view->scrollTo(index, QAbstractItemView::EnsureVisible);
    }
    m_moving = false;
}

QSize EventsPanel::minimumSizeHint() const {
    int width = 0;
    for (int i = 0; i < m_bar->count(); ++i)
        width = std::max(width, m_bar->itemAt(i)->minimumSize().width());
    const QMargins around = m_bar->contentsMargins();
    return {width + around.left() + around.right(), QWidget::minimumSizeHint().height()};
}

void EventsPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    int wanted = m_bar->contentsMargins().left() + m_bar->contentsMargins().right();
    for (int i = 0; i < m_bar->count(); ++i)
        wanted += m_bar->itemAt(i)->minimumSize().width() + m_bar->spacing();
    m_bar->setDirection(wanted > width() ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void EventsPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    follow();
}

void EventsPanel::tell() {
    const auto all = qint64(m_context->seenRows());
    const int shown = m_model->rowCount();
    const int several = int(std::min<qint64>(all, INT_MAX)); // or one
    m_stack->setCurrentIndex(all == 0 ? 1 : shown == 0 && !m_model->isIndexing() ? 2 : 0);
    if (m_model->isIndexing())
        m_summary->setText(tr("%1 found, %2 % of the events looked at")
                               .arg(count(shown), QString::number(int(m_model->progress() * 100))));
    else if (m_model->isFiltered())
        //: %2: how many there are.
        m_summary->setText(tr("%1 of %2 event(s)", "", several).arg(count(shown), count(all)));
    else if (shown < all)
        m_summary->setText(tr("the first %1 of %2 events").arg(count(shown), count(all)));
    else
        m_summary->setText(tr("%1 event(s)", "", several).arg(count(all)));
}

bool EventsPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_view && event->type() == QEvent::FocusIn && !m_view->currentIndex().isValid()) {
        // Else the view makes its first row the current one as if a person had, and the playhead would go there.
        m_moving = true;
        const QModelIndex inSight = m_view->indexAt({0, 0}); // so that the focus is seen
        m_view->selectionModel()->setCurrentIndex(inSight.isValid() ? inSight : m_model->index(0, 0),
                                                  QItemSelectionModel::NoUpdate);
        m_moving = false;
    }
    if (watched == m_filter && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape && !m_filter->text().isEmpty()) {
            m_filter->clear();
            applyFilter();
            return true;
        }
        if (key == Qt::Key_Down) {
            m_view->setFocus(Qt::TabFocusReason);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace lockscope::views
