// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/protocol_panel.h"

#include "locks/step_text.h"
#include "theme/fonts.h"
#include "theme/style.h"

#include <QBoxLayout>
#include <QListView>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStackedLayout>
#include <QStyledItemDelegate>

namespace lockscope::views {

namespace {

/// A length that follows the text's size.
int scaled(int px) {
    return int(px * textScale() + 0.5);
}
int rowHeight() {
    return scaled(26);
}
int badgeHeight() {
    return scaled(18);
}
int badgeGap() {
    return scaled(4);
}
constexpr int kPad = 8;
constexpr int kUsualBadges = 2; ///< beside a step; its text keeps that room free, so that rows do not grow and shrink
constexpr int kMostLines = 4;
constexpr int kMostBadges = 6;
constexpr int kLeastRows = 5;     ///< that the panel insists on
constexpr int kLeastStanding = 2; ///< that it has room for where it shows only steps at which clients stand

int severity(Pill::Tone tone) {
    switch (tone) {
    case Pill::Tone::Violation:
        return 3;
    case Pill::Tone::Holding:
        return 2;
    case Pill::Tone::Waiting:
        return 1;
    default:
        return 0;
    }
}

/// Where badge i stands, counted from the right end of the row's first line.
QRect badgeRect(const QRect& row, int i, int width) {
    return {row.right() - kPad - (i + 1) * width - i * badgeGap(), row.top() + (rowHeight() - badgeHeight()) / 2, width,
            badgeHeight()};
}

int badgeWidth(const std::vector<StepBadge>& badges) {
    // Names of many clients have two letters; all badges of a row are as wide as the widest.
    int width = badgeHeight();
    const QFontMetrics metrics(uiFont(-2, QFont::Bold));
    for (const StepBadge& badge : badges)
        width = std::max(width, metrics.horizontalAdvance(badge.name) + 10);
    return std::min(width, scaled(64));
}

/// How many badges a row this wide has room for: the step's text keeps the greater part of its first line.
int badgesShown(const std::vector<StepBadge>& badges, int rowWidth) {
    const int fitting = (rowWidth * 2 / 5 - kPad) / (badgeWidth(badges) + badgeGap());
    return std::min(int(badges.size()), std::clamp(fitting, kUsualBadges, kMostBadges));
}

class ProtocolDelegate : public QStyledItemDelegate {
public:
    ProtocolDelegate(ProtocolModel* model, QListView* view, const std::vector<int>& lookedAt)
        : QStyledItemDelegate(view), m_model(model), m_view(view), m_lookedAt(lookedAt) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        return {100, heightFor(int(linesOf(index, usualRoom()).size()))};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const std::vector<StepBadge>& badges = m_model->badges(index.row());
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const bool lit = std::ranges::find(m_lookedAt, index.row() + 1) != m_lookedAt.end();
        if (lit) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(color(Role::Selection));
            painter->drawRoundedRect(QRectF(option.rect).adjusted(1, 1, -1, -1), 3, 3);
        }
        const auto worst = std::ranges::max_element(badges, {}, [](const StepBadge& b) { return severity(b.tone); });
        if (worst != badges.end() || option.state & QStyle::State_HasFocus) {
            painter->setBrush(worst == badges.end() ? QBrush(Qt::NoBrush)
                                                    : QBrush(color(toneColors(worst->tone).fill)));
            painter->setPen(option.state & QStyle::State_HasFocus ? QPen(color(Role::FocusRing), 1.5)
                                                                  : QPen(Qt::NoPen));
            painter->drawRoundedRect(QRectF(option.rect).adjusted(1, 1, -1, -1), 3, 3);
        }
        // Also where a client stands at the step, whose colour is over the tint.
        if (lit)
            painter->fillRect(QRectF(option.rect.left() + 1, option.rect.top() + 2, 3, option.rect.height() - 4),
                              color(Role::Accent));
        const int width = badgeWidth(badges);
        // In a crowd the step is read whole before a third and a second client are named.
        int shown = badgesShown(badges, option.rect.width());
        while (shown > 1 && int(badges.size()) > shown && isCut(index, roomOf(badges, shown, option.rect)))
            --shown;
        int used = 0;
        for (int i = 0; i < shown; ++i) {
            paintBadge(*painter, badgeRect(option.rect, i, width), badges[std::size_t(i)]);
            used = option.rect.right() - badgeRect(option.rect, i, width).left();
        }
        if (int(badges.size()) > shown) {
            painter->setFont(uiFont(-2));
            painter->setPen(color(Role::TextDim));
            const QString more = QStringLiteral("+%1").arg(int(badges.size()) - shown);
            painter->drawText(option.rect.adjusted(0, 0, -used - badgeGap(), rowHeight() - option.rect.height()),
                              Qt::AlignRight | Qt::AlignVCenter, more);
            used += painter->fontMetrics().horizontalAdvance(more) + badgeGap();
        }
        painter->setFont(fixedFont());
        painter->setPen(color(badges.empty() && !lit ? Role::TextDim : Role::Text));
        const int left = option.rect.left() + kPad;
        int y = option.rect.top() + (rowHeight() - lineHeight()) / 2 + painter->fontMetrics().ascent();
        painter->drawText(left, y, QString::number(index.row() + 1));
        for (const QString& line : linesOf(index, std::max(used, usualRoom()))) {
            painter->drawText(left + indent(), y, line);
            y += lineHeight();
        }
        painter->restore();
    }

private:
    /// The room of so many badges and of the number of the others, px.
    static int roomOf(const std::vector<StepBadge>& badges, int shown, const QRect& row) {
        const QString more = QStringLiteral("+%1").arg(int(badges.size()) - shown);
        return row.right() - badgeRect(row, shown - 1, badgeWidth(badges)).left() +
               QFontMetrics(uiFont(-2)).horizontalAdvance(more) + badgeGap();
    }
    /// Whether the step's text loses its end beside badges that take so much room.
    bool isCut(const QModelIndex& index, int badges) const {
        return linesOf(index, std::max(badges, usualRoom())).join(QString()).endsWith(QChar(0x2026));
    }
    static int lineHeight() { return QFontMetrics(fixedFont()).height() + 1; }
    static int heightFor(int lines) { return rowHeight() + (std::max(lines, 1) - 1) * lineHeight(); }
    static int usualRoom() { return kPad + kUsualBadges * (badgeHeight() + badgeGap()); }
    /// The text stands behind the number, all lines of it.
    int indent() const {
        return QFontMetrics(fixedFont()).horizontalAdvance(QString::number(m_model->rowCount()) + QLatin1Char(' '));
    }
    /// As many lines as the text has beside the usual badges, however many there are just now.
    QStringList linesOf(const QModelIndex& index, int badges) const {
        const QString text = index.data().toString();
        // Whether there is a scroll bar or not: else the rows would be higher with it, and so call for it.
        const int width = m_view->width() - m_view->verticalScrollBar()->sizeHint().width();
        const int wide = std::max(width - 2 * kPad - indent(), 40);
        const auto broken = [&](int beside, int most) {
            return stepLines(text, fixedFont(), std::max(wide + kPad - beside, 40), wide, most);
        };
        const QStringList usual = broken(usualRoom(), kMostLines);
        return badges <= usualRoom() ? usual : broken(badges, int(usual.size()));
    }

