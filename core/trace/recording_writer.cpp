// SPDX-License-Identifier: Apache-2.0
#include "trace/bulk_loader.h"
#include "trace/chunk_codec.h"
#include "trace/recording_file.h"
#include "trace/recording_head.h"
#include "trace/trace_digest.h"

#include <QDir>
#include <QFileInfo>
#include <filesystem>
#include <optional>

namespace lockscope::trace {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Recording)
};

RecordingError writeFailed(const QString& path, const QString& why) {
    if (QFileInfo(path).isDir())
        return {RecordingError::Kind::WriteFailed,
                Words::tr("%1 is a folder. Name a file in it.").arg(QDir::toNativeSeparators(path))};
    return {
        RecordingError::Kind::WriteFailed,
        Words::tr("%1 could not be written: %2. What was recorded before is kept; free some space or choose another "
                  "place.")
            .arg(QDir::toNativeSeparators(path), why)};
}

/// Only a recording gives way to a recording: another file, a device, a pipe or a folder of that name is somebody's.
std::optional<RecordingError> noPlaceForAFile(const QString& path) {
    const QFileInfo there(path);
    if (!there.exists()) return std::nullopt;
    if (there.isFile()) {
        QFile file(path);
        if (there.size() == 0) return std::nullopt;
        if (!file.open(QIODevice::ReadOnly)) return writeFailed(path, file.errorString());
        if (beginsAsARecording(path)) return std::nullopt;
        return RecordingError{RecordingError::Kind::CannotOpen,
                              Words::tr("%1 is there and is no recording: it would be lost. Choose another name.")
                                  .arg(QDir::toNativeSeparators(path))};
    }
    if (there.isDir()) return writeFailed(path, {});
    return RecordingError{RecordingError::Kind::CannotOpen,
                          Words::tr("%1 is a device or a pipe, and a recording needs a file. Choose another name.")
                              .arg(QDir::toNativeSeparators(path))};
}

} // namespace

struct RecordingWriter::Impl {
    Impl(const QString& p, std::shared_ptr<const Trace> t)
        : path(p), trace(std::move(t)), file(p, RecordingFile::Mode::Write) {}

    bool createTables() {
        // Set before the first table makes the file. Small pages: most recordings are of a minute, and each table takes
        // at least one page; ten million rows are read as fast with them as with big ones.
        return file.isOpen() && file.run(QStringLiteral("PRAGMA page_size = 1024")) &&
               file.run(QStringLiteral("PRAGMA journal_mode = DELETE")) &&
               file.run(QStringLiteral("PRAGMA synchronous = NORMAL")) && file.transaction() &&
               file.run(QStringLiteral("PRAGMA application_id = %1").arg(kApplicationId)) &&
               file.run(QStringLiteral("PRAGMA user_version = %1").arg(kFormatVersion)) &&
               file.run(QStringLiteral("CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID")) &&
               file.run(QStringLiteral("CREATE TABLE entities (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, "
                                       "parent INTEGER NOT NULL, other INTEGER NOT NULL, name TEXT NOT NULL)")) &&
               file.run(QStringLiteral(
                   "CREATE TABLE chunks (id INTEGER PRIMARY KEY, rows INTEGER NOT NULL, first_ns INTEGER NOT NULL, "
                   "hash INTEGER NOT NULL, at BLOB, value BLOB, actor BLOB, subject BLOB, aux BLOB, kind BLOB, "
                   "flags BLOB)")) &&
               file.run(QStringLiteral("CREATE TABLE violations (invariant TEXT NOT NULL, lock INTEGER NOT NULL, "
                                       "from_ns INTEGER NOT NULL, to_ns INTEGER, actors TEXT, explanation TEXT)")) &&
               writeMeta(false) && file.commit();
    }

    bool put(const QString& key, const QVariant& value) {
        QSqlQuery q = file.query();
        q.prepare(QStringLiteral("INSERT OR REPLACE INTO meta VALUES (?, ?)"));
        q.addBindValue(key);
        q.addBindValue(value);
        if (q.exec()) return true;
        file.noteError(q);
        return false;
    }

