// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "session/connection_desk.h"
#include "session/shared_run.h"
#include "window/settings.h"

#include <QMainWindow>

class QStackedWidget;

namespace lockscope::views {
class CommandField;
class ConnectDialog;
class Player;
class ShortcutSheet;
class TransportBar;
class WhyLine;
class WelcomePage;
} // namespace lockscope::views

namespace lockscope::app {

class ActionRegistry;
class CompareDesk;
class HelpDesk;
class LessonDesk;
class MessageBar;
class NameHider;
class Presenter;
class SecretKeeper;
class SessionRecorder;
class Sharer;
class WindowAlerts;
class WindowMenus;
class WorkArea;

/// The window: puts the parts together and knows nothing about what they show.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(Settings* settings, QWidget* parent = nullptr);
    ~MainWindow() override;

    views::ViewContext* context() const { return m_context; }
    /// The open session itself, to be recorded and changed; context() has the one to be seen, perhaps without names.
    /// Null: none is open.
    session::Session* session() const { return m_session.get(); }
    views::Player* player() const { return m_player; }
    views::TransportBar* transport();
    views::WelcomePage* welcome() const { return m_welcome; }
    views::ShortcutSheet* shortcutSheet();
    ActionRegistry* registry();
    MessageBar* messages() const { return m_messages; }
    SessionRecorder* recorder() const { return m_recorder; }
    LessonDesk* lessons() const { return m_lessons; }
    Sharer* sharer() const { return m_sharer; }
    HelpDesk* help() const { return m_help; }
    CompareDesk* comparison() const { return m_comparison; }
    Presenter* presenter() const { return m_presenter; }
    /// Null before the first session.
    WindowAlerts* alerts() const { return m_alerts; }
    NameHider* names() const { return m_names; }
    Settings* settings() const { return m_settings; }
    /// Null before the first session.
    WorkArea* work() const { return m_work; }
    /// The work area; built if there is none yet.
    WorkArea* needWork();

    /// Shows a session and plays it; the one before is closed. Null = back to the welcome page.
    void setSession(std::unique_ptr<session::Session> session, bool play = true);
    /// This file is what will be shown: it goes among the recent ones, until it turns out to be unreadable.
    void noteFile(const QString& path);
    /// Gives the session away, for a window that takes this one's place.
    std::unique_ptr<session::Session> releaseSession();

public Q_SLOTS:
    void openScenario(const QString& idOrPath);
    void openFile(const QString& path);
    /// Opens a run that was shared as text, and shows the instant that it names.
    void openShared(const QString& text);
    void openUrl(const QString& url, bool changesAllowed);
    /// Watches these servers side by side, at least one.
    void openConnections(const std::vector<lockscope::session::ConnectionWish>& connections);
    /// Asks for the address first; `url`: the text that the field begins with.
    void askForUrl(const QString& url = {});
    /// Asks for what the connection's address lacks: its user's password.
    void askForPassword(const lockscope::session::ConnectionWish& connection);
    /// Asks for a server to be watched beside those of the open session; without such a session, as askForUrl().
    void askForAnother();
    /// Asks for another address or name of a connection of the open session.
    void askToEdit(lockscope::trace::EntityId connection);
    /// Asks by which rules names on several servers are one client.
    void askForClientRules();
    void askForFile();
    void askForScenarioFile();
    /// Starts recording into a file that is asked for, or ends it.
    void toggleRecording();
    void closeSession();
    /// Opens the run again that was closed last, or replaced by another one, with what was done to it by hand.
    void reopenClosed();
    /// Keys go to the time axis and not to whatever control had them: Space must play, not press.
    void keysToTheTimeline();
    void showShortcuts();
    void complain(const QString& message);
    /// Says why servers cannot be seen, once for each trouble.
    void tellHealth();

Q_SIGNALS:
    void firstPainted();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool event(QEvent* event) override;
    bool focusNextPrevChild(bool next) override;

private:
    friend class WindowMenus;
    void assembleTop();
    void takePlace();
    views::ConnectDialog* makeConnectDialog();
    /// Shows the dialogue, and opens the connection that it names.
    void openWhenAccepted(views::ConnectDialog* dialog);
    /// The rows of the window that tell of the session's connections.
    void attachConnections();
    void findInTheMiddle();
    /// Keeps the run in sight for reopenClosed(), if a person broke something in it. Returns whether it was kept.
    bool keepBrokenRun();
    /// Says that such a run is closed, and offers it.
    void offerBrokenRun();
    /// Drops the opened file, which turned out to be no recording.
    void giveUpFile(const QString& why);
    /// The session stands still while a dialogue asks something, and goes on after it.
    void holdTime(bool hold);
    /// Builds what the first picture does not show: the transport bar and the menus' content. Later calls do nothing.
    void furnish();
    void adoptPanelActions();
    /// Says that the run is another one from `from` on, and offers the way back.
    void tellOfNewFuture(session::Rewrite why, Nanos from);
    /// Says that a restart repeats the changes made by hand, and offers a restart without them.
    void tellOfRestart(session::ByHand byHand);
    void refreshTitle();
    void refreshRecent();
    void remember();

    Settings* m_settings;
    SecretKeeper* m_secrets;
    views::ViewContext* m_context;
    std::unique_ptr<session::Session> m_session;
    views::Player* m_player;
    NameHider* m_names;
    SessionRecorder* m_recorder;
    Sharer* m_sharer;
    ActionRegistry* m_registry;
    views::TransportBar* m_transport = nullptr;
    views::WhyLine* m_why = nullptr;
    WindowMenus* m_menus = nullptr;
    MessageBar* m_messages;
    QStackedWidget* m_centre;
    views::WelcomePage* m_welcome;
    LessonDesk* m_lessons;
    HelpDesk* m_help;
    CompareDesk* m_comparison;
    Presenter* m_presenter;
    views::ShortcutSheet* m_shortcuts = nullptr;
    WorkArea* m_work = nullptr;
    WindowAlerts* m_alerts = nullptr;
    views::CommandField* m_finder = nullptr;    ///< for Ctrl+K where the transport bar is hidden
    QString m_openedFile;                       ///< the last file that was opened, as it stands among the recent ones
    std::optional<session::SharedRun> m_closed; ///< for reopenClosed()
    QString m_trouble, m_toldTrouble;           ///< the session's, in brief and as it was told
    bool m_painted = false;
    QPointer<session::Session> m_held; ///< it played until a dialogue was opened
};

} // namespace lockscope::app
