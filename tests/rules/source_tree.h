// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QStringList>

namespace lockscope::rules {

inline const QString kRoot = QStringLiteral(LOCKSCOPE_SOURCE_DIR) + QLatin1Char('/');

/// A file of the source tree; `path` from the tree's root.
struct SourceFile {
    QString path;
    QStringList lines;
};

/// All files below some folders whose names match, sorted.
inline std::vector<SourceFile> filesBelow(const QStringList& folders, const QStringList& patterns) {
    std::vector<SourceFile> files;
    for (const QString& folder : folders) {
        QDirIterator it(kRoot + folder, patterns, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            QFile file(it.next());
            if (!file.open(QIODevice::ReadOnly)) continue;
            QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
            if (!lines.isEmpty() && lines.back().isEmpty()) lines.removeLast();
            files.push_back({file.fileName().mid(kRoot.size()), lines});
        }
    }
    std::ranges::sort(files, {}, &SourceFile::path);
    return files;
}

inline std::vector<SourceFile> cppFiles() {
    return filesBelow({QStringLiteral("core"), QStringLiteral("views"), QStringLiteral("app"), QStringLiteral("tests")},
                      {QStringLiteral("*.cpp"), QStringLiteral("*.h")});
}

} // namespace lockscope::rules
