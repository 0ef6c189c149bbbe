// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/alert_rule.h"

#include <QDialog>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lockscope::views {

/// Which alerts a connection raises, and from which threshold on: one line for each kind of rule.
class AlertRulesDialog : public QDialog {
    Q_OBJECT
public:
    /// `connection`: its name, as it may be shown. If there are several rules of one kind, the first is shown.
    AlertRulesDialog(const QString& connection, const std::vector<inspect::AlertRule>& rules,
                     QWidget* parent = nullptr);

    /// The rules as they are chosen. Precondition: complaint() is empty.
    std::vector<inspect::AlertRule> rules() const;
    /// The error in the present thresholds; empty = none.
    QString complaint() const;
    /// The parts of a rule's line, for tests; the field is nullptr where there is no threshold.
    QCheckBox* switchOf(inspect::AlertRule::Kind kind) const;
    QLineEdit* fieldOf(inspect::AlertRule::Kind kind) const;

private:
    struct Line {
        inspect::AlertForm form;
        QCheckBox* on;
        QLineEdit* threshold;
    };
    const Line& lineOf(inspect::AlertRule::Kind kind) const;
    void show(const std::vector<inspect::AlertRule>& rules);
    void validate();
    std::vector<Line> m_lines;
    QLabel* m_complaint;
    QPushButton* m_keep;
};

} // namespace lockscope::views
