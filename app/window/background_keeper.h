// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "runtime/background.h"
#include "trace/ring_recording.h"
#include "window/usual_keeper.h"

#include <QObject>
#include <QPointer>

class QAction;

namespace lockscope::session {
class Session;
}

namespace lockscope::app {

class ActionRegistry;
class MainWindow;

/// While servers are watched, the last hour is kept on disk, in the account's cache: saved on request, and there after
/// a crash. The files go away with the session.
class BackgroundKeeper : public QObject {
    Q_OBJECT
public:
    explicit BackgroundKeeper(MainWindow* window);
    /// Removes the files, and waits for that: the program ends as it should.
    ~BackgroundKeeper() override;

    /// For the File menu: to keep or not, and to save what is kept.
    QList<QAction*> makeActions(ActionRegistry* registry);
    bool isKeeping() const { return m_ring != nullptr; }
    /// The file that is written; empty: none is. It goes away soon after isKeeping() is over.
    QString path() const { return m_path; }

    /// How much that is by now; nothing while nothing is kept.
    std::optional<trace::RingRecording::Kept> kept() const;
    static std::int64_t mostBytes();

    /// Writes the last hour into a file, from memory and from what is kept on disk, and says what it lacks.
    /// Precondition: a session that watches servers is open.
    void save(const QString& path);
    /// The recordings of programs that ended without removing theirs, the newest first. Removes those of last week.
    static QStringList left();
    /// How long locks are usually held, over days; it counts while the last hour is kept.
    UsualKeeper& usual() { return m_usual; }

Q_SIGNALS:
    /// The file is whole, or `error` says why there is none.
    void saved(QString path, QString error);

public Q_SLOTS:
    /// Asks where, and writes it there.
    void askToSave();

private:
    void follow();
    void stop();
    void attachPanels();
    /// Alerts go by the holds of many days, too.
    void tellAlerts(trace::EntityId connection);
    void offerWhatIsLeft();

    MainWindow* m_window;
    QPointer<session::Session> m_session;
    std::shared_ptr<const trace::Trace> m_trace;
    std::shared_ptr<trace::RingRecording> m_ring; ///< with those that still read what it has
    QString m_path, m_left;
    int m_rings = 0; ///< so far: the next one has files of its own, as the last one may not be gone yet
    QAction* m_keep = nullptr;
    QAction* m_save = nullptr;
    QAction* m_openLeft;
    UsualKeeper m_usual;
    Background m_thread{"keeper"};
};

} // namespace lockscope::app
