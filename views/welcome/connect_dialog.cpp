// SPDX-License-Identifier: GPL-3.0-or-later
#include "welcome/connect_dialog.h"

#include "theme/fonts.h"
#include "theme/form_area.h"
#include "theme/style.h"
#include "theme/widgets.h"
#include "welcome/url_field.h"
#include "welcome/url_parts.h"
#include "welcome/url_parts_form.h"

#include <QAccessible>
#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScreen>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include <algorithm>

namespace lockscope::views {

namespace {

bool isOfRedis(const QString& address) {
    return address.startsWith(QLatin1String("redis"), Qt::CaseInsensitive);
}

bool isOfMemcached(const QString& address) {
    return address.startsWith(QLatin1String("memcached"), Qt::CaseInsensitive);
}

/// Servers that take any login while theirs are not set up, without a word.
bool mayIgnoreLogin(const QString& address) {
    const UrlParts parts = UrlParts::of(address);
    const bool login = !parts.user.isEmpty() || !parts.password.isEmpty();
    return login && (parts.scheme == u"etcd" || parts.scheme == u"memcached");
}

bool isOfDatabase(const QString& address) {
    static constexpr const char* kSchemes[] = {"postgres", "mysql:", "mariadb:", "sqlite:"};
    return std::ranges::any_of(
        kSchemes, [&](const char* scheme) { return address.startsWith(QLatin1String(scheme), Qt::CaseInsensitive); });
}

/// The words between commas.
QStringList wordsIn(const QString& text) {
    QStringList words;
    for (const QString& word : text.split(QLatin1Char(',')))
        words += word.trimmed();
    return words;
}

/// Moves a window up where it has grown beyond the lower edge of its screen.
class OnScreen : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        auto* const window = static_cast<QWidget*>(watched);
        if (event->type() == QEvent::Resize || event->type() == QEvent::Show)
            QTimer::singleShot(0, window, [window] { moveUp(window); }); // its place is told after its size
        return QObject::eventFilter(watched, event);
    }

private:
    static void moveUp(QWidget* window) {
        const QRect room = window->screen()->availableGeometry(), frame = window->frameGeometry();
        if (frame.bottom() > room.bottom())
            window->move(frame.left(), std::max(room.top(), room.bottom() - frame.height()));
    }
};

} // namespace

