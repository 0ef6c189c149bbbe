// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/break_panel.h"

#include "faults/break_button.h"
#include "faults/fault_menu.h"
#include "theme/icons.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QMenu>

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
constexpr std::array kIds{"break.pause-client",  "break.kill-client", "break.kill-node",  "break.pause-node",
                          "break.cut-link",      "break.jump-clock",  "break.delay-link", "break.lose-reply",
                          "break.stop-watchdog", "break.heal"};
} // namespace

BreakPanel::BreakPanel(ViewContext* context, QWidget* parent)
    : QWidget(parent), m_context(context), m_caption(new SectionCaption(tr("Break"))) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kGrid + 4, kGrid, kGrid + 4, kGrid);
    column->setSpacing(kGrid / 2);
    column->addWidget(m_caption);
    for (int i = 0; i < Count; ++i) {
        auto* action = new QAction(this);
        action->setObjectName(QLatin1String(kIds[std::size_t(i)]));
        action->setShortcut(keys()[std::size_t(i)]);
        action->setAutoRepeat(false);
        connect(action, &QAction::triggered, this, [this, i] { trigger(Which(i)); });
        addAction(action);
        m_actions += action;
        auto* button = new BreakButton(action);
        button->setHealing(i == Heal);
        if (i == Heal) column->addSpacing(kGrid);
        column->addWidget(button);
        m_buttons[std::size_t(i)] = button;
    }
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
    const QString tip = offer.enabled ? tr("%1 (%2)").arg(offer.text, action->shortcut().toString()) : offer.why;
    if (action->toolTip() != tip) action->setToolTip(tip);
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
