// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/cluster_accessible.h"

#include "cluster/cluster_panel.h"

#include <QAccessible>
#include <QAccessibleWidget>

namespace lockscope::views {

namespace {

class ItemAccessible : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    ItemAccessible(ClusterPanel* panel, int index) : m_panel(panel), m_index(index) {}

    bool isValid() const override { return m_panel && m_index < int(m_panel->picture().items.size()); }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_panel); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QAccessible::State state() const override {
        QAccessible::State state;
        state.focusable = state.selectable = true;
        state.selected = state.focused = isValid() && m_panel->current() == m_index;
        return state;
    }
    QString text(QAccessible::Text which) const override {
        if (!isValid() || which != QAccessible::Name) return {};
        return m_panel->describe(m_panel->picture().items[std::size_t(m_index)]);
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override {
        if (!isValid()) return {};
        const ClusterLayout::Item& item = m_panel->picture().items[std::size_t(m_index)];
        const QRectF box = item.kind == trace::EntityKind::Link ? QRectF(item.from, item.to).normalized() : item.box;
        return box.toAlignedRect().translated(m_panel->mapToGlobal(QPoint()));
    }
    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
    }

    QStringList actionNames() const override { return {setFocusAction()}; }
    void doAction(const QString& name) override {
        if (isValid() && name == setFocusAction()) m_panel->setCurrent(m_index);
    }
    QStringList keyBindingsForAction(const QString&) const override { return {}; }

private:
    QPointer<ClusterPanel> m_panel;
    int m_index;
};

/// Children are made when they are asked for and deleted with the panel's interface.
class PanelAccessible : public QAccessibleWidget {
public:
    explicit PanelAccessible(ClusterPanel* panel) : QAccessibleWidget(panel, QAccessible::List), m_panel(panel) {}
    ~PanelAccessible() override {
        for (const auto& [index, id] : m_children)
            QAccessible::deleteAccessibleInterface(id);
    }

    int childCount() const override { return m_panel ? int(m_panel->picture().items.size()) : 0; }
    QAccessibleInterface* child(int index) const override {
        if (index < 0 || index >= childCount()) return nullptr;
        if (const auto found = m_children.find(index); found != m_children.end())
            return QAccessible::accessibleInterface(found->second);
        auto* item = new ItemAccessible(m_panel, index); // owned by Qt's cache once it is registered
        m_children[index] = QAccessible::registerAccessibleInterface(item);
        return item;
    }
    int indexOfChild(const QAccessibleInterface* child) const override {
        for (const auto& [index, id] : m_children)
            if (QAccessible::accessibleInterface(id) == child) return index;
        return -1;
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        if (!m_panel) return nullptr;
        const auto& items = m_panel->picture().items;
        const auto* item = m_panel->picture().at(m_panel->mapFromGlobal(QPoint(x, y)));
        return item ? child(int(item - items.data())) : nullptr;
    }
    QAccessibleInterface* focusChild() const override {
        return m_panel && m_panel->hasFocus() ? child(m_panel->current()) : nullptr;
    }

private:
    QPointer<ClusterPanel> m_panel;
    mutable std::map<int, QAccessible::Id> m_children;
};

QAccessibleInterface* makeInterface(const QString&, QObject* object) {
    auto* panel = qobject_cast<ClusterPanel*>(object);
    return panel ? new PanelAccessible(panel) : nullptr;
}

} // namespace

void installClusterAccessibility() {
    static const bool once = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    Q_UNUSED(once)
}

void tellFocusedItem(ClusterPanel* panel, int index) {
    if (!QAccessible::isActive()) return;
    QAccessibleEvent event(panel, QAccessible::Focus);
    event.setChild(index);
    QAccessible::updateAccessibility(&event);
}

} // namespace lockscope::views