ConnectDialog::ConnectDialog(Check check, const QStringList& recent, QWidget* parent)
    : QDialog(parent),
      m_check(std::move(check)),
      m_savedRow(new QWidget),
      m_saved(new QComboBox),
      m_name(new QLineEdit),
      m_try(new QPushButton(tr("&Test"))),
      m_url(new QComboBox),
      m_showParts(new QToolButton),
      m_parts(new UrlPartsForm),
      m_keeping(new DimLabel),
      m_names(new QLineEdit),
      m_stringsRow(new QWidget),
      m_strings(new QLineEdit),
      m_list(new QCheckBox(tr("Fin&d locks by listing all keys"))),
      m_tableRow(new QWidget),
      m_table(new QLineEdit),
      m_complaint(new DimLabel),
      m_changes(new QCheckBox(tr("Allow &changes on this server"))),
      m_connect(new QPushButton(tr("Connect"))) {
    setWindowTitle(tr("Connect to a server"));
    setMinimumWidth(560);
    installEventFilter(new OnScreen(this)); // its form grows

    auto* savedLabel = new QLabel(tr("&Saved connections"));
    savedLabel->setBuddy(m_saved);
    m_saved->setAccessibleName(tr("Saved connections"));
    auto* forget = new QPushButton(tr("&Forget"));
    forget->setToolTip(tr("Remove this connection from the list"));
    auto* savedLayout = new QHBoxLayout(m_savedRow);
    savedLayout->setContentsMargins(0, 0, 0, kGrid);
    savedLayout->setSpacing(kGrid);
    savedLayout->addWidget(savedLabel);
    savedLayout->addWidget(m_saved, 1);
    savedLayout->addWidget(forget);
    forget->setEnabled(false);
    forget->setAutoDefault(false); // Return connects
    m_savedRow->hide();
    connect(m_saved, &QComboBox::currentIndexChanged, this, [this, forget](int index) {
        forget->setEnabled(index > 0);
        take(index - 1);
    });
    connect(forget, &QPushButton::clicked, this, [this] {
        const int index = m_saved->currentIndex() - 1;
        if (index < 0) return;
        QList<Saved> left = m_savedOnes;
        const QString name = left.takeAt(index).name;
        setSaved(left);
        m_name->clear();
        Q_EMIT forgotten(name);
    });
    auto* nameLabel = new QLabel(tr("Save under the &name"));
    nameLabel->setBuddy(m_name);
    m_name->setPlaceholderText(tr("empty: it is not saved"));
    m_name->setAccessibleName(tr("Name under which the connection is saved"));

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

    m_showParts->setText(tr("&Parts of the address"));
    m_showParts->setToolTip(tr("Fill in login, database and TLS files one by one"));
    m_showParts->setCheckable(true);
    m_showParts->setAutoRaise(true);
    m_showParts->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_showParts->setArrowType(Qt::RightArrow);
    m_parts->hide();
    connect(m_showParts, &QToolButton::toggled, this, [this](bool shown) {
        m_showParts->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
        m_parts->setVisible(shown);
    });
    connect(m_parts, &UrlPartsForm::edited, this, [this] {
        const QSignalBlocker quiet(m_url); // what is being typed stays as it is typed
        m_url->setCurrentText(m_parts->url());
        validate();
    });
    connect(m_url, &QComboBox::editTextChanged, m_parts, &UrlPartsForm::setUrl);

    auto* names = new QLabel(tr("&Only locks named"));
    names->setBuddy(m_names);
    m_names->setFont(fixedFont());
    m_names->setPlaceholderText(QStringLiteral("orders:*, !*:cache"));
    m_names->setToolTip(tr("Patterns with * and ?, with commas between them; “!” in front leaves locks out. Empty: all "
                           "locks."));
    m_names->setAccessibleName(tr("Names of the locks to show"));

    auto* strings = new QLabel(tr("String &keys that are locks"));
    strings->setBuddy(m_strings);
    m_strings->setFont(fixedFont());
    m_strings->setPlaceholderText(QStringLiteral("jobs:*"));
    m_strings->setToolTip(tr("Patterns as above. Strings that libraries write as locks are recognised without this."));
    m_strings->setAccessibleName(tr("Names of string keys that are locks"));
    m_stringsRow->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed); // else it pays for lines that wrap
    auto* stringsLayout = new QVBoxLayout(m_stringsRow);
    stringsLayout->setContentsMargins(0, kGrid, 0, 0);
    stringsLayout->setSpacing(kGrid);
    stringsLayout->addWidget(strings);
    stringsLayout->addWidget(m_strings);

    m_list->setToolTip(
        tr("memcached lists its keys only by a walk through all items (metadump), which costs it some time. "
           "Off: only locks that are named in full above are shown."));

    auto* table = new QLabel(tr("A &lock table of your own"));
    table->setBuddy(m_table);
    m_table->setFont(fixedFont());
    m_table->setPlaceholderText(tr("table, column of the names, of the owners, of the ends"));
    m_table->setToolTip(tr("For example app.jobs, job, node, locked_until. The last two may be left out: a row is held "
                           "while it has an owner, and until its end. Tables of known libraries are recognised "
                           "without this."));
    m_table->setAccessibleName(tr("A lock table of your own: its name and columns"));
    m_tableRow->setSizePolicy(m_stringsRow->sizePolicy());
    auto* tableLayout = new QVBoxLayout(m_tableRow);
    tableLayout->setContentsMargins(0, kGrid, 0, 0);
    tableLayout->setSpacing(kGrid);
    tableLayout->addWidget(table);
    tableLayout->addWidget(m_table);

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
                                 "faults may be injected."));
    note->setWordWrap(true);
    m_keeping->setWordWrap(true);
    m_keeping->setMinimumHeight(2 * m_keeping->fontMetrics().height()); // its words come later
    m_keeping->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    setKeeping(Keeping::NotKnown);
    m_changes->setChecked(false);

    auto* buttons = new QDialogButtonBox;
    buttons->addButton(m_try, QDialogButtonBox::ActionRole);
    m_try->setToolTip(tr("Connect once and say what came of it; nothing is changed"));
    m_try->setAutoDefault(false);
    connect(m_try, &QPushButton::clicked, this, &ConnectDialog::tryIt);
    buttons->addButton(m_connect, QDialogButtonBox::AcceptRole);
    buttons->addButton(QDialogButtonBox::Cancel);
    m_try->hide(); // until there is somebody to do it; the box shows all when one is added
    m_connect->setDefault(true);
    makePrimary(m_connect);
    QPalette onAccent = m_connect->palette();
    onAccent.setColor(QPalette::Active, QPalette::ButtonText, color(Role::TextOnColor));
    onAccent.setColor(QPalette::Inactive, QPalette::ButtonText, color(Role::TextOnColor));
    m_connect->setPalette(onAccent);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto* form = new QWidget;
    auto* layout = new QVBoxLayout(form);
    layout->setContentsMargins(3 * kGrid, 3 * kGrid, 3 * kGrid, kGrid);
    layout->setSpacing(kGrid);
    layout->addWidget(m_savedRow);
    layout->addWidget(label);
    layout->addWidget(m_url);
    layout->addWidget(m_showParts, 0, Qt::AlignLeft);
    layout->addWidget(m_parts);
    layout->addWidget(m_complaint);
    layout->addSpacing(kGrid / 2);
    layout->addWidget(new SectionCaption(tr("Examples")));
    layout->addWidget(examples);
    layout->addSpacing(kGrid);
    layout->addWidget(names);
    layout->addWidget(m_names);
    layout->addWidget(m_stringsRow);
    layout->addWidget(m_list);
    layout->addWidget(m_tableRow);
    layout->addSpacing(kGrid);
    layout->addWidget(m_changes);
    layout->addWidget(note);
    layout->addSpacing(kGrid);
    layout->addWidget(nameLabel);
    layout->addWidget(m_name);
    layout->addWidget(m_keeping);
    layout->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 2 * kGrid);
    column->setSpacing(kGrid);
    column->addWidget(new FormArea(form), 1);
    buttons->setContentsMargins(3 * kGrid, 0, 3 * kGrid, 0);
    column->addWidget(buttons);

    connect(m_url, &QComboBox::editTextChanged, this, &ConnectDialog::validate);
    connect(m_names, &QLineEdit::textChanged, this, &ConnectDialog::validate);
    connect(m_strings, &QLineEdit::textChanged, this, &ConnectDialog::validate);
    connect(m_list, &QCheckBox::toggled, this, &ConnectDialog::validate);
    connect(m_table, &QLineEdit::textChanged, this, &ConnectDialog::validate);
    validate();
}

