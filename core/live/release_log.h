// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"

#include <QByteArrayList>
#include <QDateTime>
#include <expected>

namespace lockscope::live {

/// A lock that was taken from its holder, or could not be.
struct ReleaseEntry {
    QDateTime at;
    QString server; ///< its URL as it may be shown: without a password
    inspect::LockRow lock;
    QByteArrayList commands;
    QString result; ///< kSentResult, kFreedResult, or a sentence
};

/// Noted before the commands are sent: whatever becomes of this process, the file says what it did.
inline const QString kSentResult = QStringLiteral("sent");
inline const QString kFreedResult = QStringLiteral("freed");

/// The file in which this user's forced releases are kept: "releases.jsonl" in the window's folder for data. The
/// command line, whose process has another name, finds it, too.
QString releaseLogPath();

/// Adds a line of JSON to releaseLogPath(), which only its owner may read. The error is a sentence.
std::expected<void, QString> note(const ReleaseEntry& entry);

} // namespace lockscope::live
