// SPDX-License-Identifier: GPL-3.0-or-later
#include "welcome/url_parts_form.h"

#include "theme/icons.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

namespace lockscope::views {

namespace {
constexpr int kColumns = 6; // of three fields, or of two
}

UrlPartsForm::UrlPartsForm(QWidget* parent) : QWidget(parent), m_tls(new QCheckBox(tr("Encr&ypted (TLS)"))) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, kGrid);
    grid->setHorizontalSpacing(kGrid);
    grid->setVerticalSpacing(kGrid / 2);
    for (int column = 0; column < kColumns; ++column)
        grid->setColumnStretch(column, 1);
    m_servers = addField(grid, 0, 0, 4, tr("Ser&vers, with commas between them"), tr("Servers"));
    m_behind = addField(grid, 0, 4, 2, tr("Databas&e"), tr("Database"));
    m_behindLabel = qobject_cast<QLabel*>(grid->itemAtPosition(0, 4)->widget());
    m_user = addField(grid, 2, 0, 3, tr("&User"), tr("User"));
    m_password = addField(grid, 2, 3, 3, tr("Pass&word"), tr("Password"));
    m_password->setEchoMode(QLineEdit::Password);
    m_servers->setPlaceholderText(QStringLiteral("127.0.0.1:6379"));
    grid->addWidget(m_tls, 4, 0, 1, kColumns, Qt::AlignBottom);
    grid->setRowMinimumHeight(4, m_tls->sizeHint().height() + kGrid); // as far below the fields as a caption
    m_authority = addField(grid, 5, 0, 2, tr("Authority (CA)"), tr("File of the certification authority"));
    m_certificate = addField(grid, 5, 2, 2, tr("Client's certificate"), tr("File of the client's certificate"));
    m_key = addField(grid, 5, 4, 2, tr("Client's key"), tr("File of the client's private key"));
    for (QLineEdit* file : {m_authority, m_certificate, m_key}) {
        file->setPlaceholderText(tr("PEM file"));
        addChooser(grid, file);
    }
    connect(m_tls, &QCheckBox::toggled, this, [this] {
        enableWhatApplies();
        Q_EMIT edited();
    });
    enableWhatApplies();
}

QLineEdit* UrlPartsForm::addField(QGridLayout* grid, int row, int column, int columns, const QString& label,
                                  const QString& name) {
    auto* caption = new QLabel(label);
    if (row > 0) caption->setContentsMargins(0, kGrid, 0, 0); // nearer to its own field than to the one above
    auto* field = new QLineEdit;
    caption->setBuddy(field);
    field->setAccessibleName(name);
    grid->addWidget(caption, row, column, 1, columns);
    grid->addWidget(field, row + 1, column, 1, columns);
    connect(field, &QLineEdit::textEdited, this, &UrlPartsForm::edited);
    return field;
}

/// A button behind a field for the path of a file.
void UrlPartsForm::addChooser(QGridLayout* grid, QLineEdit* field) {
    int row = 0, column = 0, rows = 0, columns = 0;
    grid->getItemPosition(grid->indexOf(field), &row, &column, &rows, &columns);
    auto* const button = new QToolButton;
    button->setIcon(icon("open"));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    //: On a button: %1 a file, "File of the certification authority".
    button->setToolTip(tr("Choose: %1").arg(field->accessibleName()));
    button->setAccessibleName(button->toolTip());
    grid->removeWidget(field);
    auto* const both = new QHBoxLayout;
    both->setSpacing(2);
    both->addWidget(field, 1);
    both->addWidget(button);
    grid->addLayout(both, row, column, rows, columns);
    m_choosers.push_back(button);
    connect(button, &QToolButton::clicked, this, [this, field] {
        auto* const dialog = new QFileDialog(this, field->accessibleName());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFile);
        dialog->setNameFilters({tr("PEM files (*.pem *.crt *.cer *.key)"), tr("All files (*)")});
        // Certificate and key mostly lie beside the authority's file.
        for (const QLineEdit* near : {field, m_authority, m_certificate, m_key}) {
            if (near->text().isEmpty()) continue;
            dialog->setDirectory(QFileInfo(near->text()).absolutePath());
            break;
        }
        connect(dialog, &QFileDialog::fileSelected, field, [this, field](const QString& path) {
            field->setText(path);
            Q_EMIT edited();
        });
        dialog->open();
    });
}

void UrlPartsForm::setUrl(const QString& url) {
    m_parts = UrlParts::of(url);
    const QSignalBlocker quiet(m_tls);
    m_servers->setText(m_parts.servers);
    m_behind->setText(m_parts.behind);
    m_user->setText(m_parts.user);
    m_password->setText(m_parts.password);
    m_tls->setChecked(m_parts.tls);
    m_authority->setText(m_parts.authority);
    m_certificate->setText(m_parts.certificate);
    m_key->setText(m_parts.key);
    enableWhatApplies();
}

QString UrlPartsForm::url() const {
    UrlParts parts = m_parts;
    if (parts.scheme.isEmpty()) parts.scheme = QStringLiteral("redis");
    parts.servers = m_servers->text();
    parts.behind = m_behind->text();
    parts.user = m_user->text();
    parts.password = m_password->text();
    parts.tls = m_tls->isChecked();
    parts.authority = m_authority->text();
    parts.certificate = m_certificate->text();
    parts.key = m_key->text();
    return parts.text();
}

void UrlPartsForm::focusPassword() {
    m_password->setFocus();
}

void UrlPartsForm::enableWhatApplies() {
    const bool apply = m_parts.apply();
    for (QLineEdit* field : {m_servers, m_user, m_password})
        field->setEnabled(apply);
    using Behind = UrlParts::Behind;
    const Behind behind = m_parts.kindOfBehind();
    m_behind->setEnabled(behind != Behind::Nothing);
    m_behindLabel->setText(behind == Behind::Master ? tr("Mast&er's name")
                           : behind == Behind::Path ? tr("Path of th&e root")
                                                    : tr("Databas&e"));
    m_tls->setEnabled(apply && m_parts.canEncrypt());
    for (QLineEdit* file : {m_authority, m_certificate, m_key})
        file->setEnabled(m_tls->isEnabled() && m_tls->isChecked());
    for (QToolButton* chooser : m_choosers)
        chooser->setEnabled(m_tls->isEnabled() && m_tls->isChecked());
}

} // namespace lockscope::views
