// SPDX-License-Identifier: Apache-2.0
#include "lesson/lesson_file.h"

#include "lesson/lesson_check.h"
#include "lesson/lesson_reader.h"
#include "scenario/json_document.h"
#include "scenario/user_files.h"
#include "trace/json_positions.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::lesson {

using scenario::Problem;

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("lesson", text);
}

const QString kFolder = QStringLiteral(":/lessons/");
const QString kEnglish = QStringLiteral("en"), kChinese = QStringLiteral("zh_CN");

/// Texts that are still to be written, filled in.
QJsonValue withDots(const QJsonValue& value) {
    if (value.isArray()) {
        QJsonArray list;
        for (const QJsonValue& one : value.toArray())
            list += withDots(one);
        return list;
    }
    if (!value.isObject()) return value;
    QJsonObject object = value.toObject();
    for (auto it = object.begin(); it != object.end(); ++it)
        *it = withDots(*it);
    for (const auto& [to, from] : {std::pair(kEnglish, kChinese), std::pair(kChinese, kEnglish)}) {
        const QJsonValue text = object.value(to);
        if (!text.isString() || !text.toString().isEmpty()) continue;
        const QString other = object.value(from).toString();
        object.insert(to, other.isEmpty() ? QStringLiteral("…") : other);
    }
    return object;
}

} // namespace

std::expected<Lesson, std::vector<Problem>> parseLesson(const QByteArray& json, const QString& file) {
    const auto document = scenario::JsonDocument::read(json, file);
    if (!document) return std::unexpected(document.error());
    std::vector<scenario::Complaint> complaints = scenario::checkAgainstSchema(*document, lessonSchema());
    Lesson lesson;
    if (complaints.empty()) lesson = readLesson(document->object(), complaints);
    if (complaints.empty()) checkNames(lesson, complaints);
    if (auto problems = document->problems(complaints); !problems.empty()) return std::unexpected(std::move(problems));
    return lesson;
}

std::expected<Lesson, std::vector<Problem>> parseUnfinished(const QByteArray& json, const QString& file) {
    auto read = parseLesson(json, file);
    if (read) return read;
    const QJsonDocument document = QJsonDocument::fromJson(json);
    if (!document.isObject()) return read;
    auto filled = parseLesson(QJsonDocument(withDots(document.object()).toObject()).toJson(), file);
    // Mistakes beside texts that are still to be written; those have the other language's text in `filled`, which
    // is complained about where it stands.
    std::vector<Problem> wrong;
    const JsonPositions positions(json);
    const auto note = [&](Problem one) {
        const QString language = one.path.section(u'/', -1);
        const auto place = positions.place(one.path);
        const bool unwritten = (language == kEnglish || language == kChinese) && place &&
                               json.mid(place->begin, place->end - place->begin) == "\"\"";
        const auto isSame = [&](const Problem& other) {
            return other.path == one.path && other.message == one.message;
        };
        if (unwritten || std::ranges::any_of(wrong, isSame)) return;
        one.line = positions.line(one.path);
        wrong.push_back(std::move(one));
    };
    std::ranges::for_each(read.error(), note);
    if (!filled) std::ranges::for_each(filled.error(), note);
    if (wrong.empty()) return filled;
    std::ranges::stable_sort(wrong, {}, &Problem::line);
    return std::unexpected(std::move(wrong));
}

std::expected<Lesson, std::vector<Problem>> loadLesson(const QString& idOrPath) {
    const QStringList ids = builtinLessons();
    const bool builtin = ids.contains(idOrPath);
    const QString own = builtin ? QString() : scenario::userFile(scenario::Shelf::Lessons, idOrPath);
    if (!builtin && own.isEmpty() && !QFileInfo::exists(idOrPath)) {
        return std::unexpected(std::vector<Problem>{
            {idOrPath, 0, QString(),
             tr("there is neither a built-in lesson nor a file of this name%1")
                 .arg(suggestion(idOrPath, ids + scenario::userFiles(scenario::Shelf::Lessons)))}});
    }
    QFile file(builtin ? lessonPath(idOrPath) : own.isEmpty() ? idOrPath : own);
    if (!file.open(QIODevice::ReadOnly) || QFileInfo(file.fileName()).isDir()) {
        return std::unexpected(
            std::vector<Problem>{{idOrPath, 0, QString(), tr("the file cannot be read: %1").arg(file.errorString())}});
    }
    return builtin ? parseLesson(file.readAll(), idOrPath) : parseUnfinished(file.readAll(), idOrPath);
}

QStringList builtinLessons() {
    static const QStringList kIds = [] {
        QStringList ids;
        // Their files begin with their number in the course.
        for (const QString& file :
             QDir(kFolder).entryList({QStringLiteral("[0-9][0-9]-*.json")}, QDir::Files, QDir::Name))
            ids += file.sliced(3).chopped(5);
        return ids;
    }();
    return kIds;
}

// "06-the-pause.json" has the id "the-pause".
QString lessonPath(const QString& id) {
    const QStringList found =
        QDir(kFolder).entryList({QStringLiteral("[0-9][0-9]-%1.json").arg(id)}, QDir::Files, QDir::Name);
    return found.isEmpty() ? QString() : kFolder + found.first();
}

QByteArray lessonSchema() {
    QFile file(kFolder + QStringLiteral("lesson.schema.json"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("the schema of lessons is missing from the program");
    return file.readAll();
}

} // namespace lockscope::lesson
