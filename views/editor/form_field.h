// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/edited_document.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QPlainTextEdit;

namespace lockscope::views {

/// A part of a form: shows the value at a place of the document, and changes it there.
class FormField : public QWidget {
    Q_OBJECT
public:
    explicit FormField(EditedDocument* document) : m_document(document) {}
    void setPlace(const QString& pointer);
    const QString& place() const { return m_place; }
    virtual void refresh() = 0;
    /// Whether it stands below its label, with the whole width to itself.
    virtual bool isWide() const { return false; }
    /// The widget that its label belongs to; null: it has its own.
    virtual QWidget* buddy() const { return nullptr; }

protected:
    EditedDocument* document() const { return m_document; }
    QJsonValue value() const { return m_document->at(m_place); }
    /// Puts a value there; an undefined one takes the field away.
    void submit(const QJsonValue& value);

private:
    EditedDocument* m_document;
    QString m_place;
};

/// How a value is written in a line, and read from one. A line that cannot be read is kept as text, so that the reader
/// of the file can say what is wrong with it.
struct LineForm {
    QString (*text)(const QJsonValue& value);
    QJsonValue (*value)(const QString& text);
};
/// The form for values of this kind.
const LineForm& lineFormOf(const SchemaNode& node);

/// One line of text; what is typed is taken after a pause, and when the line is left.
class LineField : public FormField {
    Q_OBJECT
public:
    LineField(EditedDocument* document, const LineForm& form);
    void refresh() override;
    QWidget* buddy() const override;
    QLineEdit* edit() const { return m_edit; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void take();
    LineForm m_form;
    QLineEdit* m_edit;
    QTimer m_pause;
    bool m_typed = false; ///< something that the document does not have yet
};

/// One of several words, or nothing.
class ChoiceField : public FormField {
    Q_OBJECT
public:
    /// Truth values are offered as words, too. `key`: the field's name, by which choices get words.
    ChoiceField(EditedDocument* document, const SchemaNode& node, const QString& key);
    void refresh() override;
    QWidget* buddy() const override;
    QComboBox* box() const { return m_box; }

private:
    QComboBox* m_box;
};

/// A text in English and in Chinese, each in a box of its own.
class LanguagesField : public FormField {
    Q_OBJECT
public:
    enum class Size : std::uint8_t { Line, Lines };
    LanguagesField(EditedDocument* document, const QString& label, Size size);
    void refresh() override;
    bool isWide() const override { return true; }
    /// The language: "en" or "zh_CN".
    QPlainTextEdit* edit(const QString& language) const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void take();
    std::array<QPlainTextEdit*, 2> m_edits{};
    QTimer m_pause;
    bool m_typed = false; ///< something that the document does not have yet
    bool m_showing = false;
};

} // namespace lockscope::views
