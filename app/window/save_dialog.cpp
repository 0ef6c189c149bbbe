// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/save_dialog.h"

#include "window/main_window.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

namespace lockscope::app {

namespace {

const QString kFolder = QStringLiteral("folder-of-files"); ///< among the states that the settings keep

QFileDialog* makeDialog(MainWindow* window, const QString& title, const QStringList& filters) {
    auto* const dialog = new QFileDialog(window, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setNameFilters(filters);
    Settings* const settings = window->settings();
    // A folder that is gone by now would leave the dialog wherever the desktop thinks best.
    const QString folder = QString::fromUtf8(settings->table(kFolder));
    if (!folder.isEmpty() && QDir(folder).exists()) dialog->setDirectory(folder);
    QObject::connect(dialog, &QFileDialog::fileSelected, settings, [settings](const QString& path) {
        settings->setTable(kFolder, QFileInfo(path).absolutePath().toUtf8());
    });
    return dialog;
}

} // namespace

QFileDialog* makeSaveDialog(MainWindow* window, const SaveWish& wish) {
    QFileDialog* const dialog = makeDialog(window, wish.title, wish.filters);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(wish.suffix);
    if (!wish.name.isEmpty()) dialog->selectFile(wish.name);
    return dialog;
}

QFileDialog* makeOpenDialog(MainWindow* window, const QString& title, const QStringList& filters) {
    QFileDialog* const dialog = makeDialog(window, title, filters);
    dialog->setFileMode(QFileDialog::ExistingFile);
    return dialog;
}

} // namespace lockscope::app
