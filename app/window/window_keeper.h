// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

namespace lockscope::app {

class MainWindow;
class Settings;

/// Owns the window. In another language it builds the window anew, around the same session: at the same instant, at the
/// same speed, with the same part of the timeline in sight. It waits for a file that is being written.
class WindowKeeper : public QObject {
    Q_OBJECT
public:
    explicit WindowKeeper(Settings* settings);
    ~WindowKeeper() override;
    /// Another one after each change of the language.
    MainWindow* window() const { return m_window.get(); }

private:
    void make();
    void rebuild();
    Settings* m_settings;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace lockscope::app
