// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/break_panel.h"

#include "faults/break_button.h"
#include "faults/fault_menu.h"
#include "faults/hand_list.h"
#include "theme/icons.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QMenu>
#include <QShortcut>
#include <QToolButton>

namespace lockscope::views {

namespace {
/// By BreakPanel::Which.
const std::array<QKeySequence, 10>& keys() {
    static const std::array<QKeySequence, 10> all{Qt::Key_P,
                                                  Qt::Key_K,
                                                  QKeySequence(Qt::SHIFT | Qt::Key_K),
                                                  QKeySequence(Qt::SHIFT | Qt::Key_P),
                                                  Qt::Key_C,
                                                  Qt::Key_J,
                                                  Qt::Key_D,
                                                  Qt::Key_L,
                                                  Qt::Key_W,
                                                  Qt::Key_H};
    return all;
}
/// Stable names of the actions, for settings and tests.
constexpr int kMostCures = 8; ///< buttons; where more suffer, "Heal everything" is the quicker way
constexpr std::array kIds{"break.pause-client",  "break.kill-client", "break.kill-node",  "break.pause-node",
                          "break.cut-link",      "break.jump-clock",  "break.delay-link", "break.lose-reply",
                          "break.stop-watchdog", "break.heal"};
} // namespace

BreakPanel::BreakPanel(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_caption(new SectionCaption(tr("Break"))),
      m_struck(new QWidget),
      m_struckGrid(new QGridLayout(m_struck)),
      m_hand(new HandList(context)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid); // as the form above it
    column->setSpacing(kGrid / 4); // with two struck and what was done by hand it fits below the form
    column->addWidget(m_caption);
    column->addSpacing(kGrid / 4);
    for (int i = 0; i < Count; ++i) {
        auto* action = new QAction(this);
        action->setObjectName(QLatin1String(kIds[std::size_t(i)]));
        action->setShortcut(keys()[std::size_t(i)]);
        action->setAutoRepeat(false);
        action->setProperty("group", tr("Break"));
        connect(action, &QAction::triggered, this, [this, i] { trigger(Which(i)); });
        addAction(action);
        m_actions += action;
        auto* button = new BreakButton(action);
        button->setHealing(i == Heal);
        if (i == Heal) column->addSpacing(kGrid);
        column->addWidget(button);
        m_buttons[std::size_t(i)] = button;
        // The key of an action that is off does nothing at all: then this one answers.
        auto* refusal = new QShortcut(action->shortcut(), this);
        refusal->setAutoRepeat(false);
        refusal->setEnabled(false);
        connect(refusal, &QShortcut::activated, this, [this, i] { sayWhyNot(Which(i)); });
        m_refusals[std::size_t(i)] = refusal;
    }
    m_struckGrid->setContentsMargins(0, kGrid / 2, 0, 0);
    m_struckGrid->setSpacing(kGrid / 2);
    m_struckGrid->setColumnStretch(0, 1);
    m_struckGrid->setColumnStretch(1, 1);
    m_struck->hide();
    column->addWidget(m_struck);
    column->addWidget(m_hand);
    column->addStretch();
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    connect(&m_soon, &QTimer::timeout, this, &BreakPanel::refresh);
    connect(context, &ViewContext::sessionChanged, this, &BreakPanel::refreshSoon);
    connect(context, &ViewContext::traceGrew, this, &BreakPanel::refreshSoon);
    connect(context, &ViewContext::playheadChanged, this, &BreakPanel::refreshSoon);
    connect(context, &ViewContext::selectionChanged, this, &BreakPanel::refreshSoon);
    connect(context, &ViewContext::scenarioChanged, this, &BreakPanel::refreshSoon);
    refresh();
}

void BreakPanel::refreshSoon() {
    if (!m_soon.isActive()) m_soon.start();
}

void BreakPanel::refresh() {
    const FaultTargets targets = faultTargets(*m_context);
    const auto client = clientOffers(*m_context, targets.client);
    const auto node = nodeOffers(*m_context, targets.node);
    const auto link = linkOffers(*m_context, targets.client, targets.node);
    // With a node selected its own clock is meant.
    const bool nodeSelected = m_context->trace()->entity(m_context->selection()).kind == trace::EntityKind::Node;
    showOffer(Pause, client[PauseOffer]);
    showOffer(Kill, client[KillOffer]);
    showOffer(KillNode, node[KillNodeOffer]);
    showOffer(PauseNode, node[PauseNodeOffer]);
    showOffer(Cut, link[CutOffer]);
    showOffer(Clock, nodeSelected ? node[NodeClockOffer] : client[ClockOffer]);
    showOffer(Delay, link[DelayOffer]);
    showOffer(LoseReply, client[LoseReplyOffer]);
    showOffer(Watchdog, client[WatchdogOffer]);
    showOffer(Heal, healOffer(*m_context));
    showStruck();
    m_targetText = targetWords(targets, *m_context);
    m_caption->setHint(m_targetText);
}

void BreakPanel::showOffer(Which which, const FaultOffer& offer) {
    QAction* const action = m_actions[which];
    FaultOffer& shown = m_offers[which];
    const bool otherIcon = action->icon().isNull() || qstrcmp(shown.icon, offer.icon) != 0;
    shown = offer;
    if (otherIcon) action->setIcon(icon(offer.icon, offer.undoes ? Role::Accepted : Role::Fault));
    if (action->text() != offer.shortText) action->setText(offer.shortText);
    action->setEnabled(offer.enabled);
    m_refusals[which]->setEnabled(!offer.enabled);
    const QString tip = offer.enabled ? tr("%1 (%2)").arg(offer.text, action->shortcut().toString()) : offer.why;
    if (action->toolTip() != tip) action->setToolTip(tip);
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
        constexpr int kHalf = 96;
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
    m_struck->setVisible(!m_struckShown.empty());
}

void BreakPanel::sayWhyNot(Which which) {
    refresh();
    session::Session* const session = m_context->session();
    const FaultOffer& offer = m_offers[which];
    if (session && !offer.enabled) Q_EMIT session->complained(offer.why);
}

void BreakPanel::trigger(Which which) {
    // By what is true now, not by what the button showed a frame ago.
    refresh();
    const FaultOffer& offer = m_offers[which];
    if (!offer.enabled) return;
    if (!offer.wantsValue) {
        m_context->breakIt(offer.fault());
        return;
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("break.values"));
    menu->addSection(offer.text);
    addFaultValues(*menu, *m_context, offer);
    QWidget* const button = m_buttons[which];
    menu->popup(button->isVisible() ? button->mapToGlobal(QPoint(0, button->height()))
                                    : window()->mapToGlobal(window()->rect().center()));
    for (QAction* entry : menu->actions()) {
        if (entry->isSeparator()) continue;
        menu->setActiveAction(entry); // the arrow keys start here
        break;
    }
}

} // namespace lockscope::views
