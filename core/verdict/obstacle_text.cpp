// SPDX-License-Identifier: Apache-2.0
#include "verdict/obstacle_text.h"

#include "trace/deadline.h"
#include "trace/time_text.h"
#include "trace/trace_time.h"
#include "verdict/client_doings.h"
#include "verdict/words.h"

namespace lockscope::verdict {

using trace::EntityId;
using trace::Trace;

namespace {

/// The sentences on one obstacle, in the present where it lasts, in the past where the violation is over.
class ObstacleTeller {
    Q_DECLARE_TR_FUNCTIONS(Verdict)
public:
    ObstacleTeller(const Obstacle& obstacle, const Violation& violation, Nanos length, const Trace& trace)
        : m_o(obstacle),
          m_v(violation),
          m_length(length),
          m_trace(trace),
          m_over(violation.to != kNever),
          m_owner(actorText(obstacle.owner, trace)) {}

    QString text() const {
        if (m_o.owner == trace::kNoEntity) return free();
        if (m_o.ownerHung) return hung();
        if (m_o.deadline == trace::kEndNotKnown) return endless();
        if (m_o.ownerDied) return deadOwner();
        return disbelief();
    }

private:
    QString at(Nanos t) const { return instantText(m_trace, t, m_length); }

    /// The lock is free on the server, but not given.
    QString free() const {
        if (m_o.deadWaiter != trace::kNoEntity) {
            const QString text =
                m_over ? tr("On the server the lock was free, but %1, which died at %2 while it waited, still had a "
                            "place in the queue: nobody behind it got the lock until the server dropped that place.")
                       : tr("On the server the lock is free, but %1, which died at %2 while it waited, still has a "
                            "place in the queue: nobody behind it gets the lock until the server drops that place.");
            return text.arg(actorText(m_o.deadWaiter, m_trace), at(m_o.waiterDied));
        }
        if (m_o.deafWaiter != trace::kNoEntity) return deaf();
        // Connections that died with a machine stay lent: the pool is empty for that reason.
        if (m_o.away.powerLost && !m_o.poolTaken && !stallsOn()) return away();
        if (m_o.pool != trace::kNoEntity) return noConnection();
        if (!m_o.slowServers.empty()) return slow();
        if (m_o.away.server != trace::kNoEntity && !stallsOn()) return away();
        if (!m_o.stalledDisks.empty()) return stalled();
        return m_over ? tr("On the server the lock was free: its waiters were not told of that, or asked in vain.")
                      : tr("On the server the lock is free: its waiters were not told of that, or ask in vain.");
    }
    QString deaf() const {
        const QString who = actorText(m_o.deafWaiter, m_trace), since = at(m_o.deafSince);
        if (m_o.deafByPause)
            return (m_over ? tr("On the server the lock was free, but %1, which had been paused since %2, stood first "
                                "in the queue: nobody behind it could get the lock.")
                           : tr("On the server the lock is free, but %1, which has been paused since %2, stands first "
                                "in the queue: nobody behind it can get the lock."))
                .arg(who, since);
        return (m_over ? tr("On the server the lock was free, but %1, which had been cut off since %2, stood first in "
                            "the queue: nobody behind it could get the lock.")
                       : tr("On the server the lock is free, but %1, which has been cut off since %2, stands first in "
                            "the queue: nobody behind it can get the lock."))
            .arg(who, since);
    }
    QString noConnection() const {
        const QString server = m_trace.displayName(m_o.pool), since = at(m_o.poolEmptySince);
        if (!m_over)
            return (m_o.poolTaken ? tr("On the server the lock is free, but somebody else has all connections of the "
                                       "pool to %1 since %2: the waiters have none to ask by.")
                                  : tr("On the server the lock is free, but all connections of the pool to %1 are lent "
                                       "since %2: the waiters have none to ask by."))
                .arg(server, since);
        if (!m_o.poolEmptyUntil)
            return (m_o.poolTaken ? tr("On the server the lock was free, but somebody else had all connections of the "
                                       "pool to %1 since %2: the waiters had none to ask by.")
                                  : tr("On the server the lock was free, but all connections of the pool to %1 were "
                                       "lent since %2: the waiters had none to ask by."))
                .arg(server, since);
        return (m_o.poolTaken ? tr("On the server the lock was free, but somebody else had all connections of the pool "
                                   "to %1 from %2 to %3: the waiters had none to ask by.")
                              : tr("On the server the lock was free, but all connections of the pool to %1 were lent "
                                   "from %2 to %3: the waiters had none to ask by."))
            .arg(server, since, at(*m_o.poolEmptyUntil));
    }
    /// For how long a server was away.
    QString spans(const Obstacle::Away& away) const {
        const QString server = m_trace.displayName(away.server);
        const auto span = [&](const QString& since, const QString& fromTo, Nanos from, std::optional<Nanos> to) {
            return to ? fromTo.arg(server, at(from), at(*to)) : since.arg(server, at(from));
        };
        QString stopped, died;
        if (away.stopped)
            stopped = span(tr("%1 has stood still since %2."), tr("%1 stood still from %2 to %3."), *away.stopped,
                           away.died ? away.died : away.back);
        if (away.died && away.powerLost)
            died = span(tr("The machine of %1 has been off since %2."), tr("The machine of %1 was off from %2 to %3."),
                        *away.died, away.back);
        else if (away.died)
            died = span(tr("%1 has been dead since %2."), tr("%1 was dead from %2 to %3."), *away.died, away.back);
        return paragraph({stopped, died});
    }
    QString away() const {
        const Obstacle::Away& away = m_o.away;
        const QString rest =
            away.powerLost
                ? m_over ? tr("On the server the lock was free, but connections had died with the machine, which told "
                              "nobody: clients waited on them for answers that never came.")
                         : tr("On the server the lock is free, but connections died with the machine, which told "
                              "nobody: clients wait on them for answers that never come.")
            : m_over ? tr("The lock was free, but its waiters got on late after that.")
                     : tr("The lock is free, but its waiters do not get on since.");
        return paragraph({spans(away), rest});
    }
    /// Whether disks stood still for longer than a server was away.
    bool stallsOn() const {
        return !m_o.stalledDisks.empty() && m_o.away.back && m_o.stalledUntil.value_or(kNever) > *m_o.away.back;
    }
    QString stalled() const {
        if (m_o.stalledDisks.empty()) return {};
        const QString servers = actorsText(m_o.stalledDisks, m_trace), since = at(m_o.stalledSince);
        const bool one = m_o.stalledDisks.size() == 1;
        if (!m_over && !m_o.stalledUntil)
            return (one ? tr("Nothing has reached the disk of %1 since %2: requests that write wait there.")
                        : tr("Nothing has reached the disks of %1 since %2: requests that write wait there."))
                .arg(servers, since);
        if (!m_o.stalledUntil)
            return (one ? tr("Nothing had reached the disk of %1 since %2: requests that write waited there.")
                        : tr("Nothing had reached the disks of %1 since %2: requests that write waited there."))
                .arg(servers, since);
        return (one ? tr("Nothing reached the disk of %1 from %2 to %3: requests that write waited there.")
                    : tr("Nothing reached the disks of %1 from %2 to %3: requests that write waited there."))
            .arg(servers, since, at(*m_o.stalledUntil));
    }
    QString slow() const {
        const QString servers = actorsText(m_o.slowServers, m_trace), since = at(m_o.slowSince);
        const QString by = lengthText(Nanos(0), m_o.slowBy);
        if (!m_over)
            return tr("On the server the lock is free, but messages to and from %1 take up to %2 longer each way since "
                      "%3: the waiters ask, and the answers come too late.")
                .arg(servers, by, since);
        if (!m_o.slowUntil)
            return tr("On the server the lock was free, but messages to and from %1 took up to %2 longer each way "
                      "since %3: the waiters asked, and the answers came too late.")
                .arg(servers, by, since);
        return tr("On the server the lock was free, but messages to and from %1 took up to %2 longer each way from %3 "
                  "to %4: the waiters asked, and the answers came too late.")
            .arg(servers, by, since, at(*m_o.slowUntil));
    }

