// SPDX-License-Identifier: Apache-2.0
#include "verdict/client_doings.h"

#include "trace/look_back.h"
#include "trace/trace_time.h"
#include "verdict/failover_story.h"
#include "verdict/words.h"

#include <algorithm>
#include <map>

namespace lockscope::verdict {

using trace::EntityId;
using trace::Event;
using trace::EventKind;
using trace::Trace;

namespace {

/// Whether the last that the client told before row `row` is that it asks, and the server has not given it the lock
/// since.
bool asksOnly(EntityId thread, EntityId lock, std::size_t row, const Trace& trace) {
    const std::size_t last = trace::firstRowBefore(row);
    while (row-- > last) {
        const EventKind kind = trace.kindAt(row);
        if (!isBelief(kind) && kind != EventKind::RecordHeld) continue;
        const Event e = trace.at(row);
        if (e.actor == thread && e.subject == lock) return kind == EventKind::Requested;
    }
    return false;
}

/// The request that the network brought twice before row `row`, since the thread asked for the lock or thought for the
/// last time that it did not hold it; None: there was none.
Event repeatedRequest(EntityId thread, EntityId lock, std::size_t row, const Trace& trace) {
    const EntityId client = trace.clientOf(thread);
    Event repeated{};
    const std::size_t last = trace::firstRowBefore(row);
    while (row-- > last) {
        const EventKind kind = trace.kindAt(row);
        if (kind != EventKind::Request && kind != EventKind::Requested && kind != EventKind::Released &&
            kind != EventKind::ClientStarted)
            continue;
        const Event e = trace.at(row);
        if (kind == EventKind::Request) {
            if (e.actor == client && (e.flags & trace::kFault) != 0) repeated = e;
            continue;
        }
        if (kind == EventKind::ClientStarted && e.actor == client) break;
        if (e.actor != thread || e.subject != lock) continue;
        // A wrong count stays: a release that left a hold came after the request that was done twice.
        if (repeated.kind != EventKind::None || (kind == EventKind::Released && e.aux == 0)) break;
    }
    return repeated;
}

QString repeatedText(EntityId thread, EntityId lock, std::size_t row, Nanos length, const Trace& trace) {
    const Event e = repeatedRequest(thread, lock, row, trace);
    if (e.kind == EventKind::None) return {};
    return Words::tr("A request of %1 reached %2 twice, sent at %3: %2 did it twice and counted one hold more than %1 "
                     "knew of.")
        .arg(actorText(thread, trace), trace.displayName(e.subject), instantText(trace, e.time(), length));
}

/// That another server came to decide after the thread had taken the lock last before row `row`; empty: none did.
QString lostTakingText(EntityId thread, EntityId lock, std::size_t row, Nanos length, const Trace& trace) {
    Event heir{}; // the first one since
    for (const std::size_t last = trace::firstRowBefore(row); row-- > last;) {
        const EventKind kind = trace.kindAt(row);
        if (kind != EventKind::RecordDecider && kind != EventKind::Granted && kind != EventKind::Reentered) continue;
        const Event e = trace.at(row);
        if (e.subject != lock) continue;
        if (kind == EventKind::RecordDecider && e.actor != trace::kNoEntity) heir = e;
        if (kind == EventKind::RecordDecider || e.actor != thread) continue;
        const EntityId before = deciderBefore(row, lock, trace);
        if (heir.kind == EventKind::None || before == trace::kNoEntity || before == heir.actor) return {};
        return Words::tr("%1 took the place of %2 at %3, and did not know that %4 had taken the lock once more.")
            .arg(trace.displayName(heir.actor), trace.displayName(before), instantText(trace, heir.time(), length),
                 actorText(thread, trace));
    }
    return {};
}

QString countText(const Violation& violation, Nanos length, const Trace& trace) {
    const Event e = trace.at(std::min(violation.row, trace.size() - 1));
    const QString who = actorText(violation.actors.front(), trace), lock = trace.displayName(violation.lock),
                  when = instantText(trace, violation.from, length);
    if (e.kind == EventKind::RecordFreed)
        return Words::tr("The server freed %1 at %2 although %3 held it more than once: a hold count falls by one at a "
                         "time.")
            .arg(lock, when, who);
    if (e.kind == EventKind::Released)
        return Words::tr("%1 released %2 at %3 and was left with a hold count of %4: it should have fallen by one, and "
                         "the lock should be free at zero.")
            .arg(who, lock, when, QString::number(e.aux));
    if (isRecord(e.kind))
        return Words::tr("The server's hold count of %1 for %2 jumped to %3 at %4: it should change by one at a time.")
            .arg(lock, who, QString::number(e.aux), when);
    return Words::tr("%1 took %2 at %3 and its hold count became %4: it should have risen by one.")
        .arg(who, lock, when, QString::number(e.aux));
}

} // namespace

QString lostRaceText(const Violation& violation, Nanos length, const Trace& trace) {
    const std::size_t row = violation.row;
    if (row >= trace.size() || trace.kindAt(row) != EventKind::RecordRenewed) return {};
    const EntityId doer = violation.actors.front(), lock = violation.lock;
    if (!asksOnly(doer, lock, row, trace)) return {};
    return paragraph({Words::tr("%1 asked for %2 and did not get it, but its command wrote another end into the entry "
                                "of %3 at %4.")
                          .arg(actorText(doer, trace), trace.displayName(lock),
                               actorText(violation.actors.back(), trace), instantText(trace, violation.from, length)),
                      Words::tr("The command writes before its sender knows whether it has won.")});
}

std::map<EntityId, Nanos> cutFromDeciders(EntityId client, EntityId lock, std::size_t end, const Trace& trace) {
    const std::vector<EntityId> keepers = decidingServers(lock, end, trace);
    std::map<EntityId, Nanos> cut;
    for (std::size_t row = trace::firstRowBefore(end); row < end; ++row) {
        const EventKind kind = trace.kindAt(row);
        if (kind == EventKind::Healed) cut.clear();
        if (kind != EventKind::LinkCut && kind != EventKind::LinkMended) continue;
        const Event e = trace.at(row);
        const trace::Entity& link = trace.entity(e.subject);
        if (link.parent != client || std::ranges::find(keepers, link.other) == keepers.end()) continue;
        if (kind == EventKind::LinkCut)
            cut.emplace(link.other, e.time());
        else
            cut.erase(link.other);
    }
    if (2 * cut.size() <= keepers.size()) cut.clear();
    return cut;
}

QString deadConnectionText(EntityId owner, const Violation& violation, Nanos length, const Trace& trace) {
    const auto cut =
        cutFromDeciders(trace.clientOf(owner), violation.lock, std::min(violation.row, trace.size()), trace);
    if (cut.empty()) return {};
    std::vector<EntityId> servers;
    Nanos since{};
    for (const auto& [server, at] : cut) {
        servers.push_back(server);
        since = std::max(since, at);
    }
    const bool over = violation.to != kNever;
    return (over ? Words::tr("%1 was cut off from %2 at %3, and the server did not know that: to it the connection of "
                             "%1 was alive.")
                 : Words::tr("%1 was cut off from %2 at %3, and the server does not know that: to it the connection of "
                             "%1 is alive."))
        .arg(actorText(owner, trace), actorsText(servers, trace), instantText(trace, since, length));
}

QString reentrancyText(const Violation& violation, Nanos length, const Trace& trace) {
    const EntityId thread = violation.actors.front();
    const std::size_t row = std::min(violation.row + 1, trace.size());
    QString cause = repeatedText(thread, violation.lock, row, length, trace);
    if (cause.isEmpty()) cause = lostTakingText(thread, violation.lock, row, length, trace);
    return paragraph({countText(violation, length, trace), cause});
}

} // namespace lockscope::verdict
