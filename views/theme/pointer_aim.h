// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>

namespace lockscope::views {

/// Whether somebody is moving the mouse over this program, on the way to something: rows that come and go by themselves
/// wait meanwhile, so that a click meets the row that it was meant for. Made when it is first asked for.
class PointerAim : public QObject {
    Q_OBJECT
public:
    static PointerAim& instance();
    /// Whether the mouse moved over one of the windows a moment ago, and has not left it.
    bool isAiming() const { return m_rest.isActive(); }

Q_SIGNALS:
    void changed(bool aiming);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    PointerAim();
    QTimer m_rest;
};

} // namespace lockscope::views