    /// The digest of the rows and names written so far; empty: they could not be read back. Rows that left memory are
    /// read from the file.
    QByteArray digest() {
        if (BulkLoader::firstKept(*trace) == 0) return trace->digest(rows, entities);
        TraceDigest all;
        for (std::size_t id = 0; id < entities; ++id)
            all.add(trace->entity(static_cast<EntityId>(id)));
        QSqlQuery q = file.query();
        if (!q.exec(QString::fromLatin1(kSelectChunks))) {
            file.noteError(q);
            return {};
        }
        const auto columns = std::make_unique<Columns>();
        std::int64_t last = INT64_MIN;
        while (q.next()) {
            const EncodedChunk chunk = chunkAt(q);
            if (!decodeChunk(chunk, *columns, entities, last)) {
                file.noteDamage();
                return {};
            }
            all.add(*columns, chunk.rows);
            if (chunk.rows > 0) last = columns->at[chunk.rows - 1];
        }
        return all.hex();
    }

    /// Describes the rows written so far, not all rows of the trace by now: a world may go on while it is being
    /// recorded.
    bool writeMeta(bool finished) {
        RecordingMeta now = meta;
        now.originWallMs = trace->originWallMs();
        now.digest = finished ? digest() : QByteArray();
        if (finished && now.digest.isEmpty()) return false;
        now.rows = rows;
        now.reached = reached;
        return put(QStringLiteral("scenario"), QString::fromUtf8(now.scenario)) &&
               put(QStringLiteral("seed"), QString::number(now.seed)) && // SQLite has no unsigned 64-bit integers
               put(QStringLiteral("recipe"), now.recipe) && put(QStringLiteral("origin"), now.origin) &&
               put(QStringLiteral("progress_bound_ns"), qint64(now.progressBoundNs)) &&
               put(QStringLiteral("origin_wall_ms"), qint64(now.originWallMs)) &&
               put(QStringLiteral("digest"), QString::fromLatin1(now.digest)) &&
               put(QStringLiteral("finished"), finished) && put(QStringLiteral("rows"), qint64(now.rows)) &&
               put(QStringLiteral("reached_ns"), qint64(now.reached.count())) &&
               put(QStringLiteral("meta_digest"), finished ? QString::fromLatin1(sealOf(now)) : QString());
    }

    bool writeEntities(std::size_t upTo) {
        QSqlQuery q = file.query();
        // The cast stores the very bytes as text, so that any tool can read and query the names.
        q.prepare(QStringLiteral("INSERT OR REPLACE INTO entities VALUES (?, ?, ?, ?, CAST(? AS TEXT))"));
        for (; entities < upTo; ++entities) {
            const Entity& e = trace->entity(static_cast<EntityId>(entities));
            q.addBindValue(qint64(entities));
            q.addBindValue(int(e.kind));
            q.addBindValue(qint64(e.parent));
            q.addBindValue(qint64(e.other));
            q.addBindValue(e.name.isNull() ? QByteArray("") : e.name);
            if (q.exec()) continue;
            file.noteError(q);
            return false;
        }
        return true;
    }

