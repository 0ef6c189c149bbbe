// SPDX-License-Identifier: GPL-3.0-or-later
#include "inspect/kept_by_words.h"
#include "models/change_words.h"
#include "models/engine_words.h"
#include "models/event_words.h"
#include "models/setting_words.h"
#include "models/told_violation.h"
#include "theme/format.h"
#include "timeline/violation_sentence.h"
#include "timeline/words.h"
#include "trace/death.h"
#include "trace/reason_words.h"
#include "trace/seen_restart.h"
#include "trace/time_text.h"
#include "verdict/why.h"

#include <QCoreApplication>

namespace lockscope::views {

using trace::EventKind;

namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

/// "8.3 s – 9.0 s (700 ms)", "8.3 s – now".
QString when(const trace::Trace& trace, const Span& span) {
    const Nanos from(span.from), to = span.open() ? kNever : Nanos(span.to);
    if (span.open()) return interval(trace, from, to);
    return Timeline::tr("%1 (%2)").arg(interval(trace, from, to), lengthText(from, to));
}

/// When a lease ends, as it stands: while it runs, a renewal may still move its end.
QString deadlineWords(const trace::Trace& trace, const Span& span, const Lease& lease) {
    const QString end = instant(trace, Nanos(lease.deadline));
    //: When a lease ends that runs yet: "12.5 s (unless renewed)".
    return span.open() ? Timeline::tr("%1 (unless renewed)").arg(end) : end;
}

QString textOf(const trace::Trace& trace, trace::EntityId id) {
    return trace.displayName(id);
}

/// Appends ": reason" where there is one.
QString because(const trace::Trace& trace, const QString& sentence, trace::EntityId reason) {
    const QString text = trace::reasonWords(textOf(trace, reason));
    return text.isEmpty() ? sentence : Timeline::tr("%1: %2").arg(sentence, text);
}

QString messageSentence(const trace::Trace& trace, const Tick& tick) {
    const trace::Event e = trace.at(tick.row);
    const QString from = trace.displayName(e.actor), to = trace.displayName(e.subject), text = textOf(trace, e.aux);
    QString words;
    switch (e.kind) {
    case EventKind::Request:
        words = Timeline::tr("%1 asks %2: %3").arg(from, to, text);
        break;
    case EventKind::Reply:
        if (trace::isRefusal(e)) return Timeline::tr("%1 is dead: its machine refuses what %2 asks").arg(from, to);
        words = Timeline::tr("%1 answers %2: %3").arg(from, to, text);
        break;
    case EventKind::Push:
    case EventKind::PeerMessage:
        words = Timeline::tr("%1 tells %2: %3").arg(from, to, text);
        break;
    case EventKind::ConnectionLost:
        return because(trace, Timeline::tr("%1 lost its connection to %2").arg(from, to), e.aux);
    case EventKind::ConnectionRestored:
        return Timeline::tr("%1 is connected to %2 again").arg(from, to);
    default:
        return {};
    }
    if (e.value == -1) return Timeline::tr("%1 (lost on the way)").arg(words);
    return e.value < 0 ? words : Timeline::tr("%1 (%2 on the way)").arg(words, duration(Nanos(e.value)));
}

/// The sentence about a lock's record: its facts, and the facts that it lacks.
QString recordSentence(const TimelineData& data, const Lane& lane, const Span& span, const QString& lock) {
    const trace::Trace& trace = data.trace();
    const Lease lease = leaseOf(trace, span);
    const QString holder = trace.displayName(lease.owner);
    // The start of a hold that was there before us is unknown.
    const std::optional<trace::Event> full = leaseRow(trace, span);
    const bool renewed = full && full->kind == EventKind::RecordRenewed;
    QStringList sentences;
    const inspect::KeptBy kept = lease.endKnown() ? inspect::KeptBy::NotTold : keptBy(trace, lane, span);
    if (kept != inspect::KeptBy::NotTold)
        sentences += inspect::keptByText(kept, inspect::KeptByUse::Sentence).arg(lock, holder, when(trace, span));
    else if (!lease.endKnown())
        sentences += Timeline::tr("%1 is held by %2; its format does not say until when: %3")
                         .arg(lock, holder, when(trace, span));
    else if (!lease.expires() && data.never() == TimelineData::Never::HeldBack)
        sentences += Timeline::tr("%1 is held by %2: %3").arg(lock, holder, when(trace, span));
    else if (!lease.expires())
        sentences += Timeline::tr("%1 is held by %2 and never expires: %3").arg(lock, holder, when(trace, span));
    else
        sentences += (!lease.lengthKnown && !renewed
                          ? Timeline::tr("%1 was held by %2 already when first seen at %3, expires at %4: %5")
                      : renewed ? Timeline::tr("%1 is held by %2, renewed at %3, expires at %4: %5")
                                : Timeline::tr("%1 is held by %2 since %3, expires at %4: %5"))
                         .arg(lock, holder, instant(trace, Nanos(lease.from)), deadlineWords(trace, span, lease),
                              when(trace, span));
    if (lease.expires() && !lease.fractionKnown())
        sentences += Timeline::tr("The length of its lease is not known, so it is hatched and has no wedge.");
    if (span.flags & kGuessFlag) sentences += Timeline::tr("That this key is a lock is only a guess.");
    return sentences.join(QLatin1Char('\n'));
}

} // namespace

