// SPDX-License-Identifier: GPL-3.0-or-later
#include "transport/transport_bar.h"

#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "theme/mnemonic.h"
#include "theme/widgets.h"
#include "trace/time_text.h"
#include "transport/command_words.h"
#include "transport/verdict_banner.h"

#include <QBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QRandomGenerator>
#include <QSlider>
#include <QTimer>
#include <QToolButton>
#include <cmath>

namespace lockscope::views {
namespace {

using session::Milestone;

// Hundredths of a power of ten: 0.01× … 1000×.
constexpr int kSliderMin = -200, kSliderMax = 300;
constexpr int kButtonWidth = 36;

double speedAt(int position) {
    return std::pow(10.0, position / 100.0);
}
int positionOf(double speed) {
    return int(std::lround(std::log10(speed) * 100));
}

/// The next speed of a 1-2-5 series above (or below) this one.
double stepped(double speed, bool up) {
    constexpr std::array kSteps{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1., 2., 5., 10., 20., 50., 100., 200., 500., 1000.};
    if (up) {
        for (double step : kSteps)
            if (step > speed * 1.001) return step;
        return kSteps.back();
    }
    for (auto it = kSteps.rbegin(); it != kSteps.rend(); ++it)
        if (*it < speed * 0.999) return *it;
    return kSteps.front();
}

QToolButton* toolButton(QAction* action) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(withoutMnemonic(action->text()));
    button->setFixedSize(kButtonWidth, 32);
    QObject::connect(action, &QAction::changed, button,
                     [action, button] { button->setAccessibleName(withoutMnemonic(action->text())); });
    return button;
}

} // namespace

QString tooltipWithShortcut(const QString& text, const QList<QKeySequence>& keys) {
    const QString name = withoutMnemonic(text);
    if (keys.isEmpty() || keys.first().isEmpty()) return name;
    return TransportBar::tr("%1 (%2)").arg(name, keys.first().toString(QKeySequence::NativeText));
}

TransportBar::TransportBar(ViewContext* context, Player* player, QWidget* parent)
    : QWidget(parent), m_context(context), m_player(player) {
    setAccessibleName(tr("Transport"));
    makeActions();
    connect(player, &Player::playingChanged, this, [this](bool) { refreshAbilities(); });
    connect(context, &ViewContext::playheadChanged, this, &TransportBar::refreshClock);
    connect(context, &ViewContext::sessionChanged, this, &TransportBar::attach);
    attach();
}

void TransportBar::setCommands(CommandField::Commands commands) {
    m_commands = std::move(commands);
    if (m_field) m_field->setCommands(m_commands);
}

