// SPDX-License-Identifier: GPL-3.0-or-later
// How the window opens and saves: scenarios, recordings, shared runs and servers, by name or asked for.
#include "window/main_window.h"

#include "connections/client_rules_dialog.h"
#include "lessons/lesson_guide.h"
#include "scenario/scenario_file.h"
#include "session/simulated_session.h"
#include "transport/player.h"
#include "welcome/connect_dialog.h"
#include "welcome/url_parts.h"
#include "welcome/welcome_page.h"
#include "window/action_registry.h"
#include "window/lesson_desk.h"
#include "window/message_bar.h"
#include "window/name_hider.h"
#include "window/save_dialog.h"
#include "window/secret_keeper.h"
#include "window/session_opener.h"
#include "window/window_menus.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>

namespace lockscope::app {

void MainWindow::openScenario(const QString& idOrPath) {
    auto opened = app::openScenario(idOrPath);
    if (!opened) return complain(opened.error());
    if (QFileInfo::exists(idOrPath)) m_settings->addRecentFile(idOrPath);
    setSession(std::move(*opened));
}

void MainWindow::openFile(const QString& path) {
    auto opened = app::openFile(path);
    if (!opened) {
        if (!QFileInfo::exists(path)) m_settings->removeRecentFile(path);
        return complain(opened.error());
    }
    noteFile(path);
    setSession(std::move(*opened));
}

void MainWindow::openShared(const QString& text) {
    const auto run = session::readSharedText(text);
    if (!run) return complain(run.error());
    setSession(std::make_unique<session::SimulatedSession>(*run), !run->playhead);
    if (run->playhead) m_context->seek(*run->playhead);
    const QString mine = QCoreApplication::applicationVersion();
    if (!run->version.isEmpty() && run->version != mine)
        m_messages->say(tr("This run was shared from version %1; here, in version %2, it may take another course.")
                            .arg(run->version, mine));
}

void MainWindow::closeSession() {
    setSession(nullptr);
}

bool MainWindow::keepBrokenRun() {
    // Faults done by hand are work: the run can be had again, as it was and where it stood.
    const bool work = m_session && m_session->abilities().rewind && !m_session->doneByHand().empty();
    // A lesson has its worlds again whenever they are wanted, and its tasks are done over and over.
    if (!work || m_lessons->guide()->replaces(m_session.get())) return false;
    m_closed = session::sharedRunOf(*m_session);
    m_closed->playhead = m_context->playhead();
    return true;
}

void MainWindow::offerBrokenRun() {
    QAction* const reopen = m_registry->find(QStringLiteral("file.reopen"));
    if (!reopen) return;
    reopen->setEnabled(true);
    m_messages->offer(tr("The run with what you did to it is closed."), reopen);
}

void MainWindow::reopenClosed() {
    if (!m_closed) return;
    const session::SharedRun run = *m_closed;
    setSession(std::make_unique<session::SimulatedSession>(run), false);
    if (run.playhead) m_context->seek(*run.playhead);
}

void MainWindow::refreshRecent() {
    const bool hidden = m_names->isOn();
    m_welcome->setRecent(hidden ? QStringList() : m_settings->recentFiles(),
                         hidden ? QStringList() : m_settings->recentConnections());
    m_welcome->setSaved(hidden ? QList<views::ConnectDialog::Saved>() : m_settings->savedConnections());
}

void MainWindow::noteFile(const QString& path) {
    m_openedFile = QFileInfo(path).absoluteFilePath();
    m_settings->addRecentFile(path);
}

void MainWindow::giveUpFile(const QString& why) {
    m_settings->removeRecentFile(m_openedFile);
    closeSession();
    complain(why);
}

void MainWindow::openUrl(const QString& url, bool changesAllowed) {
    openConnections({{{}, url, changesAllowed}});
}

void MainWindow::openConnections(const std::vector<session::ConnectionWish>& connections) {
    auto opened = app::openConnections(connections);
    if (!opened && connections.size() == 1 && views::UrlParts::of(connections.front().url).lacksPassword())
        return askForPassword(connections.front());
    if (!opened) return complain(opened.error());
    for (const session::ConnectionWish& one : connections)
        m_settings->addRecentConnection(one.url);
    setSession(std::move(*opened));
}

views::ConnectDialog* MainWindow::makeConnectDialog() {
    const bool hidden = m_names->isOn(); // then no list of addresses is shown
    auto* dialog =
        new views::ConnectDialog(complaintAboutUrl, hidden ? QStringList() : m_settings->recentConnections(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (!hidden) dialog->setSaved(m_settings->savedConnections());
    dialog->setTrial(tryConnection);
    m_secrets->serve(*dialog);
    connect(dialog, &views::ConnectDialog::forgotten, m_settings, &Settings::forgetConnection);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        if (!dialog->name().isEmpty()) {
            m_settings->saveConnection({dialog->name(), dialog->url(), dialog->changesAllowed()});
            m_secrets->keep(dialog->name(), dialog->url());
        }
    });
    return dialog;
}

void MainWindow::askForUrl(const QString& url) {
    auto* dialog = makeConnectDialog();
    const bool saved = !url.isEmpty() && dialog->chooseSaved(url);
    if (!url.isEmpty() && !saved) dialog->setUrl(url);
    openWhenAccepted(dialog);
    // A saved one's comes from the secret store; an earlier address was kept without it.
    if (!saved && views::UrlParts::of(url).lacksPassword()) dialog->askForPassword();
}

void MainWindow::askForPassword(const session::ConnectionWish& connection) {
    auto* dialog = makeConnectDialog();
    dialog->setConnection({connection.name, connection.url, connection.changesAllowed});
    openWhenAccepted(dialog);
    dialog->askForPassword();
}

void MainWindow::openWhenAccepted(views::ConnectDialog* dialog) {
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        openConnections({{dialog->name(), dialog->url(), dialog->changesAllowed()}});
    });
    dialog->open();
}

