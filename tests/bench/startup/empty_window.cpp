// SPDX-License-Identifier: GPL-3.0-or-later
// An empty QMainWindow that says "painted" and ends when it has been painted once.
#include <QApplication>
#include <QMainWindow>
#include <QTimer>
#include <cstdio>

namespace {

class EmptyWindow : public QMainWindow {
protected:
    bool event(QEvent* event) override {
        const bool handled = QMainWindow::event(event);
        if (event->type() == QEvent::Paint) QTimer::singleShot(0, this, &EmptyWindow::painted);
        return handled;
    }

private:
    static void painted() {
        std::puts("painted");
        std::fflush(stdout);
        QCoreApplication::quit();
    }
};

} // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    EmptyWindow window;
    window.resize(1600, 1000);
    window.show();
    return QApplication::exec();
}
