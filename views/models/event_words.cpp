// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/event_words.h"

#include "models/engine_words.h"
#include "models/lock_facts.h"
#include "models/role_words.h"
#include "theme/format.h"
#include "trace/deadline.h"
#include "trace/death.h"
#include "trace/decider.h"
#include "trace/doubt.h"
#include "trace/member.h"
#include "trace/part_release.h"
#include "trace/reason_words.h"
#include "trace/server_told.h"
#include "trace/text.h"
#include "trace/time_text.h"

#include <QCoreApplication>

namespace lockscope::views {

using trace::Event;
using trace::EventKind;
using trace::FreedBy;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Events)
};

QString token(std::int64_t value) {
    return value ? Words::tr("token %1").arg(value) : QString();
}

QString holds(std::uint32_t n) {
    return n > 1 ? Words::tr("hold %1").arg(n) : QString();
}

QString joined(std::initializer_list<QString> parts) {
    QStringList words;
    for (const QString& part : parts)
        if (!part.isEmpty()) words += part;
    return words.join(Words::tr(", "));
}

QString deadline(const trace::Trace& trace, std::int64_t value) {
    if (value == trace::kEndNotKnown) return Words::tr("until when is unknown");
    return value < 0 ? Words::tr("never expires") : Words::tr("lease until %1").arg(instant(trace, Nanos(value)));
}

QString flight(std::int64_t value) {
    if (value == -1) return Words::tr("lost on its way");
    return value < 0 ? QString() : Words::tr("%1 on its way").arg(duration(Nanos(value)));
}

/// "reads", "holds a permit"; of an exclusive hold nothing.
QString modeWords(trace::HoldMode mode) {
    switch (mode) {
    case trace::HoldMode::Exclusive:
        break;
    case trace::HoldMode::Shared:
        return Words::tr("reads");
    case trace::HoldMode::Permit:
        return Words::tr("holds a permit");
    }
    return {};
}

QString lagWords(const Event& event) {
    if (event.value < 0) return unknown();
    const bool bytesBehind = (event.flags & trace::kLagUnitMask) == unsigned(trace::LagUnit::Bytes);
    return Words::tr("%1 behind").arg(bytesBehind ? bytes(double(event.value)) : duration(Nanos(event.value)));
}

QString sessionWords(std::int64_t phase) {
    switch (trace::SessionPhase(phase)) {
    case trace::SessionPhase::Connected:
        return Words::tr("connected");
    case trace::SessionPhase::Suspended:
        return Words::tr("suspended");
    case trace::SessionPhase::Expired:
        return Words::tr("expired");
    case trace::SessionPhase::GivenUp:
        return Words::tr("given up by the client");
    }
    return unknown();
}

QString permitWords(const Event& event) {
    if (event.value < 0) return unknown();
    if (event.aux == 0) return Words::tr("%n free", "permits", int(event.value));
    return Words::tr("%1 of %2 free", "permits").arg(QString::number(event.value), QString::number(event.aux));
}

/// Contents are long; the lock's own panel shows them whole.
QString shortened(const QString& text) {
    constexpr int kMost = 160;
    return text.size() <= kMost ? text : text.left(kMost) + QChar(0x2026);
}

QString freedWords(const Event& event, const trace::Trace& trace) {
    const QString owner = trace.displayName(event.aux);
    switch (FreedBy(event.flags & trace::kFreedByMask)) {
    case FreedBy::Release:
        if (event.actor != event.aux && event.actor != trace::kNoEntity && event.aux != trace::kNoEntity)
            return Words::tr("it was %1's; released by another").arg(owner);
        // A key that somebody deletes looks as after a release.
        return event.actor == trace::kNoEntity ? Words::tr("released or deleted") : Words::tr("released");
    case FreedBy::Expiry:
        return Words::tr("%1's lease has expired").arg(owner);
    case FreedBy::Force:
        return Words::tr("taken from %1 by force").arg(owner);
    case FreedBy::Overwrite:
        return Words::tr("%1's hold was overwritten").arg(owner);
    case FreedBy::NodeLoss:
        if (const auto decider = trace::newDeciderAt(event, trace); decider != trace::kNoEntity)
            return Words::tr("%1 decides now, and does not know that %2 has it").arg(trace.displayName(decider), owner);
        if (const auto server = trace::emptiedBy(event, trace); server != trace::kNoEntity)
            return Words::tr("all data of %1 were deleted, with %2's lock").arg(trace.displayName(server), owner);
        return Words::tr("the server lost it with %1 as its owner").arg(owner);
    case FreedBy::Evicted:
        return Words::tr("the server evicted it with %1 as its owner").arg(owner);
    case FreedBy::Unseen:
        return Words::tr("%1's hold ended while it was not shown: when and how is not known").arg(owner);
    }
    return {};
}

