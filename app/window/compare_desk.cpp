// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/compare_desk.h"

#include "compare/compare_window.h"
#include "session/simulated_session.h"
#include "transport/player.h"
#include "window/action_registry.h"
#include "window/lesson_desk.h"
#include "window/main_window.h"

namespace lockscope::app {

CompareDesk::CompareDesk(MainWindow* window) : QObject(window), m_window(window) {
}

// The window is nobody's child, as its keys are its own and not commands of the main window.
CompareDesk::~CompareDesk() {
    delete m_compare;
}

QAction* CompareDesk::makeAction() {
    m_action = m_window->registry()->add(
        "session.compare", tr("Session"), tr("Compare side &by side…"), {Qt::CTRL | Qt::SHIFT | Qt::Key_B},
        [this] { open(); }, "clients");
    m_action->setToolTip(tr("This run beside one that differs in one setting: fencing, watchdog, another recipe"));
    connect(m_window->context(), &views::ViewContext::sessionChanged, this, &CompareDesk::refresh);
    refresh();
    return m_action;
}

void CompareDesk::refresh() {
    const session::Session* const session = m_window->context()->session();
    m_action->setEnabled(session && session->abilities().rewind);
}

views::CompareWindow* CompareDesk::open(std::optional<experiment::Contrast> contrast) {
    const session::Session* const session = m_window->context()->session();
    if (!session || !session->abilities().rewind) {
        m_window->complain(tr("Only simulations can be compared: they run again with one thing changed."));
        return nullptr;
    }
    m_window->player()->pause();
    const bool bets = m_window->context()->heldBack().verdictFrom.has_value();
    if (bets && !m_window->lessons()->guide()->pair()) {
        m_window->complain(tr("Bet first: side by side would show how this run ends."));
        return nullptr;
    }
    if (const auto pair = m_window->lessons()->guide()->pair(); pair && !contrast)
        return show({pair->first, pair->seed, {}, {}, {}}, experiment::parseContrast(pair->difference, pair->first));
    return show(session::sharedRunOf(*session), std::move(contrast));
}

views::CompareWindow* CompareDesk::show(const session::SharedRun& run, std::optional<experiment::Contrast> contrast) {
    delete m_compare;
    m_compare = new views::CompareWindow(run, std::move(contrast));
    m_compare->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_compare, &views::CompareWindow::openWanted, this, [this](const session::SharedRun& lower) {
        m_window->setSession(std::make_unique<session::SimulatedSession>(lower), false);
        m_window->activateWindow();
    });
    m_compare->show();
    return m_compare;
}

} // namespace lockscope::app