void TransportBar::furnish() {
    if (m_field) return;
    makeMilestoneMenu();
    m_clock = new QLabel(clockText(Nanos(0)));
    m_clock->setFont(fixedFont(6, QFont::Medium));

    m_seed = new QLineEdit;
    m_seed->setAccessibleName(tr("Seed"));
    m_seed->setPlaceholderText(tr("seed"));
    auto* dice = m_seed->addAction(icon("seed", Role::TextDim), QLineEdit::TrailingPosition);
    dice->setText(withoutMnemonic(command("transport.restart-new-seed")->text()));
    dice->setToolTip(command("transport.restart-new-seed")->toolTip());
    connect(dice, &QAction::triggered, command("transport.restart-new-seed"), &QAction::trigger);
    connect(m_seed, &QLineEdit::returnPressed, this, &TransportBar::restartWithTypedSeed);
    connect(m_seed, &QLineEdit::editingFinished, this, &TransportBar::fold);

    m_health = new Pill;
    m_health->setDot(true);
    m_health->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_access = new Pill;
    m_recording = new Pill;
    m_recording->setDot(true);
    m_recording->setClickable(true);
    m_recording->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_recording->hide();
    connect(m_recording, &Pill::clicked, this, &TransportBar::recordingActivated);
    m_banner = new VerdictBanner(m_context);
    m_field = new CommandField;
    m_field->setCommands(m_commands);
    m_field->setTimes([this](const QString& typed) -> std::optional<CommandField::Time> {
        const auto trace = m_context->trace();
        auto at = trace ? instantOfDay(*trace, typed) : std::nullopt;
        if (at && *at < Nanos(0)) at.reset(); // before the recording
        if (!at) at = timeTyped(typed);
        if (!at) at = instantAskedFor(typed);
        if (!at) return std::nullopt;
        return CommandField::Time{*at, trace ? instant(*trace, *at) : instantText(*at)};
    });
    m_field->setFinds([this](const QString& typed) {
        std::vector<CommandField::Find> found = locksCalled(typed);
        if (const std::optional<double> speed = speedTyped(typed))
            //: %1 is how many times as fast as real time: "10×".
            found.push_back({tr("Play at %1×").arg(*speed), tr("Play"), "play",
                             [this, speed = *speed] { m_player->setSpeed(speed); }, typed, true});
        if (m_finds) std::ranges::move(m_finds(typed), std::back_inserter(found));
        return found;
    });
    m_field->setFixedWidth(CommandField::leastWidth());
    connect(m_field, &CommandField::goTo, this, [this](qint64 ns) {
        m_player->pause();
        m_player->seek(Nanos(ns));
        Q_EMIT m_context->revealRequested(Nanos(ns), trace::kNoEntity);
    });

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(16, 8, 16, 9);
    layout->setSpacing(kGrid);
    layout->addWidget(toolButton(command("transport.restart")));
    m_play = toolButton(command("transport.play"));
    layout->addWidget(m_play);
    layout->addWidget(toolButton(command("transport.next-event")));
    layout->addWidget(m_next);
    layout->addSpacing(kGrid);
    layout->addWidget(m_clock);
    layout->addWidget(makeSpeed());
    layout->addSpacing(kGrid);
    layout->addWidget(m_seed);
    layout->addWidget(m_health);
    layout->addWidget(m_access);
    layout->addWidget(m_recording);
    layout->addStretch(1);
    layout->addWidget(m_banner, 1000);
    layout->addSpacing(kGrid);
    layout->addWidget(m_field);
    makeOverflow();
    layout->addWidget(m_overflow);
    fitTexts();
    refreshAbilities();
    refreshClock();
    refreshHealth();
}

QAction* TransportBar::command(const char* id) const {
    for (QAction* action : m_actions)
        if (action->objectName() == QLatin1String(id)) return action;
    return nullptr;
}

QAction* TransportBar::add(const char* id, const char* iconName, const QString& text, const QList<QKeySequence>& keys,
                           std::function<void()> run) {
    auto* action = new QAction(this);
    action->setObjectName(QLatin1String(id));
    if (iconName) action->setIcon(icon(iconName));
    action->setText(text);
    action->setShortcuts(keys);
    action->setToolTip(tooltipWithShortcut(text, keys));
    action->setProperty("group", tr("Play"));
    connect(action, &QAction::triggered, this, std::move(run));
    addAction(action);
    m_actions << action;
    return action;
}

