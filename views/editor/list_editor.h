// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/form_field.h"

class QListWidget;
class QToolButton;

namespace lockscope::views {

class ObjectForm;

/// A list of objects: its elements in lines, keys and buttons to add, double, move and remove one, and below them the
/// form of the chosen one.
class ListEditor : public FormField {
    Q_OBJECT
public:
    ListEditor(EditedDocument* document, const SchemaNode& element, const QString& label);
    void refresh() override;
    bool isWide() const override { return true; }

    int count() const;
    int current() const;
    QListWidget* list() const { return m_list; }
    /// The form of the chosen element; null before there was one.
    ObjectForm* form() const { return m_form; }

public Q_SLOTS:
    void setCurrent(int index);
    void addOne();
    void addCopy();
    void removeCurrent();
    /// By so many places: -1 up, 1 down.
    void moveCurrent(int by);

Q_SIGNALS:
    void currentChanged(int index);
    void textWanted(QString pointer);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QToolButton* button(const char* icon, const QString& what, const QString& keys, void (ListEditor::*press)());
    void up() { moveCurrent(-1); }
    void down() { moveCurrent(1); }
    /// 0, 1, 2, …: the list as it is.
    std::vector<int> allNumbers() const;
    void showForm();

    SchemaNode m_element;
    QString m_label;
    QListWidget* m_list;
    QToolButton *m_add, *m_copy, *m_up, *m_down, *m_remove;
    ObjectForm* m_form = nullptr;
    bool m_showing = false;
};

} // namespace lockscope::views
