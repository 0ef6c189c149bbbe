// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/keyboard_courtesy.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QKeyEvent>
#include <QPointer>
#include <QRadioButton>
#include <QTabBar>

namespace lockscope::app {
namespace {

bool movesWithin(int key) {
    switch (key) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        return true;
    default:
        return false;
    }
}

/// Return presses a button as Space does. In a dialogue Qt does that itself, and a check box keeps to Space.
bool pressedByReturn(QObject* watched, const QKeyEvent& key) {
    if (key.key() != Qt::Key_Return && key.key() != Qt::Key_Enter) return false;
    if (key.modifiers() & ~Qt::KeypadModifier || key.isAutoRepeat()) return false;
    auto* const button = qobject_cast<QAbstractButton*>(watched);
    const bool ticks = qobject_cast<QCheckBox*>(watched) || qobject_cast<QRadioButton*>(watched);
    if (!button || ticks || qobject_cast<QDialog*>(button->window())) return false;
    button->click();
    return true;
}

/// A letter in a closed list of choices would choose an entry that begins with it, unseen, and a setting would change
/// by a key that was meant for the window. The list takes letters while it is open; in a dialogue no key is meant for
/// the window.
bool choosesUnseen(QObject* watched, const QKeyEvent& key) {
    const auto* const box = qobject_cast<QComboBox*>(watched);
    if (!box || box->isEditable() || qobject_cast<QDialog*>(box->window())) return false;
    return !key.text().isEmpty() && key.text().front().isPrint() && !key.text().front().isSpace();
}

/// The list of choices whose open entries were clicked; nullptr: something else was.
QComboBox* boxOf(QObject* watched) {
    auto* const entries = watched->parent() ? qobject_cast<QAbstractItemView*>(watched->parent()) : nullptr;
    if (!entries || entries->viewport() != watched) return nullptr;
    for (QObject* above = entries; above; above = above->parent())
        if (auto* const box = qobject_cast<QComboBox*>(above)) return box->view() == entries ? box : nullptr;
    return nullptr;
}

} // namespace

bool KeyboardCourtesy::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseButtonRelease) {
        if (QComboBox* const box = boxOf(watched); box && !box->isEditable() && !qobject_cast<QDialog*>(box->window()))
            QMetaObject::invokeMethod(
                this, [this, box = QPointer(box)] { box ? Q_EMIT chosenByMouse(box) : void(); }, Qt::QueuedConnection);
        return false;
    }
    if (event->type() == QEvent::KeyPress) {
        const QKeyEvent& pressed = *static_cast<QKeyEvent*>(event);
        return choosesUnseen(watched, pressed) || pressedByReturn(watched, pressed);
    }
    if (event->type() != QEvent::ShortcutOverride) return false;
    auto* key = static_cast<QKeyEvent*>(event);
    if (key->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) return false;
    const bool plain = !(key->modifiers() & Qt::ShiftModifier);
    const bool press = plain && (key->key() == Qt::Key_Space || key->key() == Qt::Key_Select);
    const bool move = movesWithin(key->key());
    const bool own = qobject_cast<QAbstractButton*>(watched)     ? press
                     : qobject_cast<QComboBox*>(watched)         ? plain && (press || move)
                     : qobject_cast<QAbstractItemView*>(watched) ? move
                     : qobject_cast<QAbstractSlider*>(watched)   ? plain && move
                     : qobject_cast<QTabBar*>(watched)           ? plain && move
                                                                 : false;
    // An accepted override comes back as an ordinary key press to the same control.
    if (own) event->accept();
    return own;
}

} // namespace lockscope::app
