// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/main_window.h"

#include "connections/connections_aside.h"
#include "connections/connections_panel.h"
#include "scenario/scenario_file.h"
#include "session/recording_session.h"
#include "session/simulated_session.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "theme/screen_room.h"
#include "timeline/timeline_panel.h"
#include "transport/player.h"
#include "transport/transport_bar.h"
#include "transport/why_line.h"
#include "welcome/connect_dialog.h"
#include "welcome/shortcut_sheet.h"
#include "welcome/welcome_page.h"
#include "window/action_registry.h"
#include "window/compare_desk.h"
#include "window/editor_desk.h"
#include "window/exporter.h"
#include "window/finder.h"
#include "window/help_desk.h"
#include "window/lesson_desk.h"
#include "window/message_bar.h"
#include "window/name_hider.h"
#include "window/presenter.h"
#include "window/recording_arrival.h"
#include "window/save_dialog.h"
#include "window/secret_keeper.h"
#include "window/session_opener.h"
#include "window/session_recorder.h"
#include "window/sharer.h"
#include "window/stage.h"
#include "window/status_line.h"
#include "window/window_alerts.h"
#include "window/window_menus.h"
#include "window/work_area.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>

namespace lockscope::app {
namespace {

constexpr const char* kEditFailing = "connection.edit-failing"; ///< offered where a connection's trouble is told

/// The first open connection of a session that does not work; kNoEntity: there is none.
trace::EntityId failingConnection(session::Session* session) {
    const session::ConnectionDesk* const desk = session::connectionDeskOf(session);
    if (!desk) return trace::kNoEntity;
    const auto failing = std::ranges::find_if(desk->all(), [](const session::ConnectionFacts& one) {
        return one.open && one.health.level == session::Health::Level::Bad;
    });
    return failing == desk->all().end() ? trace::kNoEntity : failing->id;
}

/// The first file or address of what is being dragged, empty if none is ours.
QString droppable(const QMimeData* data) {
    for (const QUrl& url : data->urls()) {
        if (!url.isLocalFile()) continue;
        const QString suffix = QFileInfo(url.toLocalFile()).suffix().toLower();
        if (suffix == QLatin1String("lockscope") || suffix == QLatin1String("json")) return url.toLocalFile();
    }
    return {};
}

/// A window's rectangle inside of what a screen has free, with room for its frame; without one, the usual size.
QRect fitted(const QRect& wanted, const QRect& screen) {
    constexpr QSize kUsual(1600, 1000), kFrame = views::kWindowFrame;
    const QSize size = (wanted.isValid() ? wanted.size() : kUsual).boundedTo(screen.size() - kFrame);
    QRect placed(wanted.isValid() ? wanted.topLeft() : screen.topLeft(), size);
    placed.moveLeft(std::clamp(placed.left(), screen.left(), screen.right() - size.width()));
    placed.moveTop(std::clamp(placed.top(), screen.top() + kFrame.height() / 2, screen.bottom() - size.height()));
    return placed;
}

} // namespace

MainWindow::MainWindow(Settings* settings, QWidget* parent)
    : QMainWindow(parent),
      m_settings(settings),
      m_secrets(new SecretKeeper(desktopSecrets(), this)),
      m_context(new views::ViewContext(this)),
      m_player(new views::Player(m_context, this)),
      m_names(new NameHider(this)),
      m_recorder(new SessionRecorder(
          m_context, [this] { return m_session.get(); }, this)),
      m_sharer(new Sharer(this)),
      m_registry(new ActionRegistry(this)),
      m_messages(new MessageBar(this)),
      m_centre(new QStackedWidget),
      m_welcome(new views::WelcomePage),
      m_help(new HelpDesk(this)),
      m_comparison(new CompareDesk(this)) {
    new EditorDesk(this);
    new RecordingArrival(this);
    setObjectName(QStringLiteral("lockscope"));
    setAcceptDrops(true);
    setMinimumSize(views::kSmallestWindow);
    setAnimated(false);

    m_centre->addWidget(m_welcome);
    auto* stage = new Stage(m_centre);
    setCentralWidget(stage);
    m_presenter = new Presenter(this, stage);
    m_lessons = new LessonDesk(this, stage);

    m_menus = new WindowMenus(this);
    assembleTop();
    connect(this, &MainWindow::firstPainted, this, &MainWindow::furnish, Qt::QueuedConnection);

    connect(m_recorder, &SessionRecorder::failed, this, &MainWindow::complain);
    connect(m_recorder, &SessionRecorder::wentOn, this, [this](const QString& path) {
        m_messages->say(tr("The recording goes on in %1.").arg(path), MessageBar::Kind::Good);
    });
    connect(m_recorder, &SessionRecorder::finished, this, [this](const QString& path) {
        m_settings->addRecentFile(path);
        m_messages->say(tr("Recorded to %1.").arg(path), MessageBar::Kind::Good);
    });
    connect(m_welcome, &views::WelcomePage::scenarioChosen, this, &MainWindow::openScenario);
    connect(m_welcome, &views::WelcomePage::fileChosen, this, &MainWindow::openFile);
    connect(m_welcome, &views::WelcomePage::lessonsRequested, m_lessons, &LessonDesk::showList);
    connect(m_welcome, &views::WelcomePage::openRequested, this, &MainWindow::askForFile);
    connect(m_welcome, &views::WelcomePage::connectRequested, this, &MainWindow::askForUrl);
    connect(m_secrets, &SecretKeeper::notKept, this, [this](const QString& name) {
        m_messages->say(tr("The password of “%1” could not be kept in this desktop's secret store: it must be typed "
                           "each time.")
                            .arg(name));
    });
    connect(settings, &Settings::recentChanged, this, &MainWindow::refreshRecent);
    connect(m_names, &NameHider::changed, this, [this] {
        refreshRecent();
        refreshTitle();
    });
    refreshRecent();

    takePlace();
    refreshTitle();
    m_welcome->lessonButton()->setFocus();
}

/// Sizes are in device independent pixels and fit the screen, which may be another one than last time.
void MainWindow::takePlace() {
    const WindowPlace kept = m_settings->place();
    const QScreen* screen = QGuiApplication::screenAt(kept.rect.center());
    if (!screen) screen = this->screen();
    const QRect placed = fitted(kept.rect, screen->availableGeometry());
    if (kept.rect.isValid())
        setGeometry(placed); // both are without the frame: it would wander by a title bar with each start
    else
        resize(placed.size());
    if (kept.size == WindowPlace::Size::Maximized) setWindowState(windowState() | Qt::WindowMaximized);
}

MainWindow::~MainWindow() {
    m_recorder->stop();
    // Views hold on to the context, which holds on to the session: take it away before it goes.
    m_names->show(nullptr);
}

void MainWindow::assembleTop() {
    auto* top = new QWidget;
    auto* layout = new QVBoxLayout(top);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(menuBar());
    setMenuWidget(top);
}

void MainWindow::furnish() {
    if (m_transport) return;
    m_transport = new views::TransportBar(m_context, m_player, menuWidget());
    m_transport->hide();
    menuWidget()->layout()->addWidget(m_transport);
    m_why = new views::WhyLine(m_context, menuWidget());
    m_why->hide();
    menuWidget()->layout()->addWidget(m_why);
    for (QAction* action : m_transport->commands())
        m_registry->adopt(action, tr("Play"));
    m_menus->fill();
    connect(m_transport, &views::TransportBar::said, this, [this](const QString& text) { m_messages->say(text); });
    connect(m_player, &views::Player::nothingFound, this,
            [this](const QString& text) { m_messages->say(text, MessageBar::Kind::Note, MessageBar::About::Instant); });
    connect(m_context, &views::ViewContext::playheadChanged, m_messages, &MessageBar::instantLeft);
    m_transport->setCommands([this] { return m_registry->all(); });
    m_transport->setFinds([this](const QString& typed) { return findsIn(this, typed); });
    connect(m_transport, &views::TransportBar::findRequested, this, &MainWindow::findInTheMiddle);
    connect(m_context, &views::ViewContext::futureReplaced, this, &MainWindow::tellOfNewFuture);
    connect(m_player, &views::Player::restarted, this, &MainWindow::tellOfRestart);
}

void MainWindow::tellOfNewFuture(session::Rewrite why, Nanos from) {
    QAction* const undo = m_registry->find(QStringLiteral("edit.undo"));
    const QString when = views::instantShort(*m_context->trace(), from);
    switch (why) {
    case session::Rewrite::Apply:
        return m_messages->offer(tr("New future from %1. The old one is kept.").arg(when), undo);
    case session::Rewrite::Withdraw:
        return m_messages->offer(tr("Taken back: the run from %1 on is computed without it.").arg(when), undo);
    case session::Rewrite::Move:
        return m_messages->offer(tr("Moved: the run from %1 on is computed anew.").arg(when), undo);
    case session::Rewrite::Undo:
        return m_messages->offer(tr("The run from %1 on is as it was before.").arg(when),
                                 m_registry->find(QStringLiteral("edit.redo")));
    case session::Rewrite::Redo:
        return m_messages->offer(tr("The run from %1 on is changed again.").arg(when), undo);
    case session::Rewrite::Again:
        return m_messages->offer(tr("Back in an earlier run, from %1 on. The one until now is kept.").arg(when), undo);
    case session::Rewrite::Restart:
        return; // tellOfRestart() has more to say
    }
}

void MainWindow::tellOfRestart(session::ByHand byHand) {
    if (!m_session) return;
    if (byHand == session::ByHand::Drop)
        return m_messages->offer(tr("Started again without what was done by hand."),
                                 m_registry->find(QStringLiteral("edit.undo")));
    const int kept = int(m_session->doneByHand().size());
    if (kept == 0) return;
    m_messages->offer(tr("Started again, with the %n thing(s) that were done by hand.", "", kept),
                      m_registry->find(QStringLiteral("transport.restart-without")));
}

/// Without the bar that has a field, one comes up in the middle for as long as it is needed.
void MainWindow::findInTheMiddle() {
    if (!m_finder) {
        m_finder = new views::CommandField(this);
        m_finder->setObjectName(QStringLiteral("window.finder"));
        m_finder->setCommands([this] { return m_registry->all(); });
        m_finder->setFinds([this](const QString& typed) { return findsIn(this, typed); });
        connect(m_finder, &views::CommandField::closed, m_finder, &QWidget::hide);
    }
    constexpr int kWidth = 480, kHeight = 34;
    m_finder->setGeometry((width() - kWidth) / 2, height() / 6, kWidth, kHeight);
    m_finder->show();
    m_finder->raise();
    m_finder->summon();
}

views::TransportBar* MainWindow::transport() {
    furnish();
    return m_transport;
}

ActionRegistry* MainWindow::registry() {
    furnish();
    return m_registry;
}

views::ShortcutSheet* MainWindow::shortcutSheet() {
    if (!m_shortcuts) m_shortcuts = new views::ShortcutSheet(this);
    return m_shortcuts;
}

WorkArea* MainWindow::needWork() {
    if (m_work) return m_work;
    furnish();
    // Neither is of use on the welcome page, and the window is there sooner without them.
    setStatusBar(new StatusLine(m_context, m_player));
    m_work = new WorkArea(this, m_context, m_settings);
    m_alerts = new WindowAlerts(this);
    m_centre->addWidget(m_work->timeline());
    m_messages->standOver(m_work->timeline());
    m_help->attachTimeline();
    // A menu is read before something is chosen from it: the run waits for that as it waits for a dialogue.
    if (auto* const timeline = qobject_cast<views::TimelinePanel*>(m_work->timeline()))
        connect(timeline, &views::TimelinePanel::menuFilled, this, [this](QMenu* menu) {
            connect(menu, &QMenu::aboutToShow, this, [this] { holdTime(true); });
            connect(menu, &QMenu::aboutToHide, this, [this] { holdTime(false); });
        });
    m_help->attachPanels();
    connect(m_work, &WorkArea::panelBuilt, m_help, &HelpDesk::attachPanels);
    connect(m_work, &WorkArea::panelBuilt, this, &MainWindow::adoptPanelActions);
    connect(m_work, &WorkArea::connectionWanted, this, &MainWindow::askForAnother);
    connect(m_work, &WorkArea::connectionEdited, this, &MainWindow::askToEdit);
    adoptPanelActions();
    m_registry->add(kEditFailing, tr("Session"), tr("Edit the connection…"), {}, [this] {
        const trace::EntityId failing = failingConnection(m_session.get());
        if (failing != trace::kNoEntity) askToEdit(failing);
    });
    QList<QAction*> recorded;
    for (const char* id : {"stretch.changes", "stretch.replay", "export.trace"})
        if (QAction* const action = m_registry->find(QLatin1String(id))) recorded << action;
    if (auto* const connections = m_work->connections()->findChild<views::ConnectionsPanel*>())
        connections->aside()->setActions(recorded);
    return m_work;
}

void MainWindow::adoptPanelActions() {
    for (QAction* action : findChildren<QAction*>())
        if (!action->objectName().isEmpty() && !action->text().isEmpty()) m_registry->adopt(action, tr("Panels"));
}

void MainWindow::setSession(std::unique_ptr<session::Session> session, bool play) {
    m_player->pause();
    m_recorder->stop();
    m_messages->dismiss();
    m_trouble.clear();
    const bool broken = keepBrokenRun();
    // The new one is in its place before the old one goes, so that no view ever looks at nothing in between.
    std::unique_ptr<session::Session> old = std::move(m_session);
    m_session = std::move(session);
    const bool open = m_session != nullptr;
    const auto* const recording = qobject_cast<session::RecordingSession*>(m_session.get());
    RecordingArrival::of(this)->follow(recording);
    if (open) {
        needWork();
        // Where names are hidden, another session tells of it.
        const auto isShown = [this, its = m_session.get()] { return m_context->session() == its; };
        connect(m_session.get(), &session::Session::complained, this, [this, isShown](const QString& message) {
            if (isShown()) complain(message);
        });
        connect(m_session.get(), &session::Session::healthChanged, this, [this, isShown] {
            if (isShown()) tellHealth();
        });
        attachConnections();
        if (recording) {
            // Queued: the session goes, and must not be in the middle of telling this.
            connect(recording, &session::RecordingSession::unreadable, this, &MainWindow::giveUpFile,
                    Qt::QueuedConnection);
            // Somebody's servers are read as they were when they were watched.
            connect(recording, &session::Session::scenarioChanged, this, [this, recording] {
                if (recording->recordingMeta().originWallMs != 0) m_work->lend(Layout::Monitor);
            });
        }
    }
    m_names->show(m_session.get());
    old.reset();
    if (open) {
        // Somebody's server is monitored; a simulation has the layout that was chosen, or that its lesson wants.
        if (m_session->abilities().live)
            m_work->lend(Layout::Monitor);
        else if (!m_lessons->isGuiding())
            m_work->takeBack();
    }
    if (m_transport) {
        m_transport->setVisible(open);
        m_why->setVisible(open);
    }
    m_centre->setCurrentWidget(open ? m_work->timeline() : m_welcome);
    if (m_work && !m_presenter->isOn()) {
        m_work->setVisible(open);
        statusBar()->setVisible(open);
    }
    refreshTitle();
    if (broken) offerBrokenRun();
    if (!open) {
        m_welcome->lessonButton()->setFocus();
        return;
    }
    keysToTheTimeline();
    if (play) m_player->play();
}

void MainWindow::keysToTheTimeline() {
    if (!m_session) return;
    if (QWidget* const focus = focusWidget()) focus->clearFocus();
    m_work->timeline()->setFocus();
}

std::unique_ptr<session::Session> MainWindow::releaseSession() {
    m_player->pause();
    m_recorder->stop();
    m_names->show(nullptr);
    if (m_session) m_session->disconnect(this);
    return std::move(m_session);
}

void MainWindow::toggleRecording() {
    if (m_recorder->isRecording()) return m_recorder->stop();
    if (!m_session) return;
    QFileDialog* const dialog = makeSaveDialog(this, {.title = tr("Record this session to a file"),
                                                      .filters = {tr("Recordings (*.lockscope)")},
                                                      .suffix = QStringLiteral("lockscope"),
                                                      .name = {}});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        if (m_recorder->start(path)) m_messages->say(tr("Recording to %1.").arg(path));
    });
    dialog->open();
}

