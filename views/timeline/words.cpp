// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/words.h"

#include "inspect/kept_by_words.h"
#include "models/connection_words.h"
#include "models/event_words.h"
#include "theme/format.h"
#include "theme/short_number.h"
#include "timeline/lane_notes.h"
#include "timeline/span_at.h"
#include "trace/client_name.h"
#include "trace/decider.h"
#include "trace/reason_words.h"
#include "trace/text.h"
#include "trace/time_text.h"
#include "verdict/engine_change.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::views {

using trace::EntityId;
using trace::EntityKind;

namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

QString nameOf(const trace::Trace& trace, EntityId id) {
    return trace::readable(trace.entity(id).name);
}

/// Whether a node stands for several servers that keep locks together.
bool isGroup(const TimelineData& data, const Lane& node) {
    return std::ranges::any_of(data.lanes(), [&](const std::unique_ptr<Lane>& other) {
        return other->kind == LaneKind::Node && data.trace().entity(other->entity).other == node.entity;
    });
}

constexpr int kMostOfName = 13; ///< characters; a longer name is shortened where there is little room

/// Shortens a stranger's long name, such as a UUID, to the room that there is.
QString shortName(const QString& name) {
    // Both ends: ids of one kind often begin alike, and the thread stands at the end.
    constexpr int kBegin = 4, kEnd = 7;
    return name.size() <= kMostOfName ? name : name.left(kBegin) + QChar(0x2026) + name.right(kEnd);
}

QString beliefState(const TimelineData& data, const Lane& lane, std::int64_t t) {
    QString words = Timeline::tr("idle");
    const Span* span = spanAt(lane.spans, t);
    const std::size_t past = lane.ticks.lowerBound(t + 1);
    if (past > 0 && BeliefTick(lane.ticks[past - 1].kind) == BeliefTick::Refused)
        words = Timeline::tr("idle; %1").arg(refusedWords(data.trace(), lane.ticks[past - 1]));
    if (waitsForEngines(data, lane, t)) words = Timeline::tr("waits for the change of engines");
    // At the last instant that is known, what goes on still does.
    if (span && t < lane.endOf(*span, data.now() + 1)) {
        switch (BeliefState(span->state)) {
        case BeliefState::Waiting:
            words = Timeline::tr("waiting for %1").arg(lengthText(Nanos(span->from), Nanos(t)));
            break;
        case BeliefState::Holding:
            words = holdsWords(data, span->label);
            if (const Span* again = spanAt(lane.again, t)) words += Timeline::tr(", ") + againWords(*again);
            break;
        case BeliefState::Stale:
            words = span->label == 0 ? Timeline::tr("still believes it holds the lock, but the record says otherwise")
                                     : Timeline::tr("still believes it holds #%1, but the record says otherwise")
                                           .arg(numberText(data, span->label));
            break;
        }
    }
    const Span* life = lane.life ? spanAt(lane.life->spans, t) : nullptr;
    if (!life) return words;
    if (LifePhase(life->state) == LifePhase::Dead) return Timeline::tr("dead");
    //: %1 is what a paused client is otherwise doing, such as "holds #33".
    return Timeline::tr("paused; %1").arg(words);
}

/// Whether single servers decide this lock, each for its time; else most of several do together.
bool hasMasters(const Lane& lane) {
    return !lane.deciders.empty() && Decider(lane.deciders[0].state) == Decider::One;
}

/// Whether the one server that keeps a lock, and will for ever, is dead then.
bool serverIsDead(const TimelineData& data, const Lane& lane, std::int64_t t) {
    const auto server = std::ranges::find_if(
        data.lanes(), [&](const auto& other) { return other->kind == LaneKind::Node && other->entity == lane.other; });
    if (lane.other == trace::kNoEntity || server == data.lanes().end()) return false;
    const Span* const life = spanAt((*server)->spans, t);
    return life && NodePhase(life->state) == NodePhase::Down;
}

