// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/recipe_box.h"

#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/widgets.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <algorithm>

namespace lockscope::views {

namespace {

constexpr int kPad = 10, kIcon = 14;

class RecipeDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        const QFontMetrics name(uiFont()), line(uiFont(-1));
        if (isHeading(index)) return {name.horizontalAdvance(index.data().toString()), line.height() + 10};
        const int words = std::max(name.horizontalAdvance(index.data().toString()),
                                   line.horizontalAdvance(index.data(RecipeBox::LineRole).toString()));
        return {words + kIcon + 3 * kPad, name.height() + line.height() + 8};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        painter->save();
        QRect room = option.rect.adjusted(kPad, 4, -kPad, -4);
        if (isHeading(index)) {
            painter->setFont(captionFont());
            painter->setPen(color(Role::TextDim));
            painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
            painter->restore();
            return;
        }
        if (option.state & QStyle::State_Selected) painter->fillRect(option.rect, color(Role::Selection));
        const QIcon mark = index.data(Qt::DecorationRole).value<QIcon>();
        mark.paint(painter, QRect(room.left(), room.top() + 2, kIcon, kIcon));
        room.setLeft(room.left() + kIcon + kPad - 2);
        painter->setFont(uiFont());
        painter->setPen(color(option.state & QStyle::State_Enabled ? Role::Text : Role::TextDim));
        painter->drawText(room, Qt::AlignLeft | Qt::AlignTop, index.data().toString());
        painter->setFont(uiFont(-1));
        painter->setPen(color(Role::TextDim));
        painter->drawText(room, Qt::AlignLeft | Qt::AlignBottom, index.data(RecipeBox::LineRole).toString());
        painter->restore();
    }

private:
    static bool isHeading(const QModelIndex& index) { return !index.data(Qt::UserRole).isValid(); }
};

} // namespace

RecipeBox::RecipeBox(QWidget* parent) : QComboBox(parent) {
    setItemDelegate(new RecipeDelegate(this));
    setMaxVisibleItems(20);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(8);
    setIconSize({kIcon, kIcon});
    const auto heading = [this](const QString& words) {
        addItem(words);
        auto* const item = static_cast<QStandardItemModel*>(model())->item(count() - 1);
        item->setFlags(Qt::NoItemFlags);
    };
    const auto entry = [this](const recipes::RecipeInfo& info) {
        const QString id = QString::fromLatin1(info.id);
        addItem(icon(info.naive ? "warning" : "check", info.naive ? Role::Waiting : Role::Accepted), id, id);
        const QString line = info.naive ? tr("unsafe: %1").arg(info.summary) : info.summary;
        setItemData(count() - 1, line, LineRole);
        setItemData(count() - 1, line, Qt::ToolTipRole);
        setItemData(count() - 1, tr("%1, %2", "a recipe's id, what it is").arg(id, line), Qt::AccessibleTextRole);
    };
    heading(tr("SAFE"));
    for (const recipes::RecipeInfo& info : recipes::simulatedRecipes())
        if (!info.naive) entry(info);
    heading(tr("UNSAFE · here to be seen failing"));
    for (const recipes::RecipeInfo& info : recipes::simulatedRecipes())
        if (info.naive) entry(info);
    connect(this, &QComboBox::activated, this, [this] {
        if (!m_steps) Q_EMIT chosenFromList();
    });
}

void RecipeBox::keyPressEvent(QKeyEvent* event) {
    m_steps = true;
    QComboBox::keyPressEvent(event);
    m_steps = false;
}

void RecipeBox::offer(const std::vector<recipes::RecipeInfo>& fitting) {
    auto* const items = static_cast<QStandardItemModel*>(model());
    for (int row = 0; row < count(); ++row) {
        const QByteArray id = itemData(row).toString().toLatin1();
        if (id.isEmpty()) continue; // a heading
        const bool fits = std::ranges::any_of(fitting, [&](const recipes::RecipeInfo& info) { return info.id == id; });
        items->item(row)->setEnabled(fits);
    }
}

int RecipeBox::widthOfText() const {
    QStyleOptionComboBox option;
    initStyleOption(&option);
    option.rect = QRect(0, 0, 300, sizeHint().height());
    const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    constexpr int kBetween = 4; // as styles have it, between the sign and the words
    return option.rect.width() - field.width() + iconSize().width() + kBetween +
           fontMetrics().horizontalAdvance(currentText()) + 2;
}

void RecipeBox::showPopup() {
    // The list opens as wide as the box; its lines are longer.
    int wide = 0;
    for (int row = 0; row < count(); ++row)
        wide = std::max(wide, view()->sizeHintForIndex(model()->index(row, 0)).width());
    view()->setMinimumWidth(wide + 2 * kGrid);
    QComboBox::showPopup();
}

} // namespace lockscope::views
