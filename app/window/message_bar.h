// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPointer>
#include <QTimer>
#include <QWidget>

class QAction;
class QLabel;
class QToolButton;

namespace lockscope::app {

/// Says what went wrong, where, and what to do, without moving anything: a strip over the lower edge of the window, or
/// of the picture in it, so that it covers no rows of a table and no buttons. A note
/// goes away by itself; a problem stays until it is closed or the next message comes.
class MessageBar : public QWidget {
    Q_OBJECT
public:
    enum class Kind : std::uint8_t { Note, Good, Problem };
    /// A message about one instant on the time axis goes away as soon as the playhead leaves that instant.
    enum class About : std::uint8_t { Session, Instant };
    explicit MessageBar(QWidget* window);
    /// From now on it stands over the lower edge of this part of the window while that is in sight.
    void standOver(QWidget* part);
    void say(const QString& message, Kind kind = Kind::Note, About about = About::Session);
    /// A note about something that goes on: it stays until the next message.
    void sayUntilNext(const QString& message);
    /// The playhead stands elsewhere now.
    void instantLeft();
    /// A note with what a person may want to do about it, as a button beside the sentence; it stays for twice as long.
    void offer(const QString& message, QAction* action, Kind kind = Kind::Note);
    /// The button of an offer; hidden without one.
    QToolButton* offerButton() const { return m_offer; }
    void dismiss();
    QString message() const;
    Kind kind() const { return m_kind; }

protected:
    void paintEvent(QPaintEvent*) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place();

    QPointer<QWidget> m_part;
    QLabel* m_text;
    QToolButton* m_close;
    QToolButton* m_offer;
    QTimer m_outdated;
    QTimer m_leave;
    Kind m_kind = Kind::Note;
    About m_about = About::Session;
};

} // namespace lockscope::app
