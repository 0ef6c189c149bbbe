// SPDX-License-Identifier: Apache-2.0
#include "trace/recording_file.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QFile>
#include <algorithm>
#include <atomic>

namespace lockscope::trace {

namespace {
std::atomic<int> g_connections = 0; // connection names are global to the program

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Recording)
};

/// SQLite's result codes (sqlite3.h): a contract of its.
enum SqliteCode : int {
    kBusy = 5,
    kLocked = 6,
    kNoMemory = 7,
    kReadOnly = 8,
    kReadOrWrite = 10,
    kCorrupt = 11,
    kFull = 13,
    kCannotOpen = 14,
    kNotADatabase = 26,
};

QString wordsOf(int code) {
    switch (code) {
    case kBusy:
    case kLocked:
        return Words::tr("another program is writing to it");
    case kNoMemory:
        return Words::tr("there is not enough memory");
    case kReadOnly:
        return Words::tr("it may only be read");
    case kReadOrWrite:
        return Words::tr("the disk could not read or write it");
    case kCorrupt:
    case kNotADatabase:
        return Words::tr("its content is damaged");
    case kFull:
        return Words::tr("the disk is full");
    case kCannotOpen:
        return Words::tr("the file or its folder is not there, or may not be opened");
    default: // a table that is missing, or has other columns
        return Words::tr("its tables are not those of a recording");
    }
}
} // namespace

QByteArray sealOf(const RecordingMeta& meta) {
    QCryptographicHash hash(QCryptographicHash::Sha256);
    const auto add = [&hash](const QByteArray& text) {
        hash.addData(QByteArray::number(text.size()) + ':');
        hash.addData(text);
    };
    add(meta.scenario);
    add(meta.recipe.toUtf8());
    add(meta.origin.toUtf8());
    add(meta.digest);
    for (const qlonglong number : {qlonglong(meta.progressBoundNs), qlonglong(meta.originWallMs), qlonglong(meta.rows),
                                   qlonglong(meta.reached.count())})
        add(QByteArray::number(number));
    add(QByteArray::number(qulonglong(meta.seed)));
    return hash.result().toHex();
}

RecordingFile::RecordingFile(const QString& path, Mode mode)
    : m_name(QStringLiteral("lockscope-recording-%1").arg(++g_connections)) {
    QSqlDatabase db = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_name);
    db.setDatabaseName(path);
    // A recording whose writer was killed inside a transaction must be rolled back first, and that is writing.
    const bool recover = QFile::exists(path + QStringLiteral("-journal"));
    if (mode == Mode::Read && !recover)
        db.setConnectOptions(QStringLiteral("QSQLITE_OPEN_READONLY;QSQLITE_BUSY_TIMEOUT=5000"));
    else
        db.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=5000"));
    if (!db.open()) note(db.lastError());
}

RecordingFile::~RecordingFile() {
    QSqlDatabase::database(m_name, false).close();
    QSqlDatabase::removeDatabase(m_name);
}

bool RecordingFile::isOpen() const {
    return QSqlDatabase::database(m_name, false).isOpen();
}

QSqlQuery RecordingFile::query() const {
    QSqlQuery q(QSqlDatabase::database(m_name, false));
    q.setForwardOnly(true);
    return q;
}

bool RecordingFile::run(const QString& sql) {
    QSqlQuery q = query();
    if (q.exec(sql)) return true;
    noteError(q);
    return false;
}

QVariant RecordingFile::value(const QString& sql) {
    QSqlQuery q = query();
    if (q.exec(sql) && q.next()) return q.value(0);
    noteError(q);
    return {};
}

bool RecordingFile::transaction() {
    return run(QStringLiteral("BEGIN IMMEDIATE"));
}
bool RecordingFile::commit() {
    return run(QStringLiteral("COMMIT"));
}
void RecordingFile::rollback() {
    query().exec(QStringLiteral("ROLLBACK"));
}

void RecordingFile::noteError(const QSqlQuery& query) {
    note(query.lastError());
}

void RecordingFile::noteDamage() {
    m_error = wordsOf(kCorrupt);
    m_contentIsBad = true;
}

void RecordingFile::note(const QSqlError& error) {
    constexpr int kPrimary = 0xff; // the rest of a code says more exactly what it was
    const int code = error.nativeErrorCode().toInt() & kPrimary;
    m_error = error.isValid() ? wordsOf(code) : QString();
    m_contentIsBad = error.isValid() && (code == kCorrupt || code == kNotADatabase);
}

EncodedChunk chunkAt(const QSqlQuery& query) {
    EncodedChunk chunk;
    chunk.rows = static_cast<std::size_t>(std::max<qlonglong>(0, query.value(1).toLongLong()));
    chunk.firstAt = query.value(2).toLongLong();
    chunk.check = query.value(3).toLongLong();
    int column = 4;
    for (QByteArray* bytes :
         {&chunk.at, &chunk.value, &chunk.actor, &chunk.subject, &chunk.aux, &chunk.kind, &chunk.flags})
        *bytes = query.value(column++).toByteArray();
    return chunk;
}

} // namespace lockscope::trace
