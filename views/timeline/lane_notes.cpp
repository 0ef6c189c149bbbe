// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lane_notes.h"

#include "timeline/span_at.h"
#include "trace/time_text.h"

#include <QCoreApplication>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

/// How a hold stands, from more to fewer words; of one whose end is not told "held by A" before the bare name.
QStringList heldWords(const TimelineData& data, const Span& span, std::int64_t t) {
    QStringList words = leaseLeftWords(data.trace(), span, t, data.never());
    if (!leaseOf(data.trace(), span).expires() && !(span.flags & kGuessFlag) && !words.isEmpty())
        words.insert(words.indexOf(words.back()), Timeline::tr("held by %1").arg(words.back()));
    return words;
}

} // namespace

bool waitsForEngines(const TimelineData& data, const Lane& lane, std::int64_t t) {
    const Span* const change = spanAt(data.engineSwitches(), t);
    const Span* const span = spanAt(lane.spans, t);
    if (!change || (span && t < lane.endOf(*span, data.now() + 1))) return false;
    const std::size_t past = lane.ticks.lowerBound(t + 1);
    return past > 0 && lane.ticks[past - 1].at >= change->from &&
           data.trace().kindAt(lane.ticks[past - 1].row) == trace::EventKind::Interrupted;
}

QStringList laneNotes(const TimelineData& data, const Lane& lane, std::int64_t t) {
    const QString whole = laneState(data, lane, t);
    const Span* const span = t > data.now() ? nullptr : spanAt(lane.spans, t);
    if (lane.kind == LaneKind::Record && span && RecordState(span->state) == RecordState::Held)
        return QStringList(whole) + heldWords(data, *span, t);
    if (lane.kind == LaneKind::Session && span) return {whole, sessionPhaseWords(trace::SessionPhase(span->state))};
    if (lane.kind != LaneKind::Belief) return {whole};
    const Span* const life = lane.life ? spanAt(lane.life->spans, t) : nullptr;
    const bool paused = life && LifePhase(life->state) == LifePhase::Paused;
    QStringList notes, brief;
    notes += whole;
    if (!span || t >= lane.endOf(*span, data.now() + 1) || (life && !paused)) {
        if (paused) notes += Timeline::tr("paused");
        return notes;
    }
    switch (BeliefState(span->state)) {
    case BeliefState::Waiting:
        brief = {Timeline::tr("waits %1").arg(lengthText(Nanos(span->from), Nanos(t))), Timeline::tr("waits")};
        break;
    case BeliefState::Holding:
        brief = {holdsWords(data, span->label, Digits::Last), Timeline::tr("holds")};
        if (const Span* const again = spanAt(lane.again, t)) brief.prepend(againWords(*again));
        break;
    case BeliefState::Stale:
        brief = {Timeline::tr("believes it holds"), Timeline::tr("still believes")};
        if (span->label != 0)
            brief.prepend(Timeline::tr("still believes it holds #%1").arg(numberText(data, span->label, Digits::Last)));
        break;
    }
    if (paused)
        for (const QString& words : std::as_const(brief))
            notes += Timeline::tr("paused; %1").arg(words);
    return notes + brief;
}

} // namespace lockscope::views
