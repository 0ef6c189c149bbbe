// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "runtime/background.h"
#include "session/session.h"
#include "session/usual_holds.h"
#include "trace/seen_holds.h"

#include <QObject>
#include <QTimer>

namespace lockscope::app {

/// Keeps how long the locks of each watched server are usually held, over days, in a folder: a small file for each
/// connection, named after its address. All reading and writing of files happens on a thread of its own.
class UsualKeeper : public QObject {
    Q_OBJECT
public:
    explicit UsualKeeper(QString folder, QObject* parent = nullptr);
    /// Writes what is left, and waits for that.
    ~UsualKeeper() override;

    /// Counts the holds of this session's trace, each once; nullptr: of none. A trace that is followed again is counted
    /// from then on, as nothing was to be counted meanwhile. A session that ends is let go before.
    void follow(session::Session* session);
    /// Reads the rows that came; later ones follow by themselves.
    void catchUp();
    /// How long a lock of the session's trace is usually held; 0: it is not known, or not yet.
    Nanos usualOf(trace::EntityId lock) const;
    /// The locks of that connection of which it is known, by name.
    std::map<QByteArray, Nanos> usualOn(trace::EntityId connection) const;
    /// Writes what was counted, and calls `done` afterwards.
    void save(std::function<void()> done = [] {});

Q_SIGNALS:
    /// usualOn() of that connection may differ. At most about once a minute.
    void learned(lockscope::trace::EntityId connection);

private:
    /// The holds of one connection.
    struct File {
        QString path;
        session::UsualHolds known; ///< as it was on the disk, and what was counted since
        session::UsualHolds fresh; ///< counted since it was read or written last
    };
    std::shared_ptr<File> fileOf(trace::EntityId lock);
    /// Adds what was counted to the file, and learns what is there.
    void exchange(const std::shared_ptr<File>& file);
    /// Removes the files to which no hold was added for so long that they tell nothing any more.
    void removeOld();

    QString m_folder;
    session::Session* m_session = nullptr; ///< followed
    std::shared_ptr<const trace::Trace> m_trace;
    std::weak_ptr<const trace::Trace> m_counted; ///< followed last, up to m_row
    std::size_t m_row = 0;
    trace::SeenHolds m_seen;
    std::map<trace::EntityId, std::shared_ptr<File>> m_files; ///< by connection
    QTimer m_more, m_saveSoon;
    Background m_thread{"usual"};
};

} // namespace lockscope::app
