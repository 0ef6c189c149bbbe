// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAction>
#include <QList>
#include <QObject>
#include <QPointer>
#include <functional>

namespace lockscope::app {

/// Every command of the window, in one place: menus, the command palette and the shortcut sheet read it, and a test
/// looks for shortcuts that collide. An action is known by its objectName.
class ActionRegistry : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Makes a command. `group` is where it stands in the palette and on the shortcut sheet.
    QAction* add(const char* id, const QString& group, const QString& text, const QList<QKeySequence>& keys,
                 std::function<void()> run, const char* iconName = nullptr);
    /// Takes in a command made elsewhere; those without a group get this one.
    void adopt(QAction* action, const QString& group);

    QList<QAction*> all() const;
    QAction* find(const QString& id) const;

    struct Clash {
        QKeySequence keys;
        QString first, second;
    };
    /// Shortcuts that two commands answer to in the whole window.
    QList<Clash> clashes() const;

private:
    QList<QPointer<QAction>> m_actions;
};

} // namespace lockscope::app
