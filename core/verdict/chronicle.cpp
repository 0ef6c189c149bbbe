// SPDX-License-Identifier: Apache-2.0
#include "verdict/chronicle.h"

#include "trace/belief.h"
#include "trace/look_back.h"
#include "trace/state.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

namespace lockscope::verdict {

using trace::Event;
using trace::EventKind;

namespace {

/// The row at which the hold began: its request, or as far back as we look.
std::size_t beginOfHold(trace::EntityId thread, trace::EntityId lock, std::size_t row, const trace::Trace& trace) {
    const std::size_t last = trace::firstRowBefore(row);
    bool granted = false;
    std::size_t begin = row;
    for (std::size_t i = std::min(row + 1, trace.size()); i-- > last;) {
        const EventKind kind = trace.kindAt(i);
        if (kind != EventKind::Granted && kind != EventKind::Requested) continue;
        const Event e = trace.at(i);
        if (e.actor != thread || e.subject != lock) continue;
        begin = i;
        if (kind == EventKind::Requested && granted) break;
        granted |= kind == EventKind::Granted;
    }
    return begin;
}

/// Since when the client suffers from a fault of that kind, which may have come long before this hold.
std::optional<Nanos> sufferedBefore(EventKind fault, trace::EntityId client, std::size_t row,
                                    const trace::Trace& trace) {
    const std::size_t last = trace::firstRowBefore(row);
    for (std::size_t i = row; i-- > last;) {
        const EventKind kind = trace.kindAt(i);
        if (kind == EventKind::Healed) return {};
        if (kind != fault && kind != EventKind::ClientStarted) continue;
        const Event e = trace.at(i);
        if (e.actor != client) continue;
        if (kind == EventKind::ClientStarted) return {};
        return e.time();
    }
    return {};
}

/// Whether the client has shown a session with a server by then: its holds end with it. The leases of etcd, which a
/// client keeps with the whole cluster, are told as leases.
bool hasSessionBefore(trace::EntityId client, std::size_t row, const trace::Trace& trace) {
    const std::size_t last = trace::firstRowBefore(row);
    for (std::size_t i = row; i-- > last;) {
        if (trace.kindAt(i) != EventKind::SessionChanged) continue;
        const Event e = trace.at(i);
        if (e.actor == client && e.subject != trace::kNoEntity) return true;
    }
    return false;
}

/// How far a node's clock was ahead before that row.
Nanos clockBefore(trace::EntityId node, std::size_t row, const trace::Trace& trace) {
    const std::size_t last = trace::firstRowBefore(row);
    for (std::size_t i = row; i-- > last;) {
        const EventKind kind = trace.kindAt(i);
        if (kind == EventKind::Healed) return Nanos(0);
        if (kind != EventKind::ClockJumped) continue;
        const Event e = trace.at(i);
        if (e.actor == node) return Nanos(e.value);
    }
    return Nanos(0);
}

/// The gain of a clock each second, if the row tells of it.
std::optional<std::int64_t> gainTold(const Event& e, const trace::Trace& trace) {
    if (e.kind != EventKind::SettingChanged || e.aux == trace::kNoEntity) return {};
    return trace::driftOf(trace.entity(e.aux).name);
}

void readDrift(Chronicle& c, const Event& e, std::int64_t gain, trace::EntityId client, bool keepsLock) {
    if (c.recordEnded) return;
    std::erase_if(c.clockDrifts, [&](const Event& before) { return before.actor == e.actor; });
    if ((keepsLock && gain > 0) || (e.actor == client && gain < 0)) c.clockDrifts.push_back(e);
}

/// The clocks that run wrong before that row.
void readDriftsBefore(Chronicle& c, std::size_t row, trace::EntityId client, const std::set<trace::EntityId>& servers,
                      const trace::Trace& trace) {
    std::set<trace::EntityId> read;
    const std::size_t last = trace::firstRowBefore(row);
    for (std::size_t i = row; i-- > last;) {
        const EventKind kind = trace.kindAt(i);
        if (kind == EventKind::Healed) break;
        if (kind == EventKind::ClientStarted && trace.at(i).actor == client) read.insert(client);
        if (kind != EventKind::SettingChanged) continue;
        const Event e = trace.at(i);
        const auto gain = gainTold(e, trace);
        if (!gain || !read.insert(e.actor).second) continue;
        readDrift(c, e, *gain, client, servers.contains(e.actor));
    }
    std::ranges::sort(c.clockDrifts, {}, &Event::at);
}

/// The servers that keep a lock: its own, or those of its copies; each with how far its clock is ahead.
using Clocks = std::map<trace::EntityId, Nanos>;
Clocks clocksOf(trace::EntityId lock, std::size_t row, const trace::Trace& trace) {
    Clocks clocks;
    const auto add = [&](trace::EntityId node) {
        if (node != trace::kNoEntity) clocks.emplace(node, clockBefore(node, row, trace));
    };
    add(trace.entity(lock).parent);
    const bool own = !clocks.empty();
    for (trace::EntityId id = 1; !own && id < trace.entityCount(); ++id)
        if (trace.copyOf(id) == lock) add(trace.entity(id).parent);
    return clocks;
}

void readClockJump(Chronicle& c, const Event& e, trace::EntityId client, Clocks& clocks) {
    const auto clock = clocks.find(e.actor);
    const bool nearer = clock != clocks.end() && Nanos(e.value) > clock->second;
    if (clock != clocks.end()) clock->second = Nanos(e.value);
    if (c.recordEnded || (!nearer && e.actor != client)) return;
    std::erase_if(c.clockJumps, [&](const Event& before) { return before.actor == e.actor; });
    c.clockJumps.push_back(e);
}

/// The servers that a client is cut off from.
struct Cuts {
    std::vector<trace::EntityId> now;    ///< in the order of their cuts
    std::vector<trace::EntityId> mended; ///< at `mendedAt`: one fault may mend several, in as many rows
    Nanos mendedAt{};

