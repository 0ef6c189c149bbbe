// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/alert_words.h"

#include <QCoreApplication>

namespace lockscope::views {

using Kind = inspect::AlertRule::Kind;
using inspect::AlertSeverity;

namespace {
struct Words {
    Q_DECLARE_TR_FUNCTIONS(AlertWords)
};
} // namespace

QString alertWord(Kind kind) {
    switch (kind) {
    case Kind::Held:
        return Words::tr("held for long");
    case Kind::Left:
        return Words::tr("lease ends");
    case Kind::NoExpiry:
        return Words::tr("never expires");
    case Kind::Waiters:
        return Words::tr("many wait");
    case Kind::Waited:
        return Words::tr("long wait");
    case Kind::DeadWaiters:
        return Words::tr("dead waiters");
    case Kind::HandOvers:
        return Words::tr("many hand-overs");
    case Kind::Unusual:
        return Words::tr("longer than usual");
    case Kind::Herd:
        return Words::tr("herd");
    case Kind::Deadlock:
        return Words::tr("deadlock");
    case Kind::TokenBack:
        return Words::tr("token went back");
    case Kind::Unreachable:
        return Words::tr("not reachable");
    case Kind::RenewalLate:
        return Words::tr("renewal late");
    case Kind::FailedOver:
        return Words::tr("failed over");
    case Kind::HolderGone:
        return Words::tr("holder gone");
    case Kind::MayEvict:
        return Words::tr("may be dropped");
    case Kind::ZkRate:
        return Words::tr("many changes");
    case Kind::ZkLocks:
        return Words::tr("many locks");
    case Kind::DeadHead:
        return Words::tr("dead waiter first");
    case Kind::HeldTwice:
        return Words::tr("held twice");
    }
    return {};
}

QString alertQuestion(Kind kind) {
    switch (kind) {
    case Kind::Held:
        return Words::tr("One client holds a lock for longer than");
    case Kind::Left:
        return Words::tr("A lease is about to end: less is left than");
    case Kind::NoExpiry:
        return Words::tr("A lock is held and never expires");
    case Kind::Waiters:
        return Words::tr("More clients wait for one lock than");
    case Kind::Waited:
        return Words::tr("The first of a queue waits for longer than");
    case Kind::DeadWaiters:
        return Words::tr("More queue entries belong to nobody than");
    case Kind::HandOvers:
        return Words::tr("A lock changes hands within a minute more often than");
    case Kind::Unusual:
        return Words::tr("A hold is longer than usual by a factor of more than");
    case Kind::Herd:
        return Words::tr("When a hold ends, more clients try at once than");
    case Kind::Deadlock:
        return Words::tr("Holders wait for each other in a ring");
    case Kind::TokenBack:
        return Words::tr("A fencing token goes back: the server lost data");
    case Kind::Unreachable:
        return Words::tr("The server cannot be read for longer than");
    case Kind::RenewalLate:
        return Words::tr("A holder is behind its usual renewals by more than");
    case Kind::FailedOver:
        return Words::tr("Another server takes over while a lock is held");
    case Kind::HolderGone:
        return Words::tr("A holder has no connection left, and its lock never expires");
    case Kind::MayEvict:
        return Words::tr("The server drops locks when its memory is full");
    case Kind::ZkRate:
        return Words::tr("A ZooKeeper's locks change hands more often a second than");
    case Kind::ZkLocks:
        return Words::tr("A ZooKeeper keeps more locks than");
    case Kind::DeadHead:
        return Words::tr("The first entry of a queue belongs to nobody");
    case Kind::HeldTwice:
        return Words::tr("Two clients hold one lock, because their libraries do not see each other");
    }
    return {};
}

Pill::Tone alertTone(AlertSeverity severity) {
    switch (severity) {
    case AlertSeverity::Critical:
        return Pill::Tone::Violation;
    case AlertSeverity::Warning:
        return Pill::Tone::Waiting;
    case AlertSeverity::Info:
        break;
    }
    return Pill::Tone::Neutral;
}

Role alertRole(AlertSeverity severity) {
    switch (severity) {
    case AlertSeverity::Critical:
        return Role::ViolationText;
    case AlertSeverity::Warning:
        return Role::WaitingText;
    case AlertSeverity::Info:
        break;
    }
    return Role::TextDim;
}

const char* alertIcon(AlertSeverity severity) {
    switch (severity) {
    case AlertSeverity::Critical:
        return "cross";
    case AlertSeverity::Warning:
        return "warning";
    case AlertSeverity::Info:
        break;
    }
    return "info";
}

QString severityWord(AlertSeverity severity) {
    switch (severity) {
    case AlertSeverity::Critical:
        return Words::tr("critical");
    case AlertSeverity::Warning:
        return Words::tr("warning");
    case AlertSeverity::Info:
        break;
    }
    return Words::tr("note");
}

} // namespace lockscope::views
