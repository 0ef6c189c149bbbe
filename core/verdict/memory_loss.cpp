// SPDX-License-Identifier: Apache-2.0
#include "verdict/memory_loss.h"

#include "trace/decider.h"
#include "trace/look_back.h"
#include "trace/trace_time.h"
#include "verdict/engine_change.h"
#include "verdict/failover_story.h"
#include "verdict/standstill.h"
#include "verdict/words.h"

#include <algorithm>
#include <set>

namespace lockscope::verdict {

using trace::EntityId;
using trace::Event;
using trace::EventKind;
using trace::FreedBy;
using trace::Trace;

namespace {

bool isLoss(const Event& e) {
    const auto why = FreedBy(e.flags & trace::kFreedByMask);
    return e.kind == EventKind::RecordFreed && (why == FreedBy::NodeLoss || why == FreedBy::Evicted);
}

/// Whether the row tells that this copy of the hold is there: taken once more, or renewed.
bool isThere(const Event& e, EntityId thread) {
    return (e.kind == EventKind::RecordHeld || e.kind == EventKind::RecordRenewed) && e.actor == thread;
}

/// The rows by which servers lost their copies of the hold, in their order: since its request, as no renewal writes a
/// lost copy anew. A copy that was there again afterwards does not count.
std::vector<Event> lossesOf(const Chronicle& c, EntityId lock, const Trace& trace) {
    std::vector<Event> losses;
    const std::size_t end = trace.upperBound(*c.recordEnded);
    const std::optional<Nanos> since = c.requested ? c.requested : c.leaseFrom;
    const std::size_t first = since ? trace.upperBound(*since - Nanos(1)) : 0;
    for (std::size_t row = std::max(first, trace::firstRowBefore(end)); row < end; ++row) {
        const EventKind kind = trace.kindAt(row);
        if (kind != EventKind::RecordHeld && kind != EventKind::RecordRenewed && kind != EventKind::RecordFreed)
            continue;
        const Event e = trace.at(row);
        if (trace.copyOf(e.subject) != lock) continue;
        const bool lost = isLoss(e) && EntityId(e.aux) == c.thread;
        if (lost || isThere(e, c.thread)) std::erase_if(losses, [&](const Event& l) { return l.subject == e.subject; });
        if (lost) losses.push_back(e);
    }
    return losses;
}

std::vector<EntityId> serversOf(const std::vector<Event>& losses, const Trace& trace) {
    std::vector<EntityId> servers;
    servers.reserve(losses.size());
    for (const Event& loss : losses)
        servers.push_back(trace.entity(loss.subject).parent);
    return servers;
}

/// Whether the data of the server that lost its copy were deleted on purpose. Several may be emptied at one instant.
bool wasEmptied(const Event& loss, const Trace& trace) {
    const EntityId server = trace.entity(loss.subject).parent;
    for (std::size_t row = trace.upperBound(loss.time()); row-- > 0 && trace.timeAt(row) == loss.at;) {
        if (trace.kindAt(row) != EventKind::SettingChanged) continue;
        if (const Event e = trace.at(row); e.actor == server && trace.entity(e.aux).name == trace::kAllDeleted)
            return true;
    }
    return false;
}

/// The row by which a server's copy of the hold ended by its own time; None: it did not.
Event expiryOfCopy(EntityId copy, const Chronicle& c, std::size_t end, const Trace& trace) {
    for (const std::size_t last = trace::firstRowBefore(end); end-- > last;) {
        const EventKind kind = trace.kindAt(end);
        if (kind != EventKind::RecordHeld && kind != EventKind::RecordFreed) continue;
        const Event e = trace.at(end);
        if (e.subject != copy) continue;
        const bool ended = kind == EventKind::RecordFreed && EntityId(e.aux) == c.thread;
        return ended && FreedBy(e.flags & trace::kFreedByMask) == FreedBy::Expiry ? e : Event{};
    }
    return {};
}

/// Why the other servers of the lock could not make up for those that lost it.
QString othersText(const std::vector<EntityId>& lost, const Chronicle& c, EntityId lock, Nanos length,
                   const Trace& trace) {
    const std::size_t end = trace.upperBound(*c.recordEnded);
    QStringList sentences;
    for (EntityId id = 1; id < trace.entityCount(); ++id) {
        const EntityId server = trace.entity(id).parent;
        if (trace.copyOf(id) != lock || std::ranges::find(lost, server) != lost.end()) continue;
        const EntityId owner = ownerOfCopy(server, lock, end, trace);
        if (owner == c.thread) continue;
        const QString name = trace.displayName(server);
        const Event expiry = expiryOfCopy(id, c, end, trace);
        if (const auto away = standstillBefore(server, end, trace)) {
            const QString since = instantText(trace, away->time(), length);
            sentences +=
                (away->kind == EventKind::NodePaused ? Words::tr("%1 stood still since %2, and did not have it.")
                                                     : Words::tr("%1 was dead since %2, and did not have it."))
                    .arg(name, since);
        } else if (owner != trace::kNoEntity) {
            sentences += Words::tr("%1 had the lock of %2 in its place.").arg(name, actorText(owner, trace));
        } else if (expiry.kind != EventKind::None) {
            sentences +=
                Words::tr("On %1 its lease had ended at %2.").arg(name, instantText(trace, expiry.time(), length));
        }
    }
    return paragraph(sentences);
}

/// Whether so many servers lost the lock that the others, however well they are, could not keep it.
bool enoughToLoseIt(std::size_t lost, EntityId lock, const Trace& trace) {
    std::size_t copies = 0;
    for (EntityId id = 1; id < trace.entityCount(); ++id)
        copies += trace.copyOf(id) == lock;
    return 2 * lost >= copies;
}

/// When the server died that lost its copy of the hold by that row: a loss is seen only when the servers decide again.
/// nullopt: it did not die, or had the hold after that.
std::optional<Nanos> deathBefore(const Event& loss, const Chronicle& c, EntityId server, const Trace& trace) {
    const std::size_t end = trace.upperBound(loss.time());
    for (std::size_t row = end; row-- > trace::firstRowBefore(end);) {
        const EventKind kind = trace.kindAt(row);
        if (kind != EventKind::NodeKilled && kind != EventKind::RecordHeld && kind != EventKind::RecordRenewed)
            continue;
        const Event e = trace.at(row);
        if (kind == EventKind::NodeKilled && e.actor == server) return e.time();
        if (kind != EventKind::NodeKilled && e.subject == loss.subject && e.actor == c.thread) return {};
    }
    return {};
}

/// The instants at which servers that lost the hold together died; empty: not all of them did.
std::set<Nanos> deathsBefore(const std::vector<Event>& losses, const Chronicle& c, const Trace& trace) {
    std::set<Nanos> deaths;
    for (const Event& loss : losses) {
        const auto death = deathBefore(loss, c, trace.entity(loss.subject).parent, trace);
        if (!death) return {};
        deaths.insert(*death);
    }
    return deaths;
}

/// How several servers lost the hold together.
QString lostTogetherText(const std::vector<Event>& losses, const Chronicle& c, Nanos length, const Trace& trace) {
    const auto at = [&](Nanos t) { return instantText(trace, t, length); };
    const QString all = actorsText(serversOf(losses, trace), trace), who = actorText(c.thread, trace);
    const bool handed = c.successorAt.has_value();
    const QString next = handed ? actorText(c.successor, trace) : QString();
    const QString nextAt = handed ? at(*c.successorAt) : QString();
    QString when = at(*c.recordEnded);
    if (std::ranges::all_of(losses, [&](const Event& loss) { return wasEmptied(loss, trace); })) {
        if (losses.front().at == losses.back().at)
            return handed ? Words::tr("All data of %1 were deleted at %2, and with them the lock of %3: it went to %4 "
                                      "at %5.")
                                .arg(all, when, who, next, nextAt)
                          : Words::tr("All data of %1 were deleted at %2, and with them the lock of %3.")
                                .arg(all, when, who);
        return handed ? Words::tr("All data of %1 were deleted, the last ones at %2, and with them the lock of %3: it "
                                  "went to %4 at %5.")
                            .arg(all, when, who, next, nextAt)
                      : Words::tr("All data of %1 were deleted, the last ones at %2, and with them the lock of %3.")
                            .arg(all, when, who);
    }
    const std::set<Nanos> deaths = deathsBefore(losses, c, trace);
    if (deaths.empty())
        return handed ? Words::tr("%1 lost their memory of the lock of %2, the last one at %3, and the lock went to %4 "
                                  "at %5.")
                            .arg(all, who, when, next, nextAt)
                      : Words::tr("%1 lost their memory of the lock of %2, the last one at %3.").arg(all, who, when);
    when = at(*deaths.rbegin());
    if (deaths.size() == 1)
        return handed ? Words::tr("%1 died at %2 with the lock of %3, and the lock went to %4 at %5.")
                            .arg(all, when, who, next, nextAt)
                      : Words::tr("%1 died at %2 with the lock of %3.").arg(all, when, who);
    return handed ? Words::tr("%1 died with the lock of %2, the last one at %3, and the lock went to %4 at %5.")
                        .arg(all, who, when, next, nextAt)
                  : Words::tr("%1 died with the lock of %2, the last one at %3.").arg(all, who, when);
}

/// The row that told of the record's end.
Event endOf(const Chronicle& c, EntityId lock, const Trace& trace) {
    for (std::size_t row = trace.upperBound(*c.recordEnded); row-- > 0 && trace.at(row).time() == *c.recordEnded;) {
        if (trace.kindAt(row) != EventKind::RecordFreed) continue;
        if (const Event e = trace.at(row); e.subject == lock && EntityId(e.aux) == c.thread) return e;
    }
    return {};
}

/// The row that tells of the first server that decides the lock from row `row` on; None: there is none.
Event deciderAfter(std::size_t row, EntityId lock, const Trace& trace) {
    for (const std::size_t end = std::min(trace.size(), row + trace::kFarthest); row < end; ++row) {
        if (trace.kindAt(row) != EventKind::RecordDecider) continue;
        if (const Event e = trace.at(row); e.subject == lock && e.actor != trace::kNoEntity) return e;
    }
    return {};
}

bool diedAt(EntityId server, Nanos t, const Trace& trace) {
    for (std::size_t row = trace.upperBound(t); row-- > 0 && trace.timeAt(row) == t.count();)
        if (trace.kindAt(row) == EventKind::NodeKilled && trace.at(row).actor == server) return true;
    return false;
}

} // namespace

QString memoryLossText(const Chronicle& c, EntityId lock, Nanos length, const Trace& trace) {
    const auto at = [&](Nanos t) { return instantText(trace, t, length); };
    const QString who = actorText(c.thread, trace), when = at(*c.recordEnded);
    const bool handed = c.successorAt.has_value();
    const QString next = handed ? actorText(c.successor, trace) : QString();
    const QString nextAt = handed ? at(*c.successorAt) : QString();
    const std::optional<EngineChange> change = engineChangeBefore(trace.upperBound(*c.recordEnded), trace);
    if (change && change->at == *c.recordEnded) {
        const QString engine = change->engine;
        return handed ? Words::tr("Since %1 %2 decides, which knows nothing of the lock of %3: it gave the lock to %4 "
                                  "at %5.")
                            .arg(when, engine, who, next, nextAt)
                      : Words::tr("Since %1 %2 decides, which knows nothing of the lock of %3.").arg(when, engine, who);
    }
    const std::vector<Event> losses = lossesOf(c, lock, trace);
    const std::vector<EntityId> servers = serversOf(losses, trace);
    const EntityId parent = trace.entity(lock).parent;
    const std::size_t end = trace.upperBound(*c.recordEnded);
    EntityId only = parent != trace::kNoEntity ? parent : deciderBefore(end, lock, trace);
    // Where several decide together, the last one of them alone would have taken nothing away.
    const bool together = only == trace::kNoEntity && !servers.empty() && severalDecideBefore(end, lock, trace);
    // Nobody says of a dead one that it decides: its copy was the record all the same.
    if (only == trace::kNoEntity && !together && servers.size() == 1) only = servers.front();
    const EntityId emptied = trace::emptiedBy(endOf(c, lock, trace), trace);
    if (emptied != trace::kNoEntity && !together) {
        const QString server = trace.displayName(emptied);
        return handed ? Words::tr("All data of %1 were deleted at %2, and with them the lock of %3: it went to %4 at "
                                  "%5.")
                            .arg(server, when, who, next, nextAt)
                      : Words::tr("All data of %1 were deleted at %2, and with them the lock of %3.")
                            .arg(server, when, who);
    }
    if (together && servers.size() == 1) {
        const QString server = actorsText(servers, trace);
        QString lost;
        if (wasEmptied(losses.front(), trace))
            lost = Words::tr("All data of %1 were deleted at %2.").arg(server, when);
        else if (c.freedBy == FreedBy::Evicted)
            lost = Words::tr("%1 evicted the lock at %2.").arg(server, when);
        if (!lost.isEmpty())
            return paragraph(
                {lost,
                 handed ? Words::tr("Too few servers were left that knew of the lock of %1, and it went to %2 at "
                                    "%3.")
                              .arg(who, next, nextAt)
                        : Words::tr("Too few servers were left that knew of the lock of %1.").arg(who),
                 othersText(servers, c, lock, length, trace)});
        lost = handed ? Words::tr("%1 lost its memory of the lock of %2 at %3: too few servers were left that knew of "
                                  "it, and the lock went to %4 at %5.")
                            .arg(server, who, when, next, nextAt)
                      : Words::tr("%1 lost its memory of the lock of %2 at %3: too few servers were left that knew of "
                                  "it.")
                            .arg(server, who, when);
        return paragraph({lost, othersText(servers, c, lock, length, trace)});
    }
    if (together)
        return paragraph(
            {lostTogetherText(losses, c, length, trace),
             enoughToLoseIt(losses.size(), lock, trace) ? QString() : othersText(servers, c, lock, length, trace)});
    const QString server = only == trace::kNoEntity ? Words::tr("The server") : trace.displayName(only);
    if (c.freedBy == FreedBy::Evicted)
        return handed ? Words::tr("%1 evicted the lock of %2 at %3, and gave it to %4 at %5.")
                            .arg(server, who, when, next, nextAt)
                      : Words::tr("%1 evicted the lock of %2 at %3.").arg(server, who, when);
    if (const auto death = deathBefore(endOf(c, lock, trace), c, only, trace))
        return handed ? Words::tr("%1 died at %2 with the lock of %3, and knew nothing of it when it was back: %4 got "
                                  "it at %5.")
                            .arg(server, at(*death), who, next, nextAt)
                      : Words::tr("%1 died at %2 with the lock of %3.").arg(server, at(*death), who);
    return handed ? Words::tr("%1 lost its memory of the lock of %2 at %3, and gave it to %4 at %5.")
                        .arg(server, who, when, next, nextAt)
                  : Words::tr("%1 lost its memory of the lock of %2 at %3.").arg(server, who, when);
}

QString permitLossText(const Chronicle& c, EntityId lock, Nanos length, const Trace& trace) {
    const QString when = instantText(trace, *c.recordEnded, length);
    const std::size_t end = trace.upperBound(*c.recordEnded);
    const EntityId parent = trace.entity(lock).parent;
    EntityId only = parent != trace::kNoEntity ? parent : deciderBefore(end, lock, trace);
    // Nobody decides any more at the instant at which the one that did is gone.
    if (only == trace::kNoEntity) only = deciderBefore(trace.upperBound(*c.recordEnded - 1ns), lock, trace);
    const QString server = only == trace::kNoEntity ? Words::tr("The server") : trace.displayName(only);
    const auto deleted = [&] {
        for (std::size_t row = end; row-- > 0 && trace.timeAt(row) == c.recordEnded->count();) {
            if (trace.kindAt(row) != EventKind::SettingChanged) continue;
            const Event e = trace.at(row);
            if (trace.entity(e.aux).name == trace::kAllDeleted && (only == trace::kNoEntity || e.actor == only))
                return true;
        }
        return false;
    };
    if (c.freedBy == FreedBy::Evicted)
        return Words::tr("%1 evicted the permits at %2, also those that clients held, and gave out new ones.")
            .arg(server, when);
    if (deleted())
        return Words::tr("All data of %1 were deleted at %2, also who held permits: it gave out new ones.")
            .arg(server, when);
    const Event heir = deciderAfter(end, lock, trace);
    if (heir.kind != EventKind::None && only != trace::kNoEntity && heir.actor != only)
        return Words::tr("%1 took the place of %2 at %3, and did not know who held permits: it gave out new ones.")
            .arg(trace.displayName(heir.actor), server, instantText(trace, heir.time(), length));
    if (diedAt(only, *c.recordEnded, trace))
        return Words::tr("%1 died at %2, and did not know who held permits when it was back: it gave out new ones.")
            .arg(server, when);
    return Words::tr("%1 lost its memory of who held permits at %2, and gave out new ones.").arg(server, when);
}

bool noneWasRecorded(const Violation& violation, const Trace& trace) {
    const auto isOfLock = [&](std::size_t row) {
        return trace::isRecord(trace.kindAt(row)) && trace.at(row).subject == violation.lock;
    };
    const std::size_t begin = std::min(violation.row, trace.size()),
                      oldest = trace::firstRowBefore(begin, trace::kNear);
    bool seen = false;
    for (std::size_t row = begin; row-- > oldest && !seen;)
        seen = isOfLock(row);
    const std::size_t end = std::min(trace.upperBound(violation.to), begin + trace::kNear);
    for (std::size_t row = begin; row < end && seen; ++row)
        if (trace.kindAt(row) == EventKind::RecordHeld && isOfLock(row)) return false;
    return seen;
}

std::optional<Event> clockJumpOfWriter(const Chronicle& c, const Trace& trace) {
    if (!c.recordEnded || c.freedBy != FreedBy::Overwrite || c.freedByWhom == trace::kNoEntity) return {};
    const EntityId client = trace.clientOf(c.freedByWhom);
    const std::size_t end = trace.upperBound(*c.recordEnded);
    const std::size_t last = trace::firstRowBefore(end);
    for (std::size_t row = end; row-- > last;) {
        const EventKind kind = trace.kindAt(row);
        if (kind == EventKind::Healed) return {};
        if (kind != EventKind::ClockJumped) continue;
        const Event e = trace.at(row);
        if (e.actor == client) return e.value == 0 ? std::nullopt : std::optional(e);
    }
    return {};
}

} // namespace lockscope::verdict
