// SPDX-License-Identifier: Apache-2.0
#include "trace/event.h"

namespace lockscope::trace {

const char* kindName(EventKind kind) {
    switch (kind) {
    case EventKind::None:
        return "none";
    case EventKind::ClientStarted:
        return "client-started";
    case EventKind::ClientPaused:
        return "client-paused";
    case EventKind::ClientResumed:
        return "client-resumed";
    case EventKind::ClientKilled:
        return "client-killed";
    case EventKind::NodeStarted:
        return "node-started";
    case EventKind::NodePaused:
        return "node-paused";
    case EventKind::NodeResumed:
        return "node-resumed";
    case EventKind::NodeKilled:
        return "node-killed";
    case EventKind::LinkCut:
        return "link-cut";
    case EventKind::LinkMended:
        return "link-mended";
    case EventKind::LinkDelayed:
        return "link-delayed";
    case EventKind::ClockJumped:
        return "clock-jumped";
    case EventKind::WatchdogStopped:
        return "watchdog-stopped";
    case EventKind::ReplyLossArmed:
        return "reply-loss-armed";
    case EventKind::Healed:
        return "healed";
    case EventKind::SettingChanged:
        return "setting-changed";
    case EventKind::Requested:
        return "requested";
    case EventKind::Granted:
        return "granted";
    case EventKind::Reentered:
        return "reentered";
    case EventKind::TimedOut:
        return "timed-out";
    case EventKind::Interrupted:
        return "interrupted";
    case EventKind::AcquireFailed:
        return "acquire-failed";
    case EventKind::BelievedUntil:
        return "believed-until";
    case EventKind::Renewed:
        return "renewed";
    case EventKind::RenewRefused:
        return "renew-refused";
    case EventKind::RenewFailed:
        return "renew-failed";
    case EventKind::Lost:
        return "lost";
    case EventKind::Released:
        return "released";
    case EventKind::ReleaseRefused:
        return "release-refused";
    case EventKind::ReleaseFailed:
        return "release-failed";
    case EventKind::ReleaseSent:
        return "release-sent";
    case EventKind::RecordHeld:
        return "record-held";
    case EventKind::RecordRenewed:
        return "record-renewed";
    case EventKind::RecordFreed:
        return "record-freed";
    case EventKind::RecordWaiters:
        return "record-waiters";
    case EventKind::RecordToken:
        return "record-token";
    case EventKind::RecordUnobserved:
        return "record-unobserved";
    case EventKind::RecordObserved:
        return "record-observed";
    case EventKind::WriteAccepted:
        return "write-accepted";
    case EventKind::WriteRefused:
        return "write-refused";
    case EventKind::Step:
        return "step";
    case EventKind::Request:
        return "request";
    case EventKind::Reply:
        return "reply";
    case EventKind::Push:
        return "push";
    case EventKind::ConnectionLost:
        return "connection-lost";
    case EventKind::ConnectionRestored:
        return "connection-restored";
    }
    return "unknown";
}

} // namespace lockscope::trace