QString spanSentence(const TimelineData& data, const Lane& lane, const Span& span) {
    const trace::Trace& trace = data.trace();
    const QString who = laneTitle(data, lane);
    switch (lane.kind) {
    case LaneKind::Belief: {
        const QString lock = textOf(trace, lane.other);
        switch (BeliefState(span.state)) {
        case BeliefState::Waiting:
            return Timeline::tr("%1 waits for %2: %3").arg(who, lock, when(trace, span));
        case BeliefState::Holding:
            if (span.label == 0) return Timeline::tr("%1 holds %2: %3").arg(who, lock, when(trace, span));
            return Timeline::tr("%1 holds %2 as #%3: %4")
                .arg(who, lock, numberText(data, span.label), when(trace, span));
        case BeliefState::Stale:
            if (span.label == 0)
                return Timeline::tr("%1 still believes it holds %2, but the record says otherwise: %3")
                    .arg(who, lock, when(trace, span));
            return Timeline::tr("%1 still believes it holds %2 (#%3), but the record says otherwise: %4")
                .arg(who, lock, numberText(data, span.label), when(trace, span));
        }
        break;
    }
    case LaneKind::Copy:
    case LaneKind::Record: {
        if (RecordState(span.state) == RecordState::Unobserved && endsShowing(trace, span))
            return Timeline::tr("%1 was no longer seen: nobody waited for it, and its server shows it only then: %2")
                .arg(who, when(trace, span));
        if (RecordState(span.state) == RecordState::Unobserved && copyIsDead(lane, span.from))
            //: %1 a server's copy of a lock, %2 from when to when.
            return Timeline::tr("%1: its server was dead, %2").arg(who, when(trace, span));
        if (RecordState(span.state) == RecordState::Unobserved)
            return Timeline::tr("%1 was not observed: %2").arg(who, when(trace, span));
        return recordSentence(data, lane, span, who);
    }
    case LaneKind::Node:
        switch (NodePhase(span.state)) {
        case NodePhase::Up:
            return Timeline::tr("%1 is up: %2").arg(who, when(trace, span));
        case NodePhase::Paused:
            return Timeline::tr("%1 is paused: %2").arg(who, when(trace, span));
        case NodePhase::Down:
            return Timeline::tr("%1 is down: %2").arg(who, when(trace, span));
        case NodePhase::Unseen:
            return Timeline::tr("%1 was not observed: %2").arg(who, when(trace, span));
        }
        break;
    case LaneKind::Link:
        return LinkPhase(span.state) == LinkPhase::Cut ? Timeline::tr("%1 is cut: %2").arg(who, when(trace, span))
                                                       : Timeline::tr("%1 is slow: %2").arg(who, when(trace, span));
    case LaneKind::Clock:
        return Timeline::tr("%1: %2").arg(clockState(data, lane, span.from), when(trace, span));
    case LaneKind::Session:
        return Timeline::tr("%1: %2").arg(sessionState(data, lane, span.from), when(trace, span));
    case LaneKind::Watchers:
    case LaneKind::Effect:
        break;
    }
    return {};
}

