// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "runtime/background.h"
#include "trace/time.h"

#include <QObject>
#include <utility>

class QAction;

namespace lockscope::app {

class ActionRegistry;
class MainWindow;

/// Commands about a stretch of the session: the one that is measured on the timeline, or else all of it. Makes it a
/// scenario that the simulator repeats, and says what changed from its beginning to its end.
class StretchDesk : public QObject {
    Q_OBJECT
public:
    explicit StretchDesk(MainWindow* window);
    ~StretchDesk() override;

    /// For the File menu.
    QAction* makeReplayAction(ActionRegistry* registry);
    /// For the View menu.
    QAction* makeChangesAction(ActionRegistry* registry);

    /// Writes the stretch as a scenario. Precondition: a session is open.
    void writeReplay(const QString& path);

Q_SIGNALS:
    /// The scenario is written, or `error` says why not.
    void replayed(QString path, QString error);

private:
    std::pair<Nanos, Nanos> stretch() const;
    void askForReplay();
    void showChanges();
    void end(const QString& path, const QString& error, const QStringList& notes);
    void refresh();

    MainWindow* m_window;
    QAction* m_replay = nullptr;
    QAction* m_changes = nullptr;
    QAction* m_openReplay;
    QString m_written;
    Background m_thread{"replay"};
};

} // namespace lockscope::app
