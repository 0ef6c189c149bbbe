// SPDX-License-Identifier: Apache-2.0
#include "verdict/hold_end.h"

#include "trace/state.h"
#include "trace/time_text.h"
#include "trace/trace_time.h"
#include "verdict/failover_story.h"
#include "verdict/memory_loss.h"
#include "verdict/words.h"

#include <algorithm>

namespace lockscope::verdict {

using trace::EntityId;
using trace::EventKind;
using trace::FreedBy;
using trace::Trace;

namespace {

bool severalDecide(const Chronicle& c, EntityId lock, const Trace& trace) {
    return c.recordEnded && severalDecideBefore(trace.upperBound(*c.recordEnded), lock, trace);
}

} // namespace

HoldEnd::HoldEnd(const Chronicle& chronicle, EntityId lock, Nanos length, const Trace& trace)
    : m_c(chronicle), m_lock(lock), m_length(length), m_trace(trace) {
}

QString HoldEnd::cause() const {
    if (!m_c.recordEnded) return {};
    const bool expired = m_c.freedBy == FreedBy::Expiry;
    const QString who = actor(m_c.thread);
    if (m_c.explains(m_c.paused))
        return m_c.paused->to == kNever
                   ? Words::tr("%1 has been paused since %2.").arg(who, at(m_c.paused->from))
                   : Words::tr("%1 was paused from %2 to %3.").arg(who, at(m_c.paused->from), at(m_c.paused->to));
    if (endedByReset())
        return Words::tr("The connections of %1 to %2 broke at %3.")
            .arg(who, actorsText(m_c.cutFrom, m_trace), at(m_c.cut->from));
    if (m_c.explains(m_c.cut) && m_c.cut->from != m_c.cut->to) {
        const QString node = actorsText(m_c.cutFrom, m_trace);
        return m_c.cut->to == kNever
                   ? Words::tr("%1 has been cut off from %2 since %3.").arg(who, node, at(m_c.cut->from))
                   : Words::tr("%1 was cut off from %2 from %3 to %4.")
                         .arg(who, node, at(m_c.cut->from), at(m_c.cut->to));
    }
    if (m_c.explains(m_c.nodeStopped)) {
        const QString node = m_trace.displayName(m_trace.entity(m_lock).parent);
        return m_c.nodeStopped->to == kNever ? Words::tr("%1 has been stopped since %2: requests wait there.")
                                                   .arg(node, at(m_c.nodeStopped->from))
                                             : Words::tr("%1 was stopped from %2 to %3: requests waited there.")
                                                   .arg(node, at(m_c.nodeStopped->from), at(m_c.nodeStopped->to));
    }
    if (const auto jump = clockJumpOfWriter(m_c, m_trace)) return jumps({*jump});
    if (!expired) return {};
    if (m_c.watchdogStopped && *m_c.watchdogStopped <= *m_c.recordEnded)
        return Words::tr("The watchdog of %1 stopped at %2, so nothing renewed its lease.")
            .arg(who, at(*m_c.watchdogStopped));
    if (!m_c.clockJumps.empty() || !m_c.clockDrifts.empty())
        return paragraph({m_c.clockJumps.empty() ? QString() : jumps(m_c.clockJumps), drifts()});
    if (m_c.bySession) return Words::tr("The servers did not hear from %1 in time.").arg(who);
    if (m_c.renewalsFailed > 0) return Words::tr("%1 tried to renew its lease and got no answer.").arg(who);
    if (m_c.workHung)
        return Words::tr("The work of %1 had hung since %2, and nothing renewed its lease any more.")
            .arg(who, at(*m_c.workHung));
    // Some recipes renew once as they take the lock, before their client knows that it has it.
    if (m_c.renewals == 0 || (m_c.granted && m_c.leaseFrom && *m_c.leaseFrom <= *m_c.granted))
        return Words::tr("%1 worked for longer than its lease, and nothing renewed it.").arg(who);
    return m_c.leaseFrom
               ? Words::tr("The lease of %1 was renewed for the last time at %2.").arg(who, at(*m_c.leaseFrom))
               : QString();
}

bool HoldEnd::endedByReset() const {
    return m_c.recordEnded && m_c.cut && m_c.cut->from == m_c.cut->to && m_c.cut->from == *m_c.recordEnded;
}

QString HoldEnd::jumps(const std::vector<trace::Event>& all) const {
    std::vector<EntityId> whose;
    std::ranges::transform(all, std::back_inserter(whose), &trace::Event::actor);
    const QString clocks = actorsText(whose, m_trace), last = at(all.back().time());
    if (all.size() == 1) return Words::tr("The clock of %1 jumped at %2.").arg(clocks, last);
    return at(all.front().time()) == last ? Words::tr("The clocks of %1 jumped at %2.").arg(clocks, last)
                                          : Words::tr("The clocks of %1 jumped, the last one at %2.").arg(clocks, last);
}

QString HoldEnd::drifts() const {
    QStringList all;
    for (const trace::Event& drift : m_c.clockDrifts) {
        const std::int64_t gain = trace::driftOf(m_trace.entity(drift.aux).name).value_or(0);
        const QString who = actorText(drift.actor, m_trace), each = lengthText(0ns, Nanos(std::abs(gain)));
        all += (gain > 0 ? Words::tr("From %2 on the clock of %1 was too fast: it gained %3 each second.")
                         : Words::tr("From %2 on the clock of %1 was too slow: it lost %3 each second."))
                   .arg(who, at(drift.time()), each);
    }
    return paragraph(all);
}

QString HoldEnd::record() const {
    if (!m_c.recordEnded) return {};
    if (m_c.afterOthers) {
        if (m_c.freedBy == FreedBy::Expiry && m_c.bySession) // short: it is read in one line
            //: The lock had several holders between the two instants.
            return Words::tr("The session of %1 ended at %2; after others, %3 got the lock at %4.")
                .arg(actor(m_c.thread), at(*m_c.recordEnded), actor(m_c.successor), at(*m_c.successorAt));
        Chronicle alone = m_c;
        alone.successorAt.reset();
        alone.afterOthers = false;
        return paragraph({HoldEnd(alone, m_lock, m_length, m_trace).record(), lastHeir()});
    }
    const QString who = actor(m_c.thread), by = actor(m_c.freedByWhom), next = actor(m_c.successor);
    QString when = at(*m_c.recordEnded), nextAt = m_c.successorAt ? at(*m_c.successorAt) : QString();
    if (when == nextAt && *m_c.recordEnded != *m_c.successorAt) { // a cause comes before its effect
        when = instantText(m_trace, *m_c.recordEnded);
        nextAt = instantText(m_trace, *m_c.successorAt);
    }
    const bool handed = m_c.successorAt.has_value();
    switch (m_c.freedBy) {
    case FreedBy::Expiry:
        return leaseEnd(when, nextAt);
    case FreedBy::Release:
        if (endedByReset()) return Words::tr("So the server freed the lock of %1 at %2.").arg(who, when);
        if (m_c.freedByWhom == m_c.thread || m_c.freedByWhom == trace::kNoEntity)
            return severalDecide(m_c, m_lock, m_trace)
                       ? Words::tr("On the servers the lock of %1 was released at %2.").arg(who, when)
                       : Words::tr("On the server the lock of %1 was released at %2.").arg(who, when);
        return handed ? Words::tr("%1 released the lock of %2 at %3, so the server gave it to %4 at %5.")
                            .arg(by, who, when, next, nextAt)
                      : Words::tr("%1 released the lock of %2 at %3.").arg(by, who, when);
    case FreedBy::Force:
        return handed ? Words::tr("The lock of %1 was freed by force at %2, and the server gave it to %3 at %4.")
                            .arg(who, when, next, nextAt)
                      : Words::tr("The lock of %1 was freed by force at %2.").arg(who, when);
    case FreedBy::Overwrite:
        return by.isEmpty() ? Words::tr("The entry of %1 on the server was overwritten at %2.").arg(who, when)
                            : Words::tr("%1 wrote over the entry of %2 on the server at %3.").arg(by, who, when);
    case FreedBy::Unseen: // nobody knows how
        return {};
    case FreedBy::Evicted:
    case FreedBy::NodeLoss:
        return memoryLossText(m_c, m_lock, m_length, m_trace);
    }
    return {};
}

QString HoldEnd::lastHeir() const {
    if (!m_c.afterOthers) return {};
    //: The lock had been free for others for some time, and had several holders.
    return Words::tr("After others, %1 got it at %2.").arg(actor(m_c.successor), at(*m_c.successorAt));
}

QString HoldEnd::leaseEnd(const QString& when, const QString& nextAt) const {
    const QString who = actor(m_c.thread), next = actor(m_c.successor);
    if (const auto change = engineOfSuccessor()) { // the server of the lease gave the lock to nobody
        Chronicle alone = m_c;
        alone.successorAt.reset();
        return paragraph({HoldEnd(alone, m_lock, m_length, m_trace).leaseEnd(when, {}),
                          Words::tr("Since %1 locks are taken on %2: it gave the lock to %3 at %4.")
                              .arg(at(change->at), change->engine, next, nextAt)});
    }
    QString all;
    if (!m_c.successorAt) {
        if (severalDecide(m_c, m_lock, m_trace))
            all = m_c.bySession ? Words::tr("The session of %1 ended at %2, so the servers count the lock as free.")
                                : Words::tr("The lease of %1 ended at %2, so the servers count the lock as free.");
        else
            all = m_c.bySession ? Words::tr("The session of %1 ended at %2, so the server counts the lock as free.")
                                : Words::tr("The lease of %1 ended at %2, so the server counts the lock as free.");
        return all.arg(who, when);
    }
    if (severalDecide(m_c, m_lock, m_trace))
        all = m_c.bySession ? Words::tr("The session of %1 ended at %2, so the servers gave the lock to %3 at %4.")
                            : Words::tr("The lease of %1 ended at %2, so the servers gave the lock to %3 at %4.");
    else
        all = m_c.bySession ? Words::tr("The session of %1 ended at %2, so the server gave the lock to %3 at %4.")
                            : Words::tr("The lease of %1 ended at %2, so the server gave the lock to %3 at %4.");
    return all.arg(who, when, next, nextAt);
}

std::optional<EngineChange> HoldEnd::engineOfSuccessor() const {
    if (!m_c.successorAt) return {};
    const auto change = engineChangeBefore(m_trace.upperBound(*m_c.successorAt), m_trace);
    return change && change->at >= *m_c.recordEnded && !change->told ? change : std::nullopt;
}

QString HoldEnd::permit() const {
    if (m_c.bySession)
        return Words::tr("The session of %1 ended at %2, and with it its permit.")
            .arg(actor(m_c.thread), at(*m_c.recordEnded));
    return Words::tr("The lease of the permit of %1 ended at %2, so the server counts the permit as free.")
        .arg(actor(m_c.thread), at(*m_c.recordEnded));
}

QString HoldEnd::beliefAfterwards() const {
    const QString who = actor(m_c.thread);
    return m_c.beliefEnded ? Words::tr("%1 still believed it held the lock until %2.").arg(who, at(*m_c.beliefEnded))
                           : Words::tr("%1 still believes it holds the lock.").arg(who);
}

QString HoldEnd::belief() const {
    const QString who = actor(m_c.thread);
    if (!m_c.beliefEnded) return Words::tr("%1 does not know, and still believes it holds the lock.").arg(who);
    const QString when = at(*m_c.beliefEnded);
    switch (m_c.beliefEndedBy) {
    case EventKind::Lost:
        return Words::tr("%1 still believed it held the lock until %2, when it learned of the loss.").arg(who, when);
    case EventKind::ReleaseRefused:
        return Words::tr("%1 still believed it held the lock until %2, when the server refused its release.")
            .arg(who, when);
    case EventKind::BelievedUntil:
        return Words::tr("%1 still believed it held the lock until its own deadline at %2.").arg(who, when);
    case EventKind::ClientKilled:
        return Words::tr("%1 still believed it held the lock until it died at %2.").arg(who, when);
    default:
        return Words::tr("%1 still believed it held the lock until it gave it up at %2.").arg(who, when);
    }
}

QString HoldEnd::at(Nanos t) const {
    return instantText(m_trace, t, m_length);
}

QString HoldEnd::actor(EntityId id) const {
    return actorText(id, m_trace);
}

} // namespace lockscope::verdict