QString renewalsEndWords(trace::RenewalsEnd why) {
    switch (why) {
    case trace::RenewalsEnd::NotKnown:
        return Words::tr("why is not known");
    case trace::RenewalsEnd::ClientGone:
        return Words::tr("its client has no connection to the server any more");
    case trace::RenewalsEnd::ClientConnected:
        return Words::tr("its client is still connected: it stands still, or its watchdog has stopped");
    }
    return {};
}

QString serverToldWords(const QByteArray& text) {
    if (const auto left = trace::toldValue(text, trace::kPoolHasConnections))
        return *left == "no" ? Words::tr("has no connection left in its pool, and a client asks for one")
                             : Words::tr("has connections in its pool again");
    if (const auto policy = trace::toldValue(text, trace::kMayEvict))
        return policy->isEmpty()
                   ? Words::tr("drops no lock when its memory is full")
                   : Words::tr("may drop locks when its memory is full (%1)").arg(trace::readable(*policy));
    if (const auto has = trace::toldValue(text, trace::kHasSlots))
        //: Of a cluster's server: the numbers of its slots, such as "448 5461-5470".
        return has->isEmpty() ? Words::tr("has no slots") : Words::tr("has slots %1").arg(trace::readable(*has));
    if (trace::tellsOfMember(text)) return trace::reasonWords(trace::readable(text));
    if (const auto apart = trace::looksApartIn(text))
        return *apart > Nanos(0)
                   ? Words::tr("looked at every %1 or more often: no time is known more exactly").arg(spanText(*apart))
                   : Words::tr("it tells of each change");
    return {};
}

QString doubtWords(const Event& event, const trace::Trace& trace) {
    switch (trace::Doubt(event.value)) {
    case trace::Doubt::None:
        //: A Sentinel's doubts end with a promotion: it knows nothing of any server of the group yet.
        return trace::isForgotten(event, trace) ? Words::tr("forgotten: it begins anew with the new master")
                                                : Words::tr("it answers again");
    case trace::Doubt::Alone:
        return Words::tr("down, it believes");
    case trace::Doubt::Agreed:
        return event.aux ? Words::tr("down: %1 agree").arg(event.aux) : Words::tr("down: enough agree");
    }
    return unknown();
}

QString deciderWords(const Event& event, const trace::Trace& trace) {
    if (event.value == 0) return Words::tr("nobody decides");
    if (event.value < 0) return Words::tr("most servers decide together");
    if (event.actor != trace::kNoEntity) return Words::tr("%1 decides").arg(trace.displayName(event.actor));
    return Words::tr("any %1 of its servers decide").arg(event.value);
}

} // namespace

bool hasText(EventKind kind) {
    return trace::auxIsEntity(kind) && kind != EventKind::RecordFreed && kind != EventKind::RecordHolderGone;
}

/// News that the client of an interrupted wait hears at this instant of an engine that its lock manager leaves;
/// nullopt: nothing.
static std::optional<trace::Event> leavesEngineAt(const trace::Event& e, const trace::Trace& trace) {
    for (std::size_t row = trace.upperBound(e.time()); row-- > 0 && trace.timeAt(row) == e.at;) {
        if (trace.kindAt(row) != EventKind::EngineChanged) continue;
        const trace::Event news = trace.at(row);
        if (news.actor == trace.clientOf(e.actor) &&
            trace::EngineNews(news.flags & trace::kEngineNewsMask) == trace::EngineNews::Leaving)
            return news;
    }
    return std::nullopt;
}

