// SPDX-License-Identifier: Apache-2.0
#include "verdict/why_safe.h"

#include "trace/death.h"
#include "trace/look_back.h"
#include "trace/part_release.h"
#include "trace/time_text.h"
#include "verdict/failover_story.h"
#include "verdict/standstill.h"
#include "verdict/words.h"

#include <optional>
#include <set>

namespace lockscope::verdict {

using trace::EntityId;
using trace::Event;
using trace::EventKind;

namespace {

/// A leader's death, or its replacement while it ran, while a client held a lock, and what came of it.
struct Story {
    EntityId former = trace::kNoEntity; ///< the server that died or was replaced
    Nanos died{};                       ///< or was replaced
    bool leads = false;                 ///< it was a leader, no master
    bool replaced = false;              ///< it did not die
    bool crashed = false;               ///< its machine did, and not only its process
    EntityId lock = trace::kNoEntity, holder = trace::kNoEntity;
    EntityId successor = trace::kNoEntity; ///< the server that took over; kNoEntity: none so far
    Nanos took{};
    Nanos back = kNever;              ///< when the server that died led again, before any other did
    EntityId next = trace::kNoEntity; ///< the thread that got the lock next; kNoEntity: none so far
    Nanos granted{}, gaveBack{};
};

bool isLeading(const QByteArray& role) {
    return role == "leader" || role == "master";
}

bool endsBelief(const Event& e) {
    switch (e.kind) {
    case EventKind::Released:
        return e.aux == 0;
    case EventKind::ReleaseSent:
        return !trace::givesBackPart(e);
    case EventKind::Lost:
    case EventKind::ReleaseRefused:
    case EventKind::ReleaseFailed:
        return true;
    default:
        return false;
    }
}

/// A client that died, or whose release did not come off, has not given the lock back.
bool tookItAlong(const Event& e, const Story& story, const trace::Trace& trace) {
    if (e.kind == EventKind::ClientKilled) return e.actor == trace.clientOf(story.holder);
    const bool own = e.subject == story.lock && e.actor == story.holder;
    return own &&
           (e.kind == EventKind::ReleaseFailed || e.kind == EventKind::ReleaseRefused || e.kind == EventKind::Lost);
}

/// The role that a server was last told to have before row `end`; empty: not known.
QByteArray roleBefore(EntityId server, std::size_t end, const trace::Trace& trace) {
    const std::size_t last = trace::firstRowBefore(end); // a leader may have led for long
    for (std::size_t i = end; i-- > last;) {
        if (trace.kindAt(i) != EventKind::NodeRole) continue;
        if (const Event e = trace.at(i); e.actor == server) return trace.entity(e.aux).name;
    }
    return {};
}

/// The server that led, and ran, until another was told at row `row` to lead; kNoEntity: there was none.
EntityId replacedAt(std::size_t row, const trace::Trace& trace) {
    const EntityId next = trace.at(row).actor;
    std::set<EntityId> dead;
    const std::size_t last = trace::firstRowBefore(row); // a leader may have led for long
    for (std::size_t i = row; i-- > last;) {
        const EventKind kind = trace.kindAt(i);
        if (kind != EventKind::NodeRole && kind != EventKind::NodeKilled) continue;
        const Event e = trace.at(i);
        if (kind == EventKind::NodeKilled) dead.insert(e.actor);
        if (kind != EventKind::NodeRole || !isLeading(trace.entity(e.aux).name)) continue;
        return e.actor == next || dead.contains(e.actor) ? trace::kNoEntity : e.actor;
    }
    return trace::kNoEntity;
}

/// The row of the latest death or replacement of a leading server before row `end`.
std::optional<std::size_t> lossBefore(std::size_t end, const trace::Trace& trace) {
    const std::size_t last = trace::firstRowBefore(end, trace::kNear);
    for (std::size_t i = end; i-- > last;) {
        const EventKind kind = trace.kindAt(i);
        if (kind == EventKind::NodeKilled && isLeading(roleBefore(trace.at(i).actor, i, trace))) return i;
        const bool leads = kind == EventKind::NodeRole && isLeading(trace.entity(trace.at(i).aux).name);
        if (leads && replacedAt(i, trace) != trace::kNoEntity) return i;
    }
    return {};
}

/// The servers that keep a lock and agree by majority.
struct Majority {
    std::size_t all = 0, running = 0;
    Nanos lost{}; ///< since when there is none, if so
    bool isThere() const { return running > all / 2; }
};

Majority majorityOf(EntityId lock, std::size_t end, const trace::Trace& trace) {
    std::set<EntityId> unsure; // of which nothing was read yet
    for (EntityId id = 1; id < trace.entityCount(); ++id)
        if (trace.copyOf(id) == lock) unsure.insert(trace.entity(id).parent);
    Majority m{.all = unsure.size()};
    std::vector<Nanos> stopped;                          // the latest first
    const std::size_t last = trace::firstRowBefore(end); // a leader may have led for long
    for (std::size_t i = end; i-- > last && !unsure.empty();) {
        const EventKind kind = trace.kindAt(i);
        const bool stops = kind == EventKind::NodeKilled || kind == EventKind::NodePaused;
        if (!stops && kind != EventKind::NodeStarted && kind != EventKind::NodeResumed) continue;
        const Event e = trace.at(i);
        if (unsure.erase(e.actor) > 0 && stops) stopped.push_back(e.time());
    }
    m.running = m.all - stopped.size();
    if (!m.isThere() && !stopped.empty()) m.lost = *(stopped.rbegin() + std::ptrdiff_t(m.all - m.all / 2 - 1));
    return m;
}

/// Fills in who held a lock, exclusively, at row `row`; false: nobody.
bool findHolder(Story& story, std::size_t row, const trace::Trace& trace) {
    const std::size_t last = trace::firstRowBefore(row, trace::kNear);
    std::set<std::pair<EntityId, EntityId>> ended;
    std::set<EntityId> dead; // clients
    for (std::size_t i = row; i-- > last;) {
        const EventKind kind = trace.kindAt(i);
        if (kind == EventKind::ClientKilled) dead.insert(trace.at(i).actor);
        if (kind < EventKind::Granted || kind > EventKind::ReleaseSent) continue;
        const Event e = trace.at(i);
        if (endsBelief(e)) ended.insert({e.subject, e.actor});
        if (kind != EventKind::Granted || ended.contains({e.subject, e.actor})) continue;
        if (dead.contains(trace.clientOf(e.actor))) continue;
        story.lock = e.subject;
        story.holder = e.actor;
        return i == 0 || trace.kindAt(i - 1) != EventKind::GrantedAs; // shared, or permits: several may hold it
    }
    return false;
}

/// Whether a story is told when the next holder is done, too.
enum class Over : std::uint8_t { Dropped, Told };

/// The story of the loss at row `loss`, as far as row `end` (the first one that has not happened yet).
std::optional<Story> storyOf(std::size_t loss, std::size_t end, Over over, const trace::Trace& trace) {
    const Event lost = trace.at(loss);
    const bool replaced = lost.kind == EventKind::NodeRole;
    const QByteArray role = replaced ? trace.entity(lost.aux).name : roleBefore(lost.actor, loss, trace);
    Story story{.former = lost.actor,
                .died = lost.time(),
                .leads = role == "leader",
                .replaced = replaced,
                .crashed = trace::isCrash(lost)};
    if (replaced) {
        story.former = replacedAt(loss, trace);
        story.successor = lost.actor;
        story.took = lost.time();
    }
    if (!findHolder(story, loss, trace)) return {};
    // One that stood still while another was promoted is a master by its own word only.
    const EntityId decider = replaced ? trace::kNoEntity : deciderBefore(loss, story.lock, trace);
    if (decider != trace::kNoEntity && decider != story.former) return {};
    bool holds = true, confirmed = false; // confirmed: a server has freed it
    for (std::size_t i = loss + 1; i < end; ++i) {
        const Event e = trace.at(i);
        if (e.kind == EventKind::NodeRole && story.successor == trace::kNoEntity && e.actor != story.former &&
            trace.entity(e.aux).name == role) {
            story.successor = e.actor;
            story.took = e.time();
        }
        // A master that starts again is one until another is promoted; a leader has to be elected.
        const bool again = story.leads ? e.kind == EventKind::NodeRole && trace.entity(e.aux).name == role
                                       : e.kind == EventKind::NodeStarted;
        if (again && e.actor == story.former && story.successor == trace::kNoEntity)
            story.back = std::min(story.back, e.time());
        // Its lock stands on the servers, which keep everybody out for nobody: no safety, but a stall.
        if (tookItAlong(e, story, trace) && !confirmed) return {};
        if (e.subject != story.lock) continue;
        confirmed |= e.kind == EventKind::Released && e.aux == 0 && e.actor == story.holder;
        const bool withServer = trace::FreedBy(e.flags & trace::kFreedByMask) == trace::FreedBy::NodeLoss;
        if (e.kind == EventKind::RecordFreed && withServer && EntityId(e.aux) == story.holder) return {};
        if (endsBelief(e) && e.actor == story.holder && holds) {
            if (e.kind != EventKind::Released && e.kind != EventKind::ReleaseSent) return {}; // lost
            holds = false;
            story.gaveBack = e.time();
        }
        if (endsBelief(e) && e.actor == story.next) { // all of it is over
            if (over == Over::Dropped) return {};
            break;
        }
        if (e.kind != EventKind::Granted || story.next != trace::kNoEntity || e.actor == story.holder) continue;
        if (holds) return {}; // somebody got in twice
        story.next = e.actor;
        story.granted = e.time();
    }
    // A release that came while no server could take it: the next one knows a holder where there is none.
    const bool tookBefore = story.successor != trace::kNoEntity && story.took < story.gaveBack;
    const bool backBefore = story.back < story.gaveBack;
    if (!holds && !confirmed && !tookBefore && !backBefore) return {};
    return story;
}

/// %1 the server, %2 when, %3 the holder, %4 the lock.
QString lossWords(const Story& story) {
    if (story.crashed)
        return story.leads ? Words::tr("The leader %1 crashed at %2 while %3 held %4.")
                           : Words::tr("The master %1 crashed at %2 while %3 held %4.");
    return story.leads ? Words::tr("The leader %1 was killed at %2 while %3 held %4.")
                       : Words::tr("The master %1 was killed at %2 while %3 held %4.");
}

QString tell(const trace::Trace& trace, Nanos at, Over over) {
    const std::size_t end = trace.upperBound(at);
    const auto loss = lossBefore(end, trace);
    if (!loss) return {};
    const auto story = storyOf(*loss, end, over, trace);
    if (!story) return {};
    const auto time = [](Nanos t) { return instantText(t); };
    const QString former = trace.displayName(story->former), holder = actorText(story->holder, trace);
    const QString lock = trace.displayName(story->lock), successor = trace.displayName(story->successor);
    const Majority majority = majorityOf(story->lock, end, trace);
    QString now;
    const EntityId leading = story->successor != trace::kNoEntity ? story->successor
                             : story->back != kNever              ? story->former
                                                                  : trace::kNoEntity;
    const auto stopped = leading == trace::kNoEntity ? std::nullopt : standstillBefore(leading, end, trace);
    const bool still = stopped && stopped->kind == EventKind::NodePaused;
    if (story->leads && majority.all > 0 && !majority.isThere())
        now = Words::tr("There is no majority since %1 (%2 of %3 servers run): nobody can get in until one is back.")
                  .arg(time(majority.lost), QString::number(majority.running), QString::number(majority.all));
    else if (still)
        now =
            Words::tr("%1 has stood still since %2: nobody can get in until it goes on, or another server takes over.")
                .arg(trace.displayName(leading), time(stopped->time()));
    else if (story->next != trace::kNoEntity)
        now = Words::tr("%1 got the lock at %2, after %3 had given it back.")
                  .arg(actorText(story->next, trace), time(story->granted), holder);
    if (story->replaced)
        return paragraph({Words::tr("%1 took over from %2 at %3 while %4 held %5, and knew the holder, so nobody else "
                                    "got in.")
                              .arg(successor, former, time(story->took), holder, lock),
                          now});
    const QString died = lossWords(*story).arg(former, time(story->died), holder, lock);
    QString took;
    if (story->successor != trace::kNoEntity)
        took = Words::tr("%1 took over at %2 and knew the holder, so nobody else got in.")
                   .arg(successor, time(story->took));
    else if (story->back != kNever)
        took =
            Words::tr("%1 was back at %2 and knew the holder, so nobody else got in.").arg(former, time(story->back));
    else if (now.isEmpty() && majority.all > 0 && majority.running == 0)
        now = Words::tr("No other server runs that could take over: nobody can get in until one is back.");
    else if (now.isEmpty())
        now = Words::tr("Until another server takes over, nobody can get in.");
    return paragraph({died, took, now});
}

} // namespace

QString whySafe(const trace::Trace& trace, Nanos at) {
    return tell(trace, at, Over::Dropped);
}

QString whyItWasSafe(const trace::Trace& trace, Nanos at) {
    return tell(trace, at, Over::Told);
}

} // namespace lockscope::verdict
