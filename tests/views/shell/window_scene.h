// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "transport/player.h"
#include "transport/transport_bar.h"
#include "welcome/welcome_page.h"
#include "window/action_registry.h"
#include "window/keyboard_courtesy.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/work_area.h"

#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

namespace lockscope::tests {

/// The window as a person finds it, with settings of its own and room enough.
class WindowScene {
public:
    QTemporaryDir folder;
    std::unique_ptr<app::Settings> settings;
    std::unique_ptr<app::MainWindow> window;

    WindowScene() { open(); }
    void open() {
        settings = std::make_unique<app::Settings>(folder.filePath(QStringLiteral("s.ini")));
        window = std::make_unique<app::MainWindow>(settings.get());
        window->resize(1600, 1000);
        window->show();
        QVERIFY(QTest::qWaitForWindowActive(window.get()));
        QTRY_VERIFY(window->findChild<QAction*>(QStringLiteral("file.open"))); // menus fill after the first picture
    }
    views::ViewContext* context() const { return window->context(); }
    QAction* action(const char* id) const { return window->registry()->find(QLatin1String(id)); }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(window.get(), key, modifiers); }
    /// As a keyboard does: to whatever has the focus.
    static void strike(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(QApplication::focusWidget(), key, modifiers);
    }
    /// A built-in scenario, standing still at the beginning.
    void open(const char* scenario) {
        window->openScenario(QLatin1String(scenario));
        window->player()->pause();
    }
};

} // namespace lockscope::tests
