// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/menu_reasons.h"

#include "theme/plain_tips.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QAction>
#include <QMenu>
#include <QPointer>
#include <QToolTip>
#include <map>

namespace lockscope::views {

namespace {

QString withoutMark(QString text) {
    return text.section(u'\t', 0, 0).remove(u'&');
}

/// Qt's own interface of an entry knows its name alone.
class EntryAccessible final : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    EntryAccessible(QMenu* menu, QAction* entry) : m_menu(menu), m_entry(entry) {}

    bool isValid() const override { return m_menu && m_entry; }
    QObject* object() const override { return m_entry; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_menu); }
    QAccessibleInterface* child(int index) const override {
        return index == 0 && isValid() ? QAccessible::queryAccessibleInterface(m_entry->menu()) : nullptr;
    }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return isValid() && m_entry->menu() ? 1 : 0; }
    int indexOfChild(const QAccessibleInterface* one) const override {
        return isValid() && one && one->object() == m_entry->menu() ? 0 : -1;
    }
    QAccessible::Role role() const override {
        return isValid() && m_entry->isSeparator() ? QAccessible::Separator : QAccessible::MenuItem;
    }
    QAccessible::State state() const override {
        QAccessible::State state;
        if (!isValid()) {
            state.invalid = true;
            return state;
        }
        state.invisible = !m_menu->isVisible() || !m_entry->isVisible();
        state.focusable = !m_entry->isSeparator();
        state.focused = m_menu->activeAction() == m_entry;
        state.disabled = m_entry->isSeparator() || !m_entry->isEnabled();
        state.checkable = m_entry->isCheckable();
        state.checked = m_entry->isChecked();
        state.hasPopup = m_entry->menu() != nullptr;
        return state;
    }
    QString text(QAccessible::Text which) const override {
        if (!isValid()) return {};
        if (which == QAccessible::Name) return withoutMark(m_entry->text());
        if (which == QAccessible::Accelerator) return m_entry->text().section(u'\t', 1);
        const bool off = !m_entry->isEnabled() && !m_entry->isSeparator();
        return which == QAccessible::Description && off ? m_entry->toolTip() : QString();
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override {
        if (!isValid()) return {};
        const QRect place = m_menu->actionGeometry(m_entry);
        return {m_menu->mapToGlobal(place.topLeft()), place.size()};
    }
    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
    }

    QStringList actionNames() const override {
        if (!isValid() || !m_entry->isEnabled() || m_entry->isSeparator()) return {};
        return {m_entry->menu() ? showMenuAction() : pressAction()};
    }
    void doAction(const QString& name) override {
        if (!actionNames().contains(name)) return;
        if (m_entry->menu())
            m_menu->setActiveAction(m_entry); // which opens it
        else
            m_entry->trigger();
    }
    QStringList keyBindingsForAction(const QString&) const override { return {}; }

private:
    QPointer<QMenu> m_menu;
    QPointer<QAction> m_entry;
};

/// Entries are made when they are asked for, and deleted with the menu's interface.
class MenuAccessible final : public QAccessibleWidget {
public:
    explicit MenuAccessible(QMenu* menu) : QAccessibleWidget(menu, QAccessible::PopupMenu), m_menu(menu) {}
    ~MenuAccessible() override {
        for (const auto& [entry, id] : m_entries)
            QAccessible::deleteAccessibleInterface(id);
    }

    int childCount() const override { return m_menu ? int(m_menu->actions().size()) : 0; }
    QAccessibleInterface* child(int index) const override {
        if (index < 0 || index >= childCount()) return nullptr;
        QAction* const entry = m_menu->actions().at(index);
        const auto [place, isNew] = m_entries.try_emplace(entry);
        if (isNew) place->second = QAccessible::registerAccessibleInterface(new EntryAccessible(m_menu, entry));
        return QAccessible::accessibleInterface(place->second);
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        if (!m_menu) return nullptr;
        QAction* const entry = m_menu->actionAt(m_menu->mapFromGlobal(QPoint(x, y)));
        return entry ? child(int(m_menu->actions().indexOf(entry))) : nullptr;
    }
    int indexOfChild(const QAccessibleInterface* one) const override {
        return m_menu && one ? int(m_menu->actions().indexOf(qobject_cast<QAction*>(one->object()))) : -1;
    }
    QAccessibleInterface* focusChild() const override {
        QAction* const active = m_menu ? m_menu->activeAction() : nullptr;
        return active ? child(int(m_menu->actions().indexOf(active))) : nullptr;
    }
    QString text(QAccessible::Text which) const override {
        const QString own = QAccessibleWidget::text(which);
        return own.isEmpty() && which == QAccessible::Name && m_menu ? withoutMark(m_menu->title()) : own;
    }

private:
    QPointer<QMenu> m_menu;
    mutable std::map<const QAction*, QAccessible::Id> m_entries;
};

QAccessibleInterface* makeInterface(const QString&, QObject* object) {
    auto* const menu = qobject_cast<QMenu*>(object);
    return menu && menu->toolTipsVisible() ? new MenuAccessible(menu) : nullptr;
}

void tellReason(const QMenu& menu, QAction* entry) {
    if (!menu.actions().contains(entry)) return; // a submenu's
    if (entry->isEnabled() || entry->isSeparator()) return QToolTip::hideText();
    const QRect place = menu.actionGeometry(entry);
    showPlainTip(menu.mapToGlobal(place.topRight()), entry->toolTip(), const_cast<QMenu*>(&menu));
}

} // namespace

void showReasons(QMenu& menu) {
    static const bool once = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    Q_UNUSED(once)
    if (menu.toolTipsVisible()) return;
    menu.setToolTipsVisible(true);
    QObject::connect(&menu, &QMenu::hovered, &menu, [&menu](QAction* entry) { tellReason(menu, entry); });
}

} // namespace lockscope::views