    static void paintBadge(QPainter& painter, const QRect& rect, const StepBadge& badge) {
        painter.setPen(badge.paused ? QPen(color(Role::Text), 1.5, Qt::DotLine) : QPen(Qt::NoPen));
        painter.setBrush(color(toneColors(badge.tone).dot));
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), badgeHeight() / 2.0, badgeHeight() / 2.0);
        painter.setFont(uiFont(-2, QFont::Bold));
        painter.setPen(color(Role::TextOnColor));
        painter.drawText(rect, Qt::AlignCenter,
                         painter.fontMetrics().elidedText(badge.name, Qt::ElideMiddle, rect.width() - 4));
    }
    ProtocolModel* m_model;
    QListView* m_view;
    const std::vector<int>& m_lookedAt; ///< the panel's, which outlives its delegate
};

} // namespace

ProtocolPanel::ProtocolPanel(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_model(new ProtocolModel(context, this)),
      m_stack(new QStackedLayout(this)),
      m_caption(new SectionCaption(tr("Protocol"))),
      m_note(new DimLabel),
      m_view(new QListView) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
    column->setSpacing(kGrid / 2);
    column->addWidget(m_caption);
    m_note->setWordWrap(true);
    m_note->setFont(uiFont(-0.5));
    m_note->setRole(Role::WaitingText);
    column->addWidget(m_note);
    m_view->setModel(m_model);
    m_view->setItemDelegate(new ProtocolDelegate(m_model, m_view, m_lookedAt));
    m_view->setResizeMode(QListView::Adjust);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setAccessibleName(tr("Steps of the recipe"));
    m_view->viewport()->installEventFilter(this);
    makeFrameless(m_view);
    column->addWidget(m_view, 1);
    column->addStretch(); // takes what the steps leave
    m_stack->addWidget(page);
    m_stack->addWidget(
        new EmptyState("step", tr("No recipe to follow"),
                       tr("Play a scenario, or select a lock that is held: its recipe's steps show up here, "
                          "and each client of a scenario stands at the one it has come to.")));
    connect(m_model, &ProtocolModel::recipeChanged, this, &ProtocolPanel::showRecipe);
    connect(m_model, &ProtocolModel::noteChanged, this, &ProtocolPanel::showNote);
    connect(m_model, &QAbstractItemModel::dataChanged, this, &ProtocolPanel::showStanding);
    connect(context, &ViewContext::sessionChanged, this, [this] { m_mostStanding = 0; });
    connect(m_view, &QListView::activated, this, [this](const QModelIndex& index) {
        const auto& badges = m_model->badges(index.row());
        if (badges.empty()) return;
        // Each Enter the next one: the keyboard cannot point.
        auto next = std::ranges::find(badges, m_context->selection(), &StepBadge::thread);
        if (next == badges.end() || ++next == badges.end()) next = badges.begin();
        m_context->select(next->thread);
    });
    showRecipe();
    showNote();
}

