// SPDX-License-Identifier: GPL-3.0-or-later
// The menu of a row in the table of locks.
#include "faults/fault_menu.h"
#include "locks/force_release.h"
#include "locks/locks_panel.h"
#include "theme/icons.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QSortFilterProxyModel>

namespace lockscope::views {

void LocksPanel::showMenu(const QPoint& position, const QModelIndex& index) {
    const LockFacts* const facts = m_model->facts(m_proxy->mapToSource(index));
    if (!facts) return;
    const trace::EntityId lock = facts->lock;
    const QString name = m_context->trace()->displayName(lock);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(icon("timeline"), tr("Show in the &timeline"), this,
                    [this, lock] { m_context->reveal(m_context->playhead(), lock); });
    menu->addAction(icon("copy"), tr("&Copy name"), this, [name] { QGuiApplication::clipboard()->setText(name); });
    if (facts->held()) {
        const QString holder = m_context->trace()->displayName(facts->owner);
        menu->addAction(icon("copy"), tr("Copy &holder"), this,
                        [holder] { QGuiApplication::clipboard()->setText(holder); });
    }
    menu->addSeparator();
    // Before the faults, which may be many. A copy has none: the lock is freed as a whole.
    if (!LocksModel::isCopy(m_proxy->mapToSource(index))) addForce(*menu, lock);
    menu->addSeparator();
    fillFaultMenu(*menu, *m_context, lock);
    Q_EMIT menuFilled(menu, position);
    menu->popup(position);
}

void LocksPanel::addForce(QMenu& menu, trace::EntityId lock) {
    QAction* force = menu.addAction(icon("lock-open", views::Role::Fault), tr("&Release by force…"), this,
                                    [this, lock] { m_release->ask(lock); });
    const QString why = m_release->refusal(lock);
    force->setEnabled(why.isEmpty());
    if (!why.isEmpty()) force->setToolTip(why);
}

} // namespace lockscope::views
