// SPDX-License-Identifier: Apache-2.0
#include "verdict/queue_story.h"

#include "trace/look_back.h"
#include "trace/time_text.h"
#include "trace/trace_time.h"
#include "verdict/words.h"

#include <optional>

namespace lockscope::verdict {

using trace::EntityId;
using trace::Event;
using trace::EventKind;
using trace::Trace;

namespace {

/// A waiter's place in a server's queue, lost while it waited.
struct LostPlace {
    std::optional<Nanos> lost, again; ///< again: when it stood in the queue once more
    std::optional<Event> jump, death; ///< of the server, before that, while the client waited
};

LostPlace lostPlaceOf(EntityId late, const Violation& v, const Trace& trace) {
    LostPlace place;
    const EntityId server = trace.entity(v.lock).parent;
    const std::size_t end = std::min(v.row, trace.size());
    std::size_t begin = end;
    for (const std::size_t last = trace::firstRowBefore(end); begin > last; --begin) {
        if (trace.kindAt(begin - 1) != EventKind::Requested) continue;
        if (const Event e = trace.at(begin - 1); e.actor == late && e.subject == v.lock) break;
    }
    std::optional<Event> jump, death;
    for (std::size_t row = begin; row < end; ++row) {
        const EventKind kind = trace.kindAt(row);
        if (kind == EventKind::ClockJumped || kind == EventKind::NodeKilled) {
            const Event e = trace.at(row);
            if (server == trace::kNoEntity ? trace.entity(e.actor).kind != trace::EntityKind::Node : e.actor != server)
                continue;
            (kind == EventKind::ClockJumped ? jump : death) = e;
        } else if (kind == EventKind::RecordUnqueued || kind == EventKind::RecordQueued) {
            const Event e = trace.at(row);
            if (e.actor != late || e.subject != v.lock) continue;
            if (kind == EventKind::RecordUnqueued)
                place = {.lost = e.time(), .again = {}, .jump = jump, .death = death};
            else if (place.lost)
                place.again = e.time();
        }
    }
    return place;
}

} // namespace

QString lostPlaceText(const Violation& v, Nanos length, const Trace& trace) {
    const EntityId late = v.actors.back();
    const LostPlace place = lostPlaceOf(late, v, trace);
    if (!place.lost) return {};
    const auto at = [&](Nanos t) { return instantText(trace, t, length); };
    const QString who = actorText(late, trace);
    QString cause;
    if (place.jump)
        cause = Words::tr("The clock of %1 jumped at %2.")
                    .arg(trace.displayName(place.jump->actor), at(place.jump->time()));
    else if (place.death)
        cause = Words::tr("%1 died at %2.").arg(trace.displayName(place.death->actor), at(place.death->time()));
    const QString lost = place.again
                             ? Words::tr("%1 lost its place in the server's queue at %2, and stood in it again, behind "
                                         "others, at %3.")
                                   .arg(who, at(*place.lost), at(*place.again))
                             : Words::tr("%1 lost its place in the server's queue at %2.").arg(who, at(*place.lost));
    return paragraph({cause, lost});
}

} // namespace lockscope::verdict
