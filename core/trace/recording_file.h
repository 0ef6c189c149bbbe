// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/chunk_codec.h"
#include "trace/recording.h"

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>

namespace lockscope::trace {

/// "LkSc" in the application_id field of a SQLite file.
inline constexpr qint32 kApplicationId = 0x4c6b5363;
/// The format version that this program writes, and the newest one that it reads.
inline constexpr int kFormatVersion = 1;

/// The digest of a recording's metadata, its events' digest included.
QByteArray sealOf(const RecordingMeta& meta);

/// A connection to a SQLite file; belongs to the thread that made it and ends with this object.
class RecordingFile {
public:
    enum class Mode { Read, Write };
    RecordingFile(const QString& path, Mode mode);
    ~RecordingFile();
    RecordingFile(const RecordingFile&) = delete;
    RecordingFile& operator=(const RecordingFile&) = delete;

    /// False when the file does not exist or cannot be opened: lastError() says why.
    bool isOpen() const;
    /// Runs a statement without results; false on failure, see lastError().
    bool run(const QString& sql);
    /// The only value of a statement's only row; an invalid QVariant when there is none.
    QVariant value(const QString& sql);
    /// A forward-only query on this connection: it keeps no rows.
    QSqlQuery query() const;
    bool transaction();
    bool commit();
    void rollback();
    /// The last error in words for people, translated: "the disk is full"; empty without an error. It does not quote
    /// SQLite, whose messages are for developers.
    QString lastError() const { return m_error; }
    /// True when the last error came from the file's content: the file is no SQLite database, or a damaged one.
    bool contentIsBad() const { return m_contentIsBad; }
    void noteError(const QSqlQuery& query);
    /// Its content is not that of a recording, though SQLite finds no fault with it.
    void noteDamage();

private:
    QString m_name;
    void note(const QSqlError& error);
    QString m_error;
    bool m_contentIsBad = false;
};

/// All chunks of a recording's rows, in order.
inline constexpr const char* kSelectChunks =
    "SELECT id, rows, first_ns, hash, at, value, actor, subject, aux, kind, flags FROM chunks ORDER BY id";
/// The chunk at which a query of kSelectChunks stands.
EncodedChunk chunkAt(const QSqlQuery& query);

} // namespace lockscope::trace
