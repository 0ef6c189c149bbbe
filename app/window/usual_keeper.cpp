// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/usual_keeper.h"

#include "session/trace_joint.h"
#include "trace/connection.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QLoggingCategory>
#include <QSaveFile>

namespace lockscope::app {

namespace {

Q_LOGGING_CATEGORY(usualHolds, "lockscope.usual")

constexpr std::size_t kRows = 20'000;                   ///< looked at in one go
const QString kFiles = QStringLiteral("usual-%1.json"); ///< %1: a hash of a server's address
constexpr auto kSaveEvery = std::chrono::minutes(1);

std::int64_t nowMs() {
    return QDateTime::currentMSecsSinceEpoch();
}

/// Adds what was counted to what is in the file, and returns that: another window may have written there meanwhile.
/// Without anything to add it only reads.
session::UsualHolds added(const QString& path, const session::UsualHolds& fresh) {
    session::UsualHolds all;
    if (QFile file(path); file.open(QIODevice::ReadOnly)) {
        auto read = session::UsualHolds::fromJson(file.readAll());
        // A damaged file is written anew: it holds nothing that days of watching do not bring back.
        if (read)
            all = *std::move(read);
        else
            qCWarning(usualHolds, "%s: %s", qPrintable(path), qPrintable(read.error()));
    }
    if (fresh.empty()) return all;
    all.merge(fresh);
    QSaveFile file(path);
    const bool opened = file.open(QIODevice::WriteOnly);
    if (opened) file.setPermissions(QFile::ReadOwner | QFile::WriteOwner); // it has names of locks
    const QByteArray text = all.toJson(nowMs());
    if (!opened || file.write(text) != text.size() || !file.commit())
        qCWarning(usualHolds, "%s: %s", qPrintable(path), qPrintable(file.errorString()));
    return all;
}

} // namespace

UsualKeeper::UsualKeeper(QString folder, QObject* parent) : QObject(parent), m_folder(std::move(folder)) {
    m_more.setInterval(0);
    connect(&m_more, &QTimer::timeout, this, &UsualKeeper::catchUp);
    m_saveSoon.setInterval(kSaveEvery);
    connect(&m_saveSoon, &QTimer::timeout, this, [this] { save(); });
    removeOld();
}

UsualKeeper::~UsualKeeper() {
    follow(nullptr);
}

void UsualKeeper::follow(session::Session* session) {
    const auto trace = session ? session->trace() : nullptr;
    if (session == m_session && trace == m_trace) return;
    if (const auto row = session && session == m_session ? session::rowAfter(m_trace, session) : std::nullopt) {
        while (m_row < m_trace->size())
            catchUp();
        m_trace = trace;
        m_counted = trace;
        m_row = *row;
        return catchUp();
    }
    save();
    if (m_session && m_session != session) m_session->disconnect(this);
    if (session && session != m_session) {
        connect(session, &session::Session::advanced, this, &UsualKeeper::catchUp);
        connect(session, &QObject::destroyed, this, [this] { m_session = nullptr; });
    }
    m_session = session;
    m_trace = trace;
    if (trace && m_counted.lock() != trace) {
        m_row = 0;
        m_counted = trace;
    } else if (trace) {
        m_row = trace->size(); // it was left while nothing was to be counted
    }
    m_seen = {};
    m_files.clear();
    m_more.stop();
    if (!session) return m_saveSoon.stop();
    m_saveSoon.start();
    catchUp();
}

void UsualKeeper::catchUp() {
    if (!m_trace) return;
    const std::size_t rows = m_trace->size(), end = std::min(rows, m_row + kRows);
    for (; m_row < end; ++m_row) {
        if (!trace::SeenHolds::needs(m_trace->kindAt(m_row))) continue;
        const trace::Event event = m_trace->at(m_row);
        const auto held = m_seen.take(event);
        // A copy of a lock that several servers keep is none of its own.
        if (m_trace->copyOf(event.subject) != trace::kNoEntity) continue;
        const std::shared_ptr<File> file = fileOf(event.subject); // is read as soon as its locks show
        if (!held || !file) continue;
        const QByteArray& lock = m_trace->entity(event.subject).name;
        const std::int64_t wallMs = m_trace->originWallMs() + event.at / 1'000'000;
        file->known.note(lock, *held, wallMs);
        file->fresh.note(lock, *held, wallMs);
    }
    if (m_row < rows)
        m_more.start();
    else
        m_more.stop();
}

std::shared_ptr<UsualKeeper::File> UsualKeeper::fileOf(trace::EntityId lock) {
    const trace::EntityId connection = trace::connectionOf(*m_trace, lock);
    if (connection == trace::kNoEntity) return nullptr;
    std::shared_ptr<File>& file = m_files[connection];
    if (!file) {
        file = std::make_shared<File>();
        // An address is no file name, and nobody's business in a list of files.
        const QByteArray url = trace::urlOfConnection(*m_trace, connection);
        const QByteArray name = QCryptographicHash::hash(url, QCryptographicHash::Sha256).toHex().left(32);
        file->path = QDir(m_folder).filePath(kFiles.arg(QString::fromLatin1(name)));
        exchange(file);
    }
    return file;
}

Nanos UsualKeeper::usualOf(trace::EntityId lock) const {
    if (!m_trace || lock >= m_trace->entityCount()) return Nanos(0);
    const auto file = m_files.find(trace::connectionOf(*m_trace, lock));
    return file == m_files.end() ? Nanos(0) : file->second->known.usualOf(m_trace->entity(lock).name, nowMs());
}

std::map<QByteArray, Nanos> UsualKeeper::usualOn(trace::EntityId connection) const {
    const auto file = m_files.find(connection);
    return file == m_files.end() ? std::map<QByteArray, Nanos>() : file->second->known.usual(nowMs());
}

void UsualKeeper::save(std::function<void()> done) {
    for (const auto& [connection, file] : m_files)
        if (!file->fresh.empty()) exchange(file);
    m_thread.run([] {}, std::move(done)); // after them
}

void UsualKeeper::removeOld() {
    m_thread.run(
        [folder = m_folder] {
            const QDateTime oldest = QDateTime::currentDateTime().addDays(-session::UsualHolds::kDays - 1);
            for (const QFileInfo& each : QDir(folder).entryInfoList({kFiles.arg(QLatin1Char('*'))}, QDir::Files))
                if (each.lastModified() < oldest && !QFile::remove(each.filePath()))
                    qCWarning(usualHolds, "%s cannot be removed", qPrintable(each.filePath()));
        },
        [] {});
}

void UsualKeeper::exchange(const std::shared_ptr<File>& file) {
    m_thread.run(
        [folder = m_folder, path = file->path, fresh = std::exchange(file->fresh, {})] {
            QDir().mkpath(folder);
            return added(path, fresh);
        },
        [this, file](session::UsualHolds all) {
            all.merge(file->fresh); // came meanwhile
            file->known = std::move(all);
            for (const auto& [connection, its] : m_files)
                if (its == file) Q_EMIT learned(connection);
        });
}

} // namespace lockscope::app
