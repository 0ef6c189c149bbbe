// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QFile>
#include <QUrl>

namespace lockscope::sandbox {

/// A file's content; empty when it cannot be read.
inline QByteArray contentOf(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// A text, such as a file's name, as part of a URL.
inline QString encoded(const QString& text) {
    return QString::fromLatin1(QUrl::toPercentEncoding(text));
}

} // namespace lockscope::sandbox
