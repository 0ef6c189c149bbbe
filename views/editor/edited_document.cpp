// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/edited_document.h"

#include "lesson/lesson_file.h"
#include "scenario/form_two.h"
#include "scenario/scenario_file.h"
#include "session/open_scenario.h"
#include "theme/fonts.h"
#include "trace/json_edit.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QPlainTextDocumentLayout>
#include <QTextCursor>
#include <numeric>

namespace lockscope::views {

namespace {

constexpr auto kPause = 150ms; ///< without a key, then the text is read: reading costs some milliseconds

} // namespace

EditedDocument::EditedDocument(Kind kind, QObject* parent)
    : QObject(parent),
      m_kind(kind),
      m_schemaText(kind == Kind::Scenario ? scenario::scenarioSchema(2) : lesson::lessonSchema()),
      m_schema(m_schemaText),
      m_order(fieldOrder(m_schemaText)),
      m_text(new QTextDocument(this)) {
    m_text->setDocumentLayout(new QPlainTextDocumentLayout(m_text));
    m_text->setDefaultFont(fixedFont());
    m_pace.setSingleShot(true);
    m_pace.setInterval(kPause);
    connect(&m_pace, &QTimer::timeout, this, &EditedDocument::read);
    connect(m_text, &QTextDocument::contentsChanged, &m_pace, qOverload<>(&QTimer::start));
}

void EditedDocument::load(const QByteArray& json) {
    QString text = QString::fromUtf8(json);
    if (text.startsWith(QChar::ByteOrderMark)) text.remove(0, 1);
    m_text->setPlainText(text);
    m_text->setModified(false);
    m_object = {}; // nothing of a former text stands for one that cannot be read
    read();
    const bool first = m_kind == Kind::Scenario && m_legible && m_object[u"lockscope"].toInt() == 1;
    // A file with mistakes keeps its form, so that the complaints' places are those of the person who wrote it.
    if (first && m_scenario) replace(jsonText(scenario::inFormTwo(m_object), m_order) + '\n');
}

void EditedDocument::read() {
    m_pace.stop();
    const QByteArray text = json();
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    m_legible = error.error == QJsonParseError::NoError && document.isObject();
    if (m_legible) m_object = document.object();
    m_problems.clear();
    m_unwritten.clear();
    m_scenario.reset();
    m_lesson.reset();
    if (m_kind == Kind::Scenario) {
        auto read = scenario::parseScenario(text, {});
        if (!read)
            m_problems = read.error();
        else if (m_problems = session::fileProblems(*read, {}); m_problems.empty())
            m_scenario = std::move(*read);
    } else {
        auto read = lesson::parseLesson(text, {});
        if (read) {
            m_lesson = std::move(*read);
        } else if (auto filled = lesson::parseUnfinished(text, {}); filled) {
            m_lesson = std::move(*filled);
            m_unwritten = std::move(read.error());
        } else {
            // Mistakes come first; texts are told of when they are all that lacks.
            m_problems = std::move(filled.error());
        }
    }
    Q_EMIT changed();
}

QString EditedDocument::complaintAbout(const QString& pointer) const {
    for (const scenario::Problem& problem : m_problems)
        if (problem.path == pointer || problem.path.startsWith(pointer + u'/')) return problem.message;
    return {};
}

int EditedDocument::lineOf(const QString& pointer) const {
    return m_legible ? JsonPositions(json()).line(pointer) : 1;
}

void EditedDocument::replace(const QByteArray& json) {
    const QString before = m_text->toPlainText(), after = QString::fromUtf8(json);
    if (before == after) return;
    // Only what differs is replaced: the cursor and the view stay where they are.
    const qsizetype shorter = std::min(before.size(), after.size());
    qsizetype head = 0, tail = 0;
    while (head < shorter && before[head] == after[head])
        ++head;
    while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
        ++tail;
    QTextCursor cursor(m_text);
    cursor.beginEditBlock();
    cursor.setPosition(int(head));
    cursor.setPosition(int(before.size() - tail), QTextCursor::KeepAnchor);
    cursor.insertText(after.sliced(head, after.size() - head - tail));
    cursor.endEditBlock();
    read();
}

void EditedDocument::change(const std::function<QByteArray(QByteArray)>& edit) {
    if (m_pace.isActive()) read(); // what was typed last may have broken it
    if (m_legible) replace(edit(json()));
}

void EditedDocument::set(const QString& pointer, const QJsonValue& value) {
    change([&](const QByteArray& text) { return withValue(text, pointer, value, m_order); });
}

void EditedDocument::remove(const QString& pointer) {
    change([&](const QByteArray& text) { return withoutValue(text, pointer); });
}

void EditedDocument::append(const QString& list, const QJsonValue& value) {
    set(list + QStringLiteral("/%1").arg(at(list).toArray().size()), value);
}

void EditedDocument::arrange(const QString& list, const std::vector<int>& numbers) {
    change([&](const QByteArray& text) { return withElements(text, list, numbers); });
}

void EditedDocument::removeElement(const QString& list, int index) {
    std::vector<int> numbers(std::size_t(at(list).toArray().size()));
    std::iota(numbers.begin(), numbers.end(), 0);
    if (std::erase(numbers, index) > 0) arrange(list, numbers);
}

void EditedDocument::undo() {
    flush();
    m_text->undo();
    read();
}

void EditedDocument::redo() {
    m_text->redo();
    read();
}

} // namespace lockscope::views
