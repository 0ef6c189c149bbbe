// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/force_release.h"

#include "locks/force_release_dialog.h"
#include "models/lock_facts.h"
#include "session/connection_desk.h"

namespace lockscope::views {

ForceRelease::ForceRelease(ViewContext* context, QWidget* window)
    : QObject(window), m_context(context), m_window(window) {
}

bool ForceRelease::isAllowed(trace::EntityId lock) const {
    return session::mayForce(m_context->session(), lock);
}

QString ForceRelease::refusal(trace::EntityId lock) const {
    const session::Session* const session = m_context->session();
    if (!session || (!session->abilities().live && !isAllowed(lock)))
        return tr("This session cannot free a lock on the server.");
    if (!isAllowed(lock)) return tr("This lock's connection is read-only. Allow changes on it first.");
    // By what is true when it strikes, which need not be what is shown.
    return lockFactsToActOn(lock, *m_context).held() ? QString() : tr("Nobody holds this lock now.");
}

void ForceRelease::ask(trace::EntityId lock) {
    if (const QString why = refusal(lock); !why.isEmpty()) { // it may have been freed since the action was offered
        if (session::Session* const session = m_context->session()) Q_EMIT session->complained(why);
        return;
    }
    const trace::EntityId owner = lockFactsToActOn(lock, *m_context).owner;
    const auto trace = m_context->trace();
    auto* dialog = new ForceReleaseDialog(trace->displayName(lock), trace->displayName(owner),
                                          lockFacts(lock, *m_context).certainty, m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    const QByteArray lockName = trace->entity(lock).name;
    session::ConnectionDesk* const desk = session::connectionDeskOf(m_context->session());
    connect(m_context->session(), &session::Session::complained, dialog, &ForceReleaseDialog::setRefused);
    if (desk) { // a name may be on several servers
        connect(desk, &session::ConnectionDesk::releasePlanned, dialog,
                [dialog, lock](trace::EntityId planned, const QStringList& commands) {
                    if (planned == lock) dialog->setCommands(commands);
                });
        desk->planRelease(lock);
    } else {
        connect(m_context->session(), &session::Session::releasePlanned, dialog,
                [dialog, lockName](const QByteArray& planned, const QStringList& commands) {
                    if (planned == lockName) dialog->setCommands(commands);
                });
        m_context->session()->planRelease(lockName);
    }
    // In another trace the ids mean something else.
    connect(m_context, &ViewContext::sessionChanged, dialog, &QDialog::reject);
    connect(dialog, &QDialog::accepted, this, [this, lock, owner] { release(lock, owner); });
    dialog->open();
}

void ForceRelease::release(trace::EntityId lock, trace::EntityId owner) {
    session::Session* const session = m_context->session();
    if (!session) return;
    const auto now = m_context->trace();
    const trace::EntityId holder = lockFactsToActOn(lock, *m_context).owner;
    const QString name = now->displayName(lock);
    // The user agreed to take the lock from the holder that the question named, and from no other.
    if (holder == trace::kNoEntity) {
        Q_EMIT session->complained(tr("“%1” is free by now: nothing was done.").arg(name));
    } else if (holder != owner) {
        Q_EMIT session->complained(
            tr("“%1” is held by %2 by now: nothing was freed.").arg(name, now->displayName(holder)));
    } else if (session::ConnectionDesk* const desk = session::connectionDeskOf(session)) {
        desk->forceRelease(lock);
    } else {
        session->forceRelease(now->entity(lock).name);
    }
}

} // namespace lockscope::views
