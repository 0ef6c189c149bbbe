// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/lesson_keys.h"

#include "lessons/failure_table.h"
#include "lessons/lesson_guide.h"
#include "window/main_window.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>

namespace lockscope::app {
namespace {

using Phase = views::LessonGuide::Phase;

/// A control with a use of its own for a key that a lesson has.
bool needsItself(const QWidget* widget, int key) {
    return views::FailureTable::needsKey(widget, key) || qobject_cast<const QLineEdit*>(widget) ||
           qobject_cast<const QAbstractSpinBox*>(widget) || qobject_cast<const QComboBox*>(widget) ||
           qobject_cast<const QMenu*>(widget) || qobject_cast<const QAbstractItemView*>(widget);
}

/// The answer, from 0, for which Shift and a digit count a hand. With Shift a digit's key means another letter on each
/// keyboard: its place is asked for, and without one the letters of some keyboards are taken.
std::optional<int> handOf(const QKeyEvent& key) {
    constexpr quint32 kFirstDigit = 10; // X11 and Wayland number the keys like this
    if (key.nativeScanCode() >= kFirstDigit && key.nativeScanCode() < kFirstDigit + 4)
        return int(key.nativeScanCode() - kFirstDigit);
    switch (key.key()) {
    case Qt::Key_1:
    case Qt::Key_Exclam:
        return 0;
    case Qt::Key_2:
    case Qt::Key_At:
    case Qt::Key_QuoteDbl:
        return 1;
    case Qt::Key_3:
    case Qt::Key_NumberSign:
    case Qt::Key_section:
        return 2;
    case Qt::Key_4:
    case Qt::Key_Dollar:
        return 3;
    default:
        return std::nullopt;
    }
}

} // namespace

LessonKeys::LessonKeys(views::LessonGuide* guide, MainWindow* window)
    : QObject(window), m_guide(guide), m_window(window) {
    qApp->installEventFilter(this);
}

bool LessonKeys::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress) return false;
    if (!m_guide->isOn()) return false;
    const auto* widget = qobject_cast<const QWidget*>(watched);
    auto* key = static_cast<QKeyEvent*>(event);
    if (!widget || widget->window() != m_window || needsItself(widget, key->key())) return false;
    if (key->modifiers() == Qt::ShiftModifier) {
        const std::optional<int> hand = handOf(*key);
        if (!hand || m_guide->phase() != Phase::Step || m_guide->question().isEmpty() || !m_guide->arrived())
            return false;
        if (event->type() == QEvent::KeyPress)
            m_guide->countHand(*hand);
        else
            event->accept();
        return true;
    }
    if (key->modifiers() & ~Qt::KeypadModifier) return false;
    // A button that the keyboard has gone to is pressed by Space; the lesson's own, where each step begins, is not.
    const bool begins = m_guide->phase() != Phase::Turn && widget->objectName() == QLatin1String("lesson.next");
    if (key->key() == Qt::Key_Space && !begins && qobject_cast<const QAbstractButton*>(widget)) return false;
    if (event->type() == QEvent::KeyPress) return take(key->key(), Do::It);
    if (!take(key->key(), Do::Nothing)) return false;
    // An accepted override comes back as an ordinary key press.
    event->accept();
    return true;
}

bool LessonKeys::take(int key, Do what) {
    const Phase phase = m_guide->phase();
    const bool step = phase == Phase::Step, end = phase == Phase::End;
    const auto act = [&](auto&& action) {
        if (what == Do::It) action();
        return true;
    };
    switch (key) {
    case Qt::Key_Space:
        if (step) return act([&] { m_guide->goOn(); });
        return end && act([&] { Q_EMIT nextLessonWanted(); });
    case Qt::Key_Right:
    case Qt::Key_PageDown:
        if (step) return act([&] { m_guide->skip(); });
        if (end) return act([&] { Q_EMIT nextLessonWanted(); });
        return phase == Phase::Turn && key == Qt::Key_PageDown && act([&] { m_guide->skip(); });
    case Qt::Key_Left:
    case Qt::Key_PageUp:
        if (step || end) return act([&] { m_guide->back(); });
        return phase == Phase::Turn && key == Qt::Key_PageUp && act([&] { m_guide->back(); });
    case Qt::Key_1:
    case Qt::Key_2:
    case Qt::Key_3:
    case Qt::Key_4:
        if (!step || m_guide->question().isEmpty() || !m_guide->arrived()) return false;
        return act([&] { m_guide->choose(key - Qt::Key_1); });
    case Qt::Key_Backspace:
        return step && !m_guide->hands().empty() && act([&] { m_guide->takeHandBack(); });
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (step && m_guide->chosen() && !m_guide->locked()) return act([&] { m_guide->lock(); });
        return (step || end) && act([&] { end ? Q_EMIT nextLessonWanted() : m_guide->goOn(); });
    default:
        return false;
    }
}

} // namespace lockscope::app
