// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/locks_delegate.h"

#include "locks/pulse_paint.h"
#include "models/lock_filter.h"
#include "theme/badge.h"
#include "theme/fonts.h"
#include "theme/format.h"

#include <QPainter>

namespace lockscope::views {

namespace {

constexpr int kRowHeight = 30;
constexpr int kPad = 12;     ///< where the header puts its words
constexpr int kPadRight = 4; ///< of a cell
constexpr int kLoose = 4;    ///< more than its words take: a figure may get one more digit
constexpr int kBarWidth = 52, kBarHeight = 7, kGap = 8;
constexpr int kPulseWidth = 40;  ///< of the renewals that were seen
constexpr int kFewestWords = 36; ///< pixels in which a cut name still says something
constexpr int kMarkGap = 5;      ///< between a format and the sign that it is not certain

const LockFacts* factsOf(const QModelIndex& index) {
    const auto* proxy = qobject_cast<const LocksProxy*>(index.model());
    const auto* model = qobject_cast<const LocksModel*>(proxy ? proxy->sourceModel() : index.model());
    return model ? model->facts(proxy ? proxy->mapToSource(index) : index) : nullptr;
}

QFont fontOf(int column, bool group) {
    if (group) return uiFont(-1, QFont::DemiBold);
    switch (column) {
    case LocksModel::LockColumn:
        return uiFont(0, QFont::DemiBold);
    case LocksModel::HolderColumn:
    case LocksModel::TokenColumn:
    case LocksModel::HoldsColumn:
        return fixedFont();
    default:
        return uiFont(-0.5);
    }
}

Role roleOf(int column, bool selected) {
    switch (column) {
    case LocksModel::ServerColumn:
    case LocksModel::FormatColumn:
    case LocksModel::ModeColumn:
    case LocksModel::RenewalColumn:
        return selected ? Role::SelectionText : Role::TextDim;
    default:
        return selected ? Role::SelectionText : Role::Text;
    }
}

/// The number of the badge in a cell; -1: none.
int badgeIn(const QModelIndex& index) {
    const bool group = factsOf(index) == nullptr;
    if (index.column() != (group ? LocksModel::LockColumn : LocksModel::ServerColumn)) return -1;
    const QVariant number = index.data(LocksModel::BadgeRole);
    return number.isValid() ? number.toInt() : -1;
}

/// Whether a cell has the bar of a lease.
bool hasBar(const QModelIndex& index) {
    if (index.column() != LocksModel::TtlColumn) return false;
    const LockFacts* const facts = factsOf(index);
    return facts && facts->held() && facts->observed && facts->keptBy == inspect::KeptBy::NotTold;
}

/// How much of the format's cell its sign takes, with the gap before it.
int markWidth(const LockFacts& facts) {
    const QString mark = certaintyMark(facts.certainty);
    return mark.isEmpty() ? 0 : kMarkGap + QFontMetrics(uiFont(-0.5, QFont::DemiBold)).horizontalAdvance(mark);
}

/// A client that somebody gave a short name is known by it: its thread gives way first.
QString holderWithin(const QString& holder, const QFontMetrics& metrics, int width) {
    constexpr qsizetype kLongestName = 16;
    const qsizetype name = holder.indexOf(QStringLiteral(" · "));
    if (name <= 0 || name > kLongestName || metrics.horizontalAdvance(holder) <= width) return holder;
    const QString cut = holder.left(name) + QChar(0x2026);
    return metrics.horizontalAdvance(cut) <= width ? cut : holder;
}

} // namespace

QSize LocksDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const bool group = factsOf(index) == nullptr;
    const QString text = index.data().toString();
    int width = QFontMetrics(fontOf(index.column(), group)).horizontalAdvance(text) + kPad + kPadRight + kLoose;
    if (const LockFacts* const facts = factsOf(index); facts && index.column() == LocksModel::FormatColumn)
        width += markWidth(*facts);
    if (hasBar(index)) width += kBarWidth + kGap;
    if (index.column() == LocksModel::RenewalColumn &&
        !index.data(LocksModel::PulseRole).value<Pulse>().beats.isEmpty())
        width += kPulseWidth + kGap;
    if (badgeIn(index) >= 0) width += kBadgeSide + kGap;
    if (index.column() == LocksModel::StateColumn && !group) width = pillWidth(text) + kPad + kPadRight + kLoose;
    return {width, std::max(kRowHeight, option.fontMetrics.height() + 8)};
}

