// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAction>
#include <QPointer>
#include <QWidget>

namespace lockscope::views {

/// All shortcuts at a glance, over the window; any key or click puts it away. Where they have no room at once, the
/// wheel and the keys up and down scroll.
class ShortcutSheet : public QWidget {
    Q_OBJECT
public:
    explicit ShortcutSheet(QWidget* window);
    /// Keys, or the wheel, that do something without being a command of any menu.
    struct Extra {
        QString group, keys, text;
    };
    /// Shows those of the actions that have a shortcut, by their "group", and the extra ones at the end of theirs.
    void open(const QList<QAction*>& actions, const QList<Extra>& extras = {});
    /// How many shortcuts are shown; 0 while closed.
    int shown() const { return isVisible() ? m_shown : 0; }

protected:
    void paintEvent(QPaintEvent*) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Line {
        QString keys, text;
        bool heading = false;
    };
    void scrollBy(int pixels);
    QList<Line> m_lines;
    int m_scroll = 0, m_most = 0; ///< px: how far it is scrolled, and can be
    int m_page = 0;               ///< px: how much is in sight
    QPointer<QWidget> m_returnFocus;
    int m_shown = 0;
};

} // namespace lockscope::views