    bool writeChunks(std::size_t upTo) {
        QSqlQuery q = file.query();
        q.prepare(QStringLiteral("INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
        while (rows < upTo) {
            const std::size_t number = rows / Trace::kChunkRows, first = number * Trace::kChunkRows;
            const std::size_t count = std::min(Trace::kChunkRows, upTo - first);
            const EncodedChunk chunk = encodeChunk(*trace, first, count); // the last one, partly written, anew
            q.addBindValue(qint64(number));
            q.addBindValue(qint64(chunk.rows));
            q.addBindValue(qint64(chunk.firstAt));
            q.addBindValue(qint64(chunk.check));
            for (const QByteArray* column :
                 {&chunk.at, &chunk.value, &chunk.actor, &chunk.subject, &chunk.aux, &chunk.kind, &chunk.flags})
                q.addBindValue(*column);
            if (!q.exec()) {
                file.noteError(q);
                return false;
            }
            rows = first + count;
        }
        return true;
    }

    std::expected<void, RecordingError> write(bool finished) {
        const Nanos nowReached = trace->reached();
        const std::size_t size = trace->size();
        const std::size_t names = trace->entityCount(); // read last: rows up to size name none beyond
        if (!finished && size == rows && nowReached == reached && names == entities && !metaChanged) return {};
        const auto before = std::tuple(rows, entities, reached);
        const bool begun = file.transaction();
        reached = nowReached;
        if (begun && writeEntities(names) && writeChunks(size) && writeMeta(finished) && file.commit()) {
            metaChanged = false;
            return {};
        }
        const QString why = file.lastError();
        if (begun) file.rollback();
        std::tie(rows, entities, reached) = before;
        return std::unexpected(writeFailed(path, why));
    }

    QString path;
    std::shared_ptr<const Trace> trace;
    RecordingMeta meta;
    RecordingFile file;
    std::size_t rows = 0, entities = 0;
    Nanos reached{-1};
    bool metaChanged = false;
};

RecordingWriter::RecordingWriter(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {
}
RecordingWriter::~RecordingWriter() = default;

std::expected<std::unique_ptr<RecordingWriter>, RecordingError>
RecordingWriter::create(const QString& path, std::shared_ptr<const Trace> trace, const RecordingMeta& meta) {
    if (auto taken = noPlaceForAFile(path)) return std::unexpected(*std::move(taken));
    // A rest of an older recording must not be mixed with the new one.
    for (const QString& suffix :
         {QString(), QStringLiteral("-journal"), QStringLiteral("-wal"), QStringLiteral("-shm")}) {
        QFile old(path + suffix);
        if (old.exists() && !old.remove())
            return std::unexpected(RecordingError{
                RecordingError::Kind::CannotOpen,
                Words::tr("%1 exists and could not be replaced: %2. Close it elsewhere or choose another name.")
                    .arg(QDir::toNativeSeparators(old.fileName()), old.errorString())});
    }
    auto impl = std::make_unique<Impl>(path, std::move(trace));
    impl->meta = meta;
    if (!impl->createTables())
        return std::unexpected(RecordingError{
            RecordingError::Kind::CannotOpen,
            Words::tr("%1 could not be created: %2. Check that the folder exists and that you may write there.")
                .arg(QDir::toNativeSeparators(path), impl->file.lastError())});
    return std::unique_ptr<RecordingWriter>(new RecordingWriter(std::move(impl)));
}

std::expected<void, RecordingError> RecordingWriter::write() {
    return m_impl->write(false);
}

void RecordingWriter::setMeta(const RecordingMeta& meta) {
    m_impl->meta = meta;
    m_impl->metaChanged = true;
}

std::expected<void, RecordingError> RecordingWriter::finish() {
    return m_impl->write(true);
}

std::expected<void, RecordingError> RecordingWriter::writeViolations(const std::vector<RecordedViolation>& violations) {
    RecordingFile& file = m_impl->file;
    const bool begun = file.transaction();
    bool good = begun && file.run(QStringLiteral("DELETE FROM violations"));
    QSqlQuery q = file.query();
    good = good && q.prepare(QStringLiteral("INSERT INTO violations VALUES (?, ?, ?, ?, ?, ?)"));
    for (const RecordedViolation& v : violations) {
        if (!good) break;
        q.addBindValue(QString::fromLatin1(v.invariant));
        q.addBindValue(qint64(v.lock));
        q.addBindValue(qint64(v.from.count()));
        q.addBindValue(v.to == kNever ? QVariant() : QVariant(qint64(v.to.count())));
        q.addBindValue(v.actors);
        q.addBindValue(v.explanation);
        good = q.exec();
        if (!good) file.noteError(q);
    }
    if (good && file.commit()) return {};
    const QString why = file.lastError();
    if (begun) file.rollback();
    return std::unexpected(writeFailed(m_impl->path, why));
}

std::expected<void, RecordingError> saveRecording(const QString& path, std::shared_ptr<const Trace> trace,
                                                  const RecordingMeta& meta,
                                                  const std::vector<RecordedViolation>& violations) {
    if (auto taken = noPlaceForAFile(path)) return std::unexpected(*std::move(taken));
    const QString part = path + QStringLiteral(".part");
    {
        auto writer = RecordingWriter::create(part, std::move(trace), meta);
        if (!writer) return std::unexpected(writer.error());
        auto done = (*writer)->writeViolations(violations);
        if (done) done = (*writer)->finish();
        if (!done) {
            writer->reset();
            QFile::remove(part);
            return done;
        }
    }
    // SQLite would roll what a killed program left beside the old file back into the new one.
    for (const char* suffix : {"-journal", "-wal", "-shm"}) {
        QFile rest(path + QLatin1String(suffix));
        if (!rest.exists() || rest.remove()) continue;
        QFile::remove(part);
        return std::unexpected(writeFailed(path, rest.errorString()));
    }
    // rename(2) replaces the old file in one step; QFile::rename would refuse.
    std::error_code error;
    std::filesystem::rename(part.toStdString(), path.toStdString(), error);
    if (!error) return {};
    QFile::remove(part);
    return std::unexpected(writeFailed(path, QString::fromStdString(error.message())));
}

} // namespace lockscope::trace
