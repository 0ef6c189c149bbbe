// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/break_panel.h"

#include "faults/break_button.h"
#include "faults/fault_menu.h"
#include "faults/fault_verbs.h"
#include "faults/plan_dialog.h"
#include "faults/target_line.h"
#include "models/planned.h"
#include "models/role_words.h"
#include "theme/follow_focus.h"
#include "theme/icons.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QMenu>
#include <QScrollArea>
#include <QShortcut>
#include <QToolButton>

namespace lockscope::views {

using scenario::Action;
using session::Breakable;
using trace::kNoEntity;

namespace {

constexpr int kMostCures = 8; ///< buttons; where more suffer, "Heal everything" is the quicker way

using enum Breakable::Kind;

} // namespace

BreakPanel::BreakPanel(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_caption(new SectionCaption(tr("Break"))),
      m_offers(kVerbs.size()),
      m_foot(new QWidget),
      m_struckRoom(new QScrollArea),
      m_struck(new QWidget),
      m_struckGrid(new QGridLayout(m_struck)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid); // as the form above it
    column->setSpacing(kGrid / 4);                                  // with two struck it fits below the form
    auto* top = new QHBoxLayout;
    top->addWidget(m_caption, 1);
    addPlan(top);
    column->addLayout(top);
    m_client = new TargetLine(tr("client"));
    m_server = new TargetLine(tr("server"));
    m_link = new TargetLine(tr("link"));
    for (std::size_t i = 0; i < kVerbs.size(); ++i)
        addVerb(i);
    for (const auto& [kind, line] :
         {std::pair(Client, m_client), std::pair(Server, m_server), std::pair(Link, m_link)}) {
        column->addSpacing(kGrid / 4);
        auto* row = new QHBoxLayout;
        row->setSpacing(2);
        row->addWidget(line, 1);
        if (kind != Link) row->addWidget(moreOf(kind));
        column->addLayout(row);
        addGroup(kind, column);
    }
    m_buttons.back()->setHealing(true);
    m_buttons.back()->setObjectName(QStringLiteral("heal"));
    m_foot->setObjectName(QStringLiteral("break.foot"));
    auto* foot = new QVBoxLayout(m_foot);
    foot->setContentsMargins(0, kGrid, 0, 0);
    foot->setSpacing(0);
    foot->addWidget(m_buttons.back());
    m_buttons.back()->show();
    m_struckGrid->setContentsMargins(0, kGrid / 2, 0, 0);
    m_struckGrid->setSpacing(kGrid / 2);
    m_struckGrid->setColumnStretch(0, 1);
    m_struckGrid->setColumnStretch(1, 1);
    // Many cures scroll: the buttons above keep their room.
    m_struckRoom->setFrameShape(QFrame::NoFrame);
    m_struckRoom->setFocusPolicy(Qt::NoFocus);
    m_struckRoom->setWidgetResizable(true);
    m_struckRoom->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_struckRoom->setWidget(m_struck);
    m_struckRoom->hide();
    followFocus(m_struckRoom);
    foot->addWidget(m_struckRoom);
    column->addWidget(m_foot);
    column->addStretch();
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    connect(&m_soon, &QTimer::timeout, this, &BreakPanel::refresh);
    connect(context, &ViewContext::sessionChanged, this, &BreakPanel::refresh); // no name outlives its session
    connect(context, &ViewContext::traceGrew, this, &BreakPanel::refreshSoon);
    connect(context, &ViewContext::playheadChanged, this, &BreakPanel::refreshSoon);
    connect(context, &ViewContext::selectionChanged, this, &BreakPanel::refreshSoon);
    connect(context, &ViewContext::scenarioChanged, this, &BreakPanel::refreshSoon);
    refresh();
}

QString BreakPanel::targetOf(Breakable::Kind kind) const {
    return kind == Client ? m_client->target() : kind == Server ? m_server->target() : m_link->target();
}

QWidget* BreakPanel::takeFoot() {
    layout()->removeWidget(m_foot);
    m_foot->layout()->setContentsMargins(2 * kGrid, kGrid / 2, 2 * kGrid, kGrid); // as the panels above it
    return m_foot;
}

void BreakPanel::refreshSoon() {
    if (!m_soon.isActive()) m_soon.start();
}

/// Two buttons in a line.
void BreakPanel::addGroup(Breakable::Kind kind, QVBoxLayout* column) {
    auto* grid = new QGridLayout;
    grid->setSpacing(kGrid / 2);
    grid->setVerticalSpacing(3); // there are many lines
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    int count = 0;
    for (std::size_t i = 0; i < kVerbs.size(); ++i) {
        if (kVerbs[i].kind != kind || kVerbs[i].shown != Verb::Shown::Button) continue;
        grid->addWidget(m_buttons[i], count / 2, count % 2);
        m_buttons[i]->show();
        ++count;
    }
    column->addLayout(grid);
}

/// A button for a menu of everything that can be done to the target, also what has no button of its own, with its keys.
QToolButton* BreakPanel::moreOf(Breakable::Kind kind) {
    auto* button = new QToolButton;
    button->setObjectName(kind == Client ? QStringLiteral("more.client") : QStringLiteral("more.server"));
    button->setIcon(icon("chevron-down", Role::Fault));
    button->setIconSize({12, 12});
    button->setFixedSize(20, 18); // as high as the line that it stands in
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    const QString tip = kind == Client ? tr("More: all that can be done to this client, with its keys")
                                       : tr("More: all that can be done to this server, with its keys");
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    connect(button, &QToolButton::clicked, this, [this, kind, button] {
        const FaultTargets targets = faultTargets(*m_context);
        const trace::EntityId target = kind == Client ? targets.client : targets.node;
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->setObjectName(QStringLiteral("break.more"));
        menu->addSection(m_context->trace()->displayName(target));
        fillFaultMenu(*menu, *m_context, target);
        menu->popup(button->mapToGlobal(QPoint(0, button->height())));
    });
    m_more.emplace_back(kind, button);
    return button;
}

/// The way to faults on a condition, or at another time.
void BreakPanel::addPlan(QBoxLayout* row) {
    m_plan = new QAction(tr("On a condition…"), this);
    m_plan->setObjectName(QStringLiteral("break.plan"));
    m_plan->setShortcut(Qt::Key_I);
    m_plan->setAutoRepeat(false);
    m_plan->setIcon(icon("clock", Role::Fault));
    m_plan->setProperty("group", tr("Break"));
    m_plan->setProperty("menuGroup", int(World));
    connect(m_plan, &QAction::triggered, this,
            [this] { planFault(window(), *m_context, faultTargets(*m_context).client); });
    addAction(m_plan);
    auto* button = new QToolButton;
    button->setDefaultAction(m_plan);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    row->addWidget(button);
}

void BreakPanel::addVerb(std::size_t which) {
    auto* action = new QAction(this);
    action->setObjectName(QLatin1String(kVerbs[which].id));
    action->setShortcut(kVerbs[which].key);
    action->setAutoRepeat(false);
    action->setProperty("group", tr("Break"));
    action->setProperty("menuGroup", int(kVerbs[which].kind)); // a menu separates them
    connect(action, &QAction::triggered, this, [this, which] { trigger(which); });
    addAction(action);
    m_actions += action;
    m_buttons.push_back(new BreakButton(action, this));
    m_buttons.back()->hide(); // until it has its place
    // The key of an action that is off does nothing at all: then this one answers.
    auto* refusal = new QShortcut(action->shortcut(), this);
    refusal->setAutoRepeat(false);
    refusal->setEnabled(false);
    connect(refusal, &QShortcut::activated, this, [this, which] { sayWhyNot(which); });
    m_refusals.push_back(refusal);
}

void BreakPanel::refresh() {
    const FaultTargets targets = faultTargets(*m_context);
    const Breakable::Sight sight = m_context->sightToActOn();
    const Breakable client = Breakable::client(sight, targets.client), server = Breakable::server(sight, targets.node),
                    link = Breakable::link(sight, targets.client, targets.node), world = Breakable::world(sight);
    // A name only where the holder is not meant anyway: a class is told whom the key strikes.
    using Why = FaultTargets::Why;
    const bool named = targets.why == Why::Selected || targets.why == Why::Waiter || targets.why == Why::First;
    const QString struck = named ? sight.trace.displayName(targets.client) : QString();
    for (std::size_t i = 0; i < kVerbs.size(); ++i) {
        const Verb& verb = kVerbs[i];
        if (verb.kind == Client && m_actions[qsizetype(i)]->data() != struck) m_actions[qsizetype(i)]->setData(struck);
        const Breakable& target = verb.kind == Client   ? client
                                  : verb.kind == Server ? server
                                  : verb.kind == Link   ? link
                                                        : world;
        // A server that is dead is restarted by Kill's button: Crash's would be one more that says so.
        const bool asItIs = verb.action == Action::CrashNode || verb.action == Action::RestartClient;
        showOffer(i, asItIs                            ? offerOf(target, verb.action)
                     : verb.action == Action::EvictKey ? evictOffer(target, evictedLock(*m_context))
                                                       : currentOffer(target, verb.action));
    }
    // A dead server is started again by what stands in Kill's place.
    const bool dead = server.suffers(Action::KillNode);
    for (std::size_t i = 0; i < kVerbs.size(); ++i) {
        if (kVerbs[i].action != Action::RestartNode) continue;
        m_actions[qsizetype(i)]->setVisible(!dead);
        m_buttons[i]->setVisible(!dead);
        m_refusals[i]->setEnabled(m_refusals[i]->isEnabled() && !dead);
    }
    m_plan->setEnabled(canPlan(*m_context));
    m_plan->setToolTip(canPlan(*m_context) ? tr("Plans a fault for another time, or for when something happens (%1)")
                                                 .arg(m_plan->shortcut().toString())
                                           : tr("Only in a simulation can faults be planned."));
    for (const auto& [kind, button] : m_more)
        button->setEnabled((kind == Client ? targets.client : targets.node) != kNoEntity);
    refreshLines(targets);
    showStruck();
    m_targetText = targetWords(targets, *m_context);
}

std::optional<Action> BreakPanel::actionOf(const QWidget* widget) const {
    for (std::size_t i = 0; i < m_buttons.size(); ++i)
        if (const QWidget* const button = m_buttons[i]; button == widget || button->isAncestorOf(widget))
            return kVerbs[i].action;
    return std::nullopt;
}

void BreakPanel::refreshLines(const FaultTargets& targets) {
    const Breakable::Sight sight = m_context->sightToActOn();
    const auto dot = [](trace::ClientState::Life life) {
        using Life = trace::ClientState::Life;
        return life == Life::Dead ? Role::TextFaint : life == Life::Paused ? Role::Paused : Role::Accepted;
    };
    const auto client = sight.state.clients.find(targets.client);
    m_client->setTarget(sight.trace.displayName(targets.client), targetReason(targets.why),
                        client == sight.state.clients.end() ? Role::TextFaint : dot(client->second.life));
    const auto server = sight.state.nodes.find(targets.node);
    QString role;
    if (server != sight.state.nodes.end()) role = stillWords(server->second.life);
    if (role.isEmpty() && server != sight.state.nodes.end() && server->second.role != kNoEntity)
        role = roleWords(sight.trace.entity(server->second.role).name, {}, false);
    m_server->setTarget(sight.trace.displayName(targets.node), role,
                        server == sight.state.nodes.end() ? Role::TextFaint : dot(server->second.life));
    const bool both = targets.client != kNoEntity && targets.node != kNoEntity;
    const Breakable link = Breakable::link(sight, targets.client, targets.node);
    m_link->setTarget(both ? link.displayName() : QString(), {},
                      both && link.suffers(Action::CutLink) ? Role::Fault : Role::TextFaint);
}

void BreakPanel::showOffer(std::size_t which, const FaultOffer& offer) {
    QAction* const action = m_actions[qsizetype(which)];
    FaultOffer& shown = m_offers[which];
    const bool otherIcon =
        action->icon().isNull() || qstrcmp(shown.icon, offer.icon) != 0 || shown.undoes != offer.undoes;
    shown = offer;
    // Before its words, whose change is told of.
    action->setProperty("undoneFor", offer.undoes ? offer.target : QString());
    if (otherIcon) action->setIcon(icon(offer.icon, offer.undoes ? Role::Accepted : Role::Fault));
    if (action->text() != offer.shortText) action->setText(offer.shortText);
    m_buttons[which]->setWords(kVerbs[which].kind == World ? offer.shortText : offer.brief);
    action->setEnabled(offer.enabled);
    m_refusals[which]->setEnabled(!offer.enabled);
    const QString tip = offer.enabled ? tr("%1 (%2)").arg(offer.text, action->shortcut().toString()) : offer.why;
    if (action->toolTip() != tip) action->setToolTip(tip);
    //: A button that is off, for screen readers: its words, and why it is off.
    const QString name = offer.enabled ? offer.text : tr("%1: %2").arg(offer.text, offer.why);
    if (m_buttons[which]->accessibleName() != name) m_buttons[which]->setAccessibleName(name);
}

void BreakPanel::showStruck() {
    std::vector<Struck> struck = struckOnes(*m_context);
    const bool same = std::ranges::equal(struck, m_struckShown, {}, &Struck::words, &Struck::words);
    m_struckShown = std::move(struck);
    if (same) return;
    qDeleteAll(m_cures);
    m_cures.clear();
    // Two short ones share a line, a long one has its own; none makes the panel wider.
    int line = 0, column = 0;
    const auto put = [this, &line, &column](QWidget* widget) {
        constexpr int kHalf = 104;
        const int columns = widget->sizeHint().width() > kHalf ? 2 : 1;
        if (column + columns > 2) {
            ++line;
            column = 0;
        }
        m_struckGrid->addWidget(widget, line, column, 1, columns);
        column += columns;
    };
    delete m_moreStruck;
    for (std::size_t i = 0; i < std::min<std::size_t>(m_struckShown.size(), kMostCures); ++i) {
        const Struck& one = m_struckShown[i];
        auto* button = new QToolButton;
        button->setText(one.words);
        button->setIcon(
            icon(one.cure.icon == QByteArray("delay") || one.cure.icon == QByteArray("clock") ? "heal" : one.cure.icon,
                 Role::Accepted));
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        button->setFocusPolicy(Qt::TabFocus);
        const QString tip = one.cure.wantsValue ? tr("Back to normal: %1").arg(one.words) : one.cure.text;
        button->setToolTip(tip);
        button->setAccessibleName(tr("%1: %2", "who suffers: what a press does").arg(one.words, tip));
        // The cure is captured: a press acts on the client that the button names, even if another one has this place by
        // then.
        connect(button, &QToolButton::clicked, this, [this, cure = one.cure] { m_context->breakIt(cure.fault()); });
        m_cures += button;
        put(button);
    }
    if (m_struckShown.size() > std::size_t(kMostCures)) {
        m_moreStruck = new DimLabel(tr("and %n more", "", int(m_struckShown.size()) - kMostCures));
        put(m_moreStruck);
    }
    fitStruck();
    m_struckRoom->setVisible(!m_struckShown.empty());
}

void BreakPanel::fitStruck() {
    constexpr int kLine = 36;
    m_struckRoom->setFixedHeight(std::min(m_struckGrid->sizeHint().height(), m_cureLines * kLine));
}

void BreakPanel::setCureLines(int most) {
    if (std::exchange(m_cureLines, most) != most) fitStruck();
}

void BreakPanel::sayWhyNot(std::size_t which) {
    refresh();
    session::Session* const session = m_context->session();
    const FaultOffer& offer = m_offers[which];
    if (session && !offer.enabled) Q_EMIT session->complained(offer.why);
}

void BreakPanel::trigger(std::size_t which) {
    // By what is true now, not by what the button showed a frame ago.
    refresh();
    const FaultOffer& offer = m_offers[which];
    if (!offer.enabled) return;
    if (offer.wantsValue || offer.action == Action::RestartNode) return popUp(which);
    m_context->breakIt(offer.fault());
}

/// The values that a fault may have, or the ways to restart a server, below the button.
void BreakPanel::popUp(std::size_t which) {
    const FaultOffer& offer = m_offers[which];
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("break.values"));
    menu->addSection(offer.text);
    if (offer.wantsValue)
        addFaultValues(*menu, *m_context, offer);
    else
        addRestarts(*menu, *m_context, Breakable::server(m_context->sightToActOn(), faultTargets(*m_context).node));
    QWidget* const button = m_buttons[which];
    menu->popup(button->isVisible() ? button->mapToGlobal(QPoint(0, button->height()))
                                    : window()->mapToGlobal(window()->rect().center()));
    for (QAction* entry : menu->actions()) {
        if (entry->isSeparator() || !entry->isEnabled()) continue;
        menu->setActiveAction(entry); // the arrow keys start here
        break;
    }
}

} // namespace lockscope::views