void ConnectDialog::setUrl(const QString& url) {
    m_url->setCurrentText(url);
    m_url->lineEdit()->selectAll();
}

void ConnectDialog::setConnection(const Saved& connection) {
    setUrl(connection.url);
    m_name->setText(connection.name);
    m_changes->setChecked(connection.changes);
}

void ConnectDialog::askForPassword() {
    m_showParts->setChecked(true);
    m_parts->focusPassword();
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
    QStringList strings;
    for (const QString& word : m_strings->text().split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (!word.trimmed().isEmpty()) strings += word.trimmed();
    if (isOfRedis(address)) add(QLatin1String("string"), strings);
    if (isOfMemcached(address) && m_list->isChecked() && !address.contains(QLatin1String("list=")))
        add(QLatin1String("list"), {QStringLiteral("metadump")});
    if (isOfDatabase(address) && !m_table->text().trimmed().isEmpty()) {
        const QStringList words = wordsIn(m_table->text());
        static constexpr const char* kOptions[] = {"table", "name", "owner", "until"};
        for (qsizetype at = 0; at < std::min<qsizetype>(words.size(), std::ssize(kOptions)); ++at)
            if (!words[at].isEmpty()) add(QLatin1String(kOptions[at]), {words[at]});
    }
    return address;
}

void ConnectDialog::setTrial(Trial trial) {
    m_trial = std::move(trial);
    m_try->setVisible(bool(m_trial));
    validate();
}

void ConnectDialog::setSaved(const QList<Saved>& saved) {
    m_savedOnes = saved;
    const QSignalBlocker quiet(m_saved);
    m_saved->clear();
    m_saved->addItem(tr("a new one"));
    for (const Saved& one : saved)
        //: A saved connection: its name and its address.
        m_saved->addItem(tr("%1 · %2").arg(one.name, one.url));
    m_savedRow->setVisible(!saved.isEmpty());
}

bool ConnectDialog::chooseSaved(const QString& url) {
    const auto found = std::ranges::find(m_savedOnes, url, &Saved::url);
    if (found == m_savedOnes.end()) return false;
    m_saved->setCurrentIndex(int(found - m_savedOnes.begin()) + 1);
    return true;
}

void ConnectDialog::take(int saved) {
    m_names->clear(); // the address has them
    m_strings->clear();
    m_list->setChecked(false);
    m_table->clear();
    const Saved chosen = saved < 0 ? Saved() : m_savedOnes.value(saved);
    setConnection(chosen);
    if (saved >= 0) recall(chosen);
}

void ConnectDialog::recall(const Saved& chosen) {
    if (!m_recall) return;
    setKeeping(Keeping::Asking);
    m_recall(chosen, this, [this, chosen](Keeping keeping, const QString& url) {
        setKeeping(keeping);
        // Typed in meanwhile, or another one chosen: that counts.
        const bool waits = m_saved->currentIndex() > 0 && m_name->text() == chosen.name && this->url() == chosen.url;
        if (waits && !url.isEmpty()) m_url->setCurrentText(url);
    });
}

void ConnectDialog::setRecall(Recall recall) {
    m_recall = std::move(recall);
}

void ConnectDialog::setKeeping(Keeping keeping) {
    const auto words = [keeping] {
        switch (keeping) {
        case Keeping::Asking:
            return tr("Asking this desktop's secret store for the password…");
        case Keeping::SecretStore:
            return tr("The password of a saved connection is kept in this desktop's secret store.");
        case Keeping::Nowhere:
            return tr("This desktop has no secret store, or it is locked: a password is not kept and must be typed "
                      "each time.");
        case Keeping::NotKnown:
            break;
        }
        return tr("A password is used for this connection and not kept.");
    };
    m_keeping->setText(words());
}

QString ConnectDialog::name() const {
    return m_name->text().trimmed();
}

void ConnectDialog::tryIt() {
    if (!m_trial || !complaint().isEmpty()) return;
    m_try->setEnabled(false);
    m_complaint->setText(tr("Trying…"));
    static_cast<DimLabel*>(m_complaint)->setRole(Role::TextDim);
    m_running = m_trial(url(), [this](bool good, const QString& sentence) {
        m_try->setEnabled(true);
        m_complaint->setText(sentence);
        m_complaint->setAccessibleName(sentence);
        // Often the password is missing: its field comes into sight.
        const UrlParts parts = UrlParts::of(m_url->currentText());
        if (!good && parts.apply() && parts.password.isEmpty()) m_showParts->setChecked(true);
        static_cast<DimLabel*>(m_complaint)->setRole(good ? Role::AcceptedText : Role::ViolationText);
        QAccessibleEvent event(m_complaint, QAccessible::Alert);
        QAccessible::updateAccessibility(&event);
    });
}

bool ConnectDialog::changesAllowed() const {
    return m_changes->isChecked();
}

QString ConnectDialog::complaint() const {
    if (url().isEmpty()) return tr("Type the address of a server.");
    const qsizetype words = wordsIn(m_table->text()).size();
    if (isOfDatabase(url()) && (words > 4 || (words == 1 && !m_table->text().trimmed().isEmpty())))
        return tr("Write the lock table, then its columns of the names, of the owners and of the ends, with commas "
                  "between them: at least the first two.");
    return m_check ? m_check(url()) : QString();
}

void ConnectDialog::validate() {
    m_running.reset(); // what it says would be of another address
    const QString address = m_url->currentText().trimmed();
    m_stringsRow->setEnabled(isOfRedis(address));
    m_stringsRow->setVisible(!isOfDatabase(address) && !isOfMemcached(address)); // one of the three has the place
    m_list->setVisible(isOfMemcached(address));
    m_tableRow->setVisible(isOfDatabase(address));
    const QString complaint = this->complaint();
    m_try->setEnabled(complaint.isEmpty());
    m_connect->setEnabled(complaint.isEmpty());
    m_complaint->setText(url().isEmpty()           ? QString()
                         : !complaint.isEmpty()    ? complaint
                         : mayIgnoreLogin(address) ? tr("This address can be tried. A server that is not set up to "
                                                        "check logins ignores this one; Test tells.")
                                                   : tr("This address can be tried."));
    static_cast<DimLabel*>(m_complaint)->setRole(complaint.isEmpty() ? Role::AcceptedText : Role::ViolationText);
}

} // namespace lockscope::views