QString recordState(const TimelineData& data, const Lane& lane, std::int64_t t) {
    const Span* span = spanAt(lane.spans, t);
    // A server of ours begins empty; what somebody else's held before the first look nobody knows.
    const bool watched = data.trace().ofRealServers();
    const Span* decider = spanAt(lane.deciders, t);
    const bool nobody = decider && Decider(decider->state) == Decider::Nobody;
    if (!span && nobody) return Timeline::tr("nobody decides");
    if (!span && decider && Decider(decider->state) == Decider::Switching)
        return Timeline::tr("free, but engines change: nobody gets in");
    if (!span && serverIsDead(data, lane, t)) return Timeline::tr("its server is dead: nobody gets in");
    if (!span) return watched && t < lane.seenFrom ? Timeline::tr("not observed") : Timeline::tr("free");
    if (RecordState(span->state) == RecordState::Unobserved) {
        if (endsShowing(data.trace(), *span)) return Timeline::tr("no longer seen");
        if (!nobody) return Timeline::tr("not observed");
        return hasMasters(lane) ? Timeline::tr("no master: nobody decides") : Timeline::tr("nobody decides");
    }
    const Lease lease = leaseOf(data.trace(), *span);
    const auto unendingWords = [&] {
        const QString who = trace::clientName(data.trace(), lease.owner);
        if (data.never() == TimelineData::Never::HeldBack) return Timeline::tr("held by %1").arg(who);
        if (lease.endKnown()) return Timeline::tr("held by %1, never expires").arg(who);
        const QString kept = inspect::keptByText(keptBy(data.trace(), lane, *span), inspect::KeptByUse::Record);
        if (!kept.isEmpty()) return kept.arg(who);
        return Timeline::tr("held by %1, until when is unknown").arg(who);
    };
    QString words = lease.expires() ? Timeline::tr("held by %1, %2 left")
                                          .arg(trace::clientName(data.trace(), lease.owner),
                                               duration(Nanos(std::max<std::int64_t>(0, lease.deadline - t))))
                                    : unendingWords();
    if (const Span* holders = spanAt(lane.holders, t)) words += Timeline::tr(", ") + holdersWords(*holders);
    //: %1: "held by A, 4.2 s left". That the key is a lock at all is only a guess.
    if (span->flags & kGuessFlag) words = Timeline::tr("perhaps %1").arg(words);
    if (const Span* queue = spanAt(lane.queue, t))
        words += Timeline::tr(", ") + Timeline::tr("%n waiting", nullptr, int(queue->label));
    return words;
}

/// The holder of a span by its name and by its short name; of a guess with the word that says so.
std::pair<QString, QString> holderWords(const trace::Trace& trace, const Span& span) {
    const QString who = trace::clientName(trace, span.label);
    if (!(span.flags & kGuessFlag)) return {who, shortName(who)};
    //: %1: a holder. That the key is a lock at all is only a guess.
    return {Timeline::tr("perhaps %1", "a holder").arg(who),
            Timeline::tr("perhaps %1", "a holder").arg(shortName(who))};
}

/// The holder, from the whole name to the shortest. A client that was given a name is known by it without its thread.
QStringList holderNames(const trace::Trace& trace, const Span& span) {
    const auto [who, nick] = holderWords(trace, span);
    const QString client = nameOf(trace, trace.clientOf(span.label));
    if ((span.flags & kGuessFlag) || client.size() > kMostOfName || client == who) return {who, nick};
    return {who, client, nick};
}

} // namespace

double Lease::fraction(std::int64_t t) const {
    if (!expires()) return 1;
    if (deadline <= from) return 0;
    return std::clamp(double(deadline - t) / double(deadline - from), 0.0, 1.0);
}

