// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

namespace lockscope::app {

/// Lets the control with the focus have its own keys first: Space and Return press a button that was tabbed to, arrows
/// move in a table or a slider, although the window has shortcuts on the same keys. Letters are the window's: a closed
/// list of choices does not take them. Install on the application.
class KeyboardCourtesy : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

Q_SIGNALS:
    /// An entry of a list of choices was chosen by the mouse: the keys that come next are meant for the window.
    void chosenByMouse(QWidget* box);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace lockscope::app