void LocksDelegate::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const {
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    const bool selected = option.state & QStyle::State_Selected;
    const LockFacts* const facts = factsOf(index);
    painter->save();
    if (selected)
        painter->fillRect(option.rect, color(Role::Selection));
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, color(Role::SurfaceRaised));
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), color(Role::Hairline));

    QRect room = option.rect.adjusted(kPad, 0, -kPadRight, -1);
    const QVariant tone = index.data(LocksModel::ToneRole);
    if (facts && index.column() == LocksModel::StateColumn) {
        paintPill(*painter, room, option.text, Pill::Tone(tone.toInt()));
        painter->restore();
        return;
    }
    // In a narrow column a picture gives way to its words, and the next renewal to the ones that were seen.
    const int words = QFontMetrics(fontOf(index.column(), !facts)).horizontalAdvance(option.text);
    if (hasBar(index) && kBarWidth + kGap + words <= room.width()) {
        const QRectF bar(room.left(), room.center().y() - kBarHeight / 2.0, kBarWidth, kBarHeight);
        paintTtlBar(*painter, bar, facts->gauge());
        room.setLeft(room.left() + kBarWidth + kGap);
    }
    if (facts && index.column() == LocksModel::RenewalColumn) {
        const auto pulse = index.data(LocksModel::PulseRole).value<Pulse>();
        const bool both = kPulseWidth + kGap + words < room.width();
        const bool due = facts->renewal.kind == Renewal::Kind::In;
        if (!pulse.beats.isEmpty() && (both || (due && words > room.width()))) {
            const QRectF strip(room.left(), room.center().y() - 8, kPulseWidth, 16);
            paintPulse(*painter, strip, pulse);
            room.setLeft(room.left() + kPulseWidth + kGap);
            if (!both) option.text.clear();
        }
    }
    if (const int badge = badgeIn(index); badge >= 0) {
        const QRectF square(room.left(), room.center().y() - kBadgeSide / 2.0 + 0.5, kBadgeSide, kBadgeSide);
        paintBadge(*painter, square, index.data(LocksModel::PlaceRole).toString(), badge);
        room.setLeft(room.left() + kBadgeSide + kGap);
        if (facts && words > room.width() && room.width() < kFewestWords) option.text.clear(); // the badge says it
    }
    // The fixed face has another dash: none and unknown look alike in all columns.
    const bool says = option.text != none() && option.text != unknown();
    painter->setFont(says || !facts ? fontOf(index.column(), !facts) : uiFont(-0.5));
    painter->setPen(
        color(tone.isValid() ? toneColors(Pill::Tone(tone.toInt())).text : roleOf(index.column(), selected)));
    // Ids that differ only in their ends must still look different. How many permits are taken is no id.
    const bool permits = facts && (facts->permitsInAll > 0 || facts->mode == trace::HoldMode::Permit);
    const bool names =
        index.column() == LocksModel::LockColumn || (index.column() == LocksModel::HolderColumn && !permits);
    const Qt::TextElideMode cut =
        names ? Qt::ElideMiddle
        : index.column() == LocksModel::ServerColumn && !option.text.isEmpty() && !option.text.front().isLetter()
            ? Qt::ElideLeft // an address: the port tells servers of one machine apart
            : Qt::ElideRight;
    const int mark = facts && index.column() == LocksModel::FormatColumn ? markWidth(*facts) : 0;
    const QString text = index.column() == LocksModel::HolderColumn
                             ? holderWithin(option.text, painter->fontMetrics(), room.width())
                             : option.text;
    const QString shown = painter->fontMetrics().elidedText(text, cut, room.width() - mark);
    painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter, shown);
    if (mark > 0) {
        const int end = room.left() + painter->fontMetrics().horizontalAdvance(shown);
        painter->setFont(uiFont(-0.5, QFont::DemiBold));
        painter->drawText(QRect(end + kMarkGap, room.top(), mark, room.height()), Qt::AlignLeft | Qt::AlignVCenter,
                          certaintyMark(facts->certainty));
    }
    if (option.state & QStyle::State_HasFocus && index.column() == LocksModel::LockColumn) {
        // The row has the focus: one mark at its beginning, not a frame around a cell.
        painter->fillRect(QRect(option.rect.left(), option.rect.top(), 3, option.rect.height() - 1),
                          color(Role::FocusRing));
    }
    painter->restore();
}

} // namespace lockscope::views
