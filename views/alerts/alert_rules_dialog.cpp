// SPDX-License-Identifier: GPL-3.0-or-later
#include "alerts/alert_rules_dialog.h"

#include "models/alert_words.h"
#include "theme/fonts.h"
#include "theme/form_area.h"
#include "theme/icons.h"
#include "theme/style.h"
#include "theme/widgets.h"
#include "trace/duration.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <algorithm>

namespace lockscope::views {

using inspect::AlertForm;
using inspect::AlertRule;

namespace {

/// "5m", "10": the threshold of a rule as a person writes it.
QString thresholdOf(const AlertRule& rule) {
    return inspect::formOf(rule.kind).takes == AlertForm::Takes::Time ? formatDuration(rule.time)
                                                                      : QString::number(rule.count);
}

} // namespace

AlertRulesDialog::AlertRulesDialog(const QString& connection, const std::vector<AlertRule>& rules, QWidget* parent)
    : QDialog(parent), m_complaint(new DimLabel), m_keep(new QPushButton(tr("Use these"))) {
    setWindowTitle(tr("Alerts of %1").arg(connection));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(3 * kGrid, 3 * kGrid, 3 * kGrid, 2 * kGrid);
    layout->setSpacing(kGrid);
    auto* intro = new DimLabel(tr("Rules for this connection. Times have a unit: 500ms, 2s, 5m, 1h."));
    intro->setWordWrap(true);
    layout->addWidget(intro);
    auto* lines = new QWidget;
    auto* grid = new QGridLayout(lines);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(2 * kGrid);
    grid->setVerticalSpacing(kGrid / 2);
    grid->setColumnStretch(0, 1);
    // The most severe first, as in the list of alerts.
    std::vector<AlertForm> forms = inspect::alertForms();
    std::ranges::stable_sort(forms, std::ranges::greater(),
                             [](const AlertForm& form) { return inspect::severityOf(form.kind); });
    for (const AlertForm& form : forms) {
        const int row = int(m_lines.size());
        Line line{form, new QCheckBox(alertQuestion(form.kind)), nullptr};
        grid->addWidget(line.on, row, 0);
        if (form.takes != AlertForm::Takes::Nothing) {
            line.threshold = new QLineEdit;
            line.threshold->setFont(fixedFont());
            line.threshold->setFixedWidth(96);
            line.threshold->setAccessibleName(tr("Threshold: %1").arg(alertQuestion(form.kind)));
            grid->addWidget(line.threshold, row, 1);
            connect(line.threshold, &QLineEdit::textChanged, this, &AlertRulesDialog::validate);
            connect(line.on, &QCheckBox::toggled, line.threshold, &QWidget::setEnabled);
        }
        // Rows with a threshold and rows without one are equally high.
        grid->setRowMinimumHeight(row, std::max(line.on->sizeHint().height(), QLineEdit().sizeHint().height()));
        const auto severity = inspect::severityOf(form.kind);
        auto* weight = new DimLabel(severityWord(severity));
        weight->setRole(alertRole(severity));
        grid->addWidget(weight, row, 2);
        connect(line.on, &QCheckBox::toggled, this, &AlertRulesDialog::validate);
        m_lines.push_back(line);
    }
    layout->addWidget(new FormArea(lines), 1); // more kinds than a low screen has room for
    m_complaint->setWordWrap(true);
    m_complaint->setTextFormat(Qt::PlainText); // it repeats what was typed
    m_complaint->setMinimumHeight(2 * m_complaint->fontMetrics().height());
    m_complaint->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    static_cast<DimLabel*>(m_complaint)->setRole(Role::ViolationText);
    layout->addWidget(m_complaint);
    auto* buttons = new QDialogButtonBox;
    QPushButton* const usual = buttons->addButton(tr("Usual ones"), QDialogButtonBox::ResetRole);
    buttons->addButton(m_keep, QDialogButtonBox::AcceptRole);
    buttons->addButton(QDialogButtonBox::Cancel);
    m_keep->setDefault(true);
    makePrimary(m_keep);
    layout->addWidget(buttons);
    connect(usual, &QPushButton::clicked, this, [this] { show(inspect::usualAlertRules()); });
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    show(rules);
}

void AlertRulesDialog::show(const std::vector<AlertRule>& rules) {
    for (const Line& line : m_lines) {
        const auto chosen = std::ranges::find(rules, line.form.kind, &AlertRule::kind);
        const AlertRule shown =
            chosen != rules.end() ? *chosen : *inspect::parseAlertRule(QString::fromLatin1(line.form.example));
        line.on->setChecked(chosen != rules.end());
        if (!line.threshold) continue;
        line.threshold->setText(thresholdOf(shown));
        line.threshold->setEnabled(line.on->isChecked());
    }
    validate();
}

std::vector<AlertRule> AlertRulesDialog::rules() const {
    Q_ASSERT(complaint().isEmpty());
    std::vector<AlertRule> rules;
    for (const Line& line : m_lines) {
        if (!line.on->isChecked()) continue;
        QString text = QString::fromLatin1(line.form.name);
        if (line.threshold) text += QString::fromLatin1(line.form.sign) + line.threshold->text();
        if (const auto rule = inspect::parseAlertRule(text)) rules.push_back(*rule);
    }
    return rules;
}

QString AlertRulesDialog::complaint() const {
    for (const Line& line : m_lines) {
        if (!line.on->isChecked() || !line.threshold) continue;
        const QString text = line.threshold->text().trimmed();
        if (line.form.takes == AlertForm::Takes::Time) {
            const auto time = parseDuration(text);
            if (!time || *time < Nanos(0))
                return tr("“%1”: “%2” is no time. Write a number and its unit, such as 30s.")
                    .arg(alertQuestion(line.form.kind), text);
        } else {
            bool isNumber = false;
            if (text.toLongLong(&isNumber) < 0 || !isNumber)
                return tr("“%1”: “%2” is no whole number from 0 on.").arg(alertQuestion(line.form.kind), text);
        }
    }
    return {};
}

void AlertRulesDialog::validate() {
    const QString wrong = complaint();
    m_complaint->setText(wrong);
    m_keep->setEnabled(wrong.isEmpty());
}

const AlertRulesDialog::Line& AlertRulesDialog::lineOf(AlertRule::Kind kind) const {
    return *std::ranges::find_if(m_lines, [kind](const Line& line) { return line.form.kind == kind; });
}

QCheckBox* AlertRulesDialog::switchOf(AlertRule::Kind kind) const {
    return lineOf(kind).on;
}

QLineEdit* AlertRulesDialog::fieldOf(AlertRule::Kind kind) const {
    return lineOf(kind).threshold;
}

} // namespace lockscope::views
