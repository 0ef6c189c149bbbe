// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/action_registry.h"

#include "theme/icons.h"
#include "transport/transport_bar.h"

#include <map>

namespace lockscope::app {

QAction* ActionRegistry::add(const char* id, const QString& group, const QString& text, const QList<QKeySequence>& keys,
                             std::function<void()> run, const char* iconName) {
    auto* action = new QAction(text, this);
    action->setObjectName(QLatin1String(id));
    action->setProperty("group", group);
    if (iconName) action->setIcon(views::icon(iconName));
    action->setShortcuts(keys);
    QString tip = text;
    while (tip.endsWith(QChar(0x2026)))
        tip.chop(1);
    action->setToolTip(views::tooltipWithShortcut(tip, keys));
    if (run) connect(action, &QAction::triggered, this, std::move(run));
    m_actions << action;
    return action;
}

void ActionRegistry::adopt(QAction* action, const QString& group) {
    if (m_actions.contains(action)) return;
    if (action->property("group").toString().isEmpty()) action->setProperty("group", group);
    m_actions << action;
}

QList<QAction*> ActionRegistry::all() const {
    QList<QAction*> actions;
    for (const QPointer<QAction>& action : m_actions)
        if (action) actions << action;
    return actions;
}

QAction* ActionRegistry::find(const QString& id) const {
    for (const QPointer<QAction>& action : m_actions)
        if (action && action->objectName() == id) return action;
    return nullptr;
}

QList<ActionRegistry::Clash> ActionRegistry::clashes() const {
    QList<Clash> found;
    std::map<QKeySequence, QString> taken;
    for (QAction* action : all()) {
        if (action->shortcutContext() == Qt::WidgetShortcut ||
            action->shortcutContext() == Qt::WidgetWithChildrenShortcut)
            continue;
        for (const QKeySequence& keys : action->shortcuts()) {
            if (keys.isEmpty()) continue;
            const auto [place, fresh] = taken.try_emplace(keys, action->objectName());
            if (!fresh) found << Clash{keys, place->second, action->objectName()};
        }
    }
    return found;
}

} // namespace lockscope::app
