// SPDX-License-Identifier: Apache-2.0
#include "scenario/user_files.h"

#include <QDir>
#include <QStandardPaths>

namespace lockscope::scenario {

namespace {

const QString kEnding = QStringLiteral(".json");

} // namespace

QString userFolder(Shelf shelf) {
    // Not the place of one program's data: command line and window have names of their own, and share these files.
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
           (shelf == Shelf::Scenarios ? QStringLiteral("/lockscope/scenarios") : QStringLiteral("/lockscope/lessons"));
}

QString userFile(Shelf shelf, const QString& name) {
    return userFiles(shelf).contains(name) ? userFolder(shelf) + u'/' + name + kEnding : QString();
}

QStringList userFiles(Shelf shelf) {
    QStringList names = QDir(userFolder(shelf)).entryList({u'*' + kEnding}, QDir::Files, QDir::Name);
    for (QString& name : names)
        name.chop(kEnding.size());
    return names;
}

} // namespace lockscope::scenario
