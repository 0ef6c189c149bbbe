// SPDX-License-Identifier: GPL-3.0-or-later
// The names of kinds of events, and of their groups.
#include "models/event_words.h"
#include "trace/death.h"
#include "trace/seen_restart.h"

#include <QCoreApplication>

namespace lockscope::views {

using trace::EventKind;

namespace {
struct Words {
    Q_DECLARE_TR_FUNCTIONS(Events)
};
} // namespace

EventGroup eventGroup(EventKind kind) {
    if (trace::isLife(kind) || kind == EventKind::ConnectionLost || kind == EventKind::ConnectionRestored)
        return EventGroup::Fault;
    if (trace::isBelief(kind)) return EventGroup::Belief;
    if (trace::isRecord(kind)) return EventGroup::Record;
    if (trace::isEffect(kind)) return EventGroup::Effect;
    return kind == EventKind::Step ? EventGroup::Step : EventGroup::Message;
}

QString eventGroupName(EventGroup group) {
    switch (group) {
    case EventGroup::Fault:
        return Words::tr("Life and faults");
    case EventGroup::Belief:
        return Words::tr("Belief");
    case EventGroup::Record:
        return Words::tr("Record");
    case EventGroup::Effect:
        return Words::tr("Effect");
    case EventGroup::Step:
        return Words::tr("Steps");
    case EventGroup::Message:
        return Words::tr("Messages");
    }
    return {};
}

QString eventWord(EventKind kind) {
    switch (kind) {
    case EventKind::None:
        return {};
    case EventKind::ClientStarted:
    case EventKind::NodeStarted:
        return Words::tr("started");
    case EventKind::ClientPaused:
    case EventKind::NodePaused:
        return Words::tr("paused");
    case EventKind::ClientResumed:
    case EventKind::NodeResumed:
        return Words::tr("resumed");
    case EventKind::ClientKilled:
    case EventKind::NodeKilled:
        return Words::tr("killed");
    case EventKind::LinkCut:
        return Words::tr("link cut");
    case EventKind::LinkMended:
        return Words::tr("link mended");
    case EventKind::LinkDelayed:
        return Words::tr("link delayed");
    case EventKind::ClockJumped:
        return Words::tr("clock jumped");
    case EventKind::WatchdogStopped:
        return Words::tr("watchdog stopped");
    case EventKind::ReplyLossArmed:
        return Words::tr("next reply will be lost");
    case EventKind::PushLossArmed:
        return Words::tr("next message will be lost");
    case EventKind::RepeatArmed:
        return Words::tr("next request will be done twice");
    case EventKind::ServerTold:
        //: A watched server tells something of itself, such as a setting.
        return Words::tr("server tells");
    case EventKind::WorkHung:
        return Words::tr("work hangs");
    case EventKind::Healed:
        return Words::tr("everything healed");
    case EventKind::SettingChanged:
        return Words::tr("setting changed");
    case EventKind::NodeRole:
        return Words::tr("role");
    case EventKind::ReplicationLag:
        return Words::tr("replication lag");
    case EventKind::SessionChanged:
        return Words::tr("session");
    case EventKind::EngineChanged:
        return Words::tr("lock manager");
    case EventKind::NodeDoubted:
        return Words::tr("believes it down?");
    case EventKind::VoteCast:
        return Words::tr("votes for");
    case EventKind::FailoverStep:
        return Words::tr("failover");
    case EventKind::AsksBy:
        return Words::tr("asks by recipe");
    case EventKind::Requested:
        return Words::tr("wants the lock");
    case EventKind::Granted:
        return Words::tr("believes: granted");
    case EventKind::Reentered:
        return Words::tr("entered again");
    case EventKind::TimedOut:
        return Words::tr("gave up waiting");
    case EventKind::Interrupted:
        return Words::tr("wait cancelled");
    case EventKind::AcquireFailed:
        return Words::tr("request refused");
    case EventKind::BelievedUntil:
        return Words::tr("own deadline");
    case EventKind::Renewed:
        return Words::tr("renewed");
    case EventKind::RenewRefused:
        return Words::tr("renewal refused");
    case EventKind::RenewFailed:
        return Words::tr("renewal failed");
    case EventKind::Lost:
        return Words::tr("learned of the loss");
    case EventKind::Released:
        return Words::tr("released");
    case EventKind::ReleaseRefused:
        return Words::tr("release refused");
    case EventKind::ReleaseFailed:
        return Words::tr("release failed");
    case EventKind::ReleaseSent:
        return Words::tr("gives it up");
    case EventKind::GrantedAs:
        return Words::tr("not exclusively");
    case EventKind::LockCapacity:
        return Words::tr("permits in all");
    case EventKind::Suspended:
        return Words::tr("suspended");
    case EventKind::RecordHeld:
        return Words::tr("record: held");
    case EventKind::RecordRenewed:
        return Words::tr("record: renewed");
    case EventKind::RecordDeadline:
        return Words::tr("record: deadline moved");
    case EventKind::RecordRenewalMissed:
        return Words::tr("record: renewal missed");
    case EventKind::RecordRenewalsStopped:
        return Words::tr("record: renewals stopped");
    case EventKind::RecordSince:
        return Words::tr("record: since when");
    case EventKind::RecordFailedOver:
        return Words::tr("record: failed over");
    case EventKind::RecordFreed:
        return Words::tr("record: free");
    case EventKind::RecordWaiters:
        return Words::tr("record: waiters");
    case EventKind::RecordToken:
        return Words::tr("record: token");
    case EventKind::RecordHolder:
        return Words::tr("record: one of the holders");
    case EventKind::RecordHolderGone:
        return Words::tr("record: a holder went");
    case EventKind::RecordQueued:
        return Words::tr("record: in the queue");
    case EventKind::RecordUnqueued:
        return Words::tr("record: out of the queue");
    case EventKind::RecordContent:
        return Words::tr("seen on the server");
    case EventKind::RecordFormat:
        return Words::tr("record: format");
    case EventKind::RecordHolders:
        return Words::tr("record: holders in all");
    case EventKind::RecordPermits:
        return Words::tr("record: permits");
    case EventKind::RecordCertainty:
        return Words::tr("record: a lock?");
    case EventKind::RecordDecider:
        return Words::tr("record: who decides");
    case EventKind::RecordUnobserved:
        return Words::tr("record out of sight");
    case EventKind::RecordObserved:
        return Words::tr("record in sight again");
    case EventKind::WriteAccepted:
        return Words::tr("write accepted");
    case EventKind::WriteRefused:
        return Words::tr("write refused");
    case EventKind::Step:
        return Words::tr("step");
    case EventKind::Request:
        return Words::tr("asks");
    case EventKind::Reply:
        return Words::tr("answers");
    case EventKind::Push:
        return Words::tr("publishes");
    case EventKind::PeerMessage:
        //: An event between two servers: the one sends this to the other.
        return Words::tr("sends");
    case EventKind::ConnectionLost:
        return Words::tr("connection lost");
    case EventKind::ConnectionRestored:
        return Words::tr("connection restored");
    }
    return QString::fromLatin1(trace::kindName(kind));
}

QString eventWord(const trace::Event& event) {
    if (trace::isCrash(event)) return Words::tr("crashed");
    //: Of a server: another process was seen in its place.
    if (trace::isSeenRestart(event)) return Words::tr("restarted");
    //: Of a machine whose server is dead: it refuses a request.
    if (trace::isRefusal(event)) return Words::tr("refuses");
    return eventWord(event.kind);
}

} // namespace lockscope::views
