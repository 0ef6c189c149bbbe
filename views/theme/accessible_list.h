// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAccessibleWidget>
#include <QPointer>
#include <map>
#include <memory>

namespace lockscope::views {

/// For screen readers, an element of a widget that paints its elements itself. It has none of its own.
class AccessibleElement : public QAccessibleInterface {
public:
    /// `index`: among the widget's elements.
    AccessibleElement(QWidget* widget, int index) : m_widget(widget), m_index(index) {}

    QObject* object() const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_widget); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    void setText(QAccessible::Text, const QString&) override {}

protected:
    int index() const { return m_index; }

private:
    QPointer<QWidget> m_widget;
    int m_index;
};

/// For screen readers, a widget that paints its elements itself. They are made when somebody asks for them, and deleted
/// with this interface.
class AccessibleList : public QAccessibleWidget {
public:
    explicit AccessibleList(QWidget* widget) : QAccessibleWidget(widget, QAccessible::List) {}
    ~AccessibleList() override;

    /// nullptr: there are not so many.
    QAccessibleInterface* child(int index) const override;
    int indexOfChild(const QAccessibleInterface* child) const override;

protected:
    /// A new element, for an index below childCount().
    virtual std::unique_ptr<AccessibleElement> makeElement(int index) const = 0;

private:
    mutable std::map<int, QAccessible::Id> m_elements;
};

} // namespace lockscope::views
