// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTimer>
#include <QWidget>

class QAction;
class QLabel;
class QToolButton;

namespace lockscope::app {

/// Says what went wrong, where, and what to do, without moving anything: a strip over the window's lower edge. A note
/// goes away by itself; a problem stays until it is closed or the next message comes.
class MessageBar : public QWidget {
    Q_OBJECT
public:
    enum class Kind : std::uint8_t { Note, Good, Problem };
    /// A message about one instant on the time axis goes away as soon as the playhead leaves that instant.
    enum class About : std::uint8_t { Session, Instant };
    explicit MessageBar(QWidget* window);
    void say(const QString& message, Kind kind = Kind::Note, About about = About::Session);
    /// The playhead stands elsewhere now.
    void instantLeft();
    /// A note with what a person may want to do about it, as a button beside the sentence; it stays for twice as long.
    void offer(const QString& message, QAction* action);
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

    QLabel* m_text;
    QToolButton* m_close;
    QToolButton* m_offer;
    QTimer m_leave;
    Kind m_kind = Kind::Note;
    About m_about = About::Session;
};

} // namespace lockscope::app