QString againSentence(const TimelineData& data, const Lane& lane, const Span& again) {
    const trace::Trace& trace = data.trace();
    const QString who = laneTitle(data, lane), lock = textOf(trace, lane.other);
    switch (Again(again.state)) {
    case Again::Times:
        return Timeline::tr("%1 has taken %2 %3 times: %4")
            .arg(who, lock, QString::number(again.label), when(trace, again));
    case Again::Asks:
        return Timeline::tr("%1 asks again for %2, which it holds: %3").arg(who, lock, when(trace, again));
    case Again::WaitsItself:
        break;
    }
    return Timeline::tr("%1 asks again for %2, which it holds itself: %3").arg(who, lock, when(trace, again));
}

QString tickSentence(const TimelineData& data, const Lane& lane, const Tick& tick) {
    const trace::Trace& trace = data.trace();
    const trace::Event e = trace.at(tick.row);
    const QString at = instant(trace, Nanos(tick.at)), who = trace.displayName(e.actor);
    switch (lane.kind) {
    case LaneKind::Belief:
        switch (BeliefTick(tick.kind)) {
        case BeliefTick::GaveUp:
            return Timeline::tr("%1: %2 gave up waiting").arg(at, who);
        case BeliefTick::Refused:
            return Timeline::tr("%1: %2 asked for the lock; %3").arg(at, who, refusedWords(trace, tick));
        case BeliefTick::Lost:
            return because(trace, Timeline::tr("%1: %2 learned that it lost the lock").arg(at, who), e.aux);
        case BeliefTick::RenewFailed:
            return because(trace, Timeline::tr("%1: %2 got no answer to its renewal").arg(at, who), e.aux);
        }
        break;
    case LaneKind::Copy:
    case LaneKind::Record:
        return Timeline::tr("%1: %2").arg(at, recordTickWords(trace, tick));
    case LaneKind::Watchers:
        return watcherSentence(trace, tick);
    case LaneKind::Effect:
        switch (const std::int64_t token = data.writeToken(tick); data.effectOf(tick)) {
        case EffectTick::Accepted:
        case EffectTick::Untold:
            return token == 0 ? Timeline::tr("%1: accepted a write of %2").arg(at, who)
                              : Timeline::tr("%1: accepted a write of %2 (#%3)").arg(at, who, QString::number(token));
        case EffectTick::Refused:
            return because(trace,
                           token == 0
                               ? Timeline::tr("%1: refused a write of %2").arg(at, who)
                               : Timeline::tr("%1: refused a write of %2 (#%3)").arg(at, who, QString::number(token)),
                           e.aux);
        case EffectTick::Stale:
            return Timeline::tr("%1: accepted a write of %2, which did not hold the lock any more; %3")
                .arg(at, who, damageWords(data.damage(tick.label)));
        }
        break;
    case LaneKind::Link:
        return Timeline::tr("%1: %2").arg(at, messageSentence(trace, tick));
    case LaneKind::Node:
        return watcherSentence(trace, tick);
    case LaneKind::Clock:
    case LaneKind::Session:
        break;
    }
    return {};
}

QString lifeSentence(const TimelineData& data, const Lane& lane, const Span& life) {
    const QString who = laneTitle(data, lane);
    return LifePhase(life.state) == LifePhase::Paused
               ? Timeline::tr("%1 is paused: %2").arg(who, when(data.trace(), life))
               : Timeline::tr("%1 is dead: %2").arg(who, when(data.trace(), life));
}

QString violationSentence(const TimelineScene& scene, const verdict::Violation& violation) {
    const Nanos seenTo = Nanos(std::min<std::int64_t>(scene.seen, scene.data.now()));
    const AsSeen seen = asSeen(violation, seenTo, scene.playhead >= 0 ? Nanos(scene.playhead) : seenTo);
    return verdict::explain(seen.violation, scene.data.trace(), seen.at);
}

