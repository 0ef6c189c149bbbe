// SPDX-License-Identifier: GPL-3.0-or-later
// An empty QMainWindow that ends when it has been painted once.
#include <QApplication>
#include <QMainWindow>
#include <QTimer>

namespace {

class EmptyWindow : public QMainWindow {
protected:
    bool event(QEvent* event) override {
        const bool handled = QMainWindow::event(event);
        if (event->type() == QEvent::Paint) QTimer::singleShot(0, qApp, &QCoreApplication::quit);
        return handled;
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
