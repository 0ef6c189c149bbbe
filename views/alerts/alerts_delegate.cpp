// SPDX-License-Identifier: GPL-3.0-or-later
#include "alerts/alerts_delegate.h"

#include "alerts/alerts_model.h"
#include "models/alert_words.h"
#include "theme/badge.h"
#include "theme/fonts.h"
#include "theme/icons.h"

#include <QPainter>

namespace lockscope::views {

namespace {
constexpr int kRowHeight = 28, kIcon = 16, kGap = 8;
constexpr int kPad = 12; ///< left and right of a cell's words: as of the header's
} // namespace

QSize AlertsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
    return {100, std::max(kRowHeight, option.fontMetrics.height() + 8)};
}

void AlertsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const {
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    const bool selected = option.state & QStyle::State_Selected;
    const auto* const model = qobject_cast<const AlertsModel*>(index.model());
    const session::AlertDesk::Entry* const entry = model ? model->entry(index.row()) : nullptr;
    if (!entry) return;
    const auto severity = inspect::AlertSeverity(index.data(AlertsModel::SeverityRole).toInt());
    painter->save();
    if (selected)
        painter->fillRect(option.rect, color(Role::Selection));
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, color(Role::SurfaceRaised));
    painter->fillRect(QRect(option.rect.left(), option.rect.top(), option.rect.width(), 1), color(Role::Hairline));

    const QRect cell = option.rect.adjusted(0, 1, 0, 0);
    const Role ink = selected ? Role::SelectionText : Role::Text;
    const auto iconAt = [&](double left, const char* name, Role role) {
        paintIcon(*painter, QRectF(left, cell.center().y() - kIcon / 2.0 + 0.5, kIcon, kIcon), name, role);
    };
    QRect room = cell.adjusted(kPad, 0, -kGap, 0);
    painter->setFont(uiFont(-0.5));
    painter->setPen(color(ink));
    switch (index.column()) {
    case AlertsModel::LockColumn:
        iconAt(cell.left() + kPad, alertIcon(severity), entry->over ? Role::TextFaint : alertRole(severity));
        room.setLeft(cell.left() + kPad + kIcon + kGap);
        if (const int badge = index.data(AlertsModel::BadgeRole).toInt(); badge >= 0) {
            const QRectF square(room.left(), room.center().y() - kBadgeSide / 2.0 + 0.5, kBadgeSide, kBadgeSide);
            paintBadge(*painter, square, index.data(AlertsModel::PlaceRole).toString(), badge);
            room.setLeft(room.left() + kBadgeSide + kGap - 2);
        }
        painter->setFont(uiFont(0, QFont::DemiBold));
        painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(option.text, Qt::ElideMiddle, room.width()));
        break;
    case AlertsModel::AdviceColumn:
        painter->setPen(color(selected ? Role::SelectionText : Role::TextDim));
        painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("→"));
        room.setLeft(room.left() + painter->fontMetrics().horizontalAdvance(QStringLiteral("→ ")) + 2);
        [[fallthrough]];
    case AlertsModel::SentenceColumn:
        painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(option.text, Qt::ElideRight, room.width()));
        break;
    case AlertsModel::OpenForColumn:
        painter->setFont(fixedFont(-0.5));
        painter->setPen(color(selected ? Role::SelectionText : Role::TextDim));
        painter->drawText(cell.adjusted(0, 0, -kPad, 0), Qt::AlignRight | Qt::AlignVCenter, option.text);
        break;
    case AlertsModel::PinColumn:
        iconAt(cell.center().x() - kIcon / 2.0, entry->pinned ? "pinned" : "pin",
               entry->pinned ? Role::Accent : Role::TextDim);
        break;
    case AlertsModel::MuteColumn:
        iconAt(cell.center().x() - kIcon / 2.0, "mute", Role::TextDim);
        break;
    default:
        break;
    }
    if (option.state & QStyle::State_HasFocus && index.column() == AlertsModel::LockColumn)
        painter->fillRect(QRect(cell.left(), cell.top(), 3, cell.height()), color(Role::FocusRing));
    painter->restore();
}

} // namespace lockscope::views