inspect::KeptBy keptBy(const trace::Trace& trace, const Lane& record, const Span& span) {
    // Watchers that know one format only name it with the lock.
    const trace::EntityId ofLock = trace.entity(trace.at(span.row).subject).other;
    const trace::Entity& format = trace.entity(record.format != trace::kNoEntity ? record.format : ofLock);
    return format.kind == trace::EntityKind::Text ? inspect::keptBy(format.name) : inspect::KeptBy::NotTold;
}

std::optional<trace::Event> leaseRow(const trace::Trace& trace, const Span& span) {
    const trace::Event event = trace.at(span.row);
    if (event.kind != trace::EventKind::RecordDeadline) return event;
    // The row tells the lease's age in whole milliseconds, rounded down.
    constexpr Nanos kExact = 1ms;
    const Nanos latest = event.time() - std::chrono::milliseconds(event.aux);
    for (std::size_t row = std::min<std::size_t>(trace.upperBound(latest), span.row); row-- > 0;) {
        const Nanos at(trace.timeAt(row));
        if (at <= latest - kExact) break;
        const trace::EventKind kind = trace.kindAt(row);
        if (kind != trace::EventKind::RecordHeld && kind != trace::EventKind::RecordRenewed) continue;
        if (const trace::Event full = trace.at(row); full.subject == event.subject) return full;
    }
    return std::nullopt;
}

bool endsShowing(const trace::Trace& trace, const Span& span) {
    if (span.row >= trace.size()) return false;
    const trace::Event event = trace.at(span.row);
    return event.kind == trace::EventKind::RecordUnobserved && (event.flags & trace::kNoLongerShown) != 0;
}

Lease leaseOf(const trace::Trace& trace, const Span& span) {
    const trace::Event event = trace.at(span.row);
    // A deadline that was moved without a renewal leaves the lease as old as it was.
    const Nanos age = event.kind == trace::EventKind::RecordDeadline ? std::chrono::milliseconds(event.aux) : Nanos(0);
    const std::optional<trace::Event> full = leaseRow(trace, span);
    return {full ? full->at : event.at - age.count(), event.value, span.label, !(span.flags & kPartialFlag)};
}

namespace {

QString captionOf(LaneKind kind) {
    switch (kind) {
    case LaneKind::Belief:
        return Timeline::tr("BELIEF · what each client could act on");
    case LaneKind::Record:
        return Timeline::tr("RECORD · what the servers hold");
    case LaneKind::Copy:
        return Timeline::tr("COPIES · what each server holds of it");
    case LaneKind::Effect:
        return Timeline::tr("EFFECT · what the resource accepted");
    case LaneKind::Node:
    case LaneKind::Watchers:
    case LaneKind::Link:
    case LaneKind::Clock:
    case LaneKind::Session:
        return Timeline::tr("NODES AND LINKS");
    }
    return {};
}

} // namespace

QString sectionCaption(LaneKind kind, LanesAway away) {
    QString whole = captionOf(kind);
    //: After a caption of lanes: its lanes are folded away.
    if (away.folded > 0) whole += Timeline::tr(" · %n lane(s) folded", "", away.folded);
    //: After a caption of lanes: those without the text that one looks for.
    if (away.filtered > 0) whole += Timeline::tr(" · %n lane(s) without that text", "", away.filtered);
    //: After a caption of lanes: links that are not shown.
    if (away.hidden > 0 && kind == LaneKind::Node)
        whole += Timeline::tr(" · %n link(s) with nothing wrong not shown", "", away.hidden);
    //: After a caption of lanes: clients that are not shown.
    if (away.hidden > 0 && kind != LaneKind::Node)
        whole += Timeline::tr(" · %n client(s) that only waited not shown", "", away.hidden);
    return whole;
}

