// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/unsaved_text.h"

#include "scenario/user_files.h"
#include "window/process_alive.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSaveFile>

namespace lockscope::app {

namespace {

/// Beside the person's own scenarios.
QDir folder() {
    return QDir(QFileInfo(scenario::userFolder(scenario::Shelf::Scenarios)).path());
}

QByteArray wholeOf(const views::EditorWindow::Kept& kept) {
    return QJsonDocument(QJsonObject{{QStringLiteral("path"), kept.path},
                                     {QStringLiteral("on_disk"), QString::fromUtf8(kept.onDisk)},
                                     {QStringLiteral("text"), QString::fromUtf8(kept.json)}})
        .toJson(QJsonDocument::Compact);
}

} // namespace

UnsavedText::UnsavedText(const QString& kind)
    : m_kind(kind),
      m_path(
          folder().filePath(QStringLiteral("unsaved-%1-%2.json").arg(kind).arg(QCoreApplication::applicationPid()))) {
}

UnsavedText::~UnsavedText() = default;

void UnsavedText::keep(views::EditorWindow* editor, const std::function<void()>& failed) {
    if (!editor || !editor->isWindowModified()) return forget();
    const views::EditorWindow::Kept kept = editor->kept();
    if (kept.json == m_written && !m_written.isNull()) return;
    m_written = kept.json;
    m_thread.run(
        [path = m_path, whole = wholeOf(kept)] {
            QDir().mkpath(QFileInfo(path).path());
            QSaveFile file(path);
            return file.open(QIODevice::WriteOnly) && file.write(whole) == whole.size() && file.commit();
        },
        [this, failed](bool written) {
            if (written) return;
            m_written = {};
            failed();
        });
}

void UnsavedText::forget() {
    if (m_written.isNull()) return;
    m_written = {};
    m_thread.run([path = m_path] { return QFile::remove(path); }, [](bool) {});
}

QString UnsavedText::leftFile() const {
    static const QRegularExpression kNumber(QStringLiteral("-(\\d+)\\.json$"));
    const QStringList pattern{QStringLiteral("unsaved-%1-*.json").arg(m_kind)};
    for (const QFileInfo& file : folder().entryInfoList(pattern, QDir::Files, QDir::Time)) {
        const auto number = kNumber.match(file.fileName());
        if (number.hasMatch() && !isAlive(number.captured(1).toLongLong())) return file.filePath();
    }
    return {};
}

std::optional<views::EditorWindow::Kept> UnsavedText::takeLeft() {
    QFile file(leftFile());
    if (file.fileName().isEmpty() || !file.open(QIODevice::ReadOnly)) return std::nullopt;
    const QJsonObject whole = QJsonDocument::fromJson(file.readAll()).object();
    views::EditorWindow::Kept kept;
    kept.path = whole[u"path"].toString();
    kept.onDisk = whole[u"on_disk"].toString().toUtf8();
    kept.json = whole[u"text"].toString().toUtf8();
    kept.modified = true;
    // Renamed, so that it is there all the time.
    if (!QFile::rename(file.fileName(), m_path)) return std::nullopt;
    m_written = kept.json;
    if (kept.json.isEmpty()) return std::nullopt;
    return kept;
}

} // namespace lockscope::app
