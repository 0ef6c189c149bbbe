// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QScrollBar>
#include <QSet>
#include <QTabBar>
#include <QTest>
#include <QToolButton>

namespace lockscope::tests {

/// Tabs through a window and looks at each control that gets the focus.
struct FocusWalk {
    QSet<QWidget*> reached;
    QStringList unseen;     ///< looks the same with the focus and without
    QStringList unnamed;    ///< a screen reader has no name for it
    QStringList mouseOnly;  ///< can be clicked, and no key leads there
    QStringList outOfSight; ///< has the focus where nobody sees it

    explicit FocusWalk(QWidget* window) {
        constexpr int kMostStops = 150;
        for (int i = 0; i < kMostStops; ++i) {
            QWidget* const before = QApplication::focusWidget() ? QApplication::focusWidget() : window;
            // In a text of several lines Tab is a letter.
            QTest::keyClick(before, Qt::Key_Tab, tabIsALetter(before) ? Qt::ControlModifier : Qt::NoModifier);
            QWidget* const now = QApplication::focusWidget();
            if (!now || now->window() != window || reached.contains(now)) {
                if (now && reached.contains(now) && i > 2 * reached.size()) break;
                continue;
            }
            reached << now;
            look(now);
        }
        for (QWidget* widget : window->findChildren<QWidget*>())
            if (isMouseOnly(widget)) mouseOnly << nameOf(widget);
    }

    bool isFine() const { return unseen.isEmpty() && unnamed.isEmpty() && mouseOnly.isEmpty() && outOfSight.isEmpty(); }
    QByteArray told() const {
        return QStringLiteral("%1 reached\nunseen: %2\nunnamed: %3\nmouse only: %4\nout of sight: %5")
            .arg(reached.size())
            .arg(unseen.join(QStringLiteral("; ")), unnamed.join(QStringLiteral("; ")),
                 mouseOnly.join(QStringLiteral("; ")), outOfSight.join(QStringLiteral("; ")))
            .toUtf8();
    }

private:
    static bool tabIsALetter(const QWidget* widget) {
        const auto* const text = qobject_cast<const QPlainTextEdit*>(widget);
        return text && !text->tabChangesFocus() && !text->isReadOnly();
    }
    /// Some of it is within all that it stands in.
    static bool isInSight(const QWidget* widget) {
        QRect shown = widget->rect();
        for (const QWidget* at = widget; at && !at->isWindow(); at = at->parentWidget())
            shown = shown.translated(at->pos()) & at->parentWidget()->rect();
        return widget->isVisible() && !shown.isEmpty();
    }
    static QString nameOf(const QWidget* widget) {
        const auto* const button = qobject_cast<const QAbstractButton*>(widget);
        return QStringLiteral("%1 “%2” (%3) in %4")
            .arg(QLatin1String(widget->metaObject()->className()),
                 widget->accessibleName().isEmpty() && button ? button->text() : widget->accessibleName(),
                 widget->objectName(),
                 QLatin1String(widget->parentWidget() ? widget->parentWidget()->metaObject()->className() : ""));
    }
    void look(QWidget* widget) {
        QAccessibleInterface* const interface = QAccessible::queryAccessibleInterface(widget);
        if (!interface || interface->text(QAccessible::Name).isEmpty()) unnamed << nameOf(widget);
        QCoreApplication::processEvents(); // a change of focus is told to the style by events that are posted
        if (!isInSight(widget)) outOfSight << nameOf(widget);
        const QImage with = widget->grab().toImage();
        const QPointer<QWidget> kept = widget;
        widget->clearFocus();
        QCoreApplication::processEvents(); // as above
        if (widget->grab().toImage() == with) unseen << nameOf(widget);
        QVERIFY(kept);
        kept->setFocus(Qt::TabFocusReason);
    }
    /// A control in sight that Tab does not lead to, that has no shortcut, and that is no part of another control.
    bool isMouseOnly(const QWidget* widget) const {
        const bool control = qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QComboBox*>(widget) ||
                             qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractSlider*>(widget) ||
                             qobject_cast<const QAbstractItemView*>(widget) || qobject_cast<const QTabBar*>(widget) ||
                             qobject_cast<const QAbstractSpinBox*>(widget);
        if (widget->testAttribute(Qt::WA_TransparentForMouseEvents)) return false;
        if (!control || !widget->isVisible() || !widget->isEnabled() || widget->visibleRegion().isEmpty()) return false;
        if (qobject_cast<const QScrollBar*>(widget) || reached.contains(const_cast<QWidget*>(widget))) return false;
        if (widget->focusPolicy() & Qt::TabFocus) return false; // one of several that share a stop, as radio buttons do
        for (const QWidget* around = widget->parentWidget(); around; around = around->parentWidget())
            if (qobject_cast<const QComboBox*>(around) || qobject_cast<const QAbstractSpinBox*>(around) ||
                qobject_cast<const QLineEdit*>(around) || qobject_cast<const QAbstractItemView*>(around) ||
                qobject_cast<const QTabBar*>(around))
                return false;
        if (const auto* const button = qobject_cast<const QAbstractButton*>(widget))
            if (!button->shortcut().isEmpty()) return false;
        for (const QAction* action : widget->actions())
            if (!action->shortcut().isEmpty()) return false;
        const auto* const tool = qobject_cast<const QToolButton*>(widget);
        return !(tool && tool->defaultAction() && !tool->defaultAction()->shortcut().isEmpty());
    }
};

} // namespace lockscope::tests
