// SPDX-License-Identifier: Apache-2.0
#include "verdict/obstacle.h"

#include "trace/death.h"
#include "trace/look_back.h"
#include "trace/server_told.h"
#include "verdict/chronicle.h"
#include "verdict/client_doings.h"
#include "verdict/failover_story.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace lockscope::verdict {

using trace::EntityId;
using trace::EventKind;
using trace::Trace;

namespace {

/// The row after the last one that an explanation looks at: a violation that is over ended by then.
std::size_t endOf(const Violation& v, const Trace& trace) {
    const std::size_t end = v.to == kNever ? trace.size() : trace.upperBound(v.to);
    return std::min(end, std::min(v.row, trace.size()) + trace::kFarthest);
}

/// When the owner's entry was freed, before the violation's end.
void readOwnersEnd(Obstacle& o, const Violation& v, const Trace& trace) {
    for (std::size_t row = std::min(v.row, trace.size()), end = endOf(v, trace); row < end; ++row) {
        const EventKind kind = trace.kindAt(row);
        if (kind != EventKind::RecordFreed && kind != EventKind::RecordHolderGone) continue;
        const trace::Event e = trace.at(row);
        if (e.subject != v.lock || EntityId(e.aux) != o.owner) continue;
        o.ownerFreed = e.time();
        return;
    }
}

/// The last sleep of the owner that was not over when it got the lock.
void readOwnersSleep(Obstacle& o, const Violation& v, Nanos since, const Trace& trace) {
    const EntityId client = trace.clientOf(o.owner);
    const std::size_t begin = std::min(v.row, trace.size());
    for (std::size_t row = trace::firstRowBefore(begin), end = endOf(v, trace); row < end; ++row) {
        const EventKind kind = trace.kindAt(row);
        const bool ends = kind == EventKind::ClientResumed || kind == EventKind::ClientStarted ||
                          kind == EventKind::ClientKilled || kind == EventKind::Healed;
        if (!ends && kind != EventKind::ClientPaused) continue;
        const trace::Event e = trace.at(row);
        if (e.actor != client && kind != EventKind::Healed) continue;
        if (!ends && row < begin) {
            o.ownerPaused = e.time();
            o.ownerWoke.reset();
        } else if (ends && o.ownerPaused && !o.ownerWoke) {
            o.ownerWoke = e.time();
        }
    }
    if (o.ownerPaused && o.ownerWoke && *o.ownerWoke < since) o.ownerPaused.reset();
}

bool isServersLife(EventKind kind) {
    return kind == EventKind::NodeStarted || kind == EventKind::NodePaused || kind == EventKind::NodeResumed ||
           kind == EventKind::NodeKilled;
}

/// Takes in a row about the life of the server.
void follow(Obstacle::Away& away, const trace::Event& e) {
    if (e.kind == EventKind::NodePaused) {
        away = {};
        away.server = e.actor;
        away.stopped = e.time();
    } else if (e.kind == EventKind::NodeKilled) {
        if (away.back) away = {};
        away.server = e.actor;
        away.died = e.time();
        away.powerLost = trace::isCrash(e);
    } else {
        away.back = e.time();
    }
}

/// The row until which an answer to the release that the owner sent at row `sent` was still owed.
std::size_t answerOf(const Obstacle& o, const Violation& v, std::size_t sent, const Trace& trace) {
    const std::size_t end = std::min(v.row, trace.size());
    for (std::size_t row = sent + 1; row < end; ++row) {
        if (!isBelief(trace.kindAt(row))) continue;
        if (const trace::Event e = trace.at(row); e.actor == o.owner && e.subject == v.lock) return row;
    }
    return end;
}

/// Whether the client has heard from the server since that was back, before row `end`.
bool heardFrom(EntityId client, const Obstacle::Away& away, std::size_t end, const Trace& trace) {
    for (std::size_t row = end; row-- > 0 && Nanos(trace.timeAt(row)) >= *away.back;) {
        const EventKind kind = trace.kindAt(row);
        if (kind != EventKind::Reply && kind != EventKind::ConnectionRestored) continue;
        const trace::Event e = trace.at(row);
        const bool both = std::minmax(e.actor, e.subject) == std::minmax(client, away.server);
        if (both && (kind == EventKind::ConnectionRestored || e.value >= 0)) return true;
    }
    return false;
}

/// The server that decided alone before row `end`, though it may have died since; kNoEntity: several decided together.
EntityId lastDecider(EntityId lock, std::size_t end, const Trace& trace) {
    if (const EntityId own = trace.entity(lock).parent; own != trace::kNoEntity) return own;
    for (std::size_t row = end; row-- > trace::firstRowBefore(end);) {
        if (trace.kindAt(row) != EventKind::RecordDecider) continue;
        const trace::Event e = trace.at(row);
        if (e.subject == lock && (e.actor != trace::kNoEntity || e.value != 0)) return e.actor;
    }
    return trace::kNoEntity;
}

/// The one deciding server, if it was away when the release came to it.
void readServerOfRelease(Obstacle& o, const Violation& v, std::size_t sent, const Trace& trace) {
    const EntityId server = lastDecider(v.lock, sent, trace);
    if (server == trace::kNoEntity) return;
    const std::size_t answered = answerOf(o, v, sent, trace), end = endOf(v, trace);
    Obstacle::Away away;
    for (std::size_t row = trace::firstRowBefore(sent); row < end; ++row) {
        const bool isAway = away.server != trace::kNoEntity && !away.back;
        if (row >= answered && !isAway) break;
        if (!isServersLife(trace.kindAt(row)) || trace.at(row).actor != server) continue;
        follow(away, trace.at(row));
        if (row > sent && away.back) break;
    }
    if (away.server == trace::kNoEntity) return;
    const Nanos at{trace.timeAt(sent)}, last{trace.timeAt(std::max(answered, sent + 1) - 1)};
    const bool back = away.back && *away.back <= at;
    o.releaseOnDeadConnection = back && away.powerLost && !heardFrom(trace.clientOf(o.owner), away, sent, trace);
    if (o.releaseOnDeadConnection || (!back && away.stopped.value_or(away.died.value_or(kNever)) <= last))
        o.releaseAway = away;
}

/// The cut that a release ran into, which the owner sent at row `sent`: it was there, or came before an answer did.
void readCutOfRelease(Obstacle& o, const Violation& v, std::size_t sent, const Trace& trace) {
    const EntityId client = trace.clientOf(o.owner);
    const std::size_t end = endOf(v, trace);
    std::map<EntityId, Nanos> cut = cutFromDeciders(client, v.lock, sent + 1, trace);
    std::size_t row = sent + 1;
    for (const std::size_t answered = answerOf(o, v, sent, trace); row < answered && cut.empty(); ++row)
        if (trace.kindAt(row) == EventKind::LinkCut) cut = cutFromDeciders(client, v.lock, row + 1, trace);
    for (const auto& [server, since] : cut) {
        o.releaseCutFrom.push_back(server);
        o.releaseCutSince = std::max(o.releaseCutSince, since);
    }
    for (; row < end && !cut.empty() && !o.releaseCutUntil; ++row) {
        const EventKind kind = trace.kindAt(row);
        if (kind != EventKind::LinkMended && kind != EventKind::Healed) continue;
        const trace::Event e = trace.at(row);
        const bool its = kind == EventKind::LinkMended && trace.entity(e.subject).parent == client &&
                         cut.contains(trace.entity(e.subject).other);
        if (its || kind == EventKind::Healed) o.releaseCutUntil = e.time();
    }
}

/// The row that ended the wait or the hold of an owner that does not believe in its entry: the first one since it got
/// the entry, as later requests of it may have failed, too. A request that it made before it got the entry, and that it
/// still waits for, ended in no row.
void readOwnersGivingUp(Obstacle& o, const Violation& v, Nanos since, const Trace& trace) {
    const std::size_t begin = std::min(v.row, trace.size());
    std::size_t gaveUp = begin;
    bool answered = false; // a release that left it with a hold
    for (std::size_t row = begin; row-- > trace::firstRowBefore(begin);) {
        const EventKind kind = trace.kindAt(row);
        if (!isBelief(kind)) continue;
        const trace::Event e = trace.at(row);
        if (e.actor != o.owner || e.subject != v.lock) continue;
        if (kind == EventKind::Granted || kind == EventKind::Reentered) break;
        if (kind == EventKind::Requested && e.time() <= since) break;
        if (kind == EventKind::Released) answered = true;
        const bool ends = kind == EventKind::AcquireFailed || kind == EventKind::TimedOut ||
                          kind == EventKind::Interrupted || kind == EventKind::Lost;
        if (ends || (kind == EventKind::ReleaseSent && !std::exchange(answered, false))) gaveUp = row;
    }
    if (gaveUp == begin) return;
    o.ownerGaveUp = trace.at(gaveUp);
    if (o.ownerGaveUp->kind != EventKind::ReleaseSent) return;
    readCutOfRelease(o, v, gaveUp, trace);
    if (o.releaseCutFrom.empty()) readServerOfRelease(o, v, gaveUp, trace);
}

/// The owner by the record, as far back as it takes: one without an expiry may have got the lock a long time ago.
void readOwner(Obstacle& o, const Violation& v, const Trace& trace) {
    const std::size_t rows = std::min(v.row, trace.size());
    bool known = false;
    Nanos since{};
    for (std::size_t row = rows; row-- > 0;) {
        const EventKind kind = trace.kindAt(row);
        const bool moves = kind == EventKind::RecordRenewed || kind == EventKind::RecordDeadline;
        if (!moves && kind != EventKind::RecordHeld && kind != EventKind::RecordFreed) continue;
        const trace::Event e = trace.at(row);
        if (e.subject != v.lock) continue;
        if (kind == EventKind::RecordFreed && !known) return;
        if (kind != EventKind::RecordFreed) {
            if (!known) o.deadline = e.value;
            o.owner = e.actor; // in the end that of the row at which it got the lock
            known = true;
            since = e.time();
            o.ownerRenewed = o.ownerRenewed || kind == EventKind::RecordRenewed;
        }
        if (!moves) break;
    }
    if (o.owner == trace::kNoEntity) return;
    const EntityId client = trace.clientOf(o.owner);
    for (std::size_t row = rows; row-- > 0;) {
        const EventKind kind = trace.kindAt(row);
        if (kind == EventKind::Healed) break;
        if (kind != EventKind::ClientKilled && kind != EventKind::ClientStarted && kind != EventKind::WorkHung)
            continue;
        const trace::Event e = trace.at(row);
        if (e.actor != client) continue;
        if (kind == EventKind::ClientKilled) o.ownerDied = e.time();
        if (kind == EventKind::WorkHung && !o.ownerHung) o.ownerHung = std::max(e.time(), since);
        if (kind == EventKind::ClientKilled || e.time() <= since) break;
        // A process that was started anew has nothing to do with what the former one left.
        if (kind == EventKind::ClientStarted) o.ownerHung.reset();
    }
    if (o.ownerDied) o.ownerHung.reset();
    readOwnersSleep(o, v, since, trace);
    readOwnersGivingUp(o, v, since, trace);
}

void readDeadWaiter(Obstacle& o, const Violation& v, const Trace& trace) {
    const std::size_t end = std::min(v.row, trace.size());
    std::int64_t queued = -1;
    std::map<EntityId, Nanos> waiting; // since when
    std::vector<std::tuple<Nanos, EntityId, Nanos>> dead;
    for (std::size_t row = trace::firstRowBefore(end); row < end; ++row) {
        const EventKind kind = trace.kindAt(row);
        if (isMessage(kind) || isEffect(kind)) continue;
        const trace::Event e = trace.at(row);
        if (kind == EventKind::ClientKilled) {
            std::erase_if(waiting, [&](const auto& waiter) {
                const bool gone = trace.clientOf(waiter.first) == e.actor;
                if (gone) dead.emplace_back(waiter.second, waiter.first, e.time());
                return gone;
            });
        }
        if (e.subject != v.lock) continue;
        if (kind == EventKind::RecordWaiters) queued = e.value;
        if (kind == EventKind::Requested)
            waiting.emplace(e.actor, e.time());
        else if (isBelief(kind))
            waiting.erase(e.actor);
    }
    if (dead.empty() || queued <= std::int64_t(waiting.size())) return;
    std::tie(std::ignore, o.deadWaiter, o.waiterDied) = *std::ranges::min_element(dead);
}

/// The server's queue is told in its order, and a waiter in front that cannot hear takes nothing.
void readDeafWaiter(Obstacle& o, const Violation& v, const Trace& trace) {
    const std::size_t end = std::min(v.row, trace.size());
    std::vector<EntityId> queue;
    std::map<EntityId, Nanos> asleep; // clients
    for (std::size_t row = trace::firstRowBefore(end); row < end; ++row) {
        const EventKind kind = trace.kindAt(row);
        if (kind == EventKind::Healed) asleep.clear();
        const bool queues = kind == EventKind::RecordQueued || kind == EventKind::RecordUnqueued;
        if (!queues && !isLife(kind)) continue;
        const trace::Event e = trace.at(row);
        if (kind == EventKind::ClientPaused) asleep.emplace(e.actor, e.time());
        if (kind == EventKind::ClientResumed || kind == EventKind::ClientKilled) asleep.erase(e.actor);
        if (!queues || e.subject != v.lock) continue;
        std::erase(queue, e.actor);
        const std::size_t place = std::min(std::size_t(std::max(e.value, std::int64_t(0))), queue.size());
        if (kind == EventKind::RecordQueued) queue.insert(queue.begin() + std::ptrdiff_t(place), e.actor);
    }
    if (queue.empty()) return;
    const EntityId client = trace.clientOf(queue.front());
    const auto sleep = asleep.find(client);
    const std::map<EntityId, Nanos> cut = cutFromDeciders(client, v.lock, end, trace);
    if (sleep == asleep.end() && cut.empty()) return;
    o.deafWaiter = queue.front();
    o.deafByPause = sleep != asleep.end();
    o.deafSince = o.deafByPause ? sleep->second : cut.begin()->second;
}

void readSlowLinks(Obstacle& o, const Violation& v, const Trace& trace) {
    std::set<EntityId> waiters;
    for (const EntityId thread : v.actors)
        waiters.insert(trace.clientOf(thread));
    const std::size_t end = std::min(v.row, trace.size());
    std::map<EntityId, trace::Event> slow; // by link
    for (std::size_t row = trace::firstRowBefore(end); row < end; ++row) {
        const EventKind kind = trace.kindAt(row);
        if (kind == EventKind::Healed) slow.clear();
        if (kind != EventKind::LinkDelayed) continue;
        const trace::Event e = trace.at(row);
        if (!waiters.contains(trace.entity(e.subject).parent)) continue;
        slow.erase(e.subject);
        if (e.value > 0) slow.emplace(e.subject, e);
    }
    o.slowSince = kNever;
    std::set<EntityId> servers;
    for (const auto& [link, e] : slow) {
        servers.insert(trace.entity(link).other);
        o.slowBy = std::max(o.slowBy, Nanos(e.value));
        o.slowSince = std::min(o.slowSince, e.time());
    }
    o.slowServers.assign(servers.begin(), servers.end());
    for (std::size_t row = end, last = endOf(v, trace); row < last && !slow.empty(); ++row) {
        const EventKind kind = trace.kindAt(row);
        if (kind != EventKind::LinkDelayed && kind != EventKind::Healed) continue;
        const trace::Event e = trace.at(row);
        if (kind == EventKind::Healed)
            slow.clear();
        else if (e.value <= 0)
            slow.erase(e.subject);
        if (slow.empty()) o.slowUntil = e.time();
    }
}

/// Whether the row says that a pool has no connection left, or has one again; nullopt: it tells of something else.
struct PoolNews {
    bool empty = false, taken = false;
};
std::optional<PoolNews> poolNews(const trace::Event& e, const Trace& trace) {
    if (e.kind == EventKind::Healed) return PoolNews{};
    if (e.kind == EventKind::SettingChanged) {
        const QByteArray text = trace.entity(e.aux).name;
        if (text == trace::kPoolTaken) return PoolNews{.empty = true, .taken = true};
        if (text == trace::kPoolGivenBack) return PoolNews{};
    } else if (e.kind == EventKind::ServerTold) {
        if (const auto left = trace::toldValue(trace.entity(e.aux).name, trace::kPoolHasConnections))
            return PoolNews{.empty = *left == "no"};
    }
    return {};
}

void readPool(Obstacle& o, const Violation& v, const Trace& trace) {
    const EntityId node = trace.entity(v.lock).parent;
    const auto newsAt = [&](std::size_t row) -> std::optional<PoolNews> {
        const EventKind kind = trace.kindAt(row);
        if (kind != EventKind::Healed && kind != EventKind::SettingChanged && kind != EventKind::ServerTold) return {};
        const trace::Event e = trace.at(row);
        return kind == EventKind::Healed || node == trace::kNoEntity || e.actor == node ? poolNews(e, trace)
                                                                                        : std::nullopt;
    };
    const std::size_t begin = std::min(v.row, trace.size());
    for (std::size_t row = trace::firstRowBefore(begin); row < begin; ++row) {
        const std::optional<PoolNews> news = newsAt(row);
        if (!news) continue;
        const trace::Event e = trace.at(row);
        // Strangers that have taken all of it keep it, whatever clients notice of that.
        if (news->empty && o.poolTaken) continue;
        if (!news->empty && o.poolTaken && e.kind == EventKind::ServerTold) continue;
        if (news->empty && (o.pool == trace::kNoEntity || news->taken)) o.poolEmptySince = e.time();
        o.pool = news->empty ? e.actor : trace::kNoEntity;
        o.poolTaken = news->taken;
    }
    for (std::size_t row = begin, end = endOf(v, trace); row < end && o.pool && !o.poolEmptyUntil; ++row) {
        const std::optional<PoolNews> news = newsAt(row);
        if (news && !news->empty && (!o.poolTaken || trace.kindAt(row) != EventKind::ServerTold))
            o.poolEmptyUntil = trace.at(row).time();
    }
}

/// Disks that stood still when the bound passed, or since the lock changed hands for the last time.
void readDisks(Obstacle& o, const Violation& v, const Trace& trace) {
    const std::size_t begin = std::min(v.row, trace.size());
    const std::vector<EntityId> servers = decidingServers(v.lock, begin, trace);
    std::map<EntityId, Chronicle::Span> stalls; // the last one of each server
    Nanos changed{};
    for (std::size_t row = trace::firstRowBefore(begin), end = endOf(v, trace); row < end; ++row) {
        const EventKind kind = trace.kindAt(row);
        const bool ofDisk = kind == EventKind::SettingChanged || kind == EventKind::Healed;
        const bool moves = row < begin && (kind == EventKind::RecordHeld || kind == EventKind::RecordFreed);
        if (!ofDisk && !moves) continue;
        const trace::Event e = trace.at(row);
        if (moves && e.subject == v.lock) changed = e.time();
        if (!ofDisk) continue;
        const bool healed = kind == EventKind::Healed;
        const QByteArray text = healed ? QByteArray() : trace.entity(e.aux).name;
        if (text == "disk=stalled" && row < begin && std::ranges::find(servers, e.actor) != servers.end())
            stalls.insert_or_assign(e.actor, Chronicle::Span{e.time()});
        else if (healed || text == "disk=free")
            for (auto& [server, stall] : stalls)
                if ((healed || server == e.actor) && stall.to == kNever) stall.to = e.time();
    }
    for (const auto& [server, stall] : stalls) {
        if (stall.to < changed) continue;
        o.stalledDisks.push_back(server);
        o.stalledSince = std::max(o.stalledSince, stall.from);
        if (stall.to != kNever) o.stalledUntil = std::min(o.stalledUntil.value_or(stall.to), stall.to);
    }
    if (o.stalledUntil && *o.stalledUntil <= o.stalledSince) o.stalledDisks.clear(); // never all at once
    o.mostStalled = 2 * o.stalledDisks.size() > servers.size();
}

/// Servers that were away just before the bound passed, or while it ran.
void readAway(Obstacle& o, const Violation& v, const Trace& trace) {
    const std::size_t end = std::min(v.row, trace.size());
    const EntityId own = trace.entity(v.lock).parent;
    const auto keeps = [&](EntityId node) {
        if (own != trace::kNoEntity) return node == own;
        for (EntityId id = 1; id < trace.entityCount(); ++id)
            if (trace.copyOf(id) == v.lock && trace.entity(id).parent == node) return true;
        return false;
    };
    std::map<EntityId, Obstacle::Away> all;
    std::optional<Nanos> held; // until when somebody had it by the record
    for (std::size_t row = trace::firstRowBefore(end); row < end; ++row) {
        const EventKind kind = trace.kindAt(row);
        if (kind == EventKind::RecordFreed && trace.at(row).subject == v.lock) held = trace.at(row).time();
        if (!isServersLife(kind)) continue;
        const trace::Event e = trace.at(row);
        if (!keeps(e.actor)) continue;
        follow(all[e.actor], e);
    }
    const auto counts = [&](const Obstacle::Away& away) {
        return away.server != trace::kNoEntity && (!held || !away.back || *away.back >= *held);
    };
    for (const auto& [server, away] : all)
        if (counts(away) && (o.away.server == trace::kNoEntity || away.powerLost)) o.away = away;
}

} // namespace

Obstacle obstacleTo(const Violation& violation, const Trace& trace) {
    Obstacle o;
    readOwner(o, violation, trace);
    readDisks(o, violation, trace);
    if (o.owner != trace::kNoEntity) {
        readOwnersEnd(o, violation, trace);
        return o;
    }
    readDeadWaiter(o, violation, trace);
    readDeafWaiter(o, violation, trace);
    readSlowLinks(o, violation, trace);
    readPool(o, violation, trace);
    readAway(o, violation, trace);
    return o;
}

} // namespace lockscope::verdict
