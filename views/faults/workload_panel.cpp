// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/workload_panel.h"

#include "faults/recipe_box.h"
#include "scenario/settings.h"
#include "sim/fitting_recipes.h"
#include "theme/fonts.h"
#include "theme/style.h"
#include "theme/widgets.h"

#include <QAbstractItemView>
#include <QBoxLayout>
#include <QComboBox>
#include <QFormLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <algorithm>

namespace lockscope::views {

namespace {

/// "5s" as people write it: "5 s".
QString spaced(const QString& text) {
    const auto unit = std::ranges::find_if(text, [](QChar c) { return c.isLetter(); });
    const qsizetype at = unit - text.begin();
    return at == text.size() ? text : text.left(at) + QChar(0x00a0) + text.mid(at);
}

/// "2 – 4 s", with the unit of both ends where it is not the same.
QString spacedRange(const scenario::Range& range) {
    const QString low = scenario::formatDuration(range.low), high = scenario::formatDuration(range.high);
    if (low == high) return spaced(low);
    const auto unitOf = [](const QString& text) {
        return text.mid(std::ranges::find_if(text, [](QChar c) { return c.isLetter(); }) - text.begin());
    };
    const QString unit = unitOf(low);
    const QString first = unit == unitOf(high) ? low.chopped(unit.size()) : spaced(low);
    return first + QStringLiteral(" – ") + spaced(high);
}

/// The text as a fault carries it: without the spaces that people put in.
std::optional<QString> settingText(const QString& setting, const QString& typed) {
    QString text = typed.trimmed();
    const scenario::Setting* const known = scenario::findSetting(setting);
    Q_ASSERT(known);
    const auto* const time = std::get_if<scenario::TimeSetting>(&known->value);
    const bool off = time && time->word == QLatin1String("off");
    if (off && (text.compare(time->word, Qt::CaseInsensitive) == 0 || text == WorkloadPanel::tr("off") ||
                text == QLatin1String("0")))
        text = time->word;
    scenario::Scenario read;
    if (!scenario::setText(*known, read, text)) return std::nullopt;
    return scenario::textOf(*known, read);
}

} // namespace

WorkloadPanel::WorkloadPanel(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_caption(new SectionCaption(tr("Workload"))),
      m_form(new QFormLayout),
      m_complaint(new DimLabel) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
    column->setSpacing(kGrid / 2);
    column->addWidget(m_caption);
    m_form->setContentsMargins(0, 0, 0, 0);
    m_form->setHorizontalSpacing(0); // labels have a margin instead: the rule for wrapping forgets the spacing
    m_form->setVerticalSpacing(4);
    m_form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_form->setRowWrapPolicy(QFormLayout::WrapLongRows); // a long recipe stands below its label, and can be read
    column->addLayout(m_form);
    m_complaint->setRole(Role::ViolationText);
    m_complaint->setFont(uiFont(-1));
    m_complaint->setWordWrap(true);
    m_complaint->setParent(this);
    m_complaint->hide();
    column->addStretch();

    auto* const recipes = new RecipeBox;
    addChoice(QStringLiteral("recipe"), tr("Recipe"), recipes,
              tr("The lock algorithm that clients use from their next round on"));
    // Space and the arrow keys are the player's again.
    connect(recipes, &RecipeBox::chosenFromList, this, &WorkloadPanel::done);
    const auto readable = [this, recipes] {
        recipes->setMinimumWidth(recipes->widthOfText());
        // A row is wrapped by the width of its own label, but its field begins where the longest label ends.
        int longest = 0;
        for (const auto& [setting, field] : m_controls)
            longest = std::max(longest, m_form->labelForField(field)->sizeHint().width());
        m_form->labelForField(recipes)->setMinimumWidth(longest);
    };
    connect(recipes, &QComboBox::currentTextChanged, recipes, readable);

    m_clients = new QSpinBox;
    m_clients->setRange(1, scenario::kMostClients);
    m_clients->setKeyboardTracking(false);
    addRow(QStringLiteral("clients"), tr("Clients"), m_clients,
           tr("How many client processes, 1 to %1").arg(scenario::kMostClients));
    connect(m_clients, &QSpinBox::valueChanged, this, [this](int value) {
        if (!m_showing) submit(QStringLiteral("clients"), QString::number(value));
    });
    if (const auto* number = m_clients->findChild<QLineEdit*>())
        connect(number, &QLineEdit::returnPressed, this, &WorkloadPanel::done);
    addText(QStringLiteral("lease"), tr("Lease"),
            tr("Lease: after this time without a renewal the server frees the lock, such as 5s or 250ms"));
    addText(QStringLiteral("watchdog"), tr("Watchdog"),
            tr("Watchdog: a holder renews its lease this often, such as 2s, or off"));
    addText(
        QStringLiteral("max_hold"), tr("Longest hold"),
        tr("Longest hold: then the lock is given back and its holder is told, however often it was renewed, such as "
           "12s, or off"));
    addText(QStringLiteral("hold"), tr("Work"),
            tr("Time that the work under the lock takes: shortest – longest, such as 2s – 4s"));
    addText(QStringLiteral("think"), tr("Rest"),
            tr("Time between two rounds of a client: shortest – longest, such as 500ms – 2s"));
    addChoice(QStringLiteral("token_check"), tr("Token check"),
              {{QStringLiteral("off"), tr("off")}, {QStringLiteral("on"), tr("on")}},
              tr("Token: a number that grows with each grant. On: the resource refuses a write whose token is older "
                 "than the newest it has seen"));
    addChoice(QStringLiteral("deadline"), tr("At its deadline"),
              {{QStringLiteral("honoured"), tr("stops")}, {QStringLiteral("ignored"), tr("goes on")}},
              tr("When the lease has ended by the client's own clock: it stops working, or it ignores the clock and "
                 "goes on"));
    addChoice(QStringLiteral("on_loss"), tr("When lost"),
              {{QStringLiteral("stop"), tr("stops")}, {QStringLiteral("carry-on"), tr("goes on")}},
              tr("When a client is told that it has lost the lock: it stops working, or goes on all the same"));

    readable();

    const auto offerFitting = [this, recipes] {
        const session::Session* const session = m_context->session();
        if (!session) return;
        // A simulation begins again on the servers of another kind of recipe.
        const bool anew = session->abilities().rewind;
        recipes->offer(anew ? sim::recipesToBeginWith(session->scenario()) : sim::recipesFor(session->scenario()));
    };
    connect(context, &ViewContext::scenarioChanged, this, offerFitting);
    connect(context, &ViewContext::sessionChanged, this, [this, offerFitting] {
        offerFitting();
        // Text that was typed for another world is not meant for this one. (A replaced trace is still the same world.)
        if (m_context->session() != m_shownSession) {
            complain(nullptr, {});
            for (const auto& [setting, widget] : m_controls)
                if (auto* field = qobject_cast<QLineEdit*>(widget)) field->setModified(false);
        }
        m_shownSession = m_context->session();
        showSettings();
    });
    m_shownSession = context->session();
    offerFitting();
    connect(context, &ViewContext::scenarioChanged, this, &WorkloadPanel::showSettings);
    connect(context, &ViewContext::playheadChanged, this, &WorkloadPanel::showSettings);
    showSettings();
}

void WorkloadPanel::addRow(const QString& setting, const QString& label, QWidget* field, const QString& hint) {
    auto* caption = new DimLabel(label);
    caption->setContentsMargins(0, 0, kGrid, 0);
    caption->setBuddy(field);
    caption->setToolTip(hint);
    field->setToolTip(hint);
    field->setAccessibleName(label);
    field->setAccessibleDescription(hint);
    field->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    field->setMinimumWidth(96);
    m_form->addRow(caption, field);
    m_controls[setting] = field;
}

void WorkloadPanel::addText(const QString& setting, const QString& label, const QString& hint) {
    auto* field = new QLineEdit;
    field->installEventFilter(this);
    addRow(setting, label, field, hint);
    connect(field, &QLineEdit::editingFinished, this, [this, setting] { submitText(setting); });
    connect(field, &QLineEdit::returnPressed, this, [this, field, setting] {
        submitText(setting); // before editingFinished does: by now it is known whether it is wrong
        if (m_wrong != field) Q_EMIT done();
    });
    connect(field, &QLineEdit::textEdited, this, [this, field] {
        if (m_told == field) complain(nullptr, {});
    });
}

void WorkloadPanel::addChoice(const QString& setting, const QString& label,
                              const std::vector<std::pair<QString, QString>>& choices, const QString& hint) {
    auto* field = new QComboBox;
    field->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    field->setMinimumContentsLength(8);
    for (const auto& [value, words] : choices)
        field->addItem(words, value);
    addChoice(setting, label, field, hint);
}

void WorkloadPanel::addChoice(const QString& setting, const QString& label, QComboBox* field, const QString& hint) {
    addRow(setting, label, field, hint);
    connect(field, &QComboBox::activated, this,
            [this, setting, field] { submit(setting, field->currentData().toString()); });
}

QStringList WorkloadPanel::settings() const {
    QStringList names;
    for (const auto& [setting, field] : m_controls)
        names << setting;
    return names;
}

QString WorkloadPanel::label(const QString& setting) const {
    const auto* const caption = qobject_cast<const QLabel*>(m_form->labelForField(control(setting)));
    return caption ? caption->text() : QString();
}

QWidget* WorkloadPanel::control(const QString& setting) const {
    const auto found = m_controls.find(setting);
    return found == m_controls.end() ? nullptr : found->second;
}

QString WorkloadPanel::complaint() const {
    return m_told ? m_complaint->text() : QString();
}

QString WorkloadPanel::shown(const QString& setting) const {
    const scenario::Setting* const known = scenario::findSetting(setting);
    Q_ASSERT(known);
    scenario::Scenario now = m_context->settings();
    const QString text = scenario::textOf(*known, now);
    if (const auto* range = std::get_if<scenario::RangeSetting>(&known->value)) return spacedRange(range->of(now));
    if (const auto* time = std::get_if<scenario::TimeSetting>(&known->value))
        return text == time->word ? tr("off") : spaced(text);
    return text;
}

void WorkloadPanel::showSettings() {
    const session::Session* const session = m_context->session();
    const bool can = session && session->abilities().workload;
    // A recording of somebody's servers: there is nothing that clients of ours worked by.
    const bool nobody = session && !can && m_context->settings().workload.clients == 0;
    m_caption->setHint(!session                    ? tr("nothing is open")
                       : can                       ? QString()
                       : session->abilities().live ? tr("read-only")
                       : nobody                    ? tr("no clients of our own")
                                                   : tr("read-only: a recording"));
    // A lease that nobody renews bounds a hold by itself.
    const scenario::LockSettings& lock = m_context->settings().lock;
    m_form->setRowVisible(control(QStringLiteral("max_hold")), lock.watchdog > Nanos(0) || lock.maxHold > Nanos(0));
    m_showing = true;
    for (const auto& [setting, widget] : m_controls) {
        widget->setEnabled(can);
        if (auto* field = qobject_cast<QLineEdit*>(widget)) {
            // A text that is being typed is kept.
            if (field->hasFocus() && field->isModified()) continue;
            const QString text = nobody ? QStringLiteral("—") : shown(setting);
            if (field->text() != text) field->setText(text);
        } else if (auto* box = qobject_cast<QComboBox*>(widget)) {
            if (!box->view()->isVisible()) box->setCurrentIndex(nobody ? -1 : box->findData(shown(setting)));
        }
    }
    // A live server starts with none of our clients, and may go back to none.
    m_clients->setMinimum(nobody || (session && session->abilities().live) ? 0 : 1);
    if (!m_clients->hasFocus() || m_clients->value() == m_clients->cleanText().toInt())
        m_clients->setValue(m_context->settings().workload.clients);
    m_showing = false;
}

void WorkloadPanel::submitText(const QString& setting) {
    auto* field = static_cast<QLineEdit*>(m_controls[setting]);
    if (!field->isModified()) return;
    const auto text = settingText(setting, field->text());
    if (!text) {
        const bool range = setting == QLatin1String("hold") || setting == QLatin1String("think");
        complain(
            field,
            range ? tr("“%1” is not a span of time: write the shortest and the longest, such as 2s – 4s. It stays %2.")
                        .arg(field->text(), shown(setting))
                  : tr("“%1” is not a time: write a number and a unit, such as 5s, 250ms or 2m. It stays %2.")
                        .arg(field->text(), shown(setting)));
        if (field->hasFocus()) {
            field->selectAll(); // to be typed again
            return;
        }
        leaveWrong(setting);
        return;
    }
    complain(nullptr, {});
    field->setModified(false);
    submit(setting, *text);
    showSettings();
}

/// Left behind, the field shows what is in force; the words below it stay.
void WorkloadPanel::leaveWrong(const QString& setting) {
    auto* field = static_cast<QLineEdit*>(m_controls[setting]);
    if (m_wrong != field) return;
    markField(field, FieldMark::Fine);
    m_wrong = nullptr;
    field->setModified(false);
    field->setText(shown(setting));
}

bool WorkloadPanel::eventFilter(QObject* watched, QEvent* event) {
    const auto settingOf = [&] {
        return std::ranges::find(m_controls, watched, [](const auto& c) { return c.second; });
    };
    // A field tells the end of editing once only: at Enter, before it is left.
    if (event->type() == QEvent::FocusOut && watched == m_wrong) leaveWrong(settingOf()->first);
    const bool pressed = event->type() == QEvent::KeyPress;
    if (!pressed && event->type() != QEvent::ShortcutOverride) return QWidget::eventFilter(watched, event);
    if (static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape) return QWidget::eventFilter(watched, event);
    event->accept();
    if (pressed) giveUp(settingOf()->first);
    return true;
}

void WorkloadPanel::giveUp(const QString& setting) {
    auto* field = static_cast<QLineEdit*>(m_controls[setting]);
    if (m_told == field) complain(nullptr, {});
    field->setModified(false);
    field->setText(shown(setting));
    Q_EMIT done();
}

void WorkloadPanel::submit(const QString& setting, const QString& text) {
    // A value that is in force already is no change, and makes no fault in the trace. The session judges invalid
    // values, and values that only it allows, such as no clients at all.
    scenario::Scenario changed = m_context->settings();
    if (scenario::applySetting(changed, setting, text) && changed == m_context->settings()) return;
    scenario::Fault fault;
    fault.action = scenario::Action::Set;
    fault.setting = setting;
    fault.text = text;
    m_context->breakIt(std::move(fault));
}

void WorkloadPanel::complain(QLineEdit* field, const QString& message) {
    if (m_wrong) markField(m_wrong, FieldMark::Fine);
    if (m_told) {
        // The row's items are ours now; the complaint itself is used again.
        const QFormLayout::TakeRowResult row = m_form->takeRow(m_complaint);
        delete row.labelItem;
        delete row.fieldItem;
    }
    m_wrong = m_told = field;
    m_complaint->setText(message);
    m_complaint->setAccessibleName(message);
    if (field) {
        int row = 0;
        QFormLayout::ItemRole role{};
        m_form->getWidgetPosition(field, &row, &role);
        m_form->insertRow(row + 1, m_complaint);
        markField(field, FieldMark::Wrong);
    }
    m_complaint->setVisible(field);
}

} // namespace lockscope::views
