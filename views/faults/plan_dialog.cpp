// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/plan_dialog.h"

#include "faults/fault_offers.h"
#include "faults/target_picker.h"
#include "models/fault_words.h"
#include "models/planned.h"
#include "recipes/recipe_info.h"
#include "scenario/fault_check.h"
#include "theme/style.h"
#include "theme/widgets.h"
#include "trace/duration.h"
#include "trace/time_text.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardItemModel>

namespace lockscope::views {

using scenario::Action;
using session::Breakable;
using On = scenario::Trigger::On;

namespace {

constexpr int kMostTimes = 1000; ///< as in files
constexpr int kActionRole = Qt::UserRole, kKindRole = Qt::UserRole + 1, kNameRole = Qt::UserRole;

/// A field's text as a duration; an empty one is `missing`.
std::optional<Nanos> timeIn(const QLineEdit* field, std::optional<Nanos> missing) {
    const QString text = field->text().trimmed();
    return text.isEmpty() ? missing : scenario::parseDuration(text);
}

/// A time that people can read. A fault at a time comes after what has happened; a condition counts from the playhead,
/// and every view shows that rounded down.
Nanos inWholeMs(Nanos time, bool forCondition = false) {
    using std::chrono::milliseconds;
    return forCondition ? std::chrono::floor<milliseconds>(time) : std::chrono::ceil<milliseconds>(time);
}

/// A complaint about a file stands behind its place there.
QString asSentence(QString complaint) {
    if (!complaint.isEmpty()) complaint[0] = complaint[0].toUpper();
    return complaint;
}

void choose(QComboBox* box, const QString& name) {
    if (const int index = box->findData(name, kNameRole); index >= 0) box->setCurrentIndex(index);
}

} // namespace

PlanDialog::PlanDialog(ViewContext* context, QWidget* parent)
    : QDialog(parent),
      m_context(context),
      m_form(new QFormLayout),
      m_verb(new QComboBox),
      m_evicted(new QComboBox),
      m_value(new QLineEdit),
      m_lasts(new QLineEdit),
      m_every(new QLineEdit),
      m_times(new QSpinBox),
      m_when(new QComboBox),
      m_client(new QComboBox),
      m_lock(new QComboBox),
      m_step(new QComboBox),
      m_left(new QLineEdit),
      m_server(new QComboBox),
      m_nth(new QSpinBox),
      m_after(new QLineEdit),
      m_at(new QLineEdit),
      m_sentence(new DimLabel),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
    setWindowTitle(tr("Plan a fault"));
    setMinimumWidth(480);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(3 * kGrid, 2 * kGrid, 3 * kGrid, 2 * kGrid);
    column->setSpacing(kGrid);
    m_form->setSpacing(kGrid);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    column->addLayout(m_form);
    m_form->addRow(tr("&Fault"), m_verb);
    m_target = new TargetPicker(context, m_form, this);
    m_form->addRow(tr("E&vict"), m_evicted);
    m_form->addRow(tr("&By"), m_value);
    m_form->addRow(tr("&Lasts"), m_lasts);
    m_form->addRow(tr("A&gain every"), m_every);
    m_form->addRow(tr("How &often"), m_times);
    m_form->addRow(tr("&When"), m_when);
    m_form->addRow(tr("&Client"), m_client);
    m_form->addRow(tr("Loc&k"), m_lock);
    m_form->addRow(tr("&Step"), m_step);
    m_form->addRow(tr("Time l&eft"), m_left);
    m_form->addRow(tr("Se&rver"), m_server);
    m_form->addRow(tr("&Nth time"), m_nth);
    m_form->addRow(tr("&Delay"), m_after);
    m_form->addRow(tr("&At"), m_at);
    addVerbs();
    addConditions();
    addLocks();
    m_value->setPlaceholderText(tr("a time, such as 250ms or 3s; for a clock also -10s"));
    m_lasts->setPlaceholderText(tr("until it is healed"));
    m_every->setPlaceholderText(tr("once; for pauses of a garbage collector, say, 3s"));
    m_times->setRange(1, kMostTimes);
    m_times->setSpecialValueText(tr("to the end of the run"));
    m_left->setPlaceholderText(tr("a time, such as 1s"));
    m_after->setPlaceholderText(tr("at once"));
    m_nth->setRange(1, 100'000);
    m_nth->setToolTip(tr("Counted from that instant on"));
    m_at->setText(formatDuration(inWholeMs(context->actsAt())));
    // Names for screen readers and for scripts.
    for (const auto& [field, name] :
         {std::pair<QWidget*, const char*>(m_verb, "verb"), std::pair<QWidget*, const char*>(m_value, "value"),
          std::pair<QWidget*, const char*>(m_lasts, "lasts"), std::pair<QWidget*, const char*>(m_every, "every"),
          std::pair<QWidget*, const char*>(m_times, "times"), std::pair<QWidget*, const char*>(m_when, "when"),
          std::pair<QWidget*, const char*>(m_client, "client"), std::pair<QWidget*, const char*>(m_step, "step"),
          std::pair<QWidget*, const char*>(m_evicted, "evicted"), std::pair<QWidget*, const char*>(m_lock, "lock"),
          std::pair<QWidget*, const char*>(m_left, "left"), std::pair<QWidget*, const char*>(m_server, "server"),
          std::pair<QWidget*, const char*>(m_nth, "nth"), std::pair<QWidget*, const char*>(m_after, "after"),
          std::pair<QWidget*, const char*>(m_at, "at")})
        field->setObjectName(QLatin1String(name));
    m_sentence->setWordWrap(true);
    m_sentence->setObjectName(QStringLiteral("sentence"));
    column->addSpacing(kGrid);
    column->addWidget(m_sentence);
    column->addSpacing(kGrid);
    column->addStretch(); // other verbs have more rows
    column->addWidget(m_buttons);
    makePrimary(m_buttons->button(QDialogButtonBox::Ok));
    connect(m_buttons, &QDialogButtonBox::accepted, this, &PlanDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_when, &QComboBox::currentIndexChanged, this, &PlanDialog::showWhereItCounts);
    for (QComboBox* const box : {m_verb, m_when}) {
        connect(box, &QComboBox::currentIndexChanged, this, [this] {
            listTargets();
            refresh();
        });
    }
    connect(m_target, &TargetPicker::changed, this, &PlanDialog::refresh);
    for (QComboBox* const box : {m_client, m_step, m_server, m_evicted, m_lock})
        connect(box, &QComboBox::currentIndexChanged, this, &PlanDialog::refresh);
    for (QLineEdit* const field : {m_value, m_lasts, m_every, m_left, m_after, m_at})
        connect(field, &QLineEdit::textChanged, this, &PlanDialog::refresh);
    for (QSpinBox* const box : {m_times, m_nth})
        connect(box, &QSpinBox::valueChanged, this, &PlanDialog::refresh);
    listTargets();
    refresh();
}

/// Under a heading for each kind of target, which cannot be chosen itself.
void PlanDialog::addVerbs() {
    const Breakable::Sight sight = m_context->sightToActOn();
    auto* const rows = qobject_cast<QStandardItemModel*>(m_verb->model());
    const auto add = [&](const Breakable& target, const QString& heading) {
        m_verb->addItem(heading);
        rows->item(m_verb->count() - 1)->setFlags(Qt::NoItemFlags);
        for (const Action action : target.actions()) {
            m_verb->addItem(verbText(target.kind(), action), int(action));
            m_verb->setItemData(m_verb->count() - 1, int(target.kind()), kKindRole);
            const auto allowed = Breakable::everCan(sight, target.kind(), action);
            if (allowed) continue;
            rows->item(m_verb->count() - 1)->setFlags(Qt::NoItemFlags);
            m_verb->setItemData(m_verb->count() - 1, allowed.error(), Qt::ToolTipRole);
        }
    };
    add(Breakable::client(sight, trace::kNoEntity), tr("to a client"));
    add(Breakable::server(sight, trace::kNoEntity), tr("to a server"));
    add(Breakable::link(sight, trace::kNoEntity, trace::kNoEntity), tr("to a link"));
    add(Breakable::world(sight), tr("to all"));
    m_verb->setCurrentIndex(1);
    m_verb->setMaxVisibleItems(24);
}

void PlanDialog::addConditions() {
    const auto add = [this](const QString& words, int on) { m_when->addItem(words, on); };
    constexpr int kAtATime = -1;
    add(tr("at a time"), kAtATime);
    add(tr("when a client gets the lock"), int(On::Granted));
    add(tr("when a client asks for the lock"), int(On::Requested));
    add(tr("when a client gives the lock back"), int(On::Released));
    add(tr("when the server records a new holder"), int(On::Recorded));
    add(tr("when a client is at a step"), int(On::Step));
    add(tr("when so much of the lease is left"), int(On::LeaseLeft));
    add(tr("when a server is the leader"), int(On::Leader));
    const scenario::Scenario& settings = m_context->settings();
    const auto leads = [](const scenario::ServiceSpec& service) {
        const scenario::ServiceKind* const kind = scenario::findServiceKind(service.kind);
        return kind && scenario::serversOf(service).size() > 1 && !kind->roles(service).isEmpty();
    };
    if (std::ranges::none_of(settings.services, leads)) {
        auto* const rows = qobject_cast<QStandardItemModel*>(m_when->model());
        rows->item(m_when->count() - 1)->setFlags(Qt::NoItemFlags);
        m_when->setItemData(m_when->count() - 1, tr("None of these servers is ever the leader of others."),
                            Qt::ToolTipRole);
    }
    for (const QString& role : {QString(), QStringLiteral("holder"), QStringLiteral("waiter")})
        m_client->addItem(partyText(role), role);
    for (const QString& client : clientsOf(settings))
        m_client->addItem(client, client);
    m_server->addItem(tr("the next one, whichever"), QString());
    for (const scenario::NodeSpec& node : settings.nodes)
        m_server->addItem(node.id, node.id);
    const recipes::RecipeInfo* const recipe = recipes::findRecipe(settings.recipe.toUtf8());
    for (qsizetype i = 0; recipe && i < recipe->steps.size(); ++i) {
        QString text = recipe->steps[i];
        text.replace(QLatin1String("{name}"), settings.lock.name)
            .replace(QLatin1String("{lease}"), QString::number(settings.lock.lease / Nanos(1ms)));
        m_step->addItem(QStringLiteral("%1  %2").arg(i + 1).arg(text), int(i) + 1);
    }
    m_step->setMinimumContentsLength(24); // a step's text is long
    m_step->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
}

/// A single lock is not to be chosen: refresh() hides both.
void PlanDialog::addLocks() {
    const QStringList locks = m_context->settings().lockNames();
    m_lock->addItem({}, QString()); // its words are the condition's
    for (const QString& lock : locks) {
        m_evicted->addItem(lock, lock);
        m_lock->addItem(lock, lock);
    }
}

void PlanDialog::chooseCondition() {
    m_when->setCurrentIndex(m_when->findData(int(On::Granted)));
}

Action PlanDialog::verb() const {
    return Action(m_verb->currentData(kActionRole).toInt());
}

Breakable::Kind PlanDialog::kind() const {
    return Breakable::Kind(m_verb->currentData(kKindRole).toInt());
}

bool PlanDialog::takesTarget() const {
    return scenario::targetKind(verb()) != scenario::TargetKind::Nothing;
}

bool PlanDialog::repeats() const {
    return takesTarget() && verb() != Action::SwitchEngine;
}

std::optional<On> PlanDialog::condition() const {
    const int chosen = m_when->currentData().toInt();
    return chosen < 0 ? std::nullopt : std::optional(On(chosen));
}

void PlanDialog::listTargets() {
    m_target->list(kind(), verb(), condition());
}

std::optional<scenario::Trigger> PlanDialog::trigger() const {
    const auto on = condition();
    if (!on) return std::nullopt;
    scenario::Trigger when;
    when.on = *on;
    when.nth = m_nth->value();
    when.after = timeIn(m_after, Nanos(0)).value_or(Nanos(0));
    if (*on == On::Leader)
        when.server = m_server->currentData().toString();
    else
        when.client = m_client->currentData().toString();
    if (*on != On::Leader) when.lock = m_lock->currentData().toString();
    if (*on == On::Step) when.step = m_step->currentData().toInt();
    if (*on == On::LeaseLeft) when.left = timeIn(m_left, std::nullopt).value_or(Nanos(0));
    return when;
}

QString PlanDialog::complaint() const {
    const QString notATime = tr("“%1” is not a time. Write one such as 250ms or 3s.");
    const auto wrong = [&](const QLineEdit* field, Nanos least) {
        const auto read = timeIn(field, least);
        return field->isVisibleTo(this) && (!read || *read < least);
    };
    for (const QLineEdit* field : {m_at, m_lasts, m_every, m_after, m_left})
        if (wrong(field, Nanos(0))) return notATime.arg(field->text());
    if (m_lasts->isVisibleTo(this) && timeIn(m_lasts, Nanos(1)) == Nanos(0)) return tr("It must last longer than 0 s.");
    if (takesTarget() && m_target->target().isEmpty()) return tr("Write the names of several, such as A, B.");
    if (m_at->text().trimmed().isEmpty()) return tr("Write at which time, such as 3s.");
    if (condition() == On::LeaseLeft && timeIn(m_left, Nanos(0)) == Nanos(0))
        return tr("Write how much of the lease is left, such as 1s.");
    if (scenario::takesValue(verb()) && !timeIn(m_value, std::nullopt)) return tr("Write by how much, such as 250ms.");
    return {};
}

std::optional<scenario::Fault> PlanDialog::fault() const {
    if (!complaint().isEmpty()) return std::nullopt;
    scenario::Fault made;
    made.action = verb();
    if (takesTarget()) made.target = m_target->target();
    if (scenario::takesValue(made.action)) made.value = *timeIn(m_value, std::nullopt);
    if (scenario::undoing(made.action)) made.duration = timeIn(m_lasts, std::nullopt);
    if (repeats()) {
        made.every = timeIn(m_every, std::nullopt);
        if (made.every && m_times->value() > 1) made.times = m_times->value();
    }
    // The first lock is the one that is meant where none is named.
    if (made.action == Action::EvictKey && m_evicted->currentIndex() > 0)
        made.text = m_evicted->currentData().toString();
    made.at = timeIn(m_at, std::nullopt);
    made.when = trigger();
    // A condition counts from the playhead itself: a fault done by hand at this instant comes after it, and does not
    // begin a future without it.
    if (const Nanos here = m_context->actsAt(); made.when && made.at == inWholeMs(here, true)) made.at = here;
    made.byHand = true;
    return made;
}

void PlanDialog::showWhereItCounts() {
    const Nanos here = m_context->actsAt();
    const bool counts = condition().has_value();
    if (timeIn(m_at, std::nullopt) == inWholeMs(here, !counts)) m_at->setText(formatDuration(inWholeMs(here, counts)));
}

void PlanDialog::refresh() {
    const auto on = condition();
    const bool byClient = on && *on != On::Leader;
    m_form->setRowVisible(m_value, scenario::takesValue(verb()));
    m_form->setRowVisible(m_lasts, scenario::undoing(verb()).has_value());
    m_form->setRowVisible(m_every, repeats());
    m_form->setRowVisible(m_times, repeats() && !m_every->text().trimmed().isEmpty());
    m_form->setRowVisible(m_client, byClient);
    const bool several = m_evicted->count() > 1;
    m_form->setRowVisible(m_evicted, several && verb() == Action::EvictKey);
    m_form->setRowVisible(m_lock, several && byClient);
    const bool ofRecord = on == On::Recorded || on == On::LeaseLeft;
    m_lock->setItemText(0, ofRecord ? tr("the first one, %1").arg(m_evicted->itemText(0)) : tr("any lock"));
    m_form->setRowVisible(m_step, on == On::Step);
    m_form->setRowVisible(m_left, on == On::LeaseLeft);
    m_form->setRowVisible(m_server, on == On::Leader);
    m_form->setRowVisible(m_nth, on.has_value());
    m_form->setRowVisible(m_after, on.has_value());
    if (auto* label = qobject_cast<QLabel*>(m_form->labelForField(m_at)))
        label->setText(on ? tr("Counts fr&om") : tr("&At"));
    QString why = complaint();
    const auto made = fault();
    if (made) {
        scenario::Scenario rest = m_context->scenario();
        if (m_changed)
            if (const auto old = std::ranges::find(rest.faults, *m_changed); old != rest.faults.end())
                rest.faults.erase(old);
        why = asSentence(scenario::refusalOf(*made, std::move(rest)));
    }
    m_sentence->setRole(why.isEmpty() ? Role::TextDim : Role::ViolationText);
    if (why.isEmpty() && made) {
        const QString time = instantText(inWholeMs(*made->at, on.has_value())); // as the field shows it
        m_sentence->setText(on ? tr("From %1 on: %2.").arg(time, deedText(*made))
                               : tr("At %1: %2.").arg(time, deedText(*made)));
    } else {
        m_sentence->setText(why);
    }
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(why.isEmpty() && made);
}

void PlanDialog::fill(const scenario::Fault& fault) {
    // A verb of clients and of servers, or of servers and of links, stands twice: where its target is listed it is
    // meant.
    bool listed = false;
    for (int i = 0; i < m_verb->count() && !listed; ++i) {
        const auto kind = Breakable::Kind(m_verb->itemData(i, kKindRole).toInt());
        if (!m_verb->itemData(i, kActionRole).isValid() ||
            m_verb->itemData(i, kActionRole).toInt() != int(fault.action))
            continue;
        m_verb->setCurrentIndex(i);
        listed = kind == Breakable::Kind::World || m_target->lists(fault.target);
    }
    const auto write = [](QLineEdit* field, std::optional<Nanos> time) {
        field->setText(time ? formatDuration(*time) : QString());
    };
    if (scenario::takesValue(fault.action)) write(m_value, fault.value);
    write(m_lasts, fault.duration);
    write(m_every, fault.every);
    m_times->setValue(std::max(1, fault.times));
    m_when->setCurrentIndex(fault.when ? m_when->findData(int(fault.when->on)) : 0);
    if (fault.at) write(m_at, fault.at); // after the condition, which brings an instant of its own
    if (fault.when) {
        m_nth->setValue(fault.when->nth);
        if (fault.when->after != Nanos(0)) write(m_after, fault.when->after);
        if (fault.when->left != Nanos(0)) write(m_left, fault.when->left);
        choose(m_client, fault.when->client);
        choose(m_lock, fault.when->lock);
        choose(m_server, fault.when->server);
        m_step->setCurrentIndex(std::max(0, m_step->findData(fault.when->step)));
    }
    listTargets();
    if (takesTarget()) m_target->choose(fault.target);
    if (fault.action == Action::EvictKey) choose(m_evicted, fault.text);
    refresh();
}

void PlanDialog::change(std::size_t deed) {
    const session::Session* const session = m_context->session();
    const std::vector<scenario::Fault> done = session ? session->doneByHand() : std::vector<scenario::Fault>();
    if (deed >= done.size()) return;
    m_changed = done[deed];
    setWindowTitle(tr("Change a fault"));
    fill(*m_changed);
}

void PlanDialog::accept() {
    const auto made = fault();
    session::Session* const session = m_context->session();
    if (!made || !session || !m_buttons->button(QDialogButtonBox::Ok)->isEnabled()) return;
    if (!m_changed) {
        plan(*m_context, *made);
        return QDialog::accept();
    }
    const std::vector<scenario::Fault> done = session->doneByHand();
    const auto old = std::ranges::find(done, *m_changed);
    if (old == done.end())
        Q_EMIT session->complained(tr("This fault is not there any more: nothing was changed."));
    else
        replaceDeed(*m_context, std::size_t(old - done.begin()), *made);
    QDialog::accept();
}

void planFault(QWidget* owner, ViewContext& context, trace::EntityId entity, std::optional<Nanos> at,
               std::optional<Nanos> duration) {
    auto* dialog = new PlanDialog(&context, owner);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    const auto trace = context.trace();
    const trace::Entity& e = trace->entity(entity);
    scenario::Fault first;
    first.at = inWholeMs(at ? *at : context.actsAt());
    first.duration = duration;
    if (e.kind == trace::EntityKind::Node) {
        first.action = Action::KillNode;
        first.target = trace->displayName(entity);
    } else if (e.kind == trace::EntityKind::Link) {
        first.action = Action::CutLink;
        first.target = Breakable::link(context.sightToActOn(), e.parent, e.other).name();
    } else if (e.kind == trace::EntityKind::Client || e.kind == trace::EntityKind::Thread) {
        first.target = trace->displayName(trace->clientOf(entity));
    } else {
        first.target = QStringLiteral("holder");
    }
    dialog->fill(first);
    if (!at) dialog->chooseCondition();
    dialog->open();
}

void changeDeed(QWidget* owner, ViewContext& context, std::size_t deed) {
    const session::Session* const session = context.session();
    if (!session) return;
    const std::vector<scenario::Fault> done = session->doneByHand();
    if (deed >= done.size()) return;
    if (done[deed].action == Action::Set) {
        Q_EMIT context.session()->complained(
            PlanDialog::tr("A setting is changed in the form of the workload; here it can be moved and taken back."));
        return;
    }
    auto* dialog = new PlanDialog(&context, owner);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->change(deed);
    dialog->open();
}

} // namespace lockscope::views
