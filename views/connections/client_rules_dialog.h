// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/same_client.h"

#include <QDialog>

class QPlainTextEdit;
class QPushButton;

namespace lockscope::views {

class DimLabel;

/// Asks for the rules by which names on several servers are one client: one a line, the first one that fits counts.
class ClientRulesDialog : public QDialog {
    Q_OBJECT
public:
    explicit ClientRulesDialog(const std::vector<inspect::ClientRule>& rules, QWidget* parent = nullptr);

    /// The rules that can be read; all of them once the dialog was accepted.
    std::vector<inspect::ClientRule> rules() const;
    /// The error of the first wrong line; empty: there is none.
    QString complaint() const;
    QPlainTextEdit* field() const { return m_field; }

private:
    void validate();
    QPlainTextEdit* m_field;
    DimLabel* m_complaint;
    QPushButton* m_ok;
};

} // namespace lockscope::views