QString laneTitle(const TimelineData& data, const Lane& lane) {
    const trace::Trace& trace = data.trace();
    switch (lane.kind) {
    case LaneKind::Belief: {
        const QString name = nameOf(trace, lane.client);
        // Names made of more than a letter or two say by themselves what they are.
        return name.size() <= 3 ? Timeline::tr("client %1").arg(name) : name;
    }
    case LaneKind::Copy:
        return nameOf(trace, lane.other);
    case LaneKind::Clock:
        return Timeline::tr("its clock");
    case LaneKind::Session:
        //: The lane of a client's session with ZooKeeper, below the client's own.
        return Timeline::tr("its session");
    case LaneKind::Watchers:
        return Timeline::tr("Sentinels");
    case LaneKind::Link:
        return nameOf(trace, lane.client) + QStringLiteral(" ↔ ") + nameOf(trace, lane.other);
    default:
        return nameOf(trace, lane.entity);
    }
}

QString laneShortTitle(const TimelineData& data, const Lane& lane) {
    if (lane.kind != LaneKind::Belief || data.lockCount() < 2 || lane.other == trace::kNoEntity)
        return laneTitle(data, lane);
    return nameOf(data.trace(), lane.client) + QStringLiteral(" · ") + nameOf(data.trace(), lane.other);
}

QString laneSubtitle(const TimelineData& data, const Lane& lane, const TimelineNotes& notes, std::int64_t playhead) {
    const trace::Trace& trace = data.trace();
    const auto with = [](const QString& a, const QString& b) {
        return a.isEmpty() || b.isEmpty() ? a + b : a + QStringLiteral(" · ") + b;
    };
    switch (lane.kind) {
    case LaneKind::Belief: {
        // A client with one thread needs no number for it.
        const bool isThread =
            trace.entity(lane.entity).kind == EntityKind::Thread &&
            std::ranges::any_of(data.lanes(), [&](const auto& other) {
                return other->kind == LaneKind::Belief && other->client == lane.client && other->entity != lane.entity;
            });
        const QString thread = isThread ? Timeline::tr("thread %1").arg(nameOf(trace, lane.entity)) : QString();
        return with(thread, data.lockCount() > 1 ? nameOf(trace, lane.other) : QString());
    }
    case LaneKind::Record: {
        // The format that a watcher has seen there goes before the recipe of our own clients.
        const EntityId format = trace.entity(lane.entity).other;
        const bool seen = format && trace.entity(format).kind == EntityKind::Text;
        const QString connection = connectionName(trace, lane.entity);
        const auto own = notes.ownRecipes.find(nameOf(trace, lane.entity));
        const QString& recipe = own != notes.ownRecipes.end() ? own->second : notes.recipe;
        return with(connection.isEmpty() ? nameOf(trace, lane.other) : connection,
                    seen ? nameOf(trace, format) : recipe);
    }
    case LaneKind::Effect:
        if (notes.tokenCheck) return *notes.tokenCheck ? Timeline::tr("checks tokens") : Timeline::tr("no token check");
        return lane.other != trace::kNoEntity ? Timeline::tr("guarded by %1").arg(nameOf(trace, lane.other))
                                              : QString();
    case LaneKind::Copy:
        return copyState(data, lane, playhead);
    case LaneKind::Clock:
        return clockOffsetWords(clockOffsetAt(lane, playhead));
    case LaneKind::Session: {
        const Span* const span = spanAt(lane.spans, playhead);
        return span ? sessionPhaseWords(trace::SessionPhase(span->state)) : QString();
    }
    case LaneKind::Watchers: {
        QStringList names;
        for (const Lane* member : lane.members)
            names += nameOf(trace, member->entity).remove(QLatin1String("sentinel-"));
        return names.join(QStringLiteral(" · "));
    }
    case LaneKind::Node: {
        const QString connection = connectionName(trace, lane.entity);
        if (!connection.isEmpty() && connection != nameOf(trace, lane.entity)) return connection;
        return isGroup(data, lane) ? Timeline::tr("servers together") : Timeline::tr("server");
    }
    case LaneKind::Link:
        return {};
    }
    return {};
}

