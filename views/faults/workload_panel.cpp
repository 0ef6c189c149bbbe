// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/workload_panel.h"

#include "models/settings.h"
#include "recipes/recipe_info.h"
#include "sim/settings_text.h"
#include "theme/fonts.h"
#include "theme/widgets.h"

#include <QAbstractItemView>
#include <QBoxLayout>
#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QSpinBox>

namespace lockscope::views {

namespace {

constexpr int kMostClients = 200;

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
    const QString text = typed.trimmed();
    if (setting == QLatin1String("hold") || setting == QLatin1String("think")) {
        const auto range = parseRange(text);
        return range ? std::optional(formatRange(*range)) : std::nullopt;
    }
    if (setting == QLatin1String("watchdog") && (text.compare(QLatin1String("off"), Qt::CaseInsensitive) == 0 ||
                                                 text == WorkloadPanel::tr("off") || text == QLatin1String("0")))
        return QStringLiteral("off");
    const auto time = scenario::parseDuration(text);
    if (!time || *time < Nanos::zero()) return std::nullopt;
    if (setting == QLatin1String("lease") && *time < 1ms) return std::nullopt;
    return *time == Nanos::zero() ? QStringLiteral("off") : scenario::formatDuration(*time);
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
    m_form->setHorizontalSpacing(kGrid);
    m_form->setVerticalSpacing(5);
    m_form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    column->addLayout(m_form);
    m_complaint->setRole(Role::ViolationText);
    m_complaint->setFont(uiFont(-1));
    m_complaint->setWordWrap(true);
    m_complaint->hide();
    column->addWidget(m_complaint);
    column->addStretch();

    std::vector<std::pair<QString, QString>> all;
    for (const recipes::RecipeInfo& info : recipes::simulatedRecipes()) {
        const QString id = QString::fromLatin1(info.id);
        all.emplace_back(id, info.naive ? tr("%1 (naive)").arg(id) : id);
    }
    addChoice(QStringLiteral("recipe"), tr("Recipe"), all,
              tr("The lock algorithm that clients use from their next round on"));
    auto* recipe = static_cast<QComboBox*>(m_controls[QStringLiteral("recipe")]);
    for (int i = 0; i < recipe->count(); ++i)
        recipe->setItemData(i, recipes::simulatedRecipes()[std::size_t(i)].summary, Qt::ToolTipRole);

    m_clients = new QSpinBox;
    m_clients->setRange(1, kMostClients);
    m_clients->setKeyboardTracking(false);
    addRow(QStringLiteral("clients"), tr("Clients"), m_clients,
           tr("How many client processes, 1 to %1").arg(kMostClients));
    connect(m_clients, &QSpinBox::valueChanged, this, [this](int value) {
        if (!m_showing) submit(QStringLiteral("clients"), QString::number(value));
    });
    addText(QStringLiteral("lease"), tr("Lease"), tr("How long the server keeps a hold, such as 5s or 250ms"));
    addText(QStringLiteral("watchdog"), tr("Watchdog"), tr("How often a holder renews, such as 2s, or off"));
    addText(QStringLiteral("hold"), tr("Hold"), tr("How long the work takes: shortest – longest, such as 2s – 4s"));
    addText(QStringLiteral("think"), tr("Think"), tr("Pause between rounds: shortest – longest"));
    addChoice(QStringLiteral("token_check"), tr("Token check"),
              {{QStringLiteral("false"), tr("off")}, {QStringLiteral("true"), tr("on")}},
              tr("Whether the guarded resource refuses a write with a token older than the newest it has seen"));
    addChoice(QStringLiteral("deadline"), tr("Deadline"),
              {{QStringLiteral("honoured"), tr("honoured")}, {QStringLiteral("ignored"), tr("ignored")}},
              tr("Whether a client gives the lock up by its own clock when its lease has ended"));
    addChoice(QStringLiteral("on_loss"), tr("On loss"),
              {{QStringLiteral("stop"), tr("stop")}, {QStringLiteral("carry-on"), tr("carry on")}},
              tr("What a client does that is told it has lost the lock"));

