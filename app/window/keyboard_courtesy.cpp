// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/keyboard_courtesy.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QComboBox>
#include <QKeyEvent>
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

} // namespace

bool KeyboardCourtesy::eventFilter(QObject* watched, QEvent* event) {
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
