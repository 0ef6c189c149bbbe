// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes and hints of LockscopeStyle: an 8 px rhythm, controls 32 px high.
#include "theme/fonts.h"
#include "theme/style.h"
#include "theme/style_parts.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QStyleOption>
#include <cmath>

namespace lockscope::views {
namespace {

constexpr int kControlHeight = 32;
constexpr int kFieldHeight = 30;
constexpr int kTabHeight = 36;
constexpr int kHeaderHeight = 32;
constexpr int kMenuRow = 30;
constexpr int kListRow = 26; ///< of the list that a combo box opens

} // namespace

int LockscopeStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_DefaultFrameWidth:
        return 1;
    case PM_SplitterWidth:
    case PM_DockWidgetSeparatorExtent:
        return 5;
    case PM_DockWidgetTitleMargin:
        return 8;
    case PM_DockWidgetFrameWidth:
        return 0;
    case PM_ScrollBarExtent:
        return 12;
    case PM_ScrollBarSliderMin:
        return 32;
    case PM_SliderThickness:
    case PM_SliderControlThickness:
    case PM_SliderLength:
        return 18;
    case PM_ToolBarIconSize:
    case PM_ButtonIconSize:
    case PM_SmallIconSize:
        return 16;
    case PM_ListViewIconSize:
        return 16;
    case PM_ToolBarFrameWidth:
        return 0;
    case PM_ToolBarItemSpacing:
        return 8;
    case PM_ToolBarItemMargin:
        return 0;
    case PM_LayoutLeftMargin:
    case PM_LayoutTopMargin:
    case PM_LayoutRightMargin:
    case PM_LayoutBottomMargin:
        return 12;
    case PM_LayoutHorizontalSpacing:
    case PM_LayoutVerticalSpacing:
        return 8;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
        return 18;
    case PM_CheckBoxLabelSpacing:
    case PM_RadioButtonLabelSpacing:
        return 8;
    case PM_TabBarTabHSpace:
        return 32;
    case PM_TabBarTabVSpace:
        return 16;
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarTabShiftVertical:
    case PM_TabBarBaseOverlap:
        return 0;
    case PM_MenuPanelWidth:
        return 1;
    case PM_MenuVMargin:
        return 4;
    case PM_MenuHMargin:
        return 0;
    case PM_MenuBarItemSpacing:
        return 2;
    case PM_MenuBarHMargin:
        return 8;
    case PM_MenuBarVMargin:
        return 2;
    case PM_MenuBarPanelWidth:
        return 0;
    case PM_ToolTipLabelFrameWidth:
        return 4;
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
        return 0;
    case PM_HeaderMargin:
        return 12;
    case PM_FocusFrameHMargin:
        return 10;
    case PM_LineEditIconMargin:
        return 8;
    case PM_LineEditIconSize:
        return 16;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int LockscopeStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                              QStyleHintReturn* data) const {
    switch (hint) {
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
    case SH_ItemView_ShowDecorationSelected:
    case SH_Table_GridLineColor:
        if (hint == SH_ItemView_ShowDecorationSelected) return 1;
        if (hint == SH_Table_GridLineColor) return int(QProxyStyle::styleHint(hint, option, widget, data));
        return 0;
    case SH_Slider_AbsoluteSetButtons:
        return Qt::LeftButton | Qt::MiddleButton;
    case SH_ComboBox_Popup:
    case SH_UnderlineShortcut:
        return 0;
    case SH_Menu_AllowActiveAndDisabled:
        return 1; // an entry that is off says why, to the keyboard, too
    case SH_Menu_Scrollable:
        return 1; // a menu that is higher than the screen has no second column
    case SH_ToolTip_WakeUpDelay:
        return 500;
    case SH_TabBar_ElideMode:
        return Qt::ElideNone;
    case SH_TabBar_PreferNoArrows:
        return 0;
    case SH_DialogButtonBox_ButtonsHaveIcons:
        return 0;
    case SH_FormLayoutLabelAlignment:
        return Qt::AlignLeft | Qt::AlignVCenter;
    case SH_FormLayoutFormAlignment:
        return Qt::AlignLeft | Qt::AlignTop;
    case SH_FormLayoutFieldGrowthPolicy:
        return 2; // QFormLayout::AllNonFixedFieldsGrow
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

QSize LockscopeStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                       const QWidget* widget) const {
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    // Only a button grows: fields in one row with it stay as high as they are.
    const auto scaled = [](int px) { return int(std::lround(px * textScale())); };
    switch (type) {
    case CT_PushButton:
        result.setHeight(std::max(scaled(kControlHeight), result.height()));
        result.setWidth(result.width() + scaled(result.height() > scaled(kControlHeight) + 8 ? 32 : 8));
        break;
    case CT_ToolButton: {
        const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
        // Where the arrow is a button of its own, the size that comes has its width already.
        const bool menu = button && (button->features & QStyleOptionToolButton::HasMenu) &&
                          !(button->features & QStyleOptionToolButton::MenuButtonPopup);
        result = {std::max(size.width() + 12 + (menu ? style_parts::kMenuArrow : 0), kControlHeight),
                  std::max(size.height() + 8, kControlHeight)};
        break;
    }
    case CT_ComboBox:
    case CT_SpinBox:
    case CT_LineEdit:
        // A line edit inside another control keeps its own size.
        if (type == CT_LineEdit && widget && qobject_cast<QAbstractSpinBox*>(widget->parentWidget())) break;
        result.setHeight(std::max(kFieldHeight, size.height() + 8));
        break;
    case CT_TabBarTab:
        result.setHeight(std::max(kTabHeight, result.height()));
        break;
    case CT_HeaderSection:
        result.setHeight(kHeaderHeight);
        break;
    case CT_MenuItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
            if (item->menuItemType == QStyleOptionMenuItem::Separator) {
                result.setHeight(item->text.isEmpty() ? 9 : kMenuRow);
            } else {
                result.setHeight(std::max(kMenuRow, result.height()));
                result.setWidth(result.width() + 40);
            }
        }
        break;
    case CT_ItemViewItem:
        if (widget && widget->parentWidget() && widget->parentWidget()->inherits("QComboBoxPrivateContainer"))
            result.setHeight(std::max(scaled(kListRow), result.height()));
        break;
    case CT_MenuBarItem:
        result.setHeight(std::max(28, result.height()));
        break;
    default:
        break;
    }
    return result;
}