    /// An entry of which nobody knows when it ends.
    QString endless() const {
        const QString before = m_o.ownerDied ? tr("%1 died at %2.").arg(m_owner, at(*m_o.ownerDied))
                                             : deadConnectionText(m_o.owner, m_v, m_length, m_trace);
        return paragraph(
            {before, m_o.ownerDied ? QString() : ownerPaused(),
             before.isEmpty() && m_o.mostStalled ? stalled() : QString(), before.isEmpty() ? releaseLost() : QString(),
             m_o.ownerDied ? QString() : ownerGaveUp(),
             m_over ? stayed() : tr("The entry of %1 is still on the server; until when is not known.").arg(m_owner)});
    }
    QString stayed() const {
        return m_o.ownerFreed ? tr("The entry of %1 stayed on the server until %2.").arg(m_owner, at(*m_o.ownerFreed))
                              : tr("The entry of %1 stayed on the server.").arg(m_owner);
    }

    QString hung() const {
        const QString since = at(*m_o.ownerHung);
        if (m_o.deadline == trace::kEndNotKnown) // a session's, or a connection's
            return m_over ? tr("The work of %1 had hung since %2, while its client was alive: so the server kept its "
                               "entry.")
                                .arg(m_owner, since)
                          : tr("The work of %1 has hung since %2, while its client is alive: so the server keeps its "
                               "entry, and only a maximum hold time would end it.")
                                .arg(m_owner, since);
        if (!m_o.ownerRenewed && m_o.deadline < 0)
            return (m_over ? tr("The work of %1 had hung since %2, and its entry had no expiry.")
                           : tr("The work of %1 has hung since %2, and its entry has no expiry: only a maximum hold "
                                "time would end it."))
                .arg(m_owner, since);
        if (!m_o.ownerRenewed)
            return (m_over ? tr("The work of %1 had hung since %2, and its lease lasted until %3.")
                           : tr("The work of %1 has hung since %2, and its lease lasts until %3."))
                .arg(m_owner, since, at(Nanos(m_o.deadline)));
        return m_over
                   ? tr("The work of %1 had hung since %2, while its watchdog renewed its lease.").arg(m_owner, since)
                   : tr("The work of %1 has hung since %2, while its watchdog renews its lease: only a maximum "
                        "hold time would end it.")
                         .arg(m_owner, since);
    }