QString laneState(const TimelineData& data, const Lane& lane, std::int64_t t) {
    if (t > data.now()) return Timeline::tr("not known yet");
    switch (lane.kind) {
    case LaneKind::Belief:
        return beliefState(data, lane, t);
    case LaneKind::Copy:
        // Its hold went with it: that no one holds the lock there is nothing to say.
        if (copyIsDead(lane, t)) return copyState(data, lane, t);
        //: What a server's copy of a lock is, and what it says: "decides: held by A, 4.2 s left".
        return Timeline::tr("%1: %2").arg(copyState(data, lane, t), recordState(data, lane, t));
    case LaneKind::Clock:
        return clockState(data, lane, t);
    case LaneKind::Session:
        return sessionState(data, lane, t);
    case LaneKind::Watchers:
        return watchersState(lane, t);
    case LaneKind::Record:
        return recordState(data, lane, t);
    case LaneKind::Effect: {
        const std::size_t i = lane.ticks.lowerBound(t + 1);
        return i == 0 ? Timeline::tr("no writes yet") : tickSentence(data, lane, lane.ticks[i - 1]);
    }
    case LaneKind::Node:
        return nodeState(data, lane, t);
    case LaneKind::Link: {
        const Span* span = spanAt(lane.spans, t);
        if (!span) return Timeline::tr("connected");
        return LinkPhase(span->state) == LinkPhase::Cut ? Timeline::tr("cut") : Timeline::tr("delayed");
    }
    }
    return {};
}

QStringList leaseWords(const trace::Trace& trace, const Span& span, TimelineData::Never never) {
    const Lease lease = leaseOf(trace, span);
    const QStringList names = holderNames(trace, span);
    const QString& who = names.first();
    if (!lease.endKnown() || (!lease.expires() && never == TimelineData::Never::HeldBack)) return names;
    if (!lease.expires())
        return QStringList{Timeline::tr("%1 · never expires").arg(who),
                           Timeline::tr("%1 · never expires").arg(names.last())} +
               names;
    if (span.flags & kPartialFlag)
        return QStringList(Timeline::tr("%1 · expires %2").arg(who, instantShort(trace, Nanos(lease.deadline)))) +
               names;
    // Leases are round numbers as a rule; latency makes them a few µs longer.
    const QString length = spanText(Nanos(lease.deadline - lease.from));
    return QStringList(Timeline::tr("%1 · lease %2").arg(who, length)) + names;
}

QStringList leaseLeftWords(const trace::Trace& trace, const Span& span, std::int64_t t, TimelineData::Never never) {
    const Lease lease = leaseOf(trace, span);
    if (!lease.expires()) return leaseWords(trace, span, never);
    const QString left = duration(Nanos(std::max<std::int64_t>(0, lease.deadline - t)));
    QStringList words;
    const QStringList names = holderNames(trace, span);
    for (const QString& name : names)
        words += Timeline::tr("%1 · %2 left").arg(name, left);
    return words + QStringList{left, names.first()};
}

bool saysHowMany(const HolderCount& count, unsigned mode) {
    return count.held > 1 || trace::HoldMode(mode) == trace::HoldMode::Permit;
}
bool saysHowMany(const Lane& lane, std::int64_t t) {
    const std::size_t i = lane.holders.firstEndingAfter(t);
    if (i >= lane.holders.size() || lane.holders[i].from > t) return false;
    return saysHowMany(HolderCount::of(lane.holders[i].label), lane.holders[i].state);
}

QString holdersWords(const Span& span) {
    const HolderCount count = HolderCount::of(span.label);
    switch (trace::HoldMode(span.state)) {
    case trace::HoldMode::Shared:
        return Timeline::tr("%n reader(s)", nullptr, int(count.held));
    case trace::HoldMode::Permit:
        if (count.all > 0 && count.all < HolderCount::kMost)
            return Timeline::tr("%1 of %2 permits").arg(QString::number(count.held), QString::number(count.all));
        return Timeline::tr("%n permit(s) taken", nullptr, int(count.held));
    case trace::HoldMode::Exclusive:
        break;
    }
    return Timeline::tr("%n holder(s)", nullptr, int(count.held));
}