QString faultSentence(const trace::Trace& trace, const Tick& tick) {
    const trace::Event e = trace.at(tick.row);
    const QString actor = trace.displayName(e.actor), subject = trace.displayName(e.subject);
    QString words;
    switch (e.kind) {
    case EventKind::ClientStarted:
        words = Timeline::tr("client %1 started again").arg(actor);
        break;
    case EventKind::ClientPaused:
        words = Timeline::tr("client %1 paused").arg(actor);
        break;
    case EventKind::ClientResumed:
        words = Timeline::tr("client %1 resumed").arg(actor);
        break;
    case EventKind::ClientKilled:
        words = Timeline::tr("client %1 killed").arg(actor);
        break;
    case EventKind::NodeStarted:
        words = Timeline::tr("server %1 started").arg(actor);
        break;
    case EventKind::NodePaused:
        words = Timeline::tr("server %1 paused").arg(actor);
        break;
    case EventKind::NodeResumed:
        words = Timeline::tr("server %1 resumed").arg(actor);
        break;
    case EventKind::NodeKilled:
        words = (trace::isCrash(e)         ? Timeline::tr("server %1 crashed: its machine lost its power")
                 : trace::isSeenRestart(e) ? Timeline::tr("server %1 was restarted")
                                           : Timeline::tr("server %1 killed"))
                    .arg(actor);
        break;
    case EventKind::LinkCut:
        words = Timeline::tr("link %1 cut").arg(cutLinkName(trace, e));
        break;
    case EventKind::LinkMended:
        words = Timeline::tr("link %1 mended").arg(subject);
        break;
    case EventKind::LinkDelayed:
        words = Timeline::tr("link %1 delayed by %2").arg(subject, spanText(Nanos(e.value)));
        break;
    case EventKind::ClockJumped:
        words = Timeline::tr("clock of %1 is off by %2").arg(actor, spanText(Nanos(e.value)));
        break;
    case EventKind::WatchdogStopped:
        words = Timeline::tr("watchdog of %1 stopped").arg(actor);
        break;
    case EventKind::ReplyLossArmed:
        words = Timeline::tr("next reply on %1 will be lost").arg(subject);
        break;
    case EventKind::PushLossArmed:
        words = Timeline::tr("next message on %1 will be lost").arg(subject);
        break;
    case EventKind::RepeatArmed:
        words = Timeline::tr("next request on %1 will be done twice").arg(subject);
        break;
    case EventKind::WorkHung:
        words = Timeline::tr("work of %1 hangs").arg(actor);
        break;
    case EventKind::Healed:
        words = Timeline::tr("everything healed");
        break;
    case EventKind::EngineChanged:
        words = Timeline::tr("the lock manager of %1 %2").arg(actor, engineWords(e, trace));
        break;
    case EventKind::FailoverStep:
        words = Timeline::tr("a failover asked for, to replace %1").arg(subject);
        break;
    case EventKind::SettingChanged:
        words = changeWords(e, trace);
        if (words.isEmpty()) words = Timeline::tr("setting changed to %1").arg(settingText(textOf(trace, e.aux)));
        break;
    case EventKind::SessionChanged:
        if (trace::SessionPhase(e.value) == trace::SessionPhase::Suspended)
            words =
                Timeline::tr("the session of %1 is suspended: its locks are kept until its time is over").arg(actor);
        else if (trace::SessionPhase(e.value) == trace::SessionPhase::GivenUp)
            words = Timeline::tr("%1 gave its session up: by its own clock the servers may have ended it").arg(actor);
        else
            words = e.subject == trace::kNoEntity
                        ? Timeline::tr("the session of %1 expired: its locks are freed").arg(actor)
                        : Timeline::tr("the session of %1 with %2 expired: its locks are freed").arg(actor, subject);
        break;
    case EventKind::ServerTold:
        //: %1 the name of a watched server, %2 what it tells of itself.
        words = Timeline::tr("%1 tells: %2").arg(actor, eventDetail(e, trace));
        break;
    default:
        words = eventWord(e.kind);
        break;
    }
    const QString sentence = Timeline::tr("%1: %2").arg(instant(trace, Nanos(tick.at)), words);
    return e.flags & trace::kByHand ? Timeline::tr("%1 (by hand)").arg(sentence) : sentence;
}

} // namespace lockscope::views
