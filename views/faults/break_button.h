// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QToolButton>

namespace lockscope::views {

/// A wide, quiet button for an action: icon, words, and its key at the right end.
class BreakButton : public QToolButton {
    Q_OBJECT
public:
    explicit BreakButton(QAction* action, QWidget* parent = nullptr);
    /// Centred words on green: makes things good again.
    void setHealing(bool healing);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {60, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    bool m_healing = false;
};

} // namespace lockscope::views
