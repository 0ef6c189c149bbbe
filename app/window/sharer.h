// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/run_picture.h"

#include <QObject>

class QAction;

namespace lockscope::app {

class ActionRegistry;
class Exporter;
class MainWindow;

/// Gives a run to others: as text by which they have the same run, and as a picture of what is in sight.
class Sharer : public QObject {
    Q_OBJECT
public:
    explicit Sharer(MainWindow* window);

    /// The commands that the File menu shows.
    QList<QAction*> makeActions(ActionRegistry* registry);

    /// The run as text; empty where the session is no simulation.
    QString text() const;
    /// The part of the timeline that is in sight. Precondition: a session is open.
    views::RunPicture picture() const;
    /// Writes the files that take longer.
    Exporter* exporter() const { return m_exporter; }

public Q_SLOTS:
    void copyText();
    /// Opens the shared run that is in the clipboard, or says why there is none.
    void paste();
    void copyPicture();
    /// Asks for a file first.
    void savePicture();

private:
    void writePicture(const QString& path);
    void refresh();

    MainWindow* m_window;
    Exporter* m_exporter;
    QAction* m_copyText = nullptr;
    QAction* m_copyPicture = nullptr;
    QAction* m_savePicture = nullptr;
};

} // namespace lockscope::app
