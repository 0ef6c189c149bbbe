// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>

class QFileDialog;

namespace lockscope::app {

class MainWindow;

/// A dialog asks for a file as this says.
struct SaveWish {
    QString title;
    QStringList filters; ///< "Pictures (*.png)"
    QString suffix;      ///< without a dot, for names without one
    QString name;        ///< that is offered; empty: none
};

/// A dialog that asks where to save something, in the folder that was saved to or opened from last. It deletes itself,
/// and the caller opens it.
QFileDialog* makeSaveDialog(MainWindow* window, const SaveWish& wish);
/// A dialog that asks for a file to open, in that folder, too.
QFileDialog* makeOpenDialog(MainWindow* window, const QString& title, const QStringList& filters);

} // namespace lockscope::app