void ProtocolPanel::showRecipe() {
    m_stack->setCurrentIndex(m_model->rowCount() > 0 ? 0 : 1);
    m_caption->setHint(m_model->recipe());
    m_caption->setToolTip(m_model->summary());
    m_view->setAccessibleDescription(m_model->summary());
    m_mostStanding = 0;
    if (m_brief)
        showStanding();
    else
        fitHeight();
}

void ProtocolPanel::setBrief(bool brief) {
    if (brief == m_brief) return;
    m_brief = brief;
    m_mostStanding = 0;
    setSizePolicy(QSizePolicy::Preferred, brief ? QSizePolicy::Fixed : QSizePolicy::Preferred);
    if (brief) return showStanding();
    for (int row = 0; row < m_model->rowCount(); ++row)
        m_view->setRowHidden(row, false);
    fitHeight();
}

void ProtocolPanel::lookAt(const std::vector<int>& steps) {
    if (steps == m_lookedAt) return;
    m_lookedAt = steps;
    m_mostStanding = 0; // how many steps are shown is another number with each step of a lesson
    showStanding();
    m_view->viewport()->update();
}

void ProtocolPanel::showStanding() {
    if (!m_brief) return;
    int standing = 0;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const bool spokenOf = std::ranges::find(m_lookedAt, row + 1) != m_lookedAt.end();
        const bool hidden = m_model->badges(row).empty() && !spokenOf;
        if (m_view->isRowHidden(row) != hidden) m_view->setRowHidden(row, hidden);
        standing += !hidden;
    }
    m_mostStanding = std::max(m_mostStanding, standing);
    showNote();
    fitHeight();
}

void ProtocolPanel::showNote() {
    const bool unbegun = m_brief && m_mostStanding == 0; // all steps are hidden, and nothing would be left
    const bool plain = m_model->note().isEmpty() && unbegun;
    m_note->setRole(plain ? Role::TextDim : Role::WaitingText);
    m_note->setText(plain ? tr("No client is at a step yet.") : m_model->note());
    m_note->setVisible(!m_note->text().isEmpty());
}

void ProtocolPanel::fitHeight() {
    // All steps in sight where there is room: a recipe is read as a whole.
    int height = 2;
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (!m_view->isRowHidden(row)) height += m_view->sizeHintForRow(row);
    if (m_brief) {
        m_view->setFixedHeight(std::max(height, std::max(m_mostStanding, kLeastStanding) * rowHeight() + 2));
        return;
    }
    m_view->setMaximumHeight(height);
    m_view->setMinimumHeight(std::min(height, kLeastRows * rowHeight()));
}

void ProtocolPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) {
        m_view->doItemsLayout(); // rows are as high as the text asks for
        fitHeight();
    }
    QWidget::changeEvent(event);
}

bool ProtocolPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_view->viewport() && event->type() == QEvent::Resize) fitHeight();
    if (watched == m_view->viewport() && event->type() == QEvent::MouseButtonPress) {
        const QPoint at = static_cast<QMouseEvent*>(event)->pos();
        const QModelIndex index = m_view->indexAt(at);
        if (index.isValid()) {
            const auto& badges = m_model->badges(index.row());
            const QRect row = m_view->visualRect(index);
            const int width = badgeWidth(badges);
            for (int i = 0; i < badgesShown(badges, row.width()); ++i)
                if (badgeRect(row, i, width).contains(at)) m_context->select(badges[std::size_t(i)].thread);
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace lockscope::views
