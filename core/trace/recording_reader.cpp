// SPDX-License-Identifier: Apache-2.0
#include "trace/bulk_loader.h"
#include "trace/chunk_codec.h"
#include "trace/recording_file.h"
#include "trace/recording_head.h"
#include "trace/time_text.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QtEndian>

namespace lockscope::trace {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Recording)
};
using Kind = RecordingError::Kind;

constexpr std::size_t kFirstBatch = 100'000; // rows: a first picture, well within a tenth of a second

} // namespace

struct RecordingReader::Impl {
    explicit Impl(const QString& p) : path(p) {}

    std::unexpected<RecordingError> error(Kind kind, const QString& message) const {
        return std::unexpected(RecordingError{kind, message.arg(QDir::toNativeSeparators(path))});
    }
    /// No event is left: says what was in the file, and how to get that back.
    QString allIsLost(const QString& name) const {
        const QString lost =
            meta.rows > 0 ? Words::tr("%1 is damaged in its first part: none of its %2 events can be read.")
                                .arg(name, QString::number(meta.rows))
                          : Words::tr("%1 is damaged in its first part: none of its events can be read.").arg(name);
        const QString scenario = QJsonDocument::fromJson(meta.scenario)[u"id"].toString();
        if (scenario.isEmpty() || meta.origin != u"simulated")
            return Words::tr("%1 Copy it again from where it was made, or record anew.").arg(lost);
        return Words::tr("%1 It recorded the scenario “%2” with the seed %3: run that again, or copy the file again "
                         "from where it was made.")
            .arg(lost, scenario, QString::number(meta.seed));
    }
    QString restIsLost(const QString& name) const {
        const QString rows = QString::number(trace->size());
        if (meta.rows <= trace->size()) // the number was lost, too, or the damage lies elsewhere
            return Words::tr("%1 is damaged after event %2. What lies before can be read.").arg(name, rows);
        const Nanos last(trace->timeAt(trace->size() - 1));
        return Words::tr("%1 is damaged after event %2 of %3, at %4. What lies before can be read; the rest is lost.")
            .arg(name, rows, QString::number(meta.rows), instantText(last, 100ms));
    }
    std::unexpected<RecordingError> damaged() const {
        const QString name = QDir::toNativeSeparators(path), rows = QString::number(trace->size());
        // That its content is bad is what "damaged" says.
        const QString why = file && !file->contentIsBad() ? file->lastError() : QString();
        const QString message = !why.isEmpty()
                                    ? Words::tr("%1 could not be read beyond event %2: %3.").arg(name, rows, why)
                                : trace->size() == 0 ? allIsLost(name)
                                                     : restIsLost(name);
        return std::unexpected(RecordingError{Kind::Damaged, message});
    }

    /// Each entity names only such as were there before it, so that nobody ever follows a circle.
    static bool isNamedBefore(qlonglong named, qlonglong id) { return named == 0 || (named > 0 && named < id); }

    QVariant metaValue(const char* key) {
        QSqlQuery q = file->query();
        q.prepare(QStringLiteral("SELECT value FROM meta WHERE key = ?"));
        q.addBindValue(QString::fromLatin1(key));
        return q.exec() && q.next() ? q.value(0) : QVariant();
    }

    void readMeta() {
        meta.scenario = metaValue("scenario").toString().toUtf8();
        meta.seed = metaValue("seed").toString().toULongLong();
        meta.recipe = metaValue("recipe").toString();
        meta.origin = metaValue("origin").toString();
        meta.progressBoundNs = std::max<qlonglong>(0, metaValue("progress_bound_ns").toLongLong());
        meta.originWallMs = metaValue("origin_wall_ms").toLongLong();
        meta.digest = metaValue("digest").toString().toLatin1();
        meta.finished = metaValue("finished").toBool();
        meta.rows = static_cast<std::size_t>(std::max<qlonglong>(0, metaValue("rows").toLongLong()));
        meta.reached = Nanos(std::clamp<qlonglong>(metaValue("reached_ns").toLongLong(), 0, kLatestEvent));
        const QByteArray seal = metaValue("meta_digest").toString().toLatin1();
        meta.seal = seal.isEmpty()         ? RecordingMeta::Seal::Missing
                    : seal == sealOf(meta) ? RecordingMeta::Seal::Whole
                                           : RecordingMeta::Seal::Broken;
        trace->setOriginWallMs(meta.originWallMs);
    }