    void mend(trace::EntityId server, Nanos at) {
        if (at != mendedAt) mended.clear();
        mendedAt = at;
        if (std::erase(now, server) > 0) mended.push_back(server);
    }
    /// The servers that it was cut off from until just before the last mending.
    std::vector<trace::EntityId> untilMended() const {
        std::vector<trace::EntityId> all = mended;
        all.insert(all.end(), now.begin(), now.end());
        return all;
    }
};

void readLife(Chronicle& c, const Event& e, trace::EntityId client, trace::EntityId node, Clocks& clocks, Cuts& cuts,
              const trace::Trace& trace) {
    const auto begin = [&](std::optional<Chronicle::Span>& span) {
        if (!c.recordEnded || !c.explains(span)) span = Chronicle::Span{e.time(), kNever};
    };
    const auto end = [&](std::optional<Chronicle::Span>& span) {
        if (span && span->to == kNever) span->to = e.time();
    };
    switch (e.kind) {
    case EventKind::ClientPaused:
        if (e.actor == client) begin(c.paused);
        break;
    case EventKind::ClientResumed:
        if (e.actor == client) end(c.paused);
        break;
    case EventKind::ClientKilled:
        if (e.actor == client && !c.killed) c.killed = e.time();
        break;
    case EventKind::LinkCut:
    case EventKind::LinkMended: {
        const trace::Entity& link = trace.entity(e.subject);
        const bool keeps = clocks.empty() ? trace.entity(link.other).kind == trace::EntityKind::Node // not known
                                          : clocks.contains(link.other);
        if (link.parent != client || !keeps) break;
        const auto most = [&] { return 2 * cuts.now.size() > clocks.size(); };
        const bool before = most(), open = c.cut && c.cut->to == kNever;
        if (e.kind == EventKind::LinkMended)
            cuts.mend(link.other, e.time());
        else if (std::ranges::find(cuts.now, link.other) == cuts.now.end())
            cuts.now.push_back(link.other);
        if (most() && !before) begin(c.cut);
        if (!most() && before) {
            end(c.cut);
            if (open) c.cutFrom = cuts.untilMended();
        }
        if (c.cut && c.cut->to == kNever) c.cutFrom = cuts.now;
        break;
    }
    case EventKind::NodePaused:
        if (e.actor == node) begin(c.nodeStopped);
        break;
    case EventKind::NodeResumed:
    case EventKind::NodeKilled:
        if (e.actor == node) end(c.nodeStopped);
        break;
    case EventKind::Healed:
        end(c.paused);
        end(c.cut);
        cuts.now.clear();
        for (Nanos& ahead : clocks | std::views::values)
            ahead = Nanos(0);
        if (!c.recordEnded) c.clockDrifts.clear();
        if (!c.recordEnded) {
            c.watchdogStopped.reset();
            c.workHung.reset();
        }
        break;
    case EventKind::ClientStarted:
        if (e.actor == client && !c.recordEnded) {
            c.watchdogStopped.reset();
            c.workHung.reset();
        }
        break;
    case EventKind::WorkHung:
        if (e.actor == client && !c.workHung && !c.recordEnded) c.workHung = e.time();
        break;
    case EventKind::WatchdogStopped:
        if (e.actor == client && !c.watchdogStopped) c.watchdogStopped = e.time();
        break;
    case EventKind::ClockJumped:
        readClockJump(c, e, client, clocks);
        break;
    case EventKind::SettingChanged:
        if (const auto gain = gainTold(e, trace)) readDrift(c, e, *gain, client, clocks.contains(e.actor));
        break;
    default:
        break;
    }
}

/// How far a record's rows are known to be about the hold that is read.
struct Reading {
    bool fromRequest = false;  ///< every row of the hold is read, as it happened
    bool believes = false;     ///< the thread believes in it by now
    std::int64_t decided = -1; ///< when another server began to decide

