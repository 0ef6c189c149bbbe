// SPDX-License-Identifier: GPL-3.0-or-later
#include "connections/client_rules_dialog.h"

#include "theme/field_edit.h"
#include "theme/fonts.h"
#include "theme/style.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QDialogButtonBox>
#include <QPlainTextEdit>
#include <QPushButton>

namespace lockscope::views {

ClientRulesDialog::ClientRulesDialog(const std::vector<inspect::ClientRule>& rules, QWidget* parent)
    : QDialog(parent), m_field(new FieldEdit), m_complaint(new DimLabel), m_ok(new QPushButton(tr("Use these rules"))) {
    setWindowTitle(tr("Same client"));
    setMinimumSize(520, 320);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(3 * kGrid, 3 * kGrid, 3 * kGrid, 2 * kGrid);
    layout->setSpacing(kGrid);
    auto* words = new Paragraph(tr(
        "By which rules is a name on one server the same client as a name on another? One rule a line; the first one "
        "that fits counts. “name”: the same name. “address”: the same network address. Anything else is a pattern "
        "with one group, such as app=([a-z-]+), looked for in the name and in what the server tells of the client."));
    words->setWordWrap(true);
    layout->addWidget(words);
    m_field->setFont(fixedFont());
    m_field->setTabChangesFocus(true);
    m_field->setAccessibleName(tr("Rules, one a line"));
    QStringList lines;
    for (const inspect::ClientRule& rule : rules)
        lines << rule.text;
    m_field->setPlainText(lines.join(QLatin1Char('\n')));
    layout->addWidget(m_field, 1);
    m_complaint->setWordWrap(true);
    m_complaint->setTextFormat(Qt::PlainText); // it repeats what was typed
    m_complaint->setMinimumHeight(2 * m_complaint->fontMetrics().height());
    layout->addWidget(m_complaint);
    auto* buttons = new QDialogButtonBox;
    buttons->addButton(m_ok, QDialogButtonBox::AcceptRole);
    buttons->addButton(QDialogButtonBox::Cancel);
    m_ok->setDefault(true);
    makePrimary(m_ok);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_field, &QPlainTextEdit::textChanged, this, &ClientRulesDialog::validate);
    validate();
}

std::vector<inspect::ClientRule> ClientRulesDialog::rules() const {
    std::vector<inspect::ClientRule> rules;
    for (const QString& line : m_field->toPlainText().split(QLatin1Char('\n')))
        if (const auto rule = inspect::parseClientRule(line); rule && !line.trimmed().isEmpty()) rules.push_back(*rule);
    return rules;
}

QString ClientRulesDialog::complaint() const {
    for (const QString& line : m_field->toPlainText().split(QLatin1Char('\n')))
        if (!line.trimmed().isEmpty())
            if (const auto rule = inspect::parseClientRule(line); !rule) return rule.error();
    return {};
}

void ClientRulesDialog::validate() {
    const QString wrong = complaint();
    m_ok->setEnabled(wrong.isEmpty());
    m_complaint->setText(wrong.isEmpty() ? tr("Holders and waiters that come from now on are joined by them.") : wrong);
    m_complaint->setRole(wrong.isEmpty() ? Role::TextDim : Role::ViolationText);
}

} // namespace lockscope::views
