// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

namespace lockscope::views {
class LessonGuide;
}

namespace lockscope::app {

class MainWindow;

/// The keys of a lesson: Space plays on and goes on, → and Page Down go on at once, ← and Page Up go back, 1 to 4
/// choose, Enter locks the bet. Shift+1 to 4 count the hands of a class, Backspace takes the last one back. They go
/// before the window's own keys while the lesson leads, and stay out of text fields and of other windows.
class LessonKeys : public QObject {
    Q_OBJECT
public:
    LessonKeys(views::LessonGuide* guide, MainWindow* window);

Q_SIGNALS:
    void nextLessonWanted();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// False: the key means nothing to the lesson now. With Do::Nothing it is only asked.
    enum class Do : std::uint8_t { Nothing, It };
    bool take(int key, Do what);

    views::LessonGuide* m_guide;
    MainWindow* m_window;
};

} // namespace lockscope::app
