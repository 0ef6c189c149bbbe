// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/queue_view.h"

#include "models/party_roles.h"
#include "theme/fonts.h"
#include "theme/style.h"
#include "theme/widgets.h"

#include <QPainter>
#include <QStyledItemDelegate>

namespace lockscope::views {

namespace {

constexpr int kRow = 30;
constexpr int kMostRows = 5;

class QueueDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {100, kRow}; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const bool marked = option.state & (QStyle::State_Selected | QStyle::State_MouseOver);
        painter->setPen(option.state & QStyle::State_HasFocus ? QPen(color(Role::FocusRing), 1.5) : QPen(Qt::NoPen));
        painter->setBrush(color(marked ? Role::Selection : Role::SurfaceRaised));
        painter->drawRoundedRect(QRectF(option.rect).adjusted(1, 1, -1, -2), 4, 4);
        QRect room = option.rect.adjusted(10, 0, -10, -1);
        painter->setFont(fixedFont(0, QFont::DemiBold));
        painter->setPen(color(Role(index.data(party::ToneRole).toInt())));
        painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter, index.data(party::PositionRole).toString());
        room.setLeft(room.left() + 22);
        painter->setFont(uiFont(-1));
        const QString waited = index.data(party::DetailRole).toString();
        const int width = painter->fontMetrics().horizontalAdvance(waited);
        painter->setPen(color(Role::TextDim));
        painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, waited);
        painter->setFont(uiFont());
        painter->setPen(color(Role::Text));
        room.setRight(room.right() - width - 8);
        painter->drawText(
            room, Qt::AlignLeft | Qt::AlignVCenter,
            painter->fontMetrics().elidedText(index.data(party::NameRole).toString(), Qt::ElideRight, room.width()));
        painter->restore();
    }
};

} // namespace

QueueView::QueueView(QAbstractItemModel* model, QWidget* parent) : QListView(parent) {
    setModel(model);
    setItemDelegate(new QueueDelegate(this));
    setUniformItemSizes(true);
    setMouseTracking(true);
    setEditTriggers(NoEditTriggers);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    makeFrameless(this);
    for (auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(model, signal, this, [this] { updateGeometry(); });
    connect(model, &QAbstractItemModel::modelReset, this, [this] { updateGeometry(); });
}

QSize QueueView::sizeHint() const {
    const int rows = std::clamp(model() ? model()->rowCount() : 0, 0, kMostRows);
    // Half a row more says that it goes on.
    const int more = model() && model()->rowCount() > kMostRows ? kRow / 2 : 0;
    return {200, rows * kRow + more};
}

} // namespace lockscope::views
