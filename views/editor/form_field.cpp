// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/form_field.h"

#include "editor/field_words.h"
#include "scenario/program_text.h"
#include "scenario/settings.h"
#include "theme/field_edit.h"
#include "theme/fonts.h"
#include "theme/style.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QJsonArray>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>

namespace lockscope::views {

namespace {

constexpr auto kTypingPause = 400ms; ///< long enough to finish a word, so that half a word makes no step of the history

constexpr std::array kLanguages{"en", "zh_CN"};

QString scalar(const QJsonValue& value) {
    return value.isUndefined() || value.isNull() ? QString() : value.toVariant().toString();
}

QString listText(const QJsonValue& value) {
    if (!value.isArray()) return scalar(value);
    QStringList parts;
    for (const QJsonValue& one : value.toArray())
        parts += scalar(one);
    return parts.join(QStringLiteral(", "));
}

QString rangeText(const QJsonValue& value) {
    return value.isArray() ? scalar(value[0]) + QStringLiteral(" – ") + scalar(value[1]) : scalar(value);
}

QJsonValue plainValue(const QString& text) {
    return text.isEmpty() ? QJsonValue(QJsonValue::Undefined) : QJsonValue(text);
}

QJsonValue numberValue(const QString& text) {
    bool whole = false, number = false;
    if (const qint64 count = text.toLongLong(&whole); whole) return count;
    if (const double some = text.toDouble(&number); number) return some;
    return plainValue(text);
}

QJsonArray parts(const QString& text) {
    QJsonArray list;
    for (const QString& part : text.split(u',', Qt::SkipEmptyParts))
        if (!part.trimmed().isEmpty()) list += part.trimmed();
    return list;
}

QJsonValue listValue(const QString& text) {
    const QJsonArray list = parts(text);
    return list.isEmpty() ? QJsonValue(QJsonValue::Undefined) : QJsonValue(list);
}

/// One name, several, or true.
QJsonValue namesValue(const QString& text) {
    if (text == QLatin1String("true")) return true;
    const QJsonArray list = parts(text);
    return list.size() > 1 ? QJsonValue(list) : plainValue(text);
}

QJsonValue rangeValue(const QString& text) {
    if (text == QLatin1String("true")) return true;
    const auto range = scenario::parseRange(text);
    return range ? scenario::rangeValue(*range) : plainValue(text);
}

/// A value that a fact is compared with: a number, a truth, a time, clients.
QJsonValue expectedValue(const QString& text) {
    if (text == QLatin1String("true")) return true;
    if (text == QLatin1String("false")) return false;
    const QJsonArray list = parts(text);
    return list.size() > 1 ? QJsonValue(list) : numberValue(text);
}

/// The window's history is that of the document: a field has none of its own.
bool isOfHistory(const QEvent* event) {
    if (event->type() != QEvent::ShortcutOverride) return false;
    const auto* const key = static_cast<const QKeyEvent*>(event);
    return key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo);
}

} // namespace

const LineForm& lineFormOf(const SchemaNode& node) {
    static const LineForm kPlain{scalar, plainValue}, kNumber{scalar, numberValue}, kList{listText, listValue},
        kNames{listText, namesValue}, kRange{rangeText, rangeValue}, kExpected{listText, expectedValue};
    if (node.definition == QLatin1String("range") || node.definition == QLatin1String("time-of-a-step")) return kRange;
    if (node.definition == QLatin1String("locks-of-a-step")) return kNames;
    if (node.definition == QLatin1String("expected") || node.definition == QLatin1String("bound")) return kExpected;
    if (node.isType("integer") || node.isType("number")) return kNumber;
    if (node.isType("array")) return kList;
    return kPlain;
}

void FormField::setPlace(const QString& pointer) {
    m_place = pointer;
    refresh();
}

void FormField::submit(const QJsonValue& value) {
    if (value == this->value()) return;
    if (value.isUndefined())
        m_document->remove(m_place);
    else
        m_document->set(m_place, value);
}

LineField::LineField(EditedDocument* document, const LineForm& form)
    : FormField(document), m_form(form), m_edit(new QLineEdit) {
    auto* const row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_edit);
    setFocusProxy(m_edit);
    m_edit->installEventFilter(this);
    m_pause.setSingleShot(true);
    m_pause.setInterval(kTypingPause);
    connect(&m_pause, &QTimer::timeout, this, &LineField::take);
    connect(m_edit, &QLineEdit::textEdited, this, [this] {
        m_typed = true;
        m_pause.start();
    });
    connect(m_edit, &QLineEdit::editingFinished, this, &LineField::take);
    connect(document, &EditedDocument::flushWanted, this, &LineField::take);
}

QWidget* LineField::buddy() const {
    return m_edit;
}

void LineField::take() {
    if (!m_typed) return;
    m_typed = false;
    m_pause.stop();
    submit(m_form.value(m_edit->text().trimmed()));
}

