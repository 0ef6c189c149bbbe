// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QScrollArea>

namespace lockscope::views {

/// The form of a dialogue, above its buttons: shown whole where the screen has room, else scrolled, so that the buttons
/// stay in sight. Lines that wrap count with the height that they need. Grows its window when the form grows.
class FormArea : public QScrollArea {
public:
    /// Takes the form. Precondition: it has its layout.
    explicit FormArea(QWidget* form, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    int formHeight(int width) const;
    /// Makes the window as high as the whole form needs, at most as high as the screen has room for.
    void growWindow();
};

} // namespace lockscope::views
