// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/dock_accessible.h"

#include "window/work_area.h"

#include <QAccessibleWidget>
#include <QDockWidget>

namespace lockscope::app {

namespace {

class DockAccessible : public QAccessibleWidget {
public:
    explicit DockAccessible(QDockWidget* dock) : QAccessibleWidget(dock, QAccessible::Pane) {}

    int childCount() const override { return isBehind() ? 0 : QAccessibleWidget::childCount(); }
    QAccessibleInterface* child(int index) const override {
        return isBehind() ? nullptr : QAccessibleWidget::child(index);
    }
    QAccessible::State state() const override {
        QAccessible::State state = QAccessibleWidget::state();
        if (isBehind()) state.invisible = state.offscreen = true;
        return state;
    }

private:
    bool isBehind() const { return WorkArea::isBehind(static_cast<const QDockWidget*>(widget())); }
};

QAccessibleInterface* makeInterface(const QString&, QObject* object) {
    auto* const dock = qobject_cast<QDockWidget*>(object);
    return dock ? new DockAccessible(dock) : nullptr;
}

} // namespace

void installDockAccessibility() {
    static const bool once = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    Q_UNUSED(once)
}

} // namespace lockscope::app