    /// Reads on from the first name that is not there yet. False when the table ends early or is damaged; names before
    /// that are there.
    bool readEntities() {
        BulkLoader loader(*trace);
        QSqlQuery q = file->query();
        q.prepare(QStringLiteral("SELECT id, kind, parent, other, CAST(name AS BLOB) FROM entities WHERE id >= ? "
                                 "ORDER BY id"));
        q.addBindValue(qlonglong(trace->entityCount()));
        if (!q.exec()) {
            file->noteError(q);
            return false;
        }
        while (q.next()) {
            const qlonglong id = q.value(0).toLongLong(), kind = q.value(1).toLongLong(),
                            parent = q.value(2).toLongLong(), other = q.value(3).toLongLong();
            if (id != qlonglong(trace->entityCount()) || kind < 0 || kind > UINT8_MAX) return false;
            if (!isNamedBefore(parent, id) || !isNamedBefore(other, id)) return false;
            loader.addEntity({static_cast<EntityKind>(kind), static_cast<EntityId>(parent),
                              static_cast<EntityId>(other), q.value(4).toByteArray()});
        }
        file->noteError(q);
        return file->lastError().isEmpty();
    }

    std::expected<RecordingMeta, RecordingError> open();
    std::expected<void, RecordingError> load(const std::function<void(Progress)>& progress, std::stop_token stop);

    QString path;
    std::shared_ptr<Trace> trace = std::make_shared<Trace>();
    std::unique_ptr<RecordingFile> file;
    RecordingMeta meta;
    bool namesDamaged = false;
};

std::optional<RecordingError> recordingRefused(const QString& path) {
    const QString shown = QDir::toNativeSeparators(path);
    const auto refused = [](Kind kind, const QString& message) { return RecordingError{kind, message}; };
    const QFileInfo info(path);
    if (info.isDir()) return refused(Kind::NotFound, Words::tr("%1 is a folder. Choose a recording in it.").arg(shown));
    if (!info.exists())
        return refused(Kind::NotFound, Words::tr("%1 does not exist. Was it moved or renamed?").arg(shown));
    QFile raw(path);
    if (!raw.open(QIODevice::ReadOnly))
        return refused(Kind::CannotOpen,
                       Words::tr("%1 cannot be read: %2. Check its permissions.").arg(shown, raw.errorString()));
    const QByteArray head = raw.read(100);
    if (head.isEmpty())
        return refused(Kind::NotRecording, Words::tr("%1 is empty: nothing was recorded into it.").arg(shown));
    if (head.startsWith("SQLite format 3")) return {};
    if (head.trimmed().startsWith('{'))
        return refused(Kind::NotRecording, Words::tr("%1 is not a recording; it looks like a scenario. Open it in the "
                                                     "window, or play it with “lockscope simulate”.")
                                               .arg(shown));
    return refused(Kind::NotRecording, Words::tr("%1 is not a Lockscope recording: something else is in it. "
                                                 "Choose a file that Lockscope has recorded.")
                                           .arg(shown));
}

bool beginsAsARecording(const QString& path) {
    constexpr qsizetype kIdAt = 68; // in the header of every SQLite file
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) return false;
    const QByteArray head = file.read(kIdAt + qsizetype(sizeof(qint32)));
    return head.startsWith("SQLite format 3") && head.size() == kIdAt + qsizetype(sizeof(qint32)) &&
           qFromBigEndian<qint32>(head.constData() + kIdAt) == kApplicationId;
}

RecordingReader::RecordingReader(const QString& path) : m_impl(std::make_unique<Impl>(path)) {
}
RecordingReader::~RecordingReader() = default;
std::shared_ptr<Trace> RecordingReader::trace() const {
    return m_impl->trace;
}

const RecordingMeta& RecordingReader::meta() const {
    return m_impl->meta;
}

std::expected<RecordingMeta, RecordingError> RecordingReader::open() {
    const auto result = m_impl->open();
    if (!result) m_impl->file.reset();
    return result;
}

