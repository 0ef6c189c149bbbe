// SPDX-License-Identifier: Apache-2.0
// The part of a connection that takes locks away from their holders.
#include "drivers/dial.h"
#include "inspect/text.h"
#include "live/live_connection.h"
#include "live/live_session.h"
#include "live/release_log.h"

#include <QDateTime>

namespace lockscope::live {

std::shared_ptr<inspect::Releaser> LiveConnection::releaser() {
    if (m_releaser) return m_releaser;
    if (!changesAllowed()) {
        m_shared.refused(LiveSession::tr("%1 is read-only: allow changes on this connection first.").arg(name()));
        return nullptr;
    }
    auto made = inspect::makeReleaser(m_shared.runtime, m_plan.url, realDiallers());
    if (made)
        m_releaser = std::move(*made);
    else
        m_shared.refused(made.error());
    return m_releaser;
}

std::optional<inspect::LockRow> LiveConnection::seenHeld(const QByteArray& lockName) {
    const inspect::LockRow* const seen = m_watcher ? m_watcher->lastSeen(lockName) : nullptr;
    if (seen && seen->state == inspect::LockRow::State::Held) return *seen;
    if (seen && seen->state == inspect::LockRow::State::NotKnown) {
        m_shared.refused(LiveSession::tr("Whether “%1” is held is not known: a server that may decide it cannot be "
                                         "read.")
                             .arg(inspect::readable(lockName)));
        return std::nullopt;
    }
    const QString why = seen ? LiveSession::tr("“%1” was free already.")
                             : LiveSession::tr("There is no lock “%1” on the server, as far as it has been looked at.");
    m_shared.refused(why.arg(inspect::readable(lockName)));
    return std::nullopt;
}

void LiveConnection::planRelease(const QByteArray& lockName) {
    m_planned.reset();
    auto seen = seenHeld(lockName);
    const auto by = seen ? releaser() : nullptr;
    if (!by) return;
    const auto commands = by->commands(*seen);
    if (!commands) {
        m_shared.refused(commands.error());
        return;
    }
    m_planned = std::move(seen);
    m_shared.planned(m_feed.lockEntity(lockName), *commands);
}

void LiveConnection::forceRelease(const QByteArray& lockName) {
    auto seen = m_planned && m_planned->name == lockName ? std::exchange(m_planned, std::nullopt) : seenHeld(lockName);
    if (!seen) return;
    auto by = releaser();
    if (!by) return;
    m_shared.runtime.spawn([this, by, lock = std::move(*seen)] { return free(by, lock); });
}

void LiveConnection::noteFreed(const QByteArray& lockName) {
    m_feed.update(lockName, std::nullopt, {.freedBy = trace::FreedBy::Force});
    m_freedAt[lockName] = m_shared.runtime.monotonic();
}

QCoro::Task<> LiveConnection::free(std::shared_ptr<inspect::Releaser> by, inspect::LockRow lock) {
    const QByteArray name = lock.name;
    const QString shown = inspect::readable(name);
    ReleaseEntry entry{QDateTime::currentDateTimeUtc(), m_plan.url.display(), lock, {}, {}};
    if (const auto commands = by->commands(lock)) entry.commands = *commands;
    entry.result = kSentResult;
    if (const auto noted = note(entry); !noted) m_shared.refused(noted.error());
    const auto freed = co_await by->free(std::move(lock));
    // A waiter may have it in the next moment, or it was not as it was seen: what is shown is old.
    if (m_watcher) m_watcher->lookSoon();
    QString why;
    if (!freed)
        why = freed.error();
    else if (*freed == inspect::Freed::WasFree)
        why = LiveSession::tr("“%1” was free already.").arg(shown);
    else if (*freed == inspect::Freed::HeldByAnother)
        why = LiveSession::tr("“%1” is held by another client by now: nothing was changed.").arg(shown);
    else if (*freed == inspect::Freed::NotAsSeen)
        why = LiveSession::tr("“%1” is not held any more as it was seen: nothing was changed.").arg(shown);
    else
        noteFreed(name);
    entry.at = QDateTime::currentDateTimeUtc();
    entry.result = why.isEmpty() ? kFreedResult : why;
    if (const auto noted = note(entry); !noted) m_shared.refused(noted.error());
    if (!why.isEmpty()) m_shared.refused(why);
}

} // namespace lockscope::live
