// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/force_release_dialog.h"

#include "theme/fonts.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <algorithm>

namespace lockscope::views {

namespace {

constexpr int kLines = 10; ///< of commands that are in sight at once

/// As databases free what only a session or its transaction can give back.
bool endsASession(const QString& command) {
    return command.contains(QLatin1String("pg_terminate_backend(")) || command.startsWith(QLatin1String("KILL "));
}

} // namespace

ForceReleaseDialog::ForceReleaseDialog(const QString& lock, const QString& holder, trace::Certainty certainty,
                                       QWidget* parent)
    : QDialog(parent),
      m_lock(lock),
      m_holder(holder),
      m_consequence(new DimLabel(QString())),
      m_commands(new QPlainTextEdit),
      m_name(new QLineEdit),
      m_release(new QPushButton(tr("&Release by force"))) {
    setWindowTitle(tr("Release “%1” by force").arg(lock));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(3 * kGrid, 2 * kGrid, 3 * kGrid, 2 * kGrid);
    layout->setSpacing(kGrid);
    auto* title = new QLabel(tr("Take “%1” away from %2?").arg(lock, holder));
    title->setTextFormat(Qt::PlainText); // names come from a server: they are no markup
    title->setFont(uiFont(1, QFont::DemiBold));
    layout->addWidget(title);
    m_consequence->setObjectName(QStringLiteral("consequence"));
    m_consequence->setText(
        tr("Only some libraries hear of it at once. If %1's does not, it goes on as if it held the lock "
           "until it asks the server again, and somebody else can have the lock meanwhile.")
            .arg(holder));
    m_consequence->setWordWrap(true);
    m_consequence->setMinimumWidth(480); // commands are long
    layout->addWidget(m_consequence);
    if (certainty == trace::Certainty::Guess) {
        auto* doubt = new DimLabel(tr("That this key is a lock is only a guess. Releasing it deletes the key, "
                                      "whatever it is."));
        doubt->setObjectName(QStringLiteral("doubt"));
        doubt->setRole(Role::ViolationText);
        doubt->setWordWrap(true);
        layout->addWidget(doubt);
    }
    auto* sent = new QLabel(tr("This will be &sent, and changes nothing if another client holds the lock by then:"));
    sent->setWordWrap(true);
    sent->setBuddy(m_commands);
    layout->addSpacing(kGrid);
    layout->addWidget(sent);
    m_commands->setObjectName(QStringLiteral("commands"));
    m_commands->setReadOnly(true);
    m_commands->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard); // with a cursor
    m_commands->setFont(fixedFont());
    m_commands->setLineWrapMode(QPlainTextEdit::WidgetWidth); // nobody should agree to what is out of sight
    m_commands->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    m_commands->setTabChangesFocus(true);
    m_commands->setPlaceholderText(tr("Asking what the lock looks like now…"));
    // Whole lines: half a command at the lower edge is read as another one.
    m_commands->setFixedHeight(m_commands->fontMetrics().lineSpacing() * kLines +
                               int(m_commands->document()->documentMargin()) + 2 * m_commands->frameWidth());
    layout->addWidget(m_commands);
    auto* label = new QLabel(tr("&Type the lock's name to confirm:"));
    label->setBuddy(m_name);
    layout->addSpacing(kGrid);
    layout->addWidget(label);
    m_name->setPlaceholderText(lock);
    layout->addWidget(m_name);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    buttons->addButton(m_release, QDialogButtonBox::AcceptRole);
    m_release->setEnabled(false);
    layout->addSpacing(kGrid);
    layout->addWidget(buttons);
    connect(m_name, &QLineEdit::textChanged, this, &ForceReleaseDialog::enable);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    m_name->setFocus();
}

void ForceReleaseDialog::setCommands(const QStringList& lines) {
    m_known = true;
    m_commands->setPlainText(lines.join(QLatin1Char('\n')));
    if (std::ranges::any_of(lines, endsASession))
        m_consequence->setText(
            tr("This ends the whole session of %1: its program gets an error, its transaction is rolled "
               "back, and it loses every lock that it has there.")
                .arg(m_holder));
    enable();
}

void ForceReleaseDialog::setRefused(const QString& why) {
    if (!m_known) m_commands->setPlaceholderText(why);
}

void ForceReleaseDialog::enable() {
    m_release->setEnabled(m_known && m_name->text() == m_lock);
}

} // namespace lockscope::views