void MainWindow::showShortcuts() {
    shortcutSheet()->open(m_registry->all(), m_help->keysOfParts());
}

void MainWindow::complain(const QString& message) {
    m_messages->say(message, MessageBar::Kind::Problem);
}

void MainWindow::tellHealth() {
    // The pill has room for a few words; the reason is told where it can be read, once for each trouble.
    const session::Session* const shown = m_context->session();
    const session::Health health = shown ? shown->health() : session::Health{};
    QAction* const edit = m_registry->find(QLatin1String(kEditFailing));
    if (edit) edit->setEnabled(failingConnection(m_session.get()) != trace::kNoEntity);
    const QString before = std::exchange(m_trouble, health.brief);
    if (health.brief.isEmpty()) {
        if (!before.isEmpty() && m_messages->message() == m_toldTrouble) m_messages->dismiss();
    } else if (health.brief != before) {
        m_toldTrouble = health.text;
        if (edit && edit->isEnabled())
            m_messages->offer(health.text, edit, MessageBar::Kind::Problem);
        else
            complain(health.text);
    }
}

void MainWindow::refreshTitle() {
    if (!m_session) return setWindowTitle(tr("Lockscope"));
    const session::Abilities can = m_session->abilities(); // hidden names take no right away
    const QString title = tr("%1 — Lockscope").arg(m_context->session()->title());
    //: %1 is the window's title while a server is watched that may be changed.
    setWindowTitle(can.live && can.forceRelease ? tr("CHANGES ALLOWED · %1").arg(title) : title);
}