QString eventDetail(const Event& e, const trace::Trace& trace) {
    QString text = hasText(e.kind) && e.aux ? trace::reasonWords(trace.displayName(e.aux)) : QString();
    switch (e.kind) {
    case EventKind::LinkDelayed:
        return e.value ? Words::tr("%1 more each way").arg(spanText(Nanos(e.value))) : Words::tr("no longer");
    case EventKind::ClockJumped:
        return Words::tr("%1 from true time").arg(spanText(Nanos(e.value)));
    case EventKind::Requested:
        return e.value < 0 ? Words::tr("waits as long as it takes")
                           : Words::tr("waits at most %1").arg(spanText(Nanos(e.value)));
    case EventKind::Granted:
    case EventKind::Reentered:
        return joined({token(e.value), holds(e.aux)});
    case EventKind::GrantedAs:
        return e.value == 1 ? Words::tr("as one reader of many") : Words::tr("%n permit(s)", "", int(e.aux));
    case EventKind::LockCapacity:
        return QString::number(e.value);
    case EventKind::Interrupted:
        if (const auto news = leavesEngineAt(e, trace))
            return leavesForASwitch(*news, trace) ? Words::tr("it waits for the change of engines")
                                                  : Words::tr("it cannot read which engine is in use");
        return text;
    case EventKind::TimedOut:
        return Words::tr("after %1").arg(duration(Nanos(e.value)));
    case EventKind::BelievedUntil:
        return e.value < 0 ? Words::tr("it ignores its deadline")
                           : Words::tr("gives it up at %1 by itself").arg(instant(trace, Nanos(e.value)));
    case EventKind::ReleaseSent:
        return trace::givesBackPart(e) ? Words::tr("%n permit(s)", "", int(e.value)) : QString();
    case EventKind::Released:
        return e.aux ? Words::tr("%n hold(s) left", "", int(e.aux)) : QString();
    case EventKind::RenewRefused:
    case EventKind::ReleaseRefused:
        return Words::tr("the server says: not yours");
    case EventKind::RecordHeld:
    case EventKind::RecordRenewed:
        return joined({deadline(trace, e.value), holds(e.aux)});
    case EventKind::RecordDeadline:
        return joined({deadline(trace, e.value), Words::tr("nobody renewed it")});
    case EventKind::RecordRenewalMissed:
        return Words::tr("every %1 until now, due by %2")
            .arg(duration(std::chrono::milliseconds(e.aux)), instant(trace, Nanos(e.value)));
    case EventKind::RecordRenewalsStopped:
        return joined({Words::tr("every %1 until now, the last one at %2")
                           .arg(duration(std::chrono::milliseconds(e.aux)), instant(trace, Nanos(e.value))),
                       renewalsEndWords(trace::renewalsEnd(e.flags))});
    case EventKind::RecordSince:
        return e.flags & trace::kSinceWaits ? Words::tr("waits since %1").arg(instant(trace, Nanos(e.value)))
                                            : Words::tr("holds it since %1").arg(instant(trace, Nanos(e.value)));
    case EventKind::RecordUnobserved:
        return e.flags & trace::kNoLongerShown
                   ? Words::tr("its server shows it only while somebody waits: it may be held still")
                   : QString();
    case EventKind::RecordFailedOver:
        return Words::tr("held on, on another server: it may exist twice");
    case EventKind::RecordHolder:
        return joined({modeWords(trace::holdMode(e.flags)), holds(e.aux),
                       e.value == trace::kEndNotKnown ? QString() : deadline(trace, e.value)});
    case EventKind::RecordQueued:
        return joined({Words::tr("place %1").arg(e.value + 1), modeWords(trace::holdMode(e.flags)),
                       e.flags & trace::kQueuedDead ? Words::tr("nobody waits there any more") : QString()});
    case EventKind::RecordContent:
        return shortened(text);
    case EventKind::RecordHolders:
        return e.value < 0 ? Words::tr("those that are named") : count(e.value);
    case EventKind::RecordPermits:
        return permitWords(e);
    case EventKind::ReplicationLag:
        return lagWords(e);
    case EventKind::SessionChanged:
        return sessionWords(e.value);
    case EventKind::EngineChanged:
        return joined({engineWords(e, trace), engineAddress(e, trace)});
    case EventKind::NodeRole:
        return roleWords(trace.entity(e.aux).name, trace.displayName(e.subject), (e.flags & trace::kCopiesNobody) != 0);
    case EventKind::ServerTold:
        return serverToldWords(trace.entity(e.aux).name);
    case EventKind::NodeDoubted:
        return doubtWords(e, trace);
    case EventKind::VoteCast:
        return Words::tr("epoch %1").arg(e.value);
    case EventKind::FailoverStep:
        return joined({failoverWords(trace::FailoverPhase(e.value)), text});
    case EventKind::RecordDecider:
        return deciderWords(e, trace);
    case EventKind::RecordHolderGone:
    case EventKind::RecordFreed:
        return freedWords(e, trace);
    case EventKind::RecordWaiters:
        return e.value < 0 ? unknown() : count(e.value);
    case EventKind::RecordCertainty:
        return certaintySentence(trace::Certainty(e.value));
    case EventKind::RecordToken:
    case EventKind::WriteAccepted:
        return e.value ? token(e.value) : Words::tr("no token");
    case EventKind::WriteRefused:
        return joined({token(e.value), text});
    case EventKind::Step:
        return e.aux ? QString::number(e.aux) : Words::tr("done");
    case EventKind::Request:
    case EventKind::Reply:
    case EventKind::Push:
    case EventKind::PeerMessage:
        if (trace::isRefusal(e)) return joined({Words::tr("refused: no process there"), text});
        return joined({text, flight(e.value)});
    case EventKind::NodeKilled:
        return trace::isCrash(e) ? Words::tr("its machine lost its power") : text;
    default:
        return text;
    }
}

} // namespace lockscope::views
