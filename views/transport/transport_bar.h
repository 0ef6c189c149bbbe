// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "transport/command_field.h"
#include "transport/player.h"

#include <QWidget>

class QLabel;
class QMenu;
class QSlider;
class QToolButton;

namespace lockscope::views {

class Pill;
class VerdictBanner;

/// The bar at the top: time, speed, verdict, and the way to everything else. Its commands are there from the first
/// moment. Its controls are made with the first session, or when they are first needed: the window starts without them.
class TransportBar : public QWidget {
    Q_OBJECT
public:
    TransportBar(ViewContext* context, Player* player, QWidget* parent = nullptr);

    /// All its commands, each with an id as objectName, a text, a shortcut and a tooltip that names the shortcut.
    QList<QAction*> commands() const { return m_actions; }
    QAction* command(const char* id) const;
    /// Sets the commands that the command field offers; see CommandField::setCommands().
    void setCommands(CommandField::Commands commands);
    /// More that the field finds, besides the locks of the session.
    void setFinds(CommandField::Finds finds) { m_finds = std::move(finds); }
    /// Tells, beside the health, how much is recorded; an empty text: nothing is. `tip`: where, and within which
    /// bounds.
    void setRecording(const QString& text, const QString& tip);
    Pill* recordingGauge() { return furnish(), m_recording; }
    CommandField* commandField() { return furnish(), m_field; }
    VerdictBanner* banner() { return furnish(), m_banner; }
    QSlider* speedSlider() { return furnish(), m_speed; }
    QLineEdit* seedField() { return furnish(), m_seed; }
    /// Its menu has what the row has no room for; hidden where everything has its place.
    QToolButton* overflow() { return furnish(), m_overflow; }

Q_SIGNALS:
    /// A sentence for the message bar.
    void said(QString message);
    /// Ctrl+K while this bar, and its field with it, is out of sight.
    void findRequested();
    /// The gauge of the recording was clicked.
    void recordingActivated();

protected:
    void paintEvent(QPaintEvent*) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    QAction* add(const char* id, const char* iconName, const QString& text, const QList<QKeySequence>& keys,
                 std::function<void()> run);
    void makeActions();
    void furnish();
    void makeMilestoneMenu();
    QWidget* makeSpeed();
    void showSpeed(double speed);
    void attach();
    void refreshAbilities();
    void refreshClock();
    void fitClock();
    /// Parts of a fixed width get the one that the text's size asks for.
    void fitTexts();
    void makeOverflow();
    void fillOverflow();
    void fold();
    /// px that are left for the parts that may be hidden, beside a verdict of this width.
    int roomBeside(int verdict) const;
    enum class Arranging : std::uint8_t { Trial, Final };
    /// Whether each part has its place in so many pixels; Final: shows those that have.
    bool arrange(int room, Arranging how);
    void refreshHealth();
    void restartWithTypedSeed();
    std::vector<CommandField::Find> locksCalled(const QString& typed);

    ViewContext* m_context;
    Player* m_player;
    QPointer<session::Session> m_session;
    QList<QAction*> m_actions;
    CommandField::Commands m_commands;
    CommandField::Finds m_finds;
    QMenu* m_milestones = nullptr;
    QToolButton* m_play = nullptr; ///< at a live session it says whether the window follows
    QToolButton* m_next = nullptr;
    QLabel* m_clock = nullptr;
    qsizetype m_clockLetters = 0; ///< that there is room for; 0 before it was shown
    QLabel* m_speedLabel = nullptr;
    QSlider* m_speed = nullptr;
    QLineEdit* m_seed = nullptr;
    Pill* m_health = nullptr;
    Pill* m_access = nullptr; ///< the changes allowed on a server that is not ours
    Pill* m_recording = nullptr;
    QString m_recordingText;
    VerdictBanner* m_banner = nullptr;
    CommandField* m_field = nullptr;
    QToolButton* m_overflow = nullptr;
    bool m_seeded = false;     ///< the session's run has a seed
    int m_verdictRoom = 0;     ///< the width kept for the verdict; it only grows while session and text size last
    double m_verdictScale = 0; ///< the text's scale that it is of
};

/// "Play (Space)": what a control says on hover.
QString tooltipWithShortcut(const QString& text, const QList<QKeySequence>& keys);

} // namespace lockscope::views
