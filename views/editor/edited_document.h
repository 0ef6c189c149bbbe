// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/schema.h"
#include "lesson/lesson.h"
#include "scenario/scenario.h"

#include <QObject>
#include <QTextDocument>
#include <QTimer>

namespace lockscope::views {

/// A scenario or a lesson that is being written. Its text is the document: forms change one place of it and leave the
/// rest as it was typed, so that neither a form nor a broken text loses anything. All changes are steps of one history.
/// The reader of such files says what is wrong with it, while it is written.
class EditedDocument : public QObject {
    Q_OBJECT
public:
    enum class Kind : std::uint8_t { Scenario, Lesson };
    explicit EditedDocument(Kind kind, QObject* parent = nullptr);

    Kind kind() const { return m_kind; }
    const Schema& schema() const { return m_schema; }
    /// For a plain text edit; its history is the document's.
    QTextDocument* text() const { return m_text; }
    QByteArray json() const { return m_text->toPlainText().toUtf8(); }
    /// Begins anew with this text, unchanged. A scenario of the first version of files is turned into the second, which
    /// counts as the first change.
    void load(const QByteArray& json);
    /// Replaces the whole text, as one change.
    void replace(const QByteArray& json);

    /// Whether the text is a JSON object at present: only then forms can change it.
    bool isLegible() const { return m_legible; }
    /// The text as an object; while it is illegible, as it was before.
    const QJsonObject& object() const { return m_object; }
    QJsonValue at(const QString& pointer) const { return valueAt(m_object, pointer); }
    /// All complaints, by line.
    const std::vector<scenario::Problem>& problems() const { return m_problems; }
    /// Texts of a lesson that is fine otherwise which are still to be written, in one language or in both: it can be
    /// played with the other language's, or with dots.
    const std::vector<scenario::Problem>& unwritten() const { return m_unwritten; }
    /// The first complaint about a value or something in it; empty: it is fine, or still to be written.
    QString complaintAbout(const QString& pointer) const;
    /// The 1-based line of the value at a JSON pointer, or of what is around it.
    int lineOf(const QString& pointer) const;

    /// The scenario, if nothing is wrong with it.
    const std::optional<scenario::Scenario>& scenario() const { return m_scenario; }
    /// The lesson, if nothing is wrong with it but texts that are not written yet.
    const std::optional<lesson::Lesson>& lesson() const { return m_lesson; }

    /// Each is one step of the history, and does nothing while the text is illegible.
    void set(const QString& pointer, const QJsonValue& value);
    void remove(const QString& pointer);
    /// An element more at a list's end; a missing list is made.
    void append(const QString& list, const QJsonValue& value);
    /// A list in another order: see withElements().
    void arrange(const QString& list, const std::vector<int>& numbers);
    /// A list without one of its elements; nothing happens when it has no such one.
    void removeElement(const QString& list, int index);
    /// Any change of the text.
    void change(const std::function<QByteArray(QByteArray)>& edit);

    /// Takes what is being typed in forms into the text.
    void flush() { Q_EMIT flushWanted(); }
    void undo();
    void redo();

Q_SIGNALS:
    /// The object or the complaints are others now.
    void changed();
    void flushWanted();

private:
    void read();

    Kind m_kind;
    QByteArray m_schemaText;
    Schema m_schema;
    QStringList m_order;
    QTextDocument* m_text;
    QTimer m_pace;
    QJsonObject m_object;
    bool m_legible = false;
    std::vector<scenario::Problem> m_problems, m_unwritten;
    std::optional<scenario::Scenario> m_scenario;
    std::optional<lesson::Lesson> m_lesson;
};

} // namespace lockscope::views