    QString deadOwner() const {
        const QString died = at(*m_o.ownerDied);
        if (m_o.deadline >= 0)
            return (m_over ? tr("%1 died at %2, and its entry stayed on the server until %3.")
                           : tr("%1 died at %2, and its entry stays on the server until %3."))
                .arg(m_owner, died, at(m_over && m_o.ownerFreed ? *m_o.ownerFreed : Nanos(m_o.deadline)));
        return m_over ? paragraph({tr("%1 died at %2, and its entry on the server had no expiry.").arg(m_owner, died),
                                   stayed()})
                      : tr("%1 died at %2, and its entry on the server has no expiry: nothing will ever remove it.")
                            .arg(m_owner, died);
    }

    QString ownerPaused() const {
        if (!m_o.ownerPaused) return {};
        return m_o.ownerWoke ? tr("%1 was paused from %2 to %3.").arg(m_owner, at(*m_o.ownerPaused), at(*m_o.ownerWoke))
                             : tr("%1 has been paused since %2.").arg(m_owner, at(*m_o.ownerPaused));
    }
    QString ownerGaveUp() const {
        if (!m_o.ownerGaveUp) return {};
        const QString when = at(m_o.ownerGaveUp->time());
        switch (m_o.ownerGaveUp->kind) {
        case trace::EventKind::ReleaseSent:
            if (m_o.releaseOnDeadConnection)
                return tr("%1 gave the lock back at %2, but its connection had died with the machine, and the release "
                          "did not get through.")
                    .arg(m_owner, when);
            if (!m_o.releaseCutFrom.empty() || m_o.releaseAway.server != trace::kNoEntity)
                return tr("%1 gave the lock back at %2, but its release did not get through.").arg(m_owner, when);
            return tr("%1 gave the lock back at %2, but the server did not carry that out.").arg(m_owner, when);
        case trace::EventKind::Lost:
            return tr("%1 took the lock for lost at %2.").arg(m_owner, when);
        default:
            return tr("%1 stopped asking for the lock at %2, but its request was carried out all the same.")
                .arg(m_owner, when);
        }
    }
    /// The cut that its release ran into, or the server that was away then.
    QString releaseLost() const {
        if (m_o.releaseAway.server != trace::kNoEntity) return spans(m_o.releaseAway);
        if (m_o.releaseCutFrom.empty()) return {};
        const QString servers = actorsText(m_o.releaseCutFrom, m_trace), since = at(m_o.releaseCutSince);
        return m_o.releaseCutUntil
                   ? tr("%1 was cut off from %2 from %3 to %4.").arg(m_owner, servers, since, at(*m_o.releaseCutUntil))
                   : tr("%1 has been cut off from %2 since %3.").arg(m_owner, servers, since);
    }
    /// It lives, and does not know that it has the lock.
    QString disbelief() const {
        return paragraph({ownerPaused(), m_o.mostStalled ? stalled() : QString(), releaseLost(), ownerGaveUp(),
                          entryWithoutBelief()});
    }
    QString entryWithoutBelief() const {
        if (m_o.deadline < 0)
            return m_over ? paragraph({tr("The entry of %1 was on the server and had no expiry, but %1 did not believe "
                                          "that it held the lock.")
                                           .arg(m_owner),
                                       m_o.ownerFreed ? stayed() : QString()})
                          : tr("The entry of %1 is still on the server and has no expiry, but %1 does not believe that "
                               "it holds the lock.")
                                .arg(m_owner);
        return (m_over ? tr("The entry of %1 stayed on the server until %2, but %1 did not believe that it held the "
                            "lock.")
                       : tr("The entry of %1 stays on the server until %2, but %1 does not believe that it holds the "
                            "lock."))
            .arg(m_owner, at(m_over && m_o.ownerFreed ? *m_o.ownerFreed : Nanos(m_o.deadline)));
    }

    const Obstacle& m_o;
    const Violation& m_v;
    Nanos m_length;
    const Trace& m_trace;
    bool m_over;
    QString m_owner;
};

} // namespace

QString obstacleText(const Obstacle& obstacle, const Violation& violation, Nanos length, const Trace& trace) {
    return ObstacleTeller(obstacle, violation, length, trace).text();
}

} // namespace lockscope::verdict
