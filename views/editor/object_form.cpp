// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/object_form.h"

#include "editor/blank_values.h"
#include "editor/field_words.h"
#include "editor/list_editor.h"
#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/widgets.h"
#include "trace/json_edit.h"

#include <QBoxLayout>
#include <QFormLayout>
#include <QJsonArray>
#include <QPushButton>

namespace lockscope::views {

namespace {

/// Texts of more than a line.
bool isLong(const QString& key) {
    static const QStringList kLong{QStringLiteral("say"), QStringLiteral("summary"), QStringLiteral("task"),
                                   QStringLiteral("remember"), QStringLiteral("hint")};
    return kLong.contains(key);
}

/// A kind of row, with the choices that the schema leaves to the trace. A moment may be a violation, too.
SchemaNode withRowKinds(SchemaNode node) {
    QStringList kinds = rowKinds();
    if (node.place.contains(QLatin1String("/moment/"))) kinds.prepend(QStringLiteral("violated"));
    node.rules[u"enum"] = QJsonArray::fromStringList(kinds);
    return node;
}

} // namespace

ObjectForm::ObjectForm(EditedDocument* document, const SchemaNode& node, const QStringList& keys)
    : FormField(document), m_node(node), m_form(new QFormLayout(this)) {
    m_form->setContentsMargins(0, 0, 0, 0);
    m_form->setHorizontalSpacing(2 * kGrid);
    m_form->setVerticalSpacing(kGrid);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    for (const QString& key : keys.isEmpty() ? document->schema().fields(node) : keys)
        if (FormField* const field = make(document->schema().field(node, key), key)) add(key, field);
}

FormField* ObjectForm::make(const SchemaNode& node, const QString& key) {
    // The version of the format, and a hint for other editors, are nobody's to change here.
    if (key.startsWith(u'$') || key.startsWith(QLatin1String("lockscope"))) return nullptr;
    EditedDocument* const d = document();
    const QString label = fieldLabel(key);
    if (node.definition == QLatin1String("both-languages") || node.definition == QLatin1String("texts"))
        return new LanguagesField(d, label, isLong(key) ? LanguagesField::Size::Lines : LanguagesField::Size::Line);
    if (!node.choices().isEmpty() || node.isType("boolean")) return new ChoiceField(d, node, key);
    if (key == QLatin1String("on")) return new ChoiceField(d, withRowKinds(node), key);
    const bool list = node.isType("array");
    if (list && d->schema().element(node).isType("object")) {
        auto* const editor = new ListEditor(d, d->schema().element(node), label);
        connect(editor, &ListEditor::textWanted, this, &ObjectForm::textWanted);
        return editor;
    }
    if (!node.isType("object")) return new LineField(d, lineFormOf(node));
    if (d->schema().fields(node).isEmpty()) {
        auto* const field = new TextOnlyField(d, label);
        connect(field, &TextOnlyField::textWanted, this, &ObjectForm::textWanted);
        return field;
    }
    auto* const form = new OptionalForm(d, node, key);
    connect(form, &OptionalForm::textWanted, this, &ObjectForm::textWanted);
    return form;
}

void ObjectForm::add(const QString& key, FormField* field) {
    m_fields[key] = field;
    field->setObjectName(QStringLiteral("field.") + key);
    const bool named = qobject_cast<ListEditor*>(field) || qobject_cast<OptionalForm*>(field);
    if (named) return m_form->addRow(field); // they say themselves what they are
    auto* const label = new DimLabel(fieldLabel(key));
    label->setToolTip(fieldHint(key));
    if (QWidget* const buddy = field->buddy()) {
        label->setBuddy(buddy);
        buddy->setAccessibleName(fieldLabel(key));
        buddy->setMinimumWidth(96);
    }
    m_form->addRow(label, field);
    if (field->isWide()) label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
}

void ObjectForm::refresh() {
    for (auto it = m_fields.begin(); it != m_fields.end(); ++it)
        it.value()->setPlace(place() + pointerStep(it.key()));
}

OptionalForm::OptionalForm(EditedDocument* document, const SchemaNode& node, const QString& key)
    : FormField(document), m_label(fieldLabel(key)), m_node(node), m_button(new QPushButton) {
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, kGrid / 2, 0, 0);
    column->setSpacing(kGrid);
    auto* const row = new QHBoxLayout;
    auto* const caption = new QLabel(m_label);
    caption->setFont(uiFont(0, QFont::DemiBold));
    caption->setToolTip(fieldHint(key));
    row->addWidget(caption);
    row->addStretch(1);
    row->addWidget(m_button);
    column->addLayout(row);
    setFocusProxy(m_button);
    connect(m_button, &QPushButton::clicked, this, &OptionalForm::toggle);
}

void OptionalForm::toggle() {
    if (!value().isUndefined()) return submit(QJsonValue(QJsonValue::Undefined));
    const QJsonObject blank = blankObject(*document(), place());
    if (place().section(u'/', -1) != QLatin1String("when")) return submit(blank);
    // A fault strikes by the clock or by a condition.
    const QString at = place().left(place().lastIndexOf(u'/')) + QStringLiteral("/at");
    document()->change([&](const QByteArray& text) { return withValue(withoutValue(text, at), place(), blank); });
}

void OptionalForm::refresh() {
    const bool there = !value().isUndefined();
    m_button->setText(there ? tr("Take away") : tr("Add"));
    m_button->setAccessibleName(there ? tr("Take away: %1").arg(m_label) : tr("Add: %1").arg(m_label));
    m_button->setIcon(icon(there ? "minus" : "plus"));
    m_button->setEnabled(document()->isLegible());
    if (there && !m_form) {
        m_form = new ObjectForm(document(), m_node);
        connect(m_form, &ObjectForm::textWanted, this, &OptionalForm::textWanted);
        layout()->addWidget(m_form);
    }
    if (!m_form) return;
    m_form->setVisible(there);
    if (there) m_form->setPlace(place());
}

TextOnlyField::TextOnlyField(EditedDocument* document, const QString& label)
    : FormField(document), m_button(new QPushButton) {
    auto* const row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_button);
    row->addStretch(1);
    setFocusProxy(m_button);
    m_button->setAccessibleDescription(label);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (value().isUndefined()) submit(QJsonObject{});
        Q_EMIT textWanted(place());
    });
}

QWidget* TextOnlyField::buddy() const {
    return m_button;
}

void TextOnlyField::refresh() {
    const int count = int(value().toObject().size());
    m_button->setText(value().isUndefined() ? tr("Add in the text") : tr("%n field(s): edit in the text", "", count));
    m_button->setEnabled(document()->isLegible());
}

} // namespace lockscope::views
