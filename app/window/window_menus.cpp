// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/window_menus.h"

#include "faults/break_panel.h"
#include "theme/fonts.h"
#include "transport/transport_bar.h"
#include "welcome/chapter_words.h"
#include "welcome/welcome_page.h"
#include "window/action_registry.h"
#include "window/background_keeper.h"
#include "window/compare_desk.h"
#include "window/editor_desk.h"
#include "window/help_desk.h"
#include "window/language.h"
#include "window/lesson_desk.h"
#include "window/main_window.h"
#include "window/name_hider.h"
#include "window/presenter.h"
#include "window/recording_gauge.h"
#include "window/session_recorder.h"
#include "window/sharer.h"
#include "window/stretch_desk.h"
#include "window/window_alerts.h"
#include "window/work_area.h"

#include <QActionGroup>
#include <QFileInfo>
#include <QMenuBar>
#include <map>

namespace lockscope::app {

using views::ThemeChoice;

WindowMenus::WindowMenus(MainWindow* window)
    : QObject(window),
      m_window(window),
      m_file(window->menuBar()->addMenu(tr("&File"))),
      m_edit(window->menuBar()->addMenu(tr("&Edit"))),
      m_session(window->menuBar()->addMenu(tr("&Session"))),
      m_play(window->menuBar()->addMenu(tr("&Play"))),
      m_learn(window->menuBar()->addMenu(tr("&Lessons"))),
      m_break(window->menuBar()->addMenu(tr("&Break"))),
      m_view(window->menuBar()->addMenu(tr("&View"))),
      m_help(window->menuBar()->addMenu(tr("&Help"))),
      m_stretches(new StretchDesk(window)),
      m_keeper(new BackgroundKeeper(window)) {
    // Their titles are in their files, which nobody needs before there is a window to choose from.
    connect(window, &MainWindow::firstPainted, this, &WindowMenus::fillScenarios, Qt::QueuedConnection);
}

void WindowMenus::fill() {
    fillFile();
    fillEdit();
    fillSession();
    fillPlay();
    fillLessons();
    fillBreak();
    fillView();
    fillHelp();
    new RecordingGauge(m_window, m_keeper);
    connect(m_window->context(), &views::ViewContext::sessionChanged, this, &WindowMenus::refresh);
    connect(m_window->context(), &views::ViewContext::scenarioChanged, this, &WindowMenus::refresh);
    connect(m_window->settings(), &Settings::recentChanged, this, &WindowMenus::fillRecent);
    connect(m_window->names(), &NameHider::changed, this, &WindowMenus::fillRecent);
    fillRecent();
    refresh();
}

void WindowMenus::fillFile() {
    MainWindow* const w = m_window;
    ActionRegistry* const r = w->registry();
    const QString group = tr("File");
    QMenu* const menu = m_file;
    menu->addAction(r->add(
        "file.open", group, tr("&Open a recording or scenario…"), {QKeySequence::Open}, [w] { w->askForFile(); },
        "open"));
    m_recent = menu->addMenu(tr("Open &recent"));
    menu->addSeparator();
    menu->addAction(r->add(
        "file.save-scenario", group, tr("&Save as scenario…"), {QKeySequence::Save}, [w] { w->askForScenarioFile(); },
        "save"));
    QAction* record = r->add(
        "file.record", group, tr("&Record to a file…"), {Qt::CTRL | Qt::SHIFT | Qt::Key_R},
        [w] { w->toggleRecording(); }, "record");
    connect(w->recorder(), &SessionRecorder::changed, record, [record](bool recording) {
        record->setText(recording ? tr("Stop &recording") : tr("&Record to a file…"));
    });
    menu->addAction(record);
    menu->addActions(m_keeper->makeActions(r));
    menu->addAction(m_stretches->makeReplayAction(r));
    menu->addSeparator();
    menu->addActions(w->sharer()->makeActions(r));
    menu->addSeparator();
    menu->addAction(r->add(
        "file.close", group, tr("&Close the session"), {Qt::CTRL | Qt::Key_W}, [w] { w->closeSession(); }, "close"));
    QAction* const reopen = r->add("file.reopen", group, tr("Open the closed run a&gain"),
                                   {Qt::CTRL | Qt::ALT | Qt::Key_O}, [w] { w->reopenClosed(); });
    reopen->setEnabled(false);
    menu->addAction(reopen);
    menu->addAction(r->add("file.quit", group, tr("&Quit"), {Qt::CTRL | Qt::Key_Q}, [w] { w->close(); }));
}

void WindowMenus::fillEdit() {
    MainWindow* const w = m_window;
    ActionRegistry* const r = w->registry();
    const QString group = tr("Edit");
    m_edit->addAction(r->add("edit.undo", group, tr("&Undo"), {QKeySequence::Undo}, [w] {
        if (session::Session* const session = w->context()->session()) session->undo();
    }));
    m_edit->addAction(r->add("edit.redo", group, tr("&Redo"), {QKeySequence::Redo}, [w] {
        if (session::Session* const session = w->context()->session()) session->redo();
    }));
    m_edit->addSeparator();
    m_edit->addAction(w->transport()->command("transport.restart-without"));
}

void WindowMenus::fillSession() {
    MainWindow* const w = m_window;
    ActionRegistry* const r = w->registry();
    const QString group = tr("Session");
    QMenu* const menu = m_session;
    m_scenarios = menu->addMenu(tr("Play a &scenario"));
    menu->addAction(r->add(
        "session.connect", group, tr("&Connect to a server…"), {Qt::CTRL | Qt::SHIFT | Qt::Key_O},
        [w] { w->askForUrl(); }, "connect"));
    menu->addAction(r->add(
        "session.add-connection", group, tr("&Add a connection…"), {Qt::CTRL | Qt::SHIFT | Qt::Key_A},
        [w] { w->askForAnother(); }, "plus"));
    menu->addAction(r->add("session.same-client", group, tr("Sa&me client…"), {}, [w] { w->askForClientRules(); }));
    menu->addSeparator();
    for (const char* id : {"transport.restart", "transport.restart-new-seed", "transport.seed"})
        menu->addAction(w->transport()->command(id));
    menu->addSeparator();
    menu->addAction(w->comparison()->makeAction());
    EditorDesk* const editors = EditorDesk::of(w);
    menu->addAction(editors->makeScenarioAction());
    connect(editors, &EditorDesk::scenariosChanged, this, &WindowMenus::fillScenarios);
}

void WindowMenus::fillPlay() {
    QMenu* const menu = m_play;
    const auto put = [this, menu](std::initializer_list<const char*> ids) {
        for (const char* id : ids)
            menu->addAction(m_window->transport()->command(id));
        menu->addSeparator();
    };
    put({"transport.play"});
    put({"transport.next-event", "transport.previous-event"});
    put({"transport.next-acquisition", "transport.previous-acquisition", "transport.next-fault",
         "transport.previous-fault", "transport.next-violation", "transport.previous-violation"});
    put({"transport.start", "transport.end"});
    put({"transport.faster", "transport.slower", "transport.normal-speed"});
}

void WindowMenus::fillLessons() {
    MainWindow* const w = m_window;
    ActionRegistry* const r = w->registry();
    const QString group = tr("Lessons");
    LessonDesk* const desk = w->lessons();
    views::LessonGuide* const guide = desk->guide();
    m_learn->addAction(
        r->add("lesson.list", group, tr("All &lessons…"), {Qt::CTRL | Qt::Key_L}, [desk] { desk->showList(); }));
    m_learn->addSeparator();
    QAction* const back = r->add("lesson.return", group, tr("&Return to the lesson"), {Qt::CTRL | Qt::Key_Return},
                                 [guide] { guide->comeBack(); });
    QAction* const leave = r->add("lesson.leave", group, tr("Leave into &free play"), {}, [guide] { guide->leave(); });
    QAction* const close = r->add("lesson.close", group, tr("&Close the lesson"), {}, [guide] { guide->close(); });
    for (QAction* action : {back, leave, close})
        m_learn->addAction(action);
    m_learn->addSeparator();
    m_learn->addActions(EditorDesk::of(w)->makeLessonActions());
    const auto refreshLesson = [guide, back, leave, close] {
        const bool away = guide->phase() == views::LessonGuide::Phase::Away;
        back->setEnabled(away);
        leave->setEnabled(guide->isOn() && !away);
        close->setEnabled(guide->isOn());
    };
    connect(guide, &views::LessonGuide::changed, this, refreshLesson);
    refreshLesson();
}

void WindowMenus::fillBreak() {
    // The panel that has these comes with the first session.
    connect(m_break, &QMenu::aboutToShow, this, [this] {
        m_break->clear();
        qDeleteAll(m_break->findChildren<QMenu*>(Qt::FindDirectChildrenOnly));
        m_break->setToolTipsVisible(true);
        const auto* const panel = m_window->findChild<views::BreakPanel*>();
        if (!panel || !m_window->context()->session()) {
            m_break->addAction(tr("Nothing is open."))->setEnabled(false);
            return;
        }
        // In one list, they would be higher than many screens, and the words of a client's and a server's are alike.
        using Kind = session::Breakable::Kind;
        std::map<Kind, QMenu*> menus;
        for (const auto& [kind, title] :
             {std::pair(Kind::Client, tr("&Client %1")), std::pair(Kind::Server, tr("&Server %1")),
              std::pair(Kind::Link, tr("&Link %1"))}) {
            QMenu* const menu = menus[kind] =
                m_break->addMenu(title.arg(panel->targetOf(kind).replace(u'&', QStringLiteral("&&"))));
            menu->setToolTipsVisible(true);
        }
        m_break->addSeparator();
        for (QAction* action : panel->breakActions()) {
            const auto its = menus.find(Kind(action->property("menuGroup").toInt()));
            (its == menus.end() ? m_break : its->second)->addAction(action);
        }
    });
}

void WindowMenus::fillView() {
    MainWindow* const w = m_window;
    ActionRegistry* const r = w->registry();
    const QString group = tr("View");
    QMenu* const menu = m_view;

    auto* layouts = new QActionGroup(this);
    struct Arrangement {
        const char* id;
        QString text;
        Qt::Key key;
        Layout layout;
    };
    for (const Arrangement& one : {Arrangement{"layout.teach", tr("Layout: &Teach"), Qt::Key_1, Layout::Teach},
                                   Arrangement{"layout.monitor", tr("Layout: &Monitor"), Qt::Key_2, Layout::Monitor},
                                   Arrangement{"layout.break", tr("Layout: &Break"), Qt::Key_3, Layout::Break}}) {
        QAction* action = r->add(one.id, group, one.text, {Qt::CTRL | one.key},
                                 [w, layout = one.layout] { w->needWork()->setLayout(layout); });
        action->setCheckable(true);
        action->setChecked(one.layout == w->settings()->layout());
        layouts->addAction(action);
        menu->addAction(action);
    }
    menu->addAction(r->add("layout.restore", group, tr("&Reset layout"), {Qt::CTRL | Qt::SHIFT | Qt::Key_0},
                           [w] { w->needWork()->restoreDefault(); }));
    QAction* movable = r->add("layout.movable", group, tr("&Unlock panels"), {Qt::CTRL | Qt::SHIFT | Qt::Key_M}, {});
    movable->setCheckable(true);
    connect(movable, &QAction::toggled, w, [w](bool on) { w->needWork()->setMovable(on); });
    menu->addAction(movable);
    menu->addAction(w->help()->makeLegendAction());
    menu->addAction(m_stretches->makeChangesAction(r));

    QMenu* const lanes = menu->addMenu(tr("La&nes"));
    // They come with the first session.
    connect(menu, &QMenu::aboutToShow, lanes, [lanes, r] {
        lanes->clear();
        for (const char* id : {"timeline.filter", "timeline.actors", "timeline.links", "timeline.fold", "timeline.pin"})
            if (QAction* const action = r->find(QLatin1String(id))) lanes->addAction(action);
        lanes->setEnabled(!lanes->isEmpty());
    });

    menu->addSeparator();
    struct Panel {
        const char* id;
        QString text;
        Qt::Key key;
        QDockWidget* (WorkArea::*dock)() const;
    };
    QMenu* panels = menu->addMenu(tr("&Panels"));
    for (const Panel& one :
         {Panel{"panel.controls", tr("Workload and faults"), Qt::Key_F2, &WorkArea::controls},
          Panel{"panel.connections", tr("Connections"), Qt::Key_F9, &WorkArea::connections},
          Panel{"panel.locks", tr("Locks"), Qt::Key_F3, &WorkArea::locks},
          Panel{"panel.events", tr("Events"), Qt::Key_F4, &WorkArea::events},
          Panel{"panel.cluster", tr("Cluster"), Qt::Key_F6, &WorkArea::cluster},
          Panel{"panel.waits", tr("Wait-for"), Qt::Key_F12, &WorkArea::waits},
          Panel{"panel.statistics", tr("Statistics"), Qt::Key_F10, &WorkArea::statistics},
          Panel{"panel.inspector", tr("Lock, protocol and verdict"), Qt::Key_F7, &WorkArea::inspector}}) {
        panels->addAction(r->add(one.id, tr("Panels"), one.text, {one.key}, [w, dock = one.dock] {
            QDockWidget* const panel = (w->needWork()->*dock)();
            // On a tab behind another one it is brought to the front; in plain sight it is put away.
            const bool inSight = panel->isVisible() && !WorkArea::isBehind(panel);
            panel->setVisible(!inSight);
            if (!inSight) panel->raise();
        }));
    }
    panels->addAction(r->add("panel.alerts", tr("Panels"), tr("Alerts"), {Qt::Key_F8}, [w] {
        w->needWork();
        w->alerts()->toggle();
    }));
    panels->addSeparator();
    panels->addAction(r->add("alerts.rules", tr("Alerts"), tr("&Thresholds of alerts…"), {}, [w] {
        w->needWork();
        w->alerts()->askForRules();
    }));
    QAction* notify =
        r->add("alerts.notify", tr("Alerts"), tr("Alerts on the &desktop while this window is not in front"), {}, {});
    notify->setCheckable(true);
    notify->setChecked(w->settings()->notifiesOfAlerts());
    connect(notify, &QAction::toggled, w, [w](bool on) { w->settings()->setNotifiesOfAlerts(on); });
    panels->addAction(notify);

    menu->addSeparator();
    QMenu* theme = menu->addMenu(tr("T&heme"));
    auto* themes = new QActionGroup(this);
    const std::array themeNames{tr("As the &system"), tr("&Light"), tr("&Dark")};
    const std::array themeIds{"theme.system", "theme.light", "theme.dark"};
    for (std::size_t i = 0; i < themeIds.size(); ++i) {
        const auto choice = ThemeChoice(i);
        QAction* action = r->add(themeIds[i], tr("Theme"), themeNames[i], {}, [w, choice] {
            w->settings()->setTheme(choice);
            views::Theme::instance().setChoice(choice);
        });
        action->setCheckable(true);
        action->setChecked(choice == w->settings()->theme());
        themes->addAction(action);
        theme->addAction(action);
    }
    theme->addSeparator();
    theme->addAction(r->add(
        "theme.toggle", tr("Theme"), tr("Switch between light and dark"), {Qt::CTRL | Qt::SHIFT | Qt::Key_D},
        [r] { r->find(QLatin1String(views::Theme::instance().isDark() ? "theme.light" : "theme.dark"))->trigger(); },
        "moon"));

    QMenu* language = menu->addMenu(tr("&Language"));
    auto* languageGroup = new QActionGroup(this);
    const QString current = resolvedLanguage(w->settings()->language());
    for (const QString& code : languages()) {
        QAction* action = r->add(qPrintable(QStringLiteral("language.") + code), tr("Language"), languageName(code), {},
                                 [w, code] { w->settings()->setLanguage(code); });
        action->setCheckable(true);
        action->setChecked(code == current);
        languageGroup->addAction(action);
        language->addAction(action);
    }
    menu->addSeparator();
    const auto resize = [w](double factor) {
        Settings* const settings = w->settings();
        settings->setTextScale(factor == 0 ? 1 : settings->textScale() * factor);
        if (w->presenter()->isOn()) return; // there the window's width decides
        views::setTextScale(settings->textScale());
        w->lessons()->setPanelWidth(0);
        if (w->work()) w->work()->fitText();
    };
    constexpr double kTextStep = 1.1;
    menu->addAction(r->add("view.larger", group, tr("&Larger text"), {QKeySequence::ZoomIn, Qt::CTRL | Qt::Key_Equal},
                           [resize] { resize(kTextStep); }));
    menu->addAction(r->add("view.smaller", group, tr("&Smaller text"), {QKeySequence::ZoomOut},
                           [resize] { resize(1 / kTextStep); }));
    menu->addAction(
        r->add("view.usual-text", group, tr("&Usual text size"), {Qt::CTRL | Qt::Key_0}, [resize] { resize(0); }));
    menu->addSeparator();
    menu->addAction(w->names()->makeAction(r));
    menu->addAction(r->add("view.presenter", group, tr("&Presenter's view"), {Qt::Key_F5, Qt::SHIFT | Qt::Key_F5},
                           [w] { w->presenter()->toggle(); }));
    QAction* full = r->add("view.full-screen", group, tr("&Full screen"), {Qt::Key_F11},
                           [w] { w->setWindowState(w->windowState() ^ Qt::WindowFullScreen); });
    menu->addAction(full);
}

void WindowMenus::fillHelp() {
    MainWindow* const w = m_window;
    QMenu* const menu = m_help;
    menu->addAction(w->registry()->add(
        "help.shortcuts", tr("Help"), tr("&Keyboard shortcuts"), {Qt::Key_Question}, [w] { w->showShortcuts(); },
        "keyboard"));
    menu->addAction(w->transport()->command("transport.find"));
    menu->addSeparator();
    menu->addActions(w->help()->makeActions());
}

void WindowMenus::fillScenarios() {
    MainWindow* const w = m_window;
    w->furnish();
    QMenu* chapter = nullptr;
    // The welcome page has read them already.
    for (const views::WelcomePage::Offer& offer : w->welcome()->offers()) {
        if (w->registry()->find(QStringLiteral("scenario.") + offer.id)) continue;
        QString title = offer.title;
        title.replace(QLatin1Char('&'), QLatin1String("&&"));
        QAction* const action = w->registry()->add(
            qPrintable(QStringLiteral("scenario.") + offer.id), tr("Scenario"), title, {},
            [w, scenario = offer.id] { w->openScenario(scenario); }, "scenario");
        action->setProperty("also", offer.inAll);
        // A person's own are the last, and not in a menu of their own.
        const QString name = offer.own ? QString() : views::chapterWords(offer.chapter);
        if (name.isEmpty())
            chapter = m_scenarios;
        else if (!chapter || chapter->title() != name)
            chapter = m_scenarios->addMenu(name);
        chapter->addAction(action);
    }
}

void WindowMenus::fillRecent() {
    MainWindow* const w = m_window;
    m_recent->clear();
    const bool hidden = w->names()->isOn();
    const QStringList files = hidden ? QStringList() : w->settings()->recentFiles(),
                      servers = hidden ? QStringList() : w->settings()->recentConnections();
    for (const QString& path : files) {
        QAction* action = m_recent->addAction(QFileInfo(path).fileName());
        action->setToolTip(path);
        connect(action, &QAction::triggered, w, [w, path] { w->openFile(path); });
    }
    if (!files.isEmpty() && !servers.isEmpty()) m_recent->addSeparator();
    for (const QString& url : servers) {
        QAction* action = m_recent->addAction(url);
        connect(action, &QAction::triggered, w, [w, url] { w->askForUrl(url); });
    }
    m_recent->setEnabled(!m_recent->isEmpty());
    m_recent->setToolTipsVisible(true);
}

void WindowMenus::refresh() {
    ActionRegistry* const r = m_window->registry();
    const session::Session* const session = m_window->context()->session();
    const bool open = session != nullptr;
    r->find(QStringLiteral("file.close"))->setEnabled(open);
    r->find(QStringLiteral("file.save-scenario"))->setEnabled(open && session->abilities().restart);
    r->find(QStringLiteral("file.record"))->setEnabled(open);
    r->find(QStringLiteral("edit.undo"))->setEnabled(open && session->canUndo());
    r->find(QStringLiteral("edit.redo"))->setEnabled(open && session->canRedo());
    for (const char* id : {"layout.restore", "layout.movable", "view.presenter", "panel.controls", "panel.locks",
                           "panel.events", "panel.cluster", "panel.waits", "panel.statistics", "panel.inspector"})
        r->find(QLatin1String(id))->setEnabled(open);
    const bool live = session::connectionDeskOf(m_window->context()->session()) != nullptr;
    for (const char* id : {"session.add-connection", "session.same-client", "panel.connections"})
        r->find(QLatin1String(id))->setEnabled(live);
    const bool alerts = !session::alertDesksOf(m_window->context()->session()).empty();
    for (const char* id : {"panel.alerts", "alerts.rules"})
        r->find(QLatin1String(id))->setEnabled(alerts);
}

} // namespace lockscope::app