void TransportBar::makeActions() {
    add("transport.restart", "restart", tr("&Restart with the same seed"), {Qt::Key_R}, [this] {
        if (const session::Session* open = m_session.data()) m_player->restart(open->seed(), session::ByHand::Keep);
    });
    add("transport.restart-without", "restart", tr("Restart &without what was done by hand"), {Qt::CTRL | Qt::Key_R},
        [this] {
            if (const session::Session* open = m_session.data()) m_player->restart(open->seed(), session::ByHand::Drop);
        });
    add("transport.restart-new-seed", "seed", tr("Restart with a &new seed"), {Qt::SHIFT | Qt::Key_R},
        // Small seeds: a person reads them out to another.
        [this] { m_player->restart(QRandomGenerator::global()->bounded(1u, 1'000'000u), session::ByHand::Keep); });
    add("transport.play", "play", tr("&Play"), {Qt::Key_Space}, [this] { m_player->toggle(); });
    add("transport.next-event", "step", tr("&Step to the next event"), {Qt::Key_Right, Qt::Key_Period},
        [this] { m_player->next(Milestone::Event); });
    add("transport.previous-event", "step-back", tr("Step &back to the previous event"), {Qt::Key_Left, Qt::Key_Comma},
        [this] { m_player->previous(Milestone::Event); });
    add("transport.next-acquisition", "acquisition", tr("&Next acquisition"), {Qt::Key_N},
        [this] { m_player->next(Milestone::Acquisition); });
    add("transport.previous-acquisition", "acquisition", tr("Previous a&cquisition"), {Qt::SHIFT | Qt::Key_N},
        [this] { m_player->previous(Milestone::Acquisition); });
    add("transport.next-fault", "fault", tr("Next &fault"), {Qt::Key_F}, [this] { m_player->next(Milestone::Fault); });
    add("transport.previous-fault", "fault", tr("Previous fa&ult"), {Qt::SHIFT | Qt::Key_F},
        [this] { m_player->previous(Milestone::Fault); });
    add("transport.next-violation", "violation", tr("Next &violation"), {Qt::Key_BracketRight},
        [this] { m_player->next(Milestone::Violation); });
    add("transport.previous-violation", "violation", tr("Previous v&iolation"), {Qt::Key_BracketLeft},
        [this] { m_player->previous(Milestone::Violation); });
    add("transport.start", nullptr, tr("&Go to the start"), {Qt::Key_Home}, [this] { m_player->toStart(); });
    add("transport.end", nullptr, tr("Go to the &end"), {Qt::Key_End}, [this] { m_player->toEnd(); });
    add("transport.faster", nullptr, tr("Fas&ter"), {Qt::Key_Greater},
        [this] { m_player->setSpeed(stepped(m_player->speed(), true)); });
    add("transport.slower", nullptr, tr("S&lower"), {Qt::Key_Less},
        [this] { m_player->setSpeed(stepped(m_player->speed(), false)); });
    add("transport.normal-speed", nullptr, tr("N&ormal speed"), {Qt::Key_Backslash},
        [this] { m_player->setSpeed(Player::kNormal); });
    add("transport.find", "search", tr("Find or do…"), {Qt::CTRL | Qt::Key_K}, [this] {
        if (isHidden() || (m_field && m_field->isHidden()))
            Q_EMIT findRequested();
        else
            commandField()->summon();
    });
    add("transport.seed", "keyboard", tr("T&ype a seed"), {Qt::CTRL | Qt::Key_E}, [this] {
        seedField()->show(); // also where the row has no room for it while nobody types one
        m_seed->setFocus(Qt::ShortcutFocusReason);
        m_seed->selectAll();
    });
    command("transport.play")->setCheckable(true);
    // A toggled action must show the player's state and not its own guess.
    connect(command("transport.play"), &QAction::triggered, this, [this] { refreshAbilities(); });
}

void TransportBar::makeMilestoneMenu() {
    m_milestones = new QMenu(this);
    for (const char* id : {"transport.next-acquisition", "transport.next-fault", "transport.next-violation"})
        m_milestones->addAction(command(id));
    m_milestones->addSeparator();
    for (const char* id :
         {"transport.previous-acquisition", "transport.previous-fault", "transport.previous-violation"})
        m_milestones->addAction(command(id));
    m_next = new QToolButton;
    m_next->setMenu(m_milestones);
    m_next->setPopupMode(QToolButton::MenuButtonPopup);
    m_next->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_next->setIcon(icon("skip"));
    connect(m_next, &QToolButton::clicked, command("transport.next-violation"), &QAction::trigger);
    m_next->setFocusPolicy(Qt::TabFocus);
    m_next->setToolTip(tr("Run to the next violation; the arrow offers acquisitions and faults, too"));
    m_next->setAccessibleName(m_next->toolTip());
    m_next->setFixedHeight(32);
}

QWidget* TransportBar::makeSpeed() {
    auto* box = new QWidget;
    auto* layout = new QHBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    m_speedLabel = new DimLabel;
    m_speedLabel->setAccessibleName(tr("Speed"));
    m_speedLabel->setFont(fixedFont());
    m_speedLabel->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_speed = new QSlider(Qt::Horizontal);
    m_speed->setRange(kSliderMin, kSliderMax);
    m_speed->setPageStep(50);
    m_speed->setSingleStep(10);
    m_speed->setFixedWidth(88);
    m_speed->setAccessibleName(tr("Speed"));
    m_speed->setToolTip(tr("Speed: 0.01× to 1000×"));
    m_speedLabel->setBuddy(m_speed);
    connect(m_speed, &QSlider::valueChanged, this, [this](int position) {
        // Normal speed is easy to hit.
        m_player->setSpeed(speedAt(std::abs(position) < 8 ? 0 : position));
    });
    connect(m_player, &Player::speedChanged, this, &TransportBar::showSpeed);
    showSpeed(m_player->speed());
    layout->addWidget(m_speedLabel);
    layout->addWidget(m_speed);
    return box;
}