void LineField::refresh() {
    const QJsonValue now = value();
    // A value that means the same in other words is left as it was typed.
    if (!m_typed && m_form.value(m_edit->text().trimmed()) != now) m_edit->setText(m_form.text(now));
    const QString complaint = document()->complaintAbout(place());
    markField(m_edit, complaint.isEmpty() ? FieldMark::Fine : FieldMark::Wrong);
    const QString hint = complaint.isEmpty() ? fieldHint(place().section(u'/', -1)) : complaint;
    m_edit->setToolTip(hint);
    m_edit->setAccessibleDescription(hint);
}

bool LineField::eventFilter(QObject* watched, QEvent* event) {
    if (!isOfHistory(event)) return FormField::eventFilter(watched, event);
    event->ignore();
    return true;
}

ChoiceField::ChoiceField(EditedDocument* document, const SchemaNode& node, const QString& key)
    : FormField(document), m_box(new QComboBox) {
    auto* const row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_box);
    setFocusProxy(m_box);
    m_box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_box->setMinimumContentsLength(8);
    m_box->addItem(QStringLiteral("—"));
    if (node.isType("boolean")) {
        m_box->addItem(tr("yes"), true);
        m_box->addItem(tr("no"), false);
    }
    for (const QString& choice : node.choices())
        m_box->addItem(choiceWords(key, choice), choice);
    connect(m_box, &QComboBox::activated, this, [this] {
        const QVariant chosen = m_box->currentData();
        submit(chosen.isValid() ? QJsonValue::fromVariant(chosen) : QJsonValue(QJsonValue::Undefined));
    });
}

QWidget* ChoiceField::buddy() const {
    return m_box;
}

void ChoiceField::refresh() {
    const QJsonValue now = value();
    m_box->setCurrentIndex(now.isUndefined() ? 0 : m_box->findData(now.toVariant()));
    const QString complaint = document()->complaintAbout(place());
    const QString hint = complaint.isEmpty() ? fieldHint(place().section(u'/', -1)) : complaint;
    m_box->setToolTip(hint);
    m_box->setAccessibleDescription(hint);
}

LanguagesField::LanguagesField(EditedDocument* document, const QString& label, Size size) : FormField(document) {
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kGrid / 2);
    const std::array names{tr("English"), QStringLiteral("中文")};
    m_pause.setSingleShot(true);
    m_pause.setInterval(kTypingPause);
    for (std::size_t i = 0; i < m_edits.size(); ++i) {
        QPlainTextEdit*& edit = m_edits[i];
        edit = new FieldEdit;
        edit->setTabChangesFocus(true);
        edit->setUndoRedoEnabled(false); // the history is the document's
        edit->setPlaceholderText(names[i]);
        edit->setAccessibleName(tr("%1, %2").arg(label, names[i]));
        const int lines = size == Size::Lines ? 3 : 1;
        const int room = int(2 * edit->document()->documentMargin()) + 2 * edit->frameWidth() + 2;
        edit->setFixedHeight(QFontMetrics(uiFont()).lineSpacing() * lines + room);
        edit->setVerticalScrollBarPolicy(size == Size::Lines ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
        edit->installEventFilter(this);
        connect(edit, &QPlainTextEdit::textChanged, this, [this] {
            if (m_showing) return;
            m_typed = true;
            m_pause.start();
        });
        column->addWidget(edit);
    }
    setFocusProxy(m_edits[0]);
    connect(&m_pause, &QTimer::timeout, this, &LanguagesField::take);
    connect(document, &EditedDocument::flushWanted, this, &LanguagesField::take);
}

QPlainTextEdit* LanguagesField::edit(const QString& language) const {
    return m_edits[language == QLatin1String("en") ? 0 : 1];
}

void LanguagesField::take() {
    if (!m_typed) return;
    m_typed = false;
    m_pause.stop();
    QJsonObject texts = value().toObject();
    for (std::size_t i = 0; i < m_edits.size(); ++i) {
        const QString key = QLatin1String(kLanguages[i]), text = m_edits[i]->toPlainText();
        // An empty text that was there stays, so that its complaint can say what is missing.
        if (!text.isEmpty() || texts.contains(key)) texts[key] = text;
    }
    submit(texts);
}

void LanguagesField::refresh() {
    m_showing = true;
    const QJsonValue now = value();
    for (std::size_t i = 0; i < m_edits.size(); ++i) {
        const QString key = QLatin1String(kLanguages[i]);
        // A text in one language only is English.
        const QString text = now.isString() ? (i == 0 ? now.toString() : QString()) : now[key].toString();
        if (!m_typed && m_edits[i]->toPlainText() != text) m_edits[i]->setPlainText(text);
        const QString complaint = document()->complaintAbout(place() + u'/' + key);
        markField(m_edits[i], complaint.isEmpty() ? FieldMark::Fine : FieldMark::Wrong);
        const QString hint = complaint.isEmpty() ? fieldHint(place().section(u'/', -1)) : complaint;
        m_edits[i]->setToolTip(hint);
        m_edits[i]->setAccessibleDescription(hint);
    }
    m_showing = false;
}

bool LanguagesField::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusOut) take();
    if (!isOfHistory(event)) return FormField::eventFilter(watched, event);
    event->ignore();
    return true;
}

} // namespace lockscope::views
