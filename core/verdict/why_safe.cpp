// SPDX-License-Identifier: Apache-2.0
#include "verdict/why_safe.h"

#include "trace/time_text.h"
#include "verdict/words.h"

#include <QCoreApplication>
#include <optional>
#include <set>

namespace lockscope::verdict {

using trace::EntityId;
using trace::Event;
using trace::EventKind;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Verdict)
};

constexpr std::size_t kFarthest = 50'000;    // rows back from an instant: a small part of a millisecond
constexpr std::size_t kOldestRole = 500'000; // rows back from a death: a leader may have led for long

/// A leader's death while a client held a lock, and what came of it.
struct Story {
    EntityId former = trace::kNoEntity; ///< the server that died
    Nanos died{};
    bool leads = false; ///< it was a leader, no master
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
    case EventKind::ReleaseSent:
        return e.aux == 0 || e.kind == EventKind::ReleaseSent;
    case EventKind::Lost:
    case EventKind::ReleaseRefused:
    case EventKind::ReleaseFailed:
        return true;
    default:
        return false;
    }
}

/// The role that a server was last told to have before row `end`; empty: not known.
QByteArray roleBefore(EntityId server, std::size_t end, const trace::Trace& trace) {
    const std::size_t last = end > kOldestRole ? end - kOldestRole : 0;
    for (std::size_t i = end; i-- > last;) {
        if (trace.kindAt(i) != EventKind::NodeRole) continue;
        if (const Event e = trace.at(i); e.actor == server) return trace.entity(e.aux).name;
    }
    return {};
}

/// The row of the latest death of a leading server before row `end`.
std::optional<std::size_t> deathBefore(std::size_t end, const trace::Trace& trace) {
    const std::size_t last = end > kFarthest ? end - kFarthest : 0;
    for (std::size_t i = end; i-- > last;) {
        if (trace.kindAt(i) != EventKind::NodeKilled) continue;
        if (isLeading(roleBefore(trace.at(i).actor, i, trace))) return i;
    }
    return {};
}

/// Fills in who held a lock, exclusively, at row `row`; false: nobody.
bool findHolder(Story& story, std::size_t row, const trace::Trace& trace) {
    const std::size_t last = row > kFarthest ? row - kFarthest : 0;
    std::set<std::pair<EntityId, EntityId>> ended;
    for (std::size_t i = row; i-- > last;) {
        const EventKind kind = trace.kindAt(i);
        if (kind < EventKind::Granted || kind > EventKind::ReleaseSent) continue;
        const Event e = trace.at(i);
        if (endsBelief(e)) ended.insert({e.subject, e.actor});
        if (kind != EventKind::Granted || ended.contains({e.subject, e.actor})) continue;
        story.lock = e.subject;
        story.holder = e.actor;
        return i == 0 || trace.kindAt(i - 1) != EventKind::GrantedAs; // shared, or permits: several may hold it
    }
    return false;
}

/// Whether a story is told when the next holder is done, too.
enum class Over : std::uint8_t { Dropped, Told };

/// The story of the death at row `death`, as far as row `end` (the first one that has not happened yet).
std::optional<Story> storyOf(std::size_t death, std::size_t end, Over over, const trace::Trace& trace) {
    const Event killed = trace.at(death);
    const QByteArray role = roleBefore(killed.actor, death, trace);
    Story story{.former = killed.actor, .died = killed.time(), .leads = role == "leader"};
    if (!findHolder(story, death, trace)) return {};
    bool holds = true;
    for (std::size_t i = death + 1; i < end; ++i) {
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
        if (e.subject != story.lock) continue;
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
    return story;
}

QString tell(const trace::Trace& trace, Nanos at, Over over) {
    const std::size_t end = trace.upperBound(at);
    const auto death = deathBefore(end, trace);
    if (!death) return {};
    const auto story = storyOf(*death, end, over, trace);
    if (!story) return {};
    const auto time = [](Nanos t) { return instantText(t); };
    const QString former = trace.displayName(story->former), holder = actorText(story->holder, trace);
    const QString died = (story->leads ? Words::tr("The leader %1 died at %2 while %3 held %4.")
                                       : Words::tr("The master %1 died at %2 while %3 held %4."))
                             .arg(former, time(story->died), holder, trace.displayName(story->lock));
    const bool itself = story->successor == trace::kNoEntity && story->back != kNever;
    if (story->successor == trace::kNoEntity && !itself)
        return paragraph({died, Words::tr("Until another server takes over, nobody can get in.")});
    const QString took =
        itself
            ? Words::tr("%1 was back at %2 and knew the holder, so nobody else got in.").arg(former, time(story->back))
            : Words::tr("%1 took over at %2 and knew the holder, so nobody else got in.")
                  .arg(trace.displayName(story->successor), time(story->took));
    if (story->next == trace::kNoEntity) return paragraph({died, took});
    return paragraph({died, took,
                      Words::tr("%1 got the lock at %2, after %3 had given it back.")
                          .arg(actorText(story->next, trace), time(story->granted), holder)});
}

} // namespace

QString whySafe(const trace::Trace& trace, Nanos at) {
    return tell(trace, at, Over::Dropped);
}

QString whyItWasSafe(const trace::Trace& trace, Nanos at) {
    return tell(trace, at, Over::Told);
}

} // namespace lockscope::verdict