QString againWords(const Span& span) {
    switch (Again(span.state)) {
    case Again::Times:
        //: Of a client that has taken the lock it holds once more: %1 is how many times it has it.
        return Timeline::tr("held %1×").arg(span.label);
    case Again::Asks:
        return Timeline::tr("asks for it again");
    case Again::WaitsItself:
        break;
    }
    return Timeline::tr("waits for itself");
}

QString refusedWords(const trace::Trace& trace, const Tick& tick) {
    return Timeline::tr("refused: %1").arg(trace::reasonWords(trace.displayName(trace.at(tick.row).aux)));
}

QString recordTickWords(const trace::Trace& trace, const Tick& tick) {
    const trace::Event event = trace.at(tick.row);
    const QString who = trace::clientName(trace, event.actor);
    switch (RecordTick(tick.kind)) {
    case RecordTick::ReleaseRefused:
        return Timeline::tr("%1's release refused").arg(who);
    case RecordTick::RenewRefused:
        return Timeline::tr("%1's renewal refused").arg(who);
    case RecordTick::Expired:
        return Timeline::tr("expired");
    case RecordTick::Forced:
        return Timeline::tr("freed by force");
    case RecordTick::Overwritten:
        if (event.kind == trace::EventKind::RecordFreed &&
            trace::FreedBy(event.flags & trace::kFreedByMask) == trace::FreedBy::Release)
            //: On the lane of a lock: %1 released it, though %2 was its owner.
            return Timeline::tr("%1 deleted %2's lock").arg(who, trace::clientName(trace, event.aux));
        return Timeline::tr("overwritten");
    case RecordTick::NodeLoss:
        if (verdict::engineChangeAt(event, trace)) return Timeline::tr("another engine decides");
        if (const auto decider = trace::newDeciderAt(event, trace); decider != trace::kNoEntity)
            //: On the lane of a lock: %1 is the server that decides from here on.
            return Timeline::tr("%1 does not know it").arg(trace.displayName(decider));
        if (trace::emptiedBy(event, trace) != trace::kNoEntity) return Timeline::tr("all data deleted");
        //: On the lane of a lock that a majority of several servers must have, when one of these died.
        if (trace::tooFewHaveIt(event, trace)) return Timeline::tr("too few servers have it");
        return Timeline::tr("lost with its server");
    case RecordTick::RenewalMissed:
        return Timeline::tr("renewal missed");
    case RecordTick::RenewalsStopped:
        return Timeline::tr("renewals stopped");
    case RecordTick::FailedOver:
        return Timeline::tr("failed over while held");
    case RecordTick::Evicted:
        if (const auto server = trace.entity(event.subject).parent; server != trace::kNoEntity)
            //: On the lane of a lock: the server %1 threw it out for want of memory.
            return Timeline::tr("%1 evicted it").arg(trace.displayName(server));
        return Timeline::tr("evicted");
    }
    return {};
}

QString numberText(const TimelineData& data, std::uint32_t label, Digits digits) {
    const std::int64_t number = data.numbers().numberOf(label);
    return digits == Digits::All ? QString::number(number) : shortNumber(number);
}

QString holdsWords(const TimelineData& data, std::uint32_t label, Digits digits) {
    return label == 0 ? Timeline::tr("holds") : Timeline::tr("holds #%1").arg(numberText(data, label, digits));
}

QString damageWords(const Damage& damage, Digits digits) {
    const auto text = [digits](std::int64_t number) {
        return digits == Digits::All ? QString::number(number) : shortNumber(number);
    };
    if (damage.token == 0) return Timeline::tr("damage: no longer held");
    if (damage.newer > 0) return Timeline::tr("damage: #%1 after #%2").arg(text(damage.token), text(damage.newer));
    return Timeline::tr("damage: #%1 held no more").arg(text(damage.token));
}

} // namespace lockscope::views