void TransportBar::showSpeed(double speed) {
    const QSignalBlocker blocker(m_speed);
    if (!m_speed->isSliderDown()) m_speed->setValue(positionOf(speed));
    m_speedLabel->setText(speedText(speed));
    m_speed->setAccessibleDescription(speedText(speed));
}

void TransportBar::attach() {
    if (m_session != m_context->session()) {
        if (m_session) m_session->disconnect(this);
        m_session = m_context->session();
        m_verdictRoom = 0;
        if (session::Session* const open = m_session) {
            connect(open, &session::Session::healthChanged, this, &TransportBar::refreshHealth);
            // The list of changes made by hand is another one, or a recording told its seed.
            connect(open, &session::Session::scenarioChanged, this, &TransportBar::refreshAbilities);
        }
    }
    if (m_session) furnish();
    refreshAbilities();
    refreshClock();
    refreshHealth();
}

void TransportBar::refreshAbilities() {
    const session::Session* open = m_session.data();
    const session::Abilities can = open ? open->abilities() : session::Abilities{};
    for (QAction* action : m_actions)
        if (action->objectName() != QLatin1String("transport.find")) action->setEnabled(open != nullptr);
    for (const char* id : {"transport.restart", "transport.restart-new-seed", "transport.seed"})
        command(id)->setEnabled(can.restart);
    command("transport.restart-without")->setEnabled(can.restart && !open->doneByHand().empty());
    // A recording is played as fast as one likes, though its world went at its own pace.
    const bool adjustable = open && (can.speed || !can.live);
    for (const char* id : {"transport.faster", "transport.slower", "transport.normal-speed"})
        command(id)->setEnabled(adjustable);
    if (m_field) {
        m_next->setEnabled(open != nullptr);
        m_speed->setEnabled(adjustable);
        m_speedLabel->setEnabled(adjustable);
        m_speedLabel->setVisible(!can.live); // somebody's servers go at their own pace
        // A recording has the seed that it was made with; somebody's running server has none.
        const bool seeded = open && (can.restart || open->recordingMeta().origin == QLatin1String("simulated"));
        m_seeded = seeded;
        m_seed->setReadOnly(!can.restart);
        for (QAction* action : m_seed->actions())
            action->setVisible(can.restart);
        m_seed->setToolTip(can.restart ? tr("The seed of this run: the same seed gives the same run. Type another one "
                                            "and press Enter.")
                                       : tr("The seed of the run that was recorded"));
        if (seeded && !m_seed->hasFocus()) m_seed->setText(tr("seed %1").arg(open->seed()));
        fold();
    }

    QAction* play = command("transport.play");
    const bool playing = m_player->isPlaying();
    play->setChecked(playing);
    play->setIcon(icon(playing ? "pause" : can.live ? "follow" : "play"));
    play->setText(playing ? tr("&Pause") : can.live ? tr("Follow what ha&ppens now") : tr("&Play"));
    play->setToolTip(tooltipWithShortcut(play->text(), play->shortcuts()));
    //: On the button that follows what happens now; pressed while the window does.
    play->setIconText(can.live ? tr("Live") : QString());
    if (m_play) {
        m_play->setToolButtonStyle(can.live ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
        m_play->setFixedWidth(can.live ? m_play->sizeHint().width() : kButtonWidth);
    }
}

void TransportBar::refreshClock() {
    if (!m_clock) return;
    const auto trace = m_context->trace();
    const Nanos now = m_context->playhead();
    m_clock->setText(trace ? clockText(*trace, now) : clockText(now));
    //: What a screen reader says of the clock.
    m_clock->setAccessibleName(tr("Time %1").arg(m_clock->text()));
    // Where the time of day is shown, how long the session has lasted is a glance away.
    m_clock->setToolTip(trace && tellsTimeOfDay(*trace)
                            ? tr("%1, %2 since the beginning").arg(dayText(*trace, now), duration(now))
                            : QString());
    if (m_clockLetters > 0 && m_clock->text().size() != m_clockLetters) fitClock();
}

void TransportBar::refreshHealth() {
    if (!m_health) return;
    if (!m_session) return m_health->hide();
    const session::Health health = m_session->health();
    m_health->setText(health.brief.isEmpty() ? health.text : health.brief);
    m_health->setToolTip(health.text);
    m_health->setAccessibleName(health.text);
    const session::Abilities can = m_session->abilities();
    if (const QString id = m_session->settings().id; can.restart && !id.isEmpty())
        //: A tool tip: %1 "Simulated · The holder sleeps through its lease", %2 the scenario's name in commands.
        m_health->setToolTip(tr("%1\nIts id: %2").arg(health.text, id));
    const bool changes = can.faults || can.workload || can.forceRelease;
    m_access->setVisible(can.live);
    m_access->setText(changes ? tr("Changes allowed") : tr("read-only"));
    m_access->setTone(changes ? Pill::Tone::Violation : Pill::Tone::Neutral);
    m_access->setToolTip(changes ? tr("Clients of our own may take and free locks on this server, and any lock can be "
                                      "released by force. Connect again without changes to be safe.")
                                 : tr("Nothing is written to this server. To release locks or run clients of our own, "
                                      "connect again with changes allowed."));
    m_access->setAccessibleName(m_access->text());
    m_access->updateGeometry();
    using Level = session::Health::Level;
    m_health->setTone(health.level == Level::Good  ? Pill::Tone::Accepted
                      : health.level == Level::Bad ? Pill::Tone::Violation
                                                   : Pill::Tone::Waiting);
    m_health->updateGeometry();
    fold();
}

std::vector<CommandField::Find> TransportBar::locksCalled(const QString& typed) {
    constexpr std::size_t kLookedAt = 50'000, kMost = 8; // a server may have very many
    std::vector<CommandField::Find> found;
    const auto trace = m_context->trace();
    const auto& locks = m_context->entities(trace::EntityKind::Lock);
    QString wanted = typed; // "lock orders", as an entry is called
    for (const QString& word : {QStringLiteral("lock"), tr("Lock")})
        if (wanted.startsWith(word + u' ', Qt::CaseInsensitive)) wanted = wanted.mid(word.size()).trimmed();
    for (std::size_t i = 0; i < std::min(locks.size(), kLookedAt) && found.size() < kMost; ++i) {
        const QString name = trace->displayName(locks[i]);
        if (!name.contains(wanted, Qt::CaseInsensitive)) continue;
        found.push_back({name, tr("Lock"), "lock", [this, trace, lock = locks[i]] {
                             // In another trace the number means something else.
                             if (m_context->trace() == trace) m_context->reveal(m_context->playhead(), lock);
                         }});
    }
    return found;
}

void TransportBar::restartWithTypedSeed() {
    if (m_seed->isReadOnly()) return;
    // The field itself writes "seed 42": letters and spaces are dropped. The user meant other characters: an error.
    QString digits;
    for (const QChar c : m_seed->text())
        if (!c.isLetter() && !c.isSpace()) digits += c;
    bool ok = std::ranges::all_of(digits, [](QChar c) { return c.isDigit(); });
    const qulonglong seed = ok ? digits.toULongLong(&ok) : 0;
    if (!ok) {
        Q_EMIT said(tr("A seed is a whole number from 0 to 18446744073709551615."));
        return;
    }
    m_seed->clearFocus();
    m_player->restart(seed, session::ByHand::Keep);
    refreshAbilities();
}

void TransportBar::showEvent(QShowEvent* event) {
    furnish();
    // Asked for here and not when it is made: the clock's face is not loaded for a window that shows no clock yet.
    fitClock();
    QWidget::showEvent(event);
}

void TransportBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) update();
    if (event->type() != QEvent::FontChange) return;
    fold();
    if (m_clockLetters == 0) return;
    // Later: the clock gets its new font after the bar.
    QTimer::singleShot(0, this, [this] {
        fitTexts();
        fitClock();
        fold();
    });
}

void TransportBar::resizeEvent(QResizeEvent* event) {
    fold();
    QWidget::resizeEvent(event);
}

bool TransportBar::event(QEvent* event) {
    // The verdict asks for more room than there was so far.
    if (event->type() == QEvent::LayoutRequest && m_banner && m_banner->minimumSizeHint().width() > m_verdictRoom)
        fold();
    return QWidget::event(event);
}

void TransportBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::Surface));
    painter.fillRect(QRect(0, height() - 1, width(), 1), color(Role::Hairline));
}

} // namespace lockscope::views
