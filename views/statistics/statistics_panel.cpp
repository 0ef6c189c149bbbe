// SPDX-License-Identifier: GPL-3.0-or-later
#include "statistics/statistics_panel.h"

#include "statistics/statistics_strip.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "theme/roomy_columns.h"
#include "theme/style.h"
#include "theme/table_columns.h"
#include "theme/widgets.h"

#include <QAction>
#include <QBoxLayout>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QStackedLayout>
#include <QTableView>
#include <QToolButton>
#include <algorithm>

namespace lockscope::views {

StatisticsPanel::StatisticsPanel(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_model(new StatisticsModel(context, this)),
      m_sorted(new QSortFilterProxyModel(this)),
      m_stack(new QStackedLayout),
      m_view(new QTableView),
      m_strip(new StatisticsStrip(context, m_model)),
      m_below(new QWidget),
      m_title(new QLabel(tr("Statistics"))),
      m_summary(new ElidedLabel),
      m_span(new QComboBox) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(kGrid + 4, kGrid / 2, kGrid, kGrid / 2);
    m_title->setFont(uiFont(0, QFont::DemiBold));
    m_title->hide();
    bar->addWidget(m_title);
    bar->setSpacing(kGrid);
    m_summary->setFont(uiFont(-1));
    bar->addWidget(m_summary, 1);
    m_span->setAccessibleName(tr("The time that is counted"));
    m_span->setToolTip(tr("The time before the playhead that is counted"));
    for (const auto& [words, last] :
         {std::pair(tr("all"), Nanos(0)), std::pair(tr("last 10 s"), Nanos(10s)),
          std::pair(tr("last minute"), Nanos(1min)), std::pair(tr("last 15 min"), Nanos(15min)),
          std::pair(tr("last hour"), Nanos(1h))})
        m_span->addItem(words, QVariant::fromValue(qlonglong(last.count())));
    connect(m_span, &QComboBox::currentIndexChanged, this,
            [this] { m_model->setSpan(Nanos(m_span->currentData().toLongLong())); });
    bar->addWidget(m_span);
    auto* copy = new QAction(icon("copy", Role::TextDim), tr("Copy as CSV"), this);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(copy, &QAction::triggered, this,
            [this] { QGuiApplication::clipboard()->setText(QString::fromUtf8(m_model->toCsv())); });
    addAction(copy);
    auto* button = new QToolButton;
    button->setDefaultAction(copy);
    button->setAutoRaise(true);
    button->setToolTip(tr("Copy the whole table as comma-separated values (Ctrl+C)"));
    button->setAccessibleName(copy->text());
    bar->addWidget(button);
    layout->addLayout(bar);
    layout->addWidget(m_strip);

    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(StatisticsModel::SortRole);
    m_view->setObjectName(QLatin1String(kKept) + QStringLiteral("statistics"));
    m_view->setModel(m_sorted);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(StatisticsModel::LoadColumn, Qt::DescendingOrder);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setShowGrid(false);
    m_view->setTabKeyNavigation(false);
    m_view->setWordWrap(false);
    m_view->setAccessibleName(tr("Statistics of locks"));
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_view->verticalHeader()->setDefaultSectionSize(std::max(25, QFontMetrics(uiFont()).height() + 7));
    m_view->horizontalHeader()->setHighlightSections(false);
    new RoomyColumns(m_view->horizontalHeader(), {160, 124, 70, 84, 80, 80, 100, 80, 80, 112, 112, 76, 84, 84});
    makeFrameless(m_view);
    m_below->setLayout(m_stack); // before its pages: see EventsPanel
    layout->addWidget(m_below, 1);
    m_stack->addWidget(m_view);
    m_stack->addWidget(new EmptyState("clock", tr("Nothing to count yet"),
                                      tr("How long clients wait, how long they hold and how fast a lock goes from one "
                                         "to the next stands here as soon as a lock was taken.")));

    connect(m_model, &StatisticsModel::counted, this, &StatisticsPanel::tell);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (current.isValid() && m_view->hasFocus())
                    m_context->select(current.data(StatisticsModel::EntityRole).toUInt());
            });
    tell();
}

void StatisticsPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_model->setActive(true);
}

void StatisticsPanel::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_model->setActive(false);
}

void StatisticsPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitStrip();
    fitSummary();
}

int StatisticsPanel::lowHeight() {
    return StatisticsStrip::usualHeight() + QFontMetrics(uiFont()).height() + 3 * kGrid;
}

void StatisticsPanel::fitStrip() {
    constexpr int kLinesBelow = 6; // the bar, the head of the table, and a few of its rows
    const int below = kLinesBelow * m_view->verticalHeader()->defaultSectionSize();
    const int low = lowHeight();
    const bool isLow = height() < low + 3 * kGrid;
    const bool any = m_model->rowCount() > 0, fits = height() >= low - 2 * kGrid;
    const bool alone = any && isLow && fits;
    m_title->setVisible(isLow && fits);
    m_below->setVisible(!alone);
    m_strip->setVisible(alone || (any && height() >= m_strip->sizeHint().height() + below));
}

void StatisticsPanel::tell() {
    m_stack->setCurrentIndex(m_model->rowCount() ? 0 : 1);
    fitStrip();
    if (!m_model->isComplete()) {
        m_summaries = {tr("counting: %1 %").arg(int(m_model->progress() * 100))};
        return fitSummary();
    }
    const trace::Trace& trace = *m_context->trace();
    const QString to = instantShort(trace, m_context->playhead());
    const QString time = m_model->from() > 0ns ? tr("from %1 to %2").arg(instantShort(trace, m_model->from()), to)
                                               : tr("from the beginning to %1").arg(to);
    const QString apart = QStringLiteral(" · ");
    QString unseen;
    if (const Nanos length = m_model->overview().unobserved; length > 0ns)
        unseen = apart + tr("up to %1 not observed, and left out").arg(duration(length));
    m_summaries = {time + unseen};
    if (const double requests = m_model->requestsPerGrant(); requests >= 0) {
        const QString number = QString::number(requests, 'f', 1);
        m_summaries.prepend(time + apart + tr("%1 messages a grant").arg(number) + unseen);
        m_summaries.prepend(time + apart + tr("%1 messages to servers for each grant").arg(number) + unseen);
    }
    fitSummary();
}

void StatisticsPanel::fitSummary() {
    if (m_summaries.isEmpty()) return;
    const QFontMetrics letters = m_summary->fontMetrics();
    const auto fitting = std::ranges::find_if(
        m_summaries, [&](const QString& one) { return letters.horizontalAdvance(one) <= m_summary->width(); });
    m_summary->setText(fitting != m_summaries.end() ? *fitting : m_summaries.last());
    m_summary->setAccessibleName(m_summaries.first());
}

} // namespace lockscope::views
