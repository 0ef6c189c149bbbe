// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "runtime/background.h"
#include "trace/export.h"

#include <QObject>

class QAction;

namespace lockscope::views {
class Pill;
}

namespace lockscope::app {

class ActionRegistry;
class MainWindow;

/// Writes files about a run that take a while, on a thread of its own: the trace for other programs, and the stretch in
/// sight as an animated picture. One at a time.
class Exporter : public QObject {
    Q_OBJECT
public:
    explicit Exporter(MainWindow* window);
    /// Stops what is being written; nothing of it is left.
    ~Exporter() override;

    /// The commands that the File menu shows.
    QList<QAction*> makeActions(ActionRegistry* registry);
    bool isBusy() const { return m_busy; }
    /// Gives up what is being written; nothing of it is left.
    void stop() { m_stop.request_stop(); }
    /// Whether the program may end. A file that is being written is told of once; wishing to end again stops it.
    bool mayClose();
    /// In the status bar while something is written; null before.
    views::Pill* pill() const { return m_pill; }

    /// Writes the open session's trace as far as it has come. Precondition: a session is open.
    void writeTrace(const QString& path, const trace::ExportFormat& format);
    /// Writes the part of the timeline that is in sight, as it happens. Precondition: a session is open.
    void writeMovie(const QString& path);

Q_SIGNALS:
    /// The file is whole, or `error` says why there is none.
    void finished(QString path, QString error);

private:
    struct Movie;
    void askForTrace();
    void askForMovie();
    void paintNext(const std::shared_ptr<Movie>& movie);
    /// False: there is no writing to this place, and the reason was told.
    bool begin(const QString& path);
    void showProgress(int percent);
    void end(const QString& path, const QString& error);
    void refresh();

    MainWindow* m_window;
    QAction* m_trace = nullptr;
    QAction* m_movie = nullptr;
    views::Pill* m_pill = nullptr;
    QString m_name; ///< of the file that is being written
    bool m_busy = false;
    bool m_toldOfClosing = false;
    std::stop_source m_stop;
    Background m_thread{"export"};
};

} // namespace lockscope::app
