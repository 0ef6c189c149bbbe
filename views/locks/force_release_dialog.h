// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>

class QLineEdit;
class QPushButton;

namespace lockscope::views {

/// Asks twice before a lock is taken away from whoever holds it: its name has to be typed.
class ForceReleaseDialog : public QDialog {
    Q_OBJECT
public:
    ForceReleaseDialog(const QString& lock, const QString& holder, QWidget* parent = nullptr);

private:
    QLineEdit* m_name;
    QPushButton* m_release;
};

} // namespace lockscope::views
