// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/cluster_accessible.h"

#include "cluster/cluster_panel.h"
#include "theme/accessible_list.h"

namespace lockscope::views {

namespace {

class ItemAccessible : public AccessibleElement, public QAccessibleActionInterface {
public:
    ItemAccessible(ClusterPanel* panel, int index) : AccessibleElement(panel, index), m_panel(panel) {}

    bool isValid() const override { return m_panel && index() < int(m_panel->picture().items.size()); }
    QAccessible::State state() const override {
        QAccessible::State state;
        state.focusable = state.selectable = true;
        state.selected = state.focused = isValid() && m_panel->current() == index();
        return state;
    }
    QString text(QAccessible::Text which) const override {
        if (!isValid() || which != QAccessible::Name) return {};
        return m_panel->describe(m_panel->picture().items[std::size_t(index())]);
    }
    QRect rect() const override {
        if (!isValid()) return {};
        const ClusterLayout::Item& item = m_panel->picture().items[std::size_t(index())];
        const QRectF box = item.kind == trace::EntityKind::Link ? QRectF(item.from, item.to).normalized() : item.box;
        return box.toAlignedRect().translated(m_panel->mapToGlobal(QPoint()));
    }
    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
    }

    QStringList actionNames() const override { return {setFocusAction()}; }
    void doAction(const QString& name) override {
        if (isValid() && name == setFocusAction()) m_panel->setCurrent(index());
    }
    QStringList keyBindingsForAction(const QString&) const override { return {}; }

private:
    QPointer<ClusterPanel> m_panel;
};

class PanelAccessible : public AccessibleList {
public:
    explicit PanelAccessible(ClusterPanel* panel) : AccessibleList(panel), m_panel(panel) {}

    int childCount() const override { return m_panel ? int(m_panel->picture().items.size()) : 0; }
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
    std::unique_ptr<AccessibleElement> makeElement(int index) const override {
        return std::make_unique<ItemAccessible>(m_panel, index);
    }
    QPointer<ClusterPanel> m_panel;
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