    connect(context, &ViewContext::sessionChanged, this, [this] {
        // What was typed for another world is not meant for this one. (A replaced trace is still the same world.)
        if (m_context->session() != m_shownSession) {
            complain(nullptr, {});
            for (const auto& [setting, widget] : m_controls)
                if (auto* field = qobject_cast<QLineEdit*>(widget)) field->setModified(false);
        }
        m_shownSession = m_context->session();
        showSettings();
    });
    m_shownSession = context->session();
    connect(context, &ViewContext::scenarioChanged, this, &WorkloadPanel::showSettings);
    connect(context, &ViewContext::playheadChanged, this, &WorkloadPanel::showSettings);
    showSettings();
}

void WorkloadPanel::addRow(const QString& setting, const QString& label, QWidget* field, const QString& hint) {
    auto* caption = new DimLabel(label);
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
    addRow(setting, label, field, hint);
    connect(field, &QLineEdit::editingFinished, this, [this, setting] { submitText(setting); });
    connect(field, &QLineEdit::textEdited, this, [this, field] {
        if (m_wrong == field) complain(nullptr, {});
    });
}

void WorkloadPanel::addChoice(const QString& setting, const QString& label,
                              const std::vector<std::pair<QString, QString>>& choices, const QString& hint) {
    auto* field = new QComboBox;
    field->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    field->setMinimumContentsLength(8);
    for (const auto& [value, words] : choices)
        field->addItem(words, value);
    addRow(setting, label, field, hint);
    connect(field, &QComboBox::activated, this,
            [this, setting, field] { submit(setting, field->currentData().toString()); });
}

QWidget* WorkloadPanel::control(const QString& setting) const {
    const auto found = m_controls.find(setting);
    return found == m_controls.end() ? nullptr : found->second;
}

QString WorkloadPanel::complaint() const {
    return m_wrong ? m_complaint->text() : QString();
}

QString WorkloadPanel::shown(const QString& setting) const {
    const scenario::Scenario& now = m_context->settings();
    if (setting == QLatin1String("lease")) return spaced(scenario::formatDuration(now.lock.lease));
    if (setting == QLatin1String("watchdog"))
        return now.lock.watchdog == Nanos::zero() ? tr("off") : spaced(scenario::formatDuration(now.lock.watchdog));
    if (setting == QLatin1String("hold")) return spacedRange(now.workload.hold);
    if (setting == QLatin1String("think")) return spacedRange(now.workload.think);
    if (setting == QLatin1String("recipe")) return now.recipe;
    if (setting == QLatin1String("token_check"))
        return now.resource.tokenCheck ? QStringLiteral("true") : QStringLiteral("false");
    if (setting == QLatin1String("deadline"))
        return now.lock.honourDeadline ? QStringLiteral("honoured") : QStringLiteral("ignored");
    return now.workload.stopOnLoss ? QStringLiteral("stop") : QStringLiteral("carry-on");
}

void WorkloadPanel::showSettings() {
    const session::Session* const session = m_context->session();
    const bool can = session && session->abilities().workload;
    m_caption->setHint(!session ? tr("nothing is open") : can ? QString() : tr("fixed here"));
    m_showing = true;
    for (const auto& [setting, widget] : m_controls) {
        widget->setEnabled(can);
        if (auto* field = qobject_cast<QLineEdit*>(widget)) {
            // Neither what is being typed nor what is complained about is wiped away.
            if (m_wrong == field || (field->hasFocus() && field->isModified())) continue;
            if (const QString text = shown(setting); field->text() != text) field->setText(text);
        } else if (auto* box = qobject_cast<QComboBox*>(widget)) {
            if (!box->view()->isVisible()) box->setCurrentIndex(box->findData(shown(setting)));
        }
    }
    // A live server starts with none of our clients, and may go back to none.
    const session::Session* open = m_context->session();
    m_clients->setMinimum(open && open->abilities().live ? 0 : 1);
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
            range ? tr("“%1” is not a span of time: write the shortest and the longest, such as 2s – 4s.")
                        .arg(field->text())
                  : tr("“%1” is not a time: write a number and a unit, such as 5s, 250ms or 2m.").arg(field->text()));
        return;
    }
    complain(nullptr, {});
    field->setModified(false);
    submit(setting, *text);
    showSettings();
}

void WorkloadPanel::submit(const QString& setting, const QString& text) {
    // What is so already is no change and no fault in the trace. What is no value, or one in this session only, such as
    // no clients at all, is the session's to judge.
    scenario::Scenario changed = m_context->settings();
    if (sim::applySetting(changed, setting, text) && changed == m_context->settings()) return;
    scenario::Fault fault;
    fault.action = scenario::Action::Set;
    fault.setting = setting;
    fault.text = text;
    m_context->breakIt(std::move(fault));
}

void WorkloadPanel::complain(QLineEdit* field, const QString& message) {
    m_wrong = field;
    m_complaint->setText(message);
    m_complaint->setVisible(field);
    if (field) m_complaint->setAccessibleName(message);
}

} // namespace lockscope::views
