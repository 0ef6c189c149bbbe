// SPDX-License-Identifier: GPL-3.0-or-later
// The colours and drawings that stand before events.
#include "models/event_words.h"

namespace lockscope::views {

using trace::Event;
using trace::EventKind;
using trace::FreedBy;

namespace {
bool lacksRenewals(EventKind kind) {
    return kind == EventKind::RecordRenewalMissed || kind == EventKind::RecordRenewalsStopped;
}
} // namespace

bool isBad(const Event& e) {
    switch (e.kind) {
    case EventKind::RenewRefused:
    case EventKind::Lost:
    case EventKind::ReleaseRefused:
    case EventKind::WriteRefused:
    case EventKind::ConnectionLost:
    case EventKind::RecordFailedOver:
        return true;
    case EventKind::RecordFreed:
    case EventKind::RecordHolderGone:
        return FreedBy(e.flags & trace::kFreedByMask) != FreedBy::Release &&
               FreedBy(e.flags & trace::kFreedByMask) != FreedBy::Unseen;
    case EventKind::Request:
    case EventKind::Reply:
    case EventKind::Push:
    case EventKind::PeerMessage:
        return e.value == -1;
    default:
        return false;
    }
}

Role eventRole(const Event& e) {
    if (isBad(e)) return Role::Violation;
    switch (eventGroup(e.kind)) {
    case EventGroup::Fault:
        return e.flags & (trace::kByHand | trace::kFault) ? Role::Fault : Role::Accepted;
    case EventGroup::Belief:
        return e.kind == EventKind::Requested ? Role::Waiting : Role::Holding;
    case EventGroup::Record:
        return lacksRenewals(e.kind) ? Role::Waiting : Role::Record;
    case EventGroup::Effect:
        return Role::Accepted;
    case EventGroup::Step:
    case EventGroup::Message:
        break;
    }
    return Role::TextFaint;
}

const char* eventIcon(const Event& e) {
    if (isBad(e)) return "warning";
    switch (eventGroup(e.kind)) {
    case EventGroup::Fault:
        return e.flags & (trace::kByHand | trace::kFault) ? "bolt" : "client";
    case EventGroup::Belief:
        return e.kind == EventKind::Requested ? "clock" : "lock";
    case EventGroup::Record:
        return lacksRenewals(e.kind) ? "clock" : "server";
    case EventGroup::Effect:
        return "check";
    case EventGroup::Step:
        return "step";
    case EventGroup::Message:
        break;
    }
    return "minus";
}

} // namespace lockscope::views
