// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/lock_actions.h"

#include "connections/connections_panel.h"
#include "locks/force_release.h"
#include "session/connection_desk.h"
#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/mnemonic.h"
#include "theme/style.h"
#include "theme/widgets.h"
#include "trace/connection.h"

#include <QAction>
#include <QBoxLayout>
#include <QToolButton>

namespace lockscope::views {

LockActions::LockActions(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_release(new ForceRelease(context, this)),
      m_force(add("lock.force", "lock-open", tr("Release the lock by &force…"), tr("Release by force…"),
                  Qt::CTRL | Qt::SHIFT | Qt::Key_F)),
      m_allow(add("lock.allow", nullptr, tr("Allow &changes on the lock's connection…"), tr("Allow changes…"),
                  Qt::CTRL | Qt::SHIFT | Qt::Key_W)),
      m_show(add("lock.show", "timeline", tr("Show the lock in the &timeline"), tr("Show in timeline"),
                 Qt::CTRL | Qt::SHIFT | Qt::Key_T)),
      m_copy(add("lock.copy", "copy", tr("Copy all about the lock as te&xt"), tr("Copy as text"),
                 Qt::CTRL | Qt::SHIFT | Qt::Key_X)),
      m_allowButton(button(m_allow)),
      m_access(new DimLabel),
      m_acting(new QWidget) {
    setAccessibleName(tr("Actions on the lock"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(new HairLine(Qt::Horizontal));
    auto* rows = new QVBoxLayout;
    rows->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
    rows->setSpacing(kGrid / 2);
    column->addLayout(rows);
    auto* acting = new QHBoxLayout(m_acting);
    acting->setContentsMargins(0, 0, 0, 0);
    acting->setSpacing(kGrid);
    acting->addWidget(button(m_force));
    acting->addStretch(1);
    m_access->setFont(uiFont(-0.5));
    m_access->setText(tr("changes allowed"));
    m_access->setRole(Role::ViolationText);
    acting->addWidget(m_access);
    acting->addWidget(m_allowButton);
    rows->addWidget(m_acting);
    auto* looking = new QHBoxLayout;
    looking->setSpacing(kGrid);
    looking->addWidget(button(m_show));
    looking->addWidget(button(m_copy));
    looking->addStretch(1);
    rows->addLayout(looking);

    connect(m_force, &QAction::triggered, this, [this] { m_release->ask(m_lock); });
    connect(m_allow, &QAction::triggered, this, [this] {
        ConnectionsPanel::askToAllow(session::connectionDeskOf(m_context->session()),
                                     trace::connectionOf(*m_context->trace(), m_lock), this);
    });
    connect(m_show, &QAction::triggered, this, [this] { m_context->reveal(m_context->playhead(), m_lock); });
    connect(m_copy, &QAction::triggered, this, &LockActions::copyRequested);
}

QAction* LockActions::add(const char* id, const char* iconName, const QString& text, const QString& brief,
                          const QKeySequence& keys) {
    auto* action = new QAction(text, this);
    action->setObjectName(QLatin1String(id));
    action->setIconText(brief);
    action->setShortcut(keys);
    action->setAutoRepeat(false);
    if (iconName) action->setIcon(icon(iconName));
    addAction(action);
    return action;
}

QToolButton* LockActions::button(QAction* action) {
    auto* made = new QToolButton;
    made->setDefaultAction(action);
    made->setToolButtonStyle(action->icon().isNull() ? Qt::ToolButtonTextOnly : Qt::ToolButtonTextBesideIcon);
    made->setFocusPolicy(Qt::TabFocus);
    made->setAccessibleName(withoutMnemonic(action->text()));
    return made;
}

/// Names the key, and the reason of an action that cannot be done.
void LockActions::tell(QAction* action, const QString& why) {
    action->setEnabled(why.isEmpty());
    const QString name =
        tr("%1 (%2)", "an action and its key")
            .arg(withoutMnemonic(action->text()), action->shortcut().toString(QKeySequence::NativeText));
    action->setToolTip(why.isEmpty() ? name : name + u'\n' + why);
}

void LockActions::setLock(trace::EntityId lock) {
    m_lock = lock;
    session::Session* const session = m_context->session();
    const bool live = session && session->abilities().live && lock != trace::kNoEntity;
    const trace::EntityId connection =
        lock == trace::kNoEntity ? trace::kNoEntity : trace::connectionOf(*m_context->trace(), lock);
    // A simulation's locks have their actions in the menus of the timeline and the table.
    setVisible(live || connection != trace::kNoEntity);
    m_acting->setVisible(live);
    const session::ConnectionDesk* const desk = session::connectionDeskOf(session);
    const session::ConnectionFacts* const its = desk ? desk->find(connection) : nullptr;
    const bool allowed = live && m_release->isAllowed(lock);
    tell(m_force, m_release->refusal(lock));
    tell(m_allow, !its         ? tr("Connect again with changes allowed.")
                  : !its->open ? tr("This connection was ended.")
                               : QString());
    m_allow->setVisible(live && !allowed);
    m_allowButton->setVisible(live && !allowed); // a button does not go with its action
    m_access->setVisible(live && allowed);       // else the button in its place says so
    tell(m_show, {});
    tell(m_copy, {});
}

QString LockActions::refusal() const {
    return m_lock == trace::kNoEntity ? QString() : m_release->refusal(m_lock);
}

} // namespace lockscope::views
