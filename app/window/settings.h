// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/same_client.h"
#include "theme/palette.h"
#include "welcome/connect_dialog.h"

#include <QObject>
#include <QRect>
#include <QSettings>
#include <QStringList>
#include <map>
#include <optional>

namespace lockscope::app {

/// Saved arrangements of the same parts. A lesson, and the task at its end, have one that nobody chooses.
enum class Layout : std::uint8_t { Teach, Monitor, Break, Lesson, Task, Plain };
/// The layouts to choose from.
inline constexpr std::array kLayouts{Layout::Teach, Layout::Monitor, Layout::Break};
QString layoutId(Layout layout);

/// Where the window was, in device independent pixels: the same on a screen of another density.
struct WindowPlace {
    enum class Size : std::uint8_t { Normal, Maximized };
    QRect rect; ///< without its frame, as it is when not maximized
    Size size = Size::Normal;
    friend bool operator==(const WindowPlace&, const WindowPlace&) = default;
};

/// How far a person has come in one lesson.
struct KeptLesson {
    int step = 0; ///< from 0
    bool done = false;
    bool solved = false;     ///< its task, too
    std::map<int, int> bets; ///< step → choice, both from 0
    std::optional<bool> old; ///< whether the bet of an earlier lesson was right; missing: none was made
    friend bool operator==(const KeptLesson&, const KeptLesson&) = default;
};

/// The alerts that a person wants to be told of one connection, as text.
struct KeptAlerts {
    std::optional<QStringList> rules; ///< missing: never chosen
    QStringList mutes;
    friend bool operator==(const KeptAlerts&, const KeptAlerts&) = default;
};

/// The settings that are kept between runs, typed, with defaults. Setters store and notify only on change. Passwords
/// are never stored: they are removed from every address first.
class Settings : public QObject {
    Q_OBJECT
public:
    /// A layout's docks have one. Raise it when they are renamed or rearranged, so that an old state is not forced upon
    /// a new window: since 4 the table of Monitor stands above the time axis, since 5 statistics stand below it; since
    /// 5 the right column of Break has the whole height, since 6 its table stands beside the cluster.
    static constexpr int stateVersion(Layout layout) {
        return layout == Layout::Break ? 6 : layout == Layout::Monitor ? 5 : 3;
    }
    static constexpr int kMostRecent = 10;
    static constexpr double kLeastTextScale = 0.8, kLargestTextScale = 2;

    /// The user's own settings.
    explicit Settings(QObject* parent = nullptr);
    /// Settings in an INI file, for tests.
    explicit Settings(const QString& iniFile, QObject* parent = nullptr);

    views::ThemeChoice theme() const;
    void setTheme(views::ThemeChoice choice);
    /// "" = the system's, "en", "zh_CN".
    QString language() const;
    void setLanguage(const QString& language);
    /// Until the user chooses another one, in this process alone: nothing is kept.
    void setThemeForNow(views::ThemeChoice choice) { m_themeForNow = choice; }
    void setLanguageForNow(const QString& language) { m_languageForNow = language; }

    Layout layout() const;
    void setLayout(Layout layout);
    /// Without a valid rectangle: never shown before.
    WindowPlace place() const;
    void setPlace(const WindowPlace& place);
    /// QMainWindow::saveState() of one layout; empty = the layout's own arrangement.
    QByteArray dockState(Layout layout) const;
    void setDockState(Layout layout, const QByteArray& state);
    /// The last state of a table, or of one of its buttons; empty = never changed.
    QByteArray table(const QString& name) const;
    void setTable(const QString& name, const QByteArray& state);

    KeptLesson lesson(const QString& id) const;
    void setLesson(const QString& id, const KeptLesson& lesson);
    /// How often a bet of an earlier lesson was asked again.
    int oldBets() const;
    void setOldBets(int asked);
    /// `connection`: its address without a password.
    KeptAlerts alerts(const QString& connection) const;
    void setAlerts(const QString& connection, const KeptAlerts& alerts);
    /// Whether the desktop shows alerts while the window is not looked at; true by default.
    bool notifiesOfAlerts() const;
    void setNotifiesOfAlerts(bool on);
    /// How much larger than usual all text is; 1 by default.
    double textScale() const;
    void setTextScale(double scale);

    /// Newest first, at most kMostRecent.
    QStringList recentFiles() const;
    void addRecentFile(const QString& path);
    void removeRecentFile(const QString& path);
    /// By name; the addresses are without passwords.
    QList<views::ConnectDialog::Saved> savedConnections() const;
    /// One of the same name is replaced.
    void saveConnection(const views::ConnectDialog::Saved& connection);
    void forgetConnection(const QString& name);
    /// The rules by which names on several servers are one client, as text; the usual ones when none were chosen.
    std::vector<inspect::ClientRule> clientRules() const;
    void setClientRules(const std::vector<inspect::ClientRule>& rules);
    /// Newest first, without passwords.
    QStringList recentConnections() const;
    void addRecentConnection(const QString& url);

    void sync() { m_store.sync(); }

Q_SIGNALS:
    void themeChanged(lockscope::views::ThemeChoice choice);
    void languageChanged(QString language);
    void recentChanged();

private:
    bool store(const QString& key, const QVariant& value);
    void prepend(const QString& key, const QString& entry);
    void drop(const QString& key, const QString& entry);
    void forgetPasswords();
    void keepConnections(const QList<views::ConnectDialog::Saved>& all);
    QSettings m_store;
    std::optional<views::ThemeChoice> m_themeForNow;
    std::optional<QString> m_languageForNow;
};

} // namespace lockscope::app
