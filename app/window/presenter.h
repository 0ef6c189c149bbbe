// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lessons/key_row.h"

#include <QObject>
#include <QTimer>
#include <QWidget>

namespace lockscope::app {

class MainWindow;
class Stage;

/// The presenter's view: large text that grows with the window, only timeline, narration and protocol, and a row of big
/// keys. F5 enters and leaves it, Esc leaves; B or a full stop blanks the screen until the next key.
class Presenter : public QObject {
    Q_OBJECT
public:
    Presenter(MainWindow* window, Stage* stage);

    bool isOn() const { return m_on; }
    bool isBlank() const { return m_blank && m_blank->isVisible(); }
    /// On needs an open session; without one nothing happens.
    void setOn(bool on);
    void toggle() { setOn(!m_on); }

Q_SIGNALS:
    void changed(bool on);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void furnish();
    void fit();
    void fitSoon();
    void foldProtocol();
    /// The wait-for picture is there for the steps of a lesson whose words speak of it.
    void showWaits();
    void press(views::KeyRow::Key key);
    bool take(int key);
    /// Keys of the menus, which are away, that a class needs too.
    bool takeOfMenus(const QKeyEvent& key);
    void nameKeys();
    void setBlank(bool blank);

    MainWindow* m_window;
    Stage* m_stage;
    QWidget* m_bar = nullptr;
    QWidget* m_banner = nullptr;
    QWidget* m_protocol = nullptr;
    QWidget* m_waits = nullptr;
    views::KeyRow* m_keys = nullptr;
    QWidget* m_blank = nullptr;
    QTimer m_pace;
    bool m_on = false;
};

} // namespace lockscope::app