void MainWindow::remember() {
    const bool filled = windowState() & (Qt::WindowMaximized | Qt::WindowFullScreen);
    m_settings->setPlace({normalGeometry(), filled ? WindowPlace::Size::Maximized : WindowPlace::Size::Normal});
    if (m_work) m_work->remember();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!EditorDesk::of(this)->mayClose()) return event->ignore(); // its question is on the screen
    if (!m_sharer->exporter()->mayClose()) return event->ignore();
    remember();
    m_player->pause();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!droppable(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QString path = droppable(event->mimeData());
    if (path.isEmpty()) return;
    event->acceptProposedAction();
    openFile(path);
}

/// Panels behind the front tab of their place count as visible for Qt, which would send the focus to where nobody sees
/// it.
bool MainWindow::focusNextPrevChild(bool next) {
    const auto isBehind = [](const QWidget* widget) {
        for (; widget; widget = widget->parentWidget())
            if (const auto* dock = qobject_cast<const QDockWidget*>(widget)) return WorkArea::isBehind(dock);
        return false;
    };
    // The window keeps tab bars of panels that are away, and does not hide them.
    const auto isIdle = [](const QWidget* widget) {
        const auto* const bar = qobject_cast<const QTabBar*>(widget);
        return bar && (bar->count() < 2 || bar->visibleRegion().isEmpty());
    };
    const auto canHave = [&](const QWidget* widget) {
        return !isIdle(widget) && widget->window() == this && (widget->focusPolicy() & Qt::TabFocus) == Qt::TabFocus &&
               widget->isEnabled() && widget->isVisible() && !widget->focusProxy() && !isBehind(widget);
    };
    QWidget* const from = focusWidget() ? focusWidget() : this;
    const auto step = [next](const QWidget* widget) {
        return next ? widget->nextInFocusChain() : widget->previousInFocusChain();
    };
    for (QWidget* widget = step(from); widget != from; widget = step(widget)) {
        if (!canHave(widget)) continue;
        widget->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
        for (QWidget* around = widget->parentWidget(); around; around = around->parentWidget())
            if (auto* const area = qobject_cast<QScrollArea*>(around)) area->ensureWidgetVisible(widget);
        return true;
    }
    return false;
}

bool MainWindow::event(QEvent* event) {
    const bool handled = QMainWindow::event(event);
    // The backing store is flushed after the whole tree has painted; one turn later the picture is on the screen.
    if (event->type() == QEvent::Paint && !m_painted) {
        m_painted = true;
        QTimer::singleShot(0, this, &MainWindow::firstPainted);
    }
    if (event->type() == QEvent::WindowBlocked) holdTime(true);
    if (event->type() == QEvent::WindowUnblocked) holdTime(false);
    return handled;
}

} // namespace lockscope::app