std::expected<RecordingMeta, RecordingError> RecordingReader::Impl::open() {
    if (auto refused = recordingRefused(path)) return std::unexpected(*refused);
    file = std::make_unique<RecordingFile>(path, RecordingFile::Mode::Read);
    const auto readId = [&] { return file->value(QStringLiteral("PRAGMA application_id")); };
    QVariant id = file->isOpen() ? readId() : QVariant();
    if (!id.isValid() && file->isOpen()) {
        // SQLite refuses a file shorter than its header says, unless one claims to know better: then it reads what is
        // there, and fails at what is not.
        file->run(QStringLiteral("PRAGMA writable_schema = ON"));
        id = readId();
    }
    if (!id.isValid() && file->contentIsBad())
        return error(Kind::CannotOpen, Words::tr("%1 is damaged from its first bytes on: nothing of it can be read. If "
                                                 "there is another copy, open that."));
    if (!id.isValid()) {
        return std::unexpected(
            RecordingError{Kind::CannotOpen, Words::tr("%1 cannot be opened: %2. Try again, or open a copy of it.")
                                                 .arg(QDir::toNativeSeparators(path), file->lastError())});
    }
    if (id.toInt() != kApplicationId)
        return error(Kind::NotRecording, Words::tr("%1 belongs to another program: it is not a Lockscope recording. "
                                                   "Choose a file that Lockscope has recorded."));
    const int version = file->value(QStringLiteral("PRAGMA user_version")).toInt();
    if (version > kFormatVersion)
        return std::unexpected(RecordingError{
            Kind::Newer,
            Words::tr("%1 was recorded by a newer Lockscope (format %2, this one reads up to %3). Update "
                      "Lockscope to open it.")
                .arg(QDir::toNativeSeparators(path), QString::number(version), QString::number(kFormatVersion))});
    readMeta();
    namesDamaged = !readEntities();
    return meta;
}

std::expected<void, RecordingError> RecordingReader::load(const std::function<void(Progress)>& progress,
                                                          std::stop_token stop) {
    const auto result = m_impl->load(progress, std::move(stop));
    m_impl->file.reset(); // in this thread, which made the connection
    return result;
}

std::expected<void, RecordingError> RecordingReader::Impl::load(const std::function<void(Progress)>& progress,
                                                                std::stop_token stop) {
    Q_ASSERT_X(file, "RecordingReader::load", "open() comes first, and succeeds");
    // One look at all of the file: a recording still being written has moved on since it was opened, and goes on
    // moving. Not from open() on: the writer waits meanwhile. Ends with the connection.
    if (!file->run(QStringLiteral("BEGIN"))) return damaged();
    readMeta();
    if (!namesDamaged) namesDamaged = !readEntities();
    QSqlQuery q = file->query();
    if (!q.exec(QString::fromLatin1(kSelectChunks))) {
        file->noteError(q);
        return damaged();
    }
    const auto rows = std::make_unique<Columns>();
    BulkLoader loader(*trace);
    const std::size_t batch = std::max(kFirstBatch, meta.rows / 50);
    std::size_t next = kFirstBatch;
    for (qlonglong number = 0; q.next(); ++number) {
        if (stop.stop_requested())
            return error(Kind::Cancelled, Words::tr("Opening %1 was cancelled: what was read so far is shown."));
        // All chunks but the last are full: one that is not is followed by nothing.
        if (q.value(0).toLongLong() != number || trace->size() % Trace::kChunkRows != 0) return damaged();
        const EncodedChunk chunk = chunkAt(q);
        const std::size_t size = trace->size();
        const std::int64_t last = size ? trace->timeAt(size - 1) : INT64_MIN;
        if (!decodeChunk(chunk, *rows, trace->entityCount(), last)) return damaged();
        loader.append(*rows, chunk.rows);
        if (trace->size() < next) continue;
        next = trace->size() + batch;
        if (progress) progress({trace->size(), std::max(meta.rows, trace->size())});
    }
    file->noteError(q);
    const bool whole = file->lastError().isEmpty() && !namesDamaged && trace->size() == meta.rows;
    if (!whole || (meta.finished && trace->digest() != meta.digest)) return damaged();
    trace->reach(meta.reached);
    if (meta.finished && meta.seal == RecordingMeta::Seal::Broken)
        return error(Kind::Damaged,
                     Words::tr("%1 was changed after it was recorded: its scenario, its recipe or the bound that it is "
                               "judged by. Its events are whole."));
    if (progress) progress({trace->size(), trace->size()});
    return {};
}

std::expected<LoadedRecording, RecordingError> loadRecording(const QString& path) {
    RecordingReader reader(path);
    const auto meta = reader.open();
    if (!meta) return std::unexpected(meta.error());
    LoadedRecording loaded{reader.trace(), *meta, {}};
    if (const auto read = reader.load(); !read) loaded.damage = read.error();
    loaded.meta = reader.meta();
    return loaded;
}

} // namespace lockscope::trace