void MainWindow::askForAnother() {
    const QPointer<session::ConnectionDesk> desk = session::connectionDeskOf(m_session.get());
    if (!desk) return askForUrl();
    auto* dialog = makeConnectDialog();
    dialog->setWindowTitle(tr("Add a connection"));
    connect(dialog, &QDialog::accepted, this, [this, dialog, desk] {
        m_settings->addRecentConnection(dialog->url());
        if (desk) desk->add({dialog->name(), dialog->url(), dialog->changesAllowed()});
    });
    dialog->open();
}

void MainWindow::askToEdit(trace::EntityId connection) {
    if (m_names->refuses()) return;
    const QPointer<session::ConnectionDesk> desk = session::connectionDeskOf(m_session.get());
    const session::ConnectionFacts* const facts = desk ? desk->find(connection) : nullptr;
    if (!facts) return;
    auto* dialog = makeConnectDialog();
    dialog->setWindowTitle(tr("Edit “%1”").arg(facts->name));
    dialog->setConnection({facts->name, facts->url, facts->changesAllowed});
    const bool refused = facts->open && facts->health.level == session::Health::Level::Bad;
    connect(dialog, &QDialog::accepted, this, [this, dialog, desk, connection] {
        if (!desk) return;
        m_settings->addRecentConnection(dialog->url());
        desk->edit(connection, {dialog->name(), dialog->url(), dialog->changesAllowed()});
    });
    dialog->open();
    // The address of a connection is without its password: one that fails may want another, or its first.
    if (refused && views::UrlParts::of(facts->url).apply()) dialog->askForPassword();
}

void MainWindow::askForClientRules() {
    if (m_names->refuses()) return;
    const QPointer<session::ConnectionDesk> desk = session::connectionDeskOf(m_session.get());
    if (!desk) return;
    auto* dialog = new views::ClientRulesDialog(desk->clientRules(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, desk] {
        m_settings->setClientRules(dialog->rules());
        if (desk) desk->setClientRules(dialog->rules());
    });
    dialog->open();
}

void MainWindow::attachConnections() {
    session::ConnectionDesk* const desk = session::connectionDeskOf(m_session.get());
    if (!desk) return;
    desk->setClientRules(m_settings->clientRules());
    // A rule can be rejected in the picture of waits, too.
    connect(desk, &session::ConnectionDesk::clientRulesWanted, this,
            [this, desk] { m_settings->setClientRules(desk->clientRules()); });
    connect(desk, &session::ConnectionDesk::arranged, this, [this] {
        refreshTitle();
        m_menus->refresh();
    });
}

void MainWindow::askForFile() {
    QFileDialog* const dialog =
        makeOpenDialog(this, tr("Open a recording or a scenario"),
                       {tr("Recordings and scenarios (*.lockscope *.json)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::openFile);
    dialog->open();
}

void MainWindow::holdTime(bool hold) {
    if (hold) {
        if (!m_player->isPlaying()) return;
        m_player->pause();
        m_held = m_session.get();
    } else {
        // Another session, or none, has a time of its own.
        if (m_held && m_held == m_session.get()) m_player->play();
        m_held.clear();
    }
}

void MainWindow::askForScenarioFile() {
    if (!m_session) return;
    const scenario::Scenario now = m_session->scenario();
    QFileDialog* const dialog =
        makeSaveDialog(this, {.title = tr("Save as a scenario, with what was done by hand"),
                              .filters = {tr("Scenarios (*.json)")},
                              .suffix = QStringLiteral("json"),
                              .name = scenario::savedAs(now, now.id).id + QStringLiteral(".json")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        if (!m_session) return;
        scenario::Scenario all = scenario::savedAs(m_session->scenario(), path);
        all.seed = m_session->seed();
        if (const auto saved = scenario::saveScenario(all, path); !saved) return complain(saved.error());
        m_settings->addRecentFile(path);
        m_messages->say(tr("Saved %1: it runs again to the same end.").arg(path), MessageBar::Kind::Good);
    });
    dialog->open();
}

} // namespace lockscope::app