QRect LockscopeStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl sub,
                                     const QWidget* widget) const {
    const QRect& r = option->rect;
    switch (control) {
    case CC_ComboBox:
        if (sub == SC_ComboBoxArrow)
            return visualRect(option->direction, r, QRect(r.right() - 23, r.top(), 20, r.height()));
        if (sub == SC_ComboBoxEditField) {
            // Typed text begins where that of a plain field does: its field is a line edit with a margin of its own.
            const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
            return visualRect(option->direction, r, r.adjusted(box && box->editable ? 7 : 9, 1, -24, -1));
        }
        break;
    case CC_SpinBox: {
        const auto* box = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
        const bool buttons = !box || box->buttonSymbols != QAbstractSpinBox::NoButtons;
        if (sub == SC_SpinBoxUp) return buttons ? QRect(r.right() - 21, r.top() + 2, 18, r.height() / 2 - 2) : QRect();
        if (sub == SC_SpinBoxDown)
            return buttons ? QRect(r.right() - 21, r.top() + r.height() / 2, 18, r.height() / 2 - 2) : QRect();
        if (sub == SC_SpinBoxEditField) return r.adjusted(6, 1, buttons ? -22 : -6, -1);
        break;
    }
    case CC_ScrollBar:
        // No arrow buttons: the whole length is groove.
        if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
            if (sub == SC_ScrollBarAddLine || sub == SC_ScrollBarSubLine) return {};
            if (sub == SC_ScrollBarGroove) return r;
            const bool horizontal = bar->orientation == Qt::Horizontal;
            const int room = horizontal ? r.width() : r.height();
            const qint64 range = qint64(bar->maximum) - bar->minimum;
            int length = room;
            if (range > 0)
                length = std::clamp(int(qint64(bar->pageStep) * room / (range + bar->pageStep)),
                                    std::min(room, pixelMetric(PM_ScrollBarSliderMin, option, widget)), room);
            const int start = sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, room - length,
                                                      bar->upsideDown);
            const auto part = [&](int from, int size) {
                return horizontal ? QRect(r.left() + from, r.top(), size, r.height())
                                  : QRect(r.left(), r.top() + from, r.width(), size);
            };
            if (sub == SC_ScrollBarSlider) return part(start, length);
            if (sub == SC_ScrollBarSubPage) return part(0, start);
            if (sub == SC_ScrollBarAddPage) return part(start + length, room - start - length);
        }
        break;
    default:
        break;
    }
    return QProxyStyle::subControlRect(control, option, sub, widget);
}

QRect LockscopeStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
    if (element == SE_LineEditContents) {
        const QWidget* const around = widget ? widget->parentWidget() : nullptr;
        if (qobject_cast<const QComboBox*>(around)) return option->rect;
        const bool inside = qobject_cast<const QAbstractSpinBox*>(around);
        return inside ? option->rect.adjusted(3, 0, -3, 0) : option->rect.adjusted(7, 1, -7, -1);
    }
    if (element == SE_HeaderArrow) { // Qt's own stands above the title's line
        const QRect beside = QProxyStyle::subElementRect(element, option, widget);
        return {beside.x(), option->rect.y(), beside.width(), option->rect.height()};
    }
    return QProxyStyle::subElementRect(element, option, widget);
}

} // namespace lockscope::views
