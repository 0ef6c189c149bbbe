// SPDX-License-Identifier: GPL-3.0-or-later
#include "verdict/verdict_panel.h"

#include "models/story.h"
#include "models/told_violation.h"
#include "theme/format.h"
#include "theme/style.h"
#include "theme/widgets.h"
#include "verdict/verdict_delegates.h"

#include <QBoxLayout>
#include <QListView>

namespace lockscope::views {

namespace {

/// Above this many, cards are of one size: to measure each of ten thousands would stop the window for seconds.
constexpr int kMeasured = 500;

/// Lays its cards out anew when it gets wider or narrower: their height follows from the width.
class CardList : public QListView {
public:
    using QListView::QListView;

protected:
    void resizeEvent(QResizeEvent* event) override {
        scheduleDelayedItemsLayout();
        QListView::resizeEvent(event);
    }
};

/// The invariants in as many columns as fit, so that the words about what went wrong get the room.
class InvariantList : public QListView {
public:
    InvariantList() {
        setFlow(QListView::LeftToRight);
        setWrapping(true);
        setResizeMode(QListView::Adjust);
        setUniformItemSizes(true);
        setMouseTracking(true);
        setEditTriggers(QAbstractItemView::NoEditTriggers);
        setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        const QSize item = sizeHintForIndex(model()->index(0, 0));
        const int room = viewport()->width(), columns = std::clamp(room / std::max(item.width(), 1), 1, 4);
        setGridSize({(room - 2) / columns, item.height()}); // exactly as wide as the view, the last would wrap
        setFixedHeight((model()->rowCount() + columns - 1) / columns * item.height() + 2);
        QListView::resizeEvent(event);
    }
};

} // namespace

VerdictPanel::VerdictPanel(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_invariantsModel(new InvariantsModel(context, this)),
      m_violationsModel(new ViolationsModel(context, this)),
      m_invariants(new InvariantList),
      m_caption(new SectionCaption(tr("Violations"))),
      m_violations(new CardList),
      m_empty(new DimLabel(tr("Nothing has gone wrong so far."))),
      m_safe(new DimLabel(QString())) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
    column->setSpacing(kGrid / 2);
    column->addWidget(new SectionCaption(tr("Verdict")));

    m_invariants->setModel(m_invariantsModel);
    m_invariants->setItemDelegate(new InvariantDelegate(m_invariants));
    m_invariants->setAccessibleName(tr("Invariants"));
    makeFrameless(m_invariants);
    column->addWidget(m_invariants);

    column->addSpacing(kGrid / 2);
    column->addWidget(m_caption);
    m_violations->setModel(m_violationsModel);
    auto* cards = new ViolationDelegate(m_violations);
    m_violations->setItemDelegate(cards);
    connect(m_violationsModel, &QAbstractItemModel::dataChanged, cards,
            [cards](const QModelIndex& first, const QModelIndex& last) { cards->forget(first.row(), last.row()); });
    connect(m_violationsModel, &QAbstractItemModel::rowsRemoved, cards,
            [cards](const QModelIndex&, int first) { cards->forgetFrom(first); });
    connect(m_violationsModel, &QAbstractItemModel::modelReset, cards, [cards] { cards->forgetFrom(0); });
    m_violations->setMouseTracking(true);
    m_violations->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_violations->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_violations->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_violations->setAccessibleName(tr("Violations"));
    makeFrameless(m_violations);
    m_violations->setMinimumHeight(48);
    m_empty->setWordWrap(true);
    column->addWidget(m_empty);
    m_safe->setWordWrap(true);
    column->addWidget(m_safe);
    column->addWidget(m_violations, 1);
    column->addStretch();

    const auto toFirst = [this](const QModelIndex& index) {
        const qint64 from = index.data(InvariantsModel::FromRole).toLongLong();
        if (from < 0) return;
        const int invariant = index.data(InvariantsModel::InvariantRole).toInt();
        const QString id = QString::fromLatin1(verdict::invariantId(verdict::Invariant(invariant)));
        for (int row = 0; row < m_violationsModel->rowCount(); ++row) {
            const QModelIndex violation = m_violationsModel->index(row);
            if (violation.data(ViolationsModel::IdRole).toString() != id) continue;
            m_violations->setCurrentIndex(violation);
            goTo(violation);
            return;
        }
    };
    // A click and Enter both; `activated` alone leaves the single click to the desktop's taste.
    connect(m_invariants, &QListView::clicked, this, toFirst);
    connect(m_invariants, &QListView::activated, this, toFirst);
    connect(m_violations, &QListView::clicked, this, &VerdictPanel::goTo);
    connect(m_violations, &QListView::activated, this, &VerdictPanel::goTo);
    for (auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(m_violationsModel, signal, this, &VerdictPanel::tell);
    connect(m_violationsModel, &QAbstractItemModel::modelReset, this, &VerdictPanel::tell);
    connect(m_violationsModel, &QAbstractItemModel::dataChanged, this, &VerdictPanel::tell); // the playhead passed some
    connect(context, &ViewContext::verdictChanged, this, &VerdictPanel::tell);
    connect(context, &ViewContext::explanationRequested, this, &VerdictPanel::showCard);
    constexpr auto kPace = 200ms; // it looks back along the trace
    m_pace.setSingleShot(true);
    m_pace.setInterval(kPace);
    connect(&m_pace, &QTimer::timeout, this, &VerdictPanel::tellWhySafe);
    connect(context, &ViewContext::playheadChanged, this, [this] {
        if (isVisible() && !m_pace.isActive()) m_pace.start();
    });
    tell();
}

void VerdictPanel::showCard(std::size_t violation) {
    const QModelIndex card = m_violationsModel->index(int(violation));
    if (!card.isValid()) return;
    m_violations->setCurrentIndex(card);
    // The whole sentence in sight: the panels above give way as far as that needs. A list that comes to the front with
    // this has its width, and its card its height, only after a while.
    for (const auto wait : {0ms, 50ms, 150ms})
        QTimer::singleShot(wait, m_violations, [this, card = QPersistentModelIndex(card)] {
            constexpr int kMost = 320;
            if (!card.isValid()) return;
            const int frame = m_violations->height() - m_violations->viewport()->height();
            m_violations->setMinimumHeight(std::min(m_violations->visualRect(card).height() + frame + 2, kMost));
            m_violations->scrollTo(card, QAbstractItemView::PositionAtTop);
            Q_EMIT cardShown(m_violations);
        });
}

void VerdictPanel::tell() {
    const int violations = m_violationsModel->rowCount();
    const int begun = m_violationsModel->begun();
    //: How many violations: %1 up to the playhead, %2 after it.
    m_caption->setHint(violations == 0       ? QString()
                       : begun == violations ? count(violations)
                                             : tr("%1 so far, %2 later").arg(count(begun), count(violations - begun)));
    m_violations->setUniformItemSizes(violations > kMeasured);
    const bool judged = m_context->session() && isJudged(*m_context);
    m_empty->setText(m_context->heldBack().verdictFrom ? tr("Held back until you have bet.")
                     : judged                          ? tr("Nothing has gone wrong so far.")
                              : tr("Nothing to judge yet: play a scenario, or open a recording."));
    m_empty->setVisible(violations == 0);
    m_violations->setVisible(violations > 0);
    tellWhySafe();
}

void VerdictPanel::tellWhySafe() {
    const bool fine = m_context->session() && m_violationsModel->rowCount() == 0;
    m_safe->setText(fine ? whySafeUntilPlayhead(*m_context) : QString());
    m_safe->setVisible(!m_safe->text().isEmpty());
}

void VerdictPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    tellWhySafe(); // out of sight it did not follow the playhead
}

void VerdictPanel::goTo(const QModelIndex& violation) {
    if (!violation.isValid()) return;
    m_context->reveal(Nanos(violation.data(ViolationsModel::FromRole).toLongLong()),
                      violation.data(ViolationsModel::EntityRole).toUInt());
}

} // namespace lockscope::views
