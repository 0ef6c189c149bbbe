// SPDX-License-Identifier: GPL-3.0-or-later
#include "welcome/connect_dialog.h"

#include "theme/fonts.h"
#include "theme/style.h"
#include "theme/widgets.h"
#include "welcome/url_field.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QUrl>

namespace lockscope::views {

ConnectDialog::ConnectDialog(Check check, const QStringList& recent, QWidget* parent)
    : QDialog(parent),
      m_check(std::move(check)),
      m_url(new QComboBox),
      m_names(new QLineEdit),
      m_complaint(new DimLabel),
      m_changes(new QCheckBox(tr("Allow &changes on this server"))),
      m_connect(new QPushButton(tr("Connect"))) {
    setWindowTitle(tr("Connect to a server"));
    setMinimumWidth(560);

    auto* label = new QLabel(tr("&Address"));
    label->setBuddy(m_url);
    m_url->setEditable(true);
    m_url->setLineEdit(new UrlField);
    m_url->setInsertPolicy(QComboBox::NoInsert);
    m_url->addItems(recent);
    m_url->setCurrentText(QString());
    m_url->lineEdit()->setPlaceholderText(QStringLiteral("redis://127.0.0.1:6379"));
    m_url->setAccessibleName(tr("Address of the server"));
    if (m_url->completer()) m_url->completer()->setCaseSensitivity(Qt::CaseSensitive);

    auto* names = new QLabel(tr("&Only locks named"));
    names->setBuddy(m_names);
    m_names->setFont(fixedFont());
    m_names->setPlaceholderText(QStringLiteral("orders:*, !*:cache"));
    m_names->setToolTip(tr("Patterns with * and ?, with commas between them; “!” in front leaves locks out. Empty: all "
                           "locks."));
    m_names->setAccessibleName(tr("Names of the locks to show"));

    m_complaint->setWordWrap(true);
    // The complaint may repeat the user's input: never show it as markup.
    m_complaint->setTextFormat(Qt::PlainText);
    m_complaint->setMinimumHeight(2 * m_complaint->fontMetrics().height());
    m_complaint->setAlignment(Qt::AlignTop | Qt::AlignLeft);

    auto* examples = new DimLabel(QStringLiteral("redis://user:password@host:6379/2\nzookeeper://zk1:2181,zk2:2181\n"
                                                 "postgresql://user:password@host/database"));
    examples->setFont(fixedFont(-0.5));
    examples->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* note = new DimLabel(tr("Off: Lockscope only reads. On: its own clients may take and free locks there, and "
                                 "faults may be injected. A password is used for this connection and stored nowhere."));
    note->setWordWrap(true);
    m_changes->setChecked(false);

    auto* buttons = new QDialogButtonBox;
    buttons->addButton(m_connect, QDialogButtonBox::AcceptRole);
    buttons->addButton(QDialogButtonBox::Cancel);
    m_connect->setDefault(true);
    makePrimary(m_connect);
    QPalette onAccent = m_connect->palette();
    onAccent.setColor(QPalette::Active, QPalette::ButtonText, color(Role::TextOnColor));
    onAccent.setColor(QPalette::Inactive, QPalette::ButtonText, color(Role::TextOnColor));
    m_connect->setPalette(onAccent);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(3 * kGrid, 3 * kGrid, 3 * kGrid, 2 * kGrid);
    layout->setSpacing(kGrid);
    layout->addWidget(label);
    layout->addWidget(m_url);
    layout->addWidget(m_complaint);
    layout->addWidget(new SectionCaption(tr("Examples")));
    layout->addWidget(examples);
    layout->addSpacing(kGrid);
    layout->addWidget(names);
    layout->addWidget(m_names);
    layout->addSpacing(kGrid);
    layout->addWidget(m_changes);
    layout->addWidget(note);
    layout->addSpacing(kGrid);
    layout->addWidget(buttons);

    connect(m_url, &QComboBox::editTextChanged, this, &ConnectDialog::validate);
    connect(m_names, &QLineEdit::textChanged, this, &ConnectDialog::validate);
    validate();
}

void ConnectDialog::setUrl(const QString& url) {
    m_url->setCurrentText(url);
    m_url->lineEdit()->selectAll();
}

QString ConnectDialog::url() const {
    QString address = m_url->currentText().trimmed();
    QStringList match, ignore;
    for (const QString& word : m_names->text().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const QString name = word.trimmed();
        if (name.startsWith(QLatin1Char('!')))
            ignore += name.mid(1);
        else if (!name.isEmpty())
            match += name;
    }
    const auto add = [&address](QLatin1String option, const QStringList& globs) {
        if (address.isEmpty() || globs.isEmpty()) return;
        address += address.contains(QLatin1Char('?')) ? QLatin1Char('&') : QLatin1Char('?');
        address +=
            option + QLatin1Char('=') + QString::fromLatin1(QUrl::toPercentEncoding(globs.join(QLatin1Char(','))));
    };
    add(QLatin1String("match"), match);
    add(QLatin1String("ignore"), ignore);
    return address;
}
bool ConnectDialog::changesAllowed() const {
    return m_changes->isChecked();
}

QString ConnectDialog::complaint() const {
    if (url().isEmpty()) return tr("Type the address of a server.");
    return m_check ? m_check(url()) : QString();
}

void ConnectDialog::validate() {
    const QString complaint = this->complaint();
    m_connect->setEnabled(complaint.isEmpty());
    m_complaint->setText(url().isEmpty()       ? QString()
                         : complaint.isEmpty() ? tr("This address can be tried.")
                                               : complaint);
    static_cast<DimLabel*>(m_complaint)->setRole(complaint.isEmpty() ? Role::AcceptedText : Role::ViolationText);
}

} // namespace lockscope::views