    /// A server that takes over tells what it has: maybe a hold whose end has not reached it.
    bool isOlder(const Event& held) const { return fromRequest && !believes && held.at == decided; }
    /// A request may get the lock more than once before its client has it: beside another lock that it does not get, or
    /// if an answer was lost.
    bool isAnotherTry(const Chronicle& c, const Event& held) const {
        return held.actor == c.thread && c.recordEnded && !c.granted && fromRequest && !isOlder(held);
    }
};

void forgetTry(Chronicle& c) {
    c.recordEnded.reset();
    c.leaseFrom.reset();
    c.successorAt.reset();
    c.successor = trace::kNoEntity;
    c.renewals = 0;
}

void readRecord(Chronicle& c, const Event& e, Reading& reading) {
    if ((e.kind == EventKind::RecordHeld || e.kind == EventKind::RecordHolder) && reading.isAnotherTry(c, e))
        forgetTry(c);
    const bool owns = c.leaseFrom && !c.recordEnded;
    switch (e.kind) {
    case EventKind::RecordDecider:
        reading.decided = e.at;
        break;
    case EventKind::RecordHeld:
        if (e.actor == c.thread && !c.recordEnded && !reading.isOlder(e)) {
            c.deadline = e.value;
            c.leaseFrom = e.time();
        } else if (e.actor != c.thread && c.recordEnded && !c.successorAt) {
            c.successor = e.actor;
            c.successorAt = e.time();
        }
        break;
    case EventKind::RecordRenewed:
        // Another may have renewed its hold, but one that shares the lock renews its own. Only its own renewals tell of
        // a hold that is older than what we read.
        if ((owns && trace::holdMode(e.flags) == trace::HoldMode::Exclusive) ||
            (e.actor == c.thread && !c.recordEnded && !c.successorAt)) {
            c.deadline = e.value;
            c.leaseFrom = e.time();
            ++c.renewals;
        }
        break;
    case EventKind::RecordDeadline:
        if (e.actor == c.thread && !c.recordEnded) c.deadline = e.value;
        break;
    case EventKind::RecordHolder:
        if (e.actor != c.thread || c.recordEnded) break;
        if (!c.leaseFrom || e.value >= 0) c.deadline = e.value;
        c.leaseFrom = e.time();
        break;
    case EventKind::RecordHolderGone:
    case EventKind::RecordFreed:
        if (e.aux == c.thread && !c.recordEnded && (c.leaseFrom || !reading.fromRequest)) {
            c.recordEnded = e.time();
            c.freedBy = static_cast<trace::FreedBy>(e.flags & trace::kFreedByMask);
            c.freedByWhom = e.actor;
        }
        break;
    default:
        break;
    }
}

void endBelief(Chronicle& c, std::int64_t at, EventKind by) {
    c.beliefEnded = Nanos(at);
    c.beliefEndedBy = by;
}

/// A row of the thread's belief about the lock.
void readBelief(Chronicle& c, trace::Belief& belief, const Event& e) {
    const bool held = belief.holding();
    std::uint32_t grants = 0; // their number is of no interest here
    belief.apply(e, grants);
    if (e.kind == EventKind::Granted && !c.granted) c.granted = e.time();
    if (e.kind == EventKind::RenewFailed) ++c.renewalsFailed;
    if (held && !belief.holding()) endBelief(c, belief.since, e.kind);
}

void readSleep(trace::Belief& belief, const Event& e, trace::EntityId client) {
    const bool all = e.kind == EventKind::Healed;
    if (e.actor != client && !all) return;
    if (e.kind == EventKind::ClientPaused)
        belief.setAsleep(true, e.at);
    else if (belief.asleep && (all || e.kind == EventKind::ClientResumed))
        belief.setAsleep(false, e.at);
}

} // namespace

bool Chronicle::explains(const std::optional<Span>& span) const {
    if (!span || !recordEnded || span->from > *recordEnded) return false;
    if (!leaseFrom || span->to >= *recordEnded) return true;
    return span->to >= *leaseFrom + (*recordEnded - *leaseFrom) / 2;
}

void Chronicle::forgetAfter(Nanos at) {
    const auto forget = [at](std::optional<Nanos>& instant) {
        if (instant && *instant > at) instant.reset();
    };
    for (std::optional<Span>* const span : {&paused, &cut, &nodeStopped}) {
        if (*span && (*span)->from > at) span->reset();
        if (*span && (*span)->to > at) (*span)->to = kNever;
    }
    for (std::optional<Nanos>* const instant :
         {&watchdogStopped, &workHung, &killed, &recordEnded, &successorAt, &beliefEnded})
        forget(*instant);
    for (std::vector<trace::Event>* const wrong : {&clockJumps, &clockDrifts})
        std::erase_if(*wrong, [at](const trace::Event& begun) { return begun.time() > at; });
    if (!successorAt) successor = trace::kNoEntity;
}

Chronicle chronicleOf(trace::EntityId thread, trace::EntityId lock, std::size_t row, Nanos until,
                      const trace::Trace& trace) {
    row = std::min(row, trace.size());
    Chronicle c;
    c.thread = thread;
    const trace::EntityId client = trace.clientOf(thread), node = trace.entity(lock).parent;
    const std::size_t end = std::min(trace.size(), row + trace::kFarthest);
    const std::size_t begin = beginOfHold(thread, lock, row, trace);
    c.watchdogStopped = sufferedBefore(EventKind::WatchdogStopped, client, begin, trace);
    c.workHung = sufferedBefore(EventKind::WorkHung, client, begin, trace);
    c.bySession = hasSessionBefore(client, begin, trace);
    Clocks clocks = clocksOf(lock, begin, trace);
    const auto servers = clocks | std::views::keys;
    readDriftsBefore(c, begin, client, {servers.begin(), servers.end()}, trace);
    Cuts cuts;
    trace::Belief belief;
    Reading reading;
    if (begin < trace.size() && trace.kindAt(begin) == EventKind::Requested) {
        c.requested = trace.at(begin).time();
        reading.fromRequest = !trace.ofRealServers(); // running servers are looked at now and then
    }
    for (std::size_t i = begin; i < end; ++i) {
        const EventKind kind = trace.kindAt(i);
        if (isMessage(kind) || isEffect(kind) || kind == EventKind::Step) continue;
        const Event e = trace.at(i);
        const bool over = !c.beliefEnded && belief.endsAt() >= 0 && belief.endsAt() <= e.at;
        if (over) endBelief(c, belief.endsAt(), EventKind::BelievedUntil);
        // Beyond the violation only the ends of a pause or cut, and of the belief, are still of interest.
        const bool open = (c.paused && c.paused->to == kNever) || (c.cut && c.cut->to == kNever);
        const bool past = until != kNever && e.time() > until && i > row;
        if (past && !open && c.beliefEnded) break;
        if (kind == EventKind::SessionChanged && e.actor == client && !c.recordEnded) c.bySession = true;
        if (isLife(kind)) {
            if (!past || open)
                readLife(c, e, client, node, clocks, cuts, trace);
            else if (kind == EventKind::ClientKilled && e.actor == client && !c.killed)
                c.killed = e.time();
            readSleep(belief, e, client);
        }
        reading.believes = belief.holding();
        if (!past && isRecord(kind) && e.subject == lock) readRecord(c, e, reading);
        const bool its = isBelief(kind) && e.actor == thread && e.subject == lock;
        const int failed = c.renewalsFailed;
        if (its && !c.beliefEnded) readBelief(c, belief, e);
        if (past) c.renewalsFailed = failed; // later ones are not why the record ended
        if (c.killed && !c.beliefEnded) endBelief(c, c.killed->count(), EventKind::ClientKilled);
    }
    if (c.deadline >= 0) c.bySession = false; // a lease that its client's session renews ends by its own time
    const std::int64_t last = belief.endsAt();
    if (!c.beliefEnded && last >= 0 && Nanos(last) <= trace.reached()) endBelief(c, last, EventKind::BelievedUntil);
    return c;
}

Chronicle givenTo(const std::vector<trace::EntityId>& believers, Chronicle c, trace::EntityId lock, std::size_t row,
                  const trace::Trace& trace) {
    if (!c.successorAt) return c;
    // Believers whose last grant was not read yet; others joined later, and may have had the lock before, too.
    std::vector<trace::EntityId> open = believersAfter(believers, lock, row, trace);
    std::erase(open, c.thread);
    std::optional<Event> given;
    for (std::size_t i = std::min(row + 1, trace.size()); i-- > 0 && !open.empty();) {
        if (trace.kindAt(i) != EventKind::RecordHeld) continue;
        const Event e = trace.at(i);
        if (e.time() < *c.successorAt) break;
        if (e.subject != lock || e.actor == c.thread) continue;
        if (std::erase(open, e.actor) > 0) given = e;
    }
    if (!given) return c;
    c.afterOthers = given->time() != *c.successorAt;
    c.successor = given->actor;
    c.successorAt = given->time();
    return c;
}

Chronicle inheritedBy(trace::EntityId owner, Chronicle c, trace::EntityId lock, std::size_t row,
                      const trace::Trace& trace) {
    if (!c.successorAt) return c;
    std::optional<Nanos> since;
    for (std::size_t i = std::min(row + 1, trace.size()); i-- > 0 && Nanos(trace.timeAt(i)) >= *c.successorAt;) {
        if (trace.kindAt(i) != EventKind::RecordHeld) continue;
        const Event e = trace.at(i);
        if (e.subject != lock) continue;
        if (e.actor == owner)
            since = e.time();
        else if (since)
            break;
    }
    if (!since) return c;
    c.afterOthers = *since != *c.successorAt;
    c.successor = owner;
    c.successorAt = since;
    return c;
}

std::vector<trace::EntityId> believersAfter(const std::vector<trace::EntityId>& threads, trace::EntityId lock,
                                            std::size_t row, const trace::Trace& trace) {
    std::vector<trace::EntityId> all;
    const std::size_t end = std::min(row + 1, trace.size());
    for (const trace::EntityId thread : threads) {
        const trace::EntityId client = trace.clientOf(thread);
        trace::Belief belief;
        std::uint32_t grants = 0; // their number is of no interest here
        for (std::size_t i = beginOfHold(thread, lock, row, trace); i < end; ++i) {
            const EventKind kind = trace.kindAt(i);
            if (!isLife(kind) && !isBelief(kind)) continue;
            const Event e = trace.at(i);
            if (belief.endsAt() >= 0 && belief.endsAt() <= e.at) belief.expire();
            if (isLife(kind)) readSleep(belief, e, client);
            if (kind == EventKind::ClientKilled && e.actor == client) belief.die(e.at);
            if (isBelief(kind) && e.actor == thread && e.subject == lock) belief.apply(e, grants);
        }
        if (belief.holding()) all.push_back(thread);
    }
    return all;
}

std::set<trace::EntityId> holdersAfter(std::size_t row, trace::EntityId lock, const trace::Trace& trace) {
    const std::size_t last = trace::firstRowBefore(row);
    std::set<trace::EntityId> holders, gone;
    for (std::size_t i = std::min(row + 1, trace.size()); i-- > last;) {
        const EventKind kind = trace.kindAt(i);
        if (kind != EventKind::RecordHeld && kind != EventKind::RecordHolder && kind != EventKind::RecordHolderGone &&
            kind != EventKind::RecordFreed)
            continue;
        const Event e = trace.at(i);
        if (e.subject != lock) continue;
        if (kind == EventKind::RecordFreed) break;
        if (kind == EventKind::RecordHolderGone)
            gone.insert(e.aux);
        else if (!gone.contains(e.actor))
            holders.insert(e.actor);
        if (kind == EventKind::RecordHeld && trace::holdMode(e.flags) == trace::HoldMode::Exclusive) break;
    }
    return holders;
}

trace::EntityId ownerAfter(std::size_t row, trace::EntityId lock, const trace::Trace& trace) {
    const std::size_t last = trace::firstRowBefore(row);
    trace::EntityId renewer = trace::kNoEntity; // the owner, where the trace does not say who got the lock
    for (std::size_t i = std::min(row + 1, trace.size()); i-- > last;) {
        if (!isRecord(trace.kindAt(i))) continue;
        const Event e = trace.at(i);
        if (e.subject != lock) continue;
        if (e.kind == EventKind::RecordHeld) return e.actor;
        if (e.kind == EventKind::RecordFreed) return renewer;
        if (e.kind == EventKind::RecordRenewed && renewer == trace::kNoEntity) renewer = e.actor;
    }
    return renewer;
}

} // namespace lockscope::verdict
