// SPDX-License-Identifier: GPL-3.0-or-later
#include "events/events_delegate.h"

#include "models/events_model.h"
#include "theme/fonts.h"
#include "theme/icons.h"

#include <QPainter>

namespace lockscope::views {

void EventsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    painter->save();
    const bool selected = option.state & QStyle::State_Selected;
    if (selected)
        painter->fillRect(option.rect, color(Role::Selection));
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, color(Role::SurfaceRaised));
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), color(Role::Hairline));
    QRect room = option.rect.adjusted(8, 0, -4, -1);
    const Role mark = Role(index.data(EventsModel::ToneRole).toInt());
    Role ink = selected ? Role::SelectionText : Role::Text;
    switch (index.column()) {
    case EventsModel::TimeColumn:
        painter->setFont(fixedFont());
        if (selected)
            painter->fillRect(QRect(option.rect.topLeft(), QSize(3, option.rect.height())), color(Role::Playhead));
        break;
    case EventsModel::KindColumn: {
        const QRectF picture(room.left(), room.center().y() - 6, 13, 13);
        paintIcon(*painter, picture, index.data(EventsModel::IconRole).toByteArray().constData(), mark);
        room.setLeft(room.left() + 22);
        painter->setFont(uiFont(-0.5, mark == Role::Violation ? QFont::DemiBold : QFont::Normal));
        if (mark == Role::Violation) ink = Role::ViolationText;
        break;
    }
    case EventsModel::WhoColumn:
        painter->setFont(uiFont(-0.5, QFont::DemiBold));
        break;
    default:
        painter->setFont(uiFont(-0.5));
        if (!selected) ink = Role::TextDim;
    }
    painter->setPen(color(ink));
    painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                      painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, room.width()));
    if (option.state & QStyle::State_HasFocus && index.column() == EventsModel::TimeColumn)
        painter->fillRect(QRect(option.rect.topLeft(), QSize(3, option.rect.height() - 1)), color(Role::FocusRing));
    painter->restore();
}

} // namespace lockscope::views
