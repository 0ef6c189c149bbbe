// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/style.h"

#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/style_parts.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QFrame>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSlider>
#include <QStyleOption>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>

namespace lockscope::views {
namespace {

/// Where the desktop has no dialogue for files of its own, Qt's is shown: with its columns as wide as their texts, and
/// without the type, which the name's ending tells.
void makeReadable(QFileDialog* dialog) {
    constexpr int kType = 2;
    auto* const files = dialog->findChild<QTreeView*>(QStringLiteral("treeView"));
    if (!files) return;
    files->header()->setStretchLastSection(false);
    files->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    files->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    files->hideColumn(kType);
    dialog->resize(dialog->size().expandedTo({int(760 * textScale()), int(480 * textScale())}));
}

} // namespace

LockscopeStyle::LockscopeStyle() : QProxyStyle(QStringLiteral("Fusion")) {
}

void makePrimary(QWidget* button) {
    button->setProperty(style_parts::kTone, int(style_parts::ButtonTone::Primary));
    // Its words stand on the accent; those of a disabled one stay as they are.
    QPalette palette = button->palette();
    for (const QPalette::ColorGroup group : {QPalette::Active, QPalette::Inactive})
        palette.setColor(group, QPalette::ButtonText, color(Role::TextOnColor));
    button->setPalette(palette);
}
void markField(QWidget* field, FieldMark mark) {
    field->setProperty(style_parts::kWrongField, mark == FieldMark::Wrong);
    field->update();
}
void makeFrameless(QWidget* widget) {
    if (auto* frame = qobject_cast<QFrame*>(widget)) frame->setFrameShape(QFrame::NoFrame);
}

void LockscopeStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    if (qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) ||
        qobject_cast<QLineEdit*>(widget) || qobject_cast<QAbstractSpinBox*>(widget) || qobject_cast<QSlider*>(widget) ||
        qobject_cast<QTabBar*>(widget) || qobject_cast<QScrollBar*>(widget))
        widget->setAttribute(Qt::WA_Hover);
    if (auto* const dialog = qobject_cast<QFileDialog*>(widget)) makeReadable(dialog);
}

void LockscopeStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                   const QWidget* widget) const {
    using namespace style_parts;
    switch (element) {
    case PE_PanelButtonCommand:
        return drawButton(*option, *painter, widget);
    case PE_PanelButtonTool:
        return drawToolButton(*option, *painter, widget);
    case PE_FrameLineEdit:
        return;
    case PE_PanelLineEdit:
        if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option); frame && frame->lineWidth <= 0) {
            // Inside a spin box or an editable combo box: the box has drawn the field already.
            return;
        }
        return drawField(*option, *painter);
    case PE_FrameFocusRect:
        return drawFocus(*option, *painter);
    case PE_IndicatorCheckBox:
        return drawCheckBox(*option, *painter, false);
    case PE_IndicatorRadioButton:
        return drawCheckBox(*option, *painter, true);
    case PE_IndicatorItemViewItemCheck:
        return drawCheckBox(*option, *painter, false);
    case PE_FrameTabBarBase: {
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
                          color(Role::Hairline));
        return;
    }
    case PE_Frame:
    case PE_FrameWindow:
    case PE_FrameGroupBox:
        return drawFrame(*option, *painter);
    case PE_FrameMenu:
        return;
    case PE_PanelMenu:
        return drawMenuPanel(*option, *painter);
    case PE_FrameTabWidget:
    case PE_FrameStatusBarItem:
    case PE_FrameDockWidget:
        return;
    case PE_PanelStatusBar:
        painter->fillRect(option->rect, color(Role::SurfaceRaised));
        painter->fillRect(QRect(option->rect.left(), option->rect.top(), option->rect.width(), 1),
                          color(Role::Hairline));
        return;
    case PE_IndicatorDockWidgetResizeHandle:
        return drawHandle(*option, *painter);
    case PE_IndicatorArrowDown:
        return paintIcon(*painter, centred(option->rect, 14), "chevron-down", Role::TextDim);
    case PE_IndicatorArrowUp:
        return paintIcon(*painter, centred(option->rect, 14), "chevron-up", Role::TextDim);
    case PE_IndicatorArrowRight:
        return paintIcon(*painter, centred(option->rect, 14), "chevron-right", Role::TextDim);
    case PE_IndicatorHeaderArrow:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option))
            paintIcon(*painter, centred(option->rect, 12),
                      header->sortIndicator == QStyleOptionHeader::SortUp ? "chevron-up" : "chevron-down",
                      Role::TextDim);
        return;
    case PE_IndicatorBranch:
        if (option->state & State_Children)
            paintIcon(*painter, centred(option->rect, 14),
                      option->state & State_Open ? "chevron-down" : "chevron-right", Role::TextDim);
        return;
    case PE_PanelItemViewRow:
        return drawRow(*option, *painter);
    case PE_PanelItemViewItem:
        return drawItemBackground(*option, *painter);
    case PE_PanelTipLabel:
        return drawTip(*option, *painter);
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void LockscopeStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                                 const QWidget* widget) const {
    using namespace style_parts;
    switch (element) {
    case CE_HeaderSection:
    case CE_HeaderEmptyArea:
        return drawHeader(*option, *painter);
    case CE_HeaderLabel:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            // Qt hands over a second version of this option, and reads all of its fields: a copy of the first would
            // leave to chance how a long title is cut.
            QStyleOptionHeaderV2 quiet;
            static_cast<QStyleOptionHeader&>(quiet) = *header;
            quiet.version = QStyleOptionHeaderV2::Version;
            // The header's margin is meant sideways; above and below it would cut Chinese characters.
            const int margin = pixelMetric(PM_HeaderMargin, option, widget);
            quiet.rect.adjust(0, -margin, 0, margin);
            quiet.palette.setColor(QPalette::ButtonText, color(Role::TextDim));
            quiet.state &= ~(State_On | State_Sunken);
            const QFont font = uiFont(-1.5, QFont::DemiBold);
            quiet.fontMetrics = QFontMetrics(font);
            quiet.text = quiet.fontMetrics.elidedText(quiet.text, Qt::ElideRight, quiet.rect.width());
            quiet.textElideMode = Qt::ElideNone; // it fits by now
            painter->save();
            painter->setFont(font);
            QProxyStyle::drawControl(element, &quiet, painter, widget);
            painter->restore();
            return;
        }
        break;
    case CE_TabBarTabShape:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) return drawTabShape(*tab, *painter);
        break;
    case CE_TabBarTabLabel:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
            QStyleOptionTab quiet = *tab;
            const bool selected = tab->state & State_Selected;
            for (QPalette::ColorRole role : {QPalette::WindowText, QPalette::ButtonText, QPalette::Text})
                quiet.palette.setColor(role, color(selected ? Role::Text : Role::TextDim));
            quiet.state &= ~State_HasFocus;
            painter->save();
            painter->setFont(uiFont(0, selected ? QFont::DemiBold : QFont::Normal));
            QProxyStyle::drawControl(element, &quiet, painter, widget);
            painter->restore();
            return;
        }
        break;
    case CE_DockWidgetTitle:
        if (const auto* dock = qstyleoption_cast<const QStyleOptionDockWidget*>(option))
            return drawDockTitle(*dock, *painter);
        break;
    case CE_Splitter:
        return drawHandle(*option, *painter);
    case CE_MenuItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option))
            return drawMenuItem(*item, *painter, widget);
        break;
    case CE_MenuBarItem:
    case CE_MenuBarEmptyArea: {
        painter->fillRect(option->rect, color(Role::Surface));
        if (element == CE_MenuBarEmptyArea) return;
        if (option->state & State_Selected) {
            painter->save();
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(Qt::NoPen);
            painter->setBrush(color(Role::SurfaceHover));
            painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 2, -1, -2), 5, 5);
            painter->restore();
        }
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
            int flags = Qt::AlignCenter | Qt::TextShowMnemonic | Qt::TextDontClip | Qt::TextSingleLine;
            if (!styleHint(SH_UnderlineShortcut, option, widget, nullptr)) flags |= Qt::TextHideMnemonic;
            drawItemText(painter, item->rect, flags, item->palette, item->state & State_Enabled, item->text,
                         QPalette::WindowText);
        }
        return;
    }
    case CE_ProgressBarGroove:
    case CE_ProgressBarContents:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option))
            return drawProgress(*bar, *painter, element == CE_ProgressBarContents);
        break;
    case CE_ComboBoxLabel:
        if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option); box && !box->editable) {
            // Else a name that is too long ends anywhere, and reads as another one.
            QStyleOptionComboBox shown(*box);
            const int icon = box->currentIcon.isNull() ? 0 : box->iconSize.width() + 4;
            const int room = subControlRect(CC_ComboBox, box, SC_ComboBoxEditField, widget).width() - icon;
            shown.currentText = box->fontMetrics.elidedText(box->currentText, Qt::ElideRight, room);
            return QProxyStyle::drawControl(element, &shown, painter, widget);
        }
        break;
    case CE_ShapedFrame:
        // The list that a combo box opens lies over other fields, as a menu does.
        if (widget && widget->inherits("QComboBoxPrivateContainer")) return drawMenuPanel(*option, *painter);
        // One writes into it as into a field of one line.
        if (const auto* edit = qobject_cast<const QPlainTextEdit*>(widget); edit && !edit->isReadOnly())
            return drawField(*option, *painter);
        return drawShapedFrame(*option, *painter);
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void LockscopeStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                        const QWidget* widget) const {
    using namespace style_parts;
    switch (control) {
    case CC_ComboBox:
        if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
            if (box->frame) drawField(*option, *painter);
            const QRect arrow = subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget);
            paintIcon(*painter, centred(arrow, 14), "chevron-down",
                      option->state & State_Enabled ? Role::TextDim : Role::TextFaint);
            return;
        }
        break;
    case CC_SpinBox:
        if (const auto* box = qstyleoption_cast<const QStyleOptionSpinBox*>(option)) {
            if (box->frame) drawField(*option, *painter);
            if (box->buttonSymbols == QAbstractSpinBox::NoButtons) return;
            for (SubControl sub : {SC_SpinBoxUp, SC_SpinBoxDown}) {
                const QRect r = subControlRect(CC_SpinBox, option, sub, widget);
                const bool can = box->stepEnabled & (sub == SC_SpinBoxUp ? QAbstractSpinBox::StepUpEnabled
                                                                         : QAbstractSpinBox::StepDownEnabled);
                const bool hot = can && (option->activeSubControls & sub) && (option->state & State_MouseOver);
                paintIcon(*painter, centred(r, 12), sub == SC_SpinBoxUp ? "chevron-up" : "chevron-down",
                          hot   ? Role::Text
                          : can ? Role::TextDim
                                : Role::Hairline);
            }
            return;
        }
        break;
    case CC_Slider:
        if (const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
            const QRect groove = subControlRect(CC_Slider, option, SC_SliderGroove, widget);
            const QRect handle = subControlRect(CC_Slider, option, SC_SliderHandle, widget);
            return drawSlider(*slider, *painter, groove, handle);
        }
        break;
    case CC_ToolButton:
        if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
            button && (button->features & QStyleOptionToolButton::HasMenu) &&
            !(button->features & QStyleOptionToolButton::MenuButtonPopup)) {
            // Fusion squeezes its arrow into the corner; here it stands after the text.
            drawPrimitive(PE_PanelButtonTool, option, painter, widget);
            QStyleOptionToolButton label = *button;
            label.features = QStyleOptionToolButton::None;
            label.rect.adjust(2, 0, -kMenuArrow, 0);
            drawControl(CE_ToolButtonLabel, &label, painter, widget);
            paintIcon(*painter,
                      centred(QRectF(option->rect.right() - kMenuArrow, option->rect.top(), kMenuArrow - 4,
                                     option->rect.height()),
                              14),
                      "chevron-down", option->state & State_Enabled ? Role::TextDim : Role::TextFaint);
            return;
        }
        break;
    case CC_ScrollBar:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option))
            return drawScrollBar(*bar, *painter, subControlRect(CC_ScrollBar, option, SC_ScrollBarSlider, widget));
        break;
    default:
        break;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QIcon LockscopeStyle::standardIcon(StandardPixmap pixmap, const QStyleOption* option, const QWidget* widget) const {
    switch (pixmap) {
    case SP_TitleBarCloseButton:
    case SP_DockWidgetCloseButton:
    case SP_LineEditClearButton:
        return icon("close", Role::TextDim);
    // Asked for by every menu bar and tool bar, shown hardly ever; the theme look-up of the base style is slow.
    case SP_ToolBarHorizontalExtensionButton:
        return icon("chevron-right", Role::TextDim);
    case SP_ToolBarVerticalExtensionButton:
        return icon("chevron-down", Role::TextDim);
    case SP_TitleBarNormalButton:
        return icon("copy", Role::TextDim);
    default:
        return QProxyStyle::standardIcon(pixmap, option, widget);
    }
}

} // namespace lockscope::views
