// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/strikes.h"

#include "scenario/actions.h"

#include <algorithm>

namespace lockscope::views {

namespace {

using scenario::Action;
using trace::Event;
using trace::EventKind;

/// The row that tells of a fault.
EventKind rowOf(Action action) {
    switch (action) {
    case Action::PauseClient:
        return EventKind::ClientPaused;
    case Action::ResumeClient:
        return EventKind::ClientResumed;
    case Action::KillClient:
    case Action::RestartClient: // it is killed first
        return EventKind::ClientKilled;
    case Action::StopWatchdog:
        return EventKind::WatchdogStopped;
    case Action::HangWork:
        return EventKind::WorkHung;
    case Action::LoseReply:
        return EventKind::ReplyLossArmed;
    case Action::LosePush:
        return EventKind::PushLossArmed;
    case Action::RepeatRequest:
        return EventKind::RepeatArmed;
    case Action::PauseNode:
        return EventKind::NodePaused;
    case Action::ResumeNode:
        return EventKind::NodeResumed;
    case Action::KillNode:
    case Action::CrashNode:
        return EventKind::NodeKilled;
    case Action::RestartNode:
    case Action::RestartNodeEmpty:
        return EventKind::NodeStarted;
    case Action::CutLink:
    case Action::ResetLink:
        return EventKind::LinkCut;
    case Action::MendLink:
        return EventKind::LinkMended;
    case Action::DelayLink:
    case Action::JitterLink:
        return EventKind::LinkDelayed;
    case Action::JumpClock:
        return EventKind::ClockJumped;
    case Action::Failover:
        return EventKind::FailoverStep;
    case Action::HealAll:
        return EventKind::Healed;
    case Action::DriftClock:
    case Action::EvictKey:
    case Action::FlushNode:
    case Action::ExhaustPool:
    case Action::FreePool:
    case Action::StallDisk:
    case Action::FreeDisk:
    case Action::SwitchEngine:
    case Action::Set:
        break;
    }
    return EventKind::SettingChanged;
}

/// The names of those whom a row is about: the client or the server, the ends of a link.
QByteArrayList namesIn(const Event& event, const trace::Trace& trace) {
    QByteArrayList names;
    for (const trace::EntityId id : {event.actor, event.subject}) {
        if (id == trace::kNoEntity) continue;
        const trace::Entity& e = trace.entity(id);
        if (e.kind == trace::EntityKind::Link)
            names << trace.entity(e.parent).name << trace.entity(e.other).name;
        else
            names << trace.entity(trace.clientOf(id)).name; // a thread goes by its client
    }
    return names;
}

/// Whether it may be done to one of those names. A role, such as "holder", may be anybody.
bool mayMean(const scenario::Fault& fault, const QByteArrayList& names, const trace::Trace& trace) {
    const QByteArray target = fault.target.toUtf8();
    for (trace::EntityId id = 1; id < trace.entityCount(); ++id) {
        const trace::Entity& e = trace.entity(id);
        const bool party = e.kind == trace::EntityKind::Client || e.kind == trace::EntityKind::Node;
        if (party && e.name == target) return names.contains(target);
        if (e.kind != trace::EntityKind::Link) continue;
        const QByteArray &first = trace.entity(e.parent).name, &second = trace.entity(e.other).name;
        if (target == first + '-' + second || target == second + '-' + first)
            return names.contains(first) && names.contains(second);
    }
    return true;
}

/// How the text of a row begins that is of several kinds of faults; empty: there is no text.
QByteArray textOf(Action action) {
    switch (action) {
    case Action::DriftClock:
        return "drift=";
    case Action::EvictKey:
        return "evict=";
    case Action::FlushNode:
        return "flush=";
    case Action::ExhaustPool:
        return "pool=exhausted";
    case Action::FreePool:
        return "pool=free";
    case Action::StallDisk:
        return "disk=stalled";
    case Action::FreeDisk:
        return "disk=free";
    default:
        return {};
    }
}

bool tellsOf(const Event& event, const scenario::Fault& fault, const trace::Trace& trace) {
    constexpr std::uint8_t kStrike = trace::kByHand | trace::kFault;
    if ((event.flags & kStrike) != kStrike) return false;
    const QByteArray text = textOf(fault.action);
    if (!text.isEmpty() && !trace.entity(event.aux).name.startsWith(text)) return false;
    return event.kind == rowOf(fault.action) && mayMean(fault, namesIn(event, trace), trace);
}

} // namespace

std::vector<std::optional<Nanos>> strikesOf(const std::vector<scenario::Fault>& byHand, const trace::Trace& trace) {
    std::vector<std::optional<Nanos>> strikes(byHand.size());
    std::vector<std::size_t> waiting;
    Nanos from = kNever;
    for (std::size_t i = 0; i < byHand.size(); ++i) {
        if (!byHand[i].when) {
            strikes[i] = byHand[i].at;
            continue;
        }
        waiting.push_back(i);
        from = std::min(from, byHand[i].at.value_or(Nanos(0)));
    }
    if (waiting.empty()) return strikes;
    for (std::size_t row = trace.lowerBound(from); row < trace.size() && !waiting.empty(); ++row) {
        const Event event = trace.at(row);
        const bool timed = std::ranges::any_of(byHand, [&](const scenario::Fault& one) {
            return !one.when && one.at == event.time() && tellsOf(event, one, trace);
        });
        if (timed) continue;
        const auto found = std::ranges::find_if(waiting, [&](std::size_t i) {
            return byHand[i].at.value_or(Nanos(0)) <= event.time() && tellsOf(event, byHand[i], trace);
        });
        if (found == waiting.end()) continue;
        strikes[*found] = event.time();
        waiting.erase(found);
    }
    return strikes;
}

} // namespace lockscope::views
