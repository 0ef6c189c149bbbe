// SPDX-License-Identifier: GPL-3.0-or-later
#include "verdict/verdict_delegates.h"

#include "models/verdict_model.h"
#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/plain_tips.h"
#include "trace/whole_spans.h"
#include "verdict/words.h"

#include <QHelpEvent>
#include <QListView>
#include <QPainter>
#include <QTextLayout>

namespace lockscope::views {

namespace {

constexpr int kPad = 10, kIcon = 13;
constexpr int kFewLines = 4; ///< of words, where all cards are of one size

QString explanation(const QModelIndex& index) {
    return withWholeSpans(index.data(ViolationsModel::ExplainRole).toString());
}

int wordsWidth(const QStyleOptionViewItem& option) {
    const auto* list = qobject_cast<const QListView*>(option.widget);
    return std::max(80, (list ? list->viewport()->width() : option.rect.width()) - 2 * kPad - 6);
}

bool isOneSize(const QWidget* widget) {
    const auto* list = qobject_cast<const QListView*>(widget);
    return list && list->uniformItemSizes();
}

/// The words in as many lines as there is room for.
void drawLines(QPainter& painter, const QRect& room, const QString& words) {
    const QFontMetrics fm = painter.fontMetrics();
    const int lines = std::max(1, room.height() / fm.lineSpacing());
    QTextLayout layout(words, painter.font());
    layout.beginLayout();
    for (int i = 0; i < lines; ++i) {
        QTextLine line = layout.createLine();
        if (!line.isValid()) break;
        line.setLineWidth(room.width());
        const bool last = i + 1 == lines;
        const QString text = last ? fm.elidedText(words.mid(line.textStart()), Qt::ElideRight, room.width())
                                  : words.mid(line.textStart(), line.textLength());
        painter.drawText(room.left(), room.top() + i * fm.lineSpacing() + fm.ascent(), text);
    }
    layout.endLayout();
}

} // namespace

QSize InvariantDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
    int widest = 0;
    for (const verdict::Invariant invariant : verdict::kInvariants)
        widest = std::max(widest, QFontMetrics(uiFont()).horizontalAdvance(verdict::invariantName(invariant)));
    return {widest + kIcon + 2 * kPad, std::max(24, option.fontMetrics.height() + 8)};
}

void InvariantDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    painter->save();
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, color(Role::Selection));
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, color(Role::SurfaceRaised));
    const auto outcome = verdict::Outcome(index.data(InvariantsModel::OutcomeRole).toInt());
    const bool violated = outcome == verdict::Outcome::Violated;
    QRect room = option.rect.adjusted(4, 0, -4, 0);
    const QRectF picture(room.left(), room.center().y() - kIcon / 2.0, kIcon, kIcon);
    if (violated)
        paintIcon(*painter, picture, "cross", Role::Violation);
    else if (outcome == verdict::Outcome::Holds)
        paintIcon(*painter, picture, "check", Role::Accepted);
    else
        paintIcon(*painter, picture, "unknown", Role::TextFaint);
    room.setLeft(room.left() + kIcon + 8);
    painter->setFont(uiFont());
    painter->setPen(color(violated ? Role::ViolationText : Role::Text));
    const QString name = painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, room.width());
    painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter, name);
    room.setLeft(room.left() + painter->fontMetrics().horizontalAdvance(name) + kPad);
    painter->setFont(uiFont(-0.5));
    const QString when = index.siblingAtColumn(InvariantsModel::WhenColumn).data().toString();
    // "held" says no more than the tick; side by side it would only be noise.
    const bool worth = violated || option.rect.width() > 220 || index.data(InvariantsModel::LaterRole).toInt() > 0;
    if (worth && painter->fontMetrics().horizontalAdvance(when) <= room.width()) {
        painter->setPen(color(violated ? Role::ViolationText : Role::TextDim));
        painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, when);
    }
    painter->restore();
}

QSize ViolationDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const int width = wordsWidth(option), around = QFontMetrics(uiFont()).height() + 3 * 7;
    const QFont font = uiFont(-0.5);
    if (isOneSize(option.widget)) return {width, kFewLines * QFontMetrics(font).lineSpacing() + around};
    if (width != m_width || font != m_font) {
        m_heights.clear();
        m_width = width;
        m_font = font;
    }
    const auto row = std::size_t(index.row());
    if (row >= m_heights.size()) m_heights.resize(row + 1);
    if (m_heights[row] == 0)
        m_heights[row] =
            QFontMetrics(font).boundingRect(QRect(0, 0, width, 10000), Qt::TextWordWrap, explanation(index)).height();
    return {width, m_heights[row] + around};
}

void ViolationDelegate::forget(int first, int last) {
    for (std::size_t row = std::size_t(first); row <= std::size_t(last) && row < m_heights.size(); ++row)
        m_heights[row] = 0;
}

void ViolationDelegate::forgetFrom(int first) {
    if (std::size_t(first) < m_heights.size()) m_heights.resize(std::size_t(first));
}

bool ViolationDelegate::helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                                  const QModelIndex& index) {
    if (event->type() != QEvent::ToolTip || !isOneSize(view) || !index.isValid())
        return QStyledItemDelegate::helpEvent(event, view, option, index);
    showPlainTip(event->globalPos(), index.data(ViolationsModel::ExplainRole).toString(), view);
    return true;
}

void ViolationDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF card = QRectF(option.rect).adjusted(1, 2, -1, -3);
    const bool marked = option.state & (QStyle::State_Selected | QStyle::State_MouseOver);
    painter->setPen(option.state & QStyle::State_HasFocus ? QPen(color(Role::FocusRing), 1.5) : QPen(Qt::NoPen));
    painter->setBrush(color(option.state & QStyle::State_Selected ? Role::ViolationSoft
                            : marked                              ? Role::SurfaceHover
                                                                  : Role::SurfaceRaised));
    painter->drawRoundedRect(card, 4, 4);
    // A violation after the playhead is known, but has not happened at the instant that is shown.
    const bool later = index.data(ViolationsModel::LaterRole).toBool();
    const Role ink = later ? Role::TextDim : Role::ViolationText;
    painter->fillRect(QRectF(card.left(), card.top() + 4, 3, card.height() - 8),
                      color(later ? Role::TextFaint : Role::Violation));
    QRect room = option.rect.adjusted(kPad + 3, 7, -kPad, -7);
    painter->setFont(uiFont(-0.5));
    QString when = index.data(ViolationsModel::WhenRole).toString();
    //: On the card of a violation that begins after the playhead; %1 is when, such as "6.0 – 7.2 s".
    if (later) when = tr("later · %1").arg(when);
    const int whenWidth = painter->fontMetrics().horizontalAdvance(when);
    painter->setPen(color(ink));
    painter->drawText(room, Qt::AlignRight | Qt::AlignTop, when);
    painter->setFont(uiFont(0, QFont::DemiBold));
    painter->drawText(room, Qt::AlignLeft | Qt::AlignTop,
                      painter->fontMetrics().elidedText(index.data(ViolationsModel::IdRole).toString(), Qt::ElideRight,
                                                        room.width() - whenWidth - 8));
    room.setTop(room.top() + painter->fontMetrics().height() + 3);
    painter->setFont(uiFont(-0.5));
    painter->setPen(color(later ? Role::TextDim : Role::Text));
    const QString words = explanation(index);
    if (isOneSize(option.widget))
        drawLines(*painter, room, words);
    else
        painter->drawText(room, Qt::TextWordWrap, words);
    painter->restore();
}

} // namespace lockscope::views
