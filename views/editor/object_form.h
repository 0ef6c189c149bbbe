// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/form_field.h"

class QFormLayout;
class QPushButton;

namespace lockscope::views {

/// A form for an object of the document, made from the schema: a line for each of its fields.
class ObjectForm : public FormField {
    Q_OBJECT
public:
    /// `keys`: only these fields, in this order; empty: all of them.
    ObjectForm(EditedDocument* document, const SchemaNode& node, const QStringList& keys = {});
    void refresh() override;
    bool isWide() const override { return true; }
    /// The field of that key; null: there is none.
    FormField* field(const QString& key) const { return m_fields.value(key); }

Q_SIGNALS:
    /// The text at this place is wanted, as no form can show it.
    void textWanted(QString pointer);

private:
    FormField* make(const SchemaNode& node, const QString& key);
    void add(const QString& key, FormField* field);

    SchemaNode m_node;
    QFormLayout* m_form;
    QMap<QString, FormField*> m_fields;
};

/// An object that need not be there: a button makes it, another takes it away.
class OptionalForm : public FormField {
    Q_OBJECT
public:
    OptionalForm(EditedDocument* document, const SchemaNode& node, const QString& key);
    void refresh() override;
    bool isWide() const override { return true; }
    QPushButton* button() const { return m_button; }
    ObjectForm* form() const { return m_form; }

Q_SIGNALS:
    void textWanted(QString pointer);

private:
    void toggle();
    QString m_label;
    SchemaNode m_node;
    QPushButton* m_button;
    ObjectForm* m_form = nullptr; ///< made when it is first needed: forms stand in forms without end otherwise
};

/// An object whose fields no schema names: it is changed in the text.
class TextOnlyField : public FormField {
    Q_OBJECT
public:
    TextOnlyField(EditedDocument* document, const QString& label);
    void refresh() override;
    QWidget* buddy() const override;

Q_SIGNALS:
    void textWanted(QString pointer);

private:
    QPushButton* m_button;
};

} // namespace lockscope::views
