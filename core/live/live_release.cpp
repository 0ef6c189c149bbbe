// SPDX-License-Identifier: Apache-2.0
// The part of a live session that takes locks away from their holders.
#include "drivers/dial.h"
#include "inspect/text.h"
#include "live/live_session.h"
#include "live/live_worker.h"
#include "live/release_log.h"

#include <QDateTime>

namespace lockscope::live {

inspect::Releaser* LiveWorker::releaser() {
    if (m_releaser) return m_releaser.get();
    auto made = inspect::makeReleaser(m_runtime, m_url, realDiallers());
    if (made)
        m_releaser = std::move(*made);
    else
        m_listener.refused(made.error());
    return m_releaser.get();
}

std::optional<inspect::LockRow> LiveWorker::seenHeld(const QByteArray& lockName) {
    const inspect::LockRow* const seen = m_watcher->lastSeen(lockName);
    if (seen && seen->state == inspect::LockRow::State::Held) return *seen;
    const QString why = seen ? LiveSession::tr("“%1” was free already.")
                             : LiveSession::tr("There is no lock “%1” on the server, as far as it has been looked at.");
    m_listener.refused(why.arg(inspect::readable(lockName)));
    return std::nullopt;
}

void LiveWorker::planRelease(const QByteArray& lockName) {
    m_planned.reset();
    auto seen = seenHeld(lockName);
    inspect::Releaser* const by = seen ? releaser() : nullptr;
    if (!by) return;
    const auto commands = by->commands(*seen);
    if (!commands) {
        m_listener.refused(commands.error());
        return;
    }
    m_planned = std::move(seen);
    m_listener.planned(lockName, *commands);
}

void LiveWorker::forceRelease(const QByteArray& lockName) {
    auto seen = m_planned && m_planned->name == lockName ? std::exchange(m_planned, std::nullopt) : seenHeld(lockName);
    if (!seen || !releaser()) return;
    m_runtime.spawn([this, lock = std::move(*seen)] { return free(lock); });
}

QCoro::Task<> LiveWorker::free(inspect::LockRow lock) {
    const QByteArray name = lock.name;
    const QString shown = inspect::readable(name);
    ReleaseEntry entry{QDateTime::currentDateTimeUtc(), m_url.display(), lock, {}, {}};
    if (const auto commands = m_releaser->commands(lock)) entry.commands = *commands;
    const auto freed = co_await m_releaser->free(std::move(lock));
    QString why;
    if (!freed)
        why = freed.error();
    else if (*freed == inspect::Freed::WasFree)
        why = LiveSession::tr("“%1” was free already.").arg(shown);
    else if (*freed == inspect::Freed::HeldByAnother)
        why = LiveSession::tr("“%1” is held by another client by now: nothing was changed.").arg(shown);
    else
        m_feed.update(name, std::nullopt, {.freedBy = trace::FreedBy::Force});
    entry.result = why.isEmpty() ? QStringLiteral("freed") : why;
    if (const auto noted = note(entry); !noted) m_listener.refused(noted.error());
    if (!why.isEmpty()) m_listener.refused(why);
}

} // namespace lockscope::live
