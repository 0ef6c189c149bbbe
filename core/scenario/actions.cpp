// SPDX-License-Identifier: Apache-2.0
#include "scenario/actions.h"

namespace lockscope::scenario {

TargetKind targetKind(Action action) {
    switch (action) {
    case Action::PauseClient:
    case Action::ResumeClient:
    case Action::KillClient:
    case Action::RestartClient:
    case Action::StopWatchdog:
    case Action::LoseReply:
    case Action::LosePush:
    case Action::RepeatRequest:
    case Action::HangWork:
        return TargetKind::Client;
    case Action::PauseNode:
    case Action::ResumeNode:
    case Action::KillNode:
    case Action::RestartNode:
    case Action::CrashNode:
    case Action::SwitchEngine:
    case Action::RestartNodeEmpty:
    case Action::Failover:
    case Action::EvictKey:
    case Action::FlushNode:
    case Action::ExhaustPool:
    case Action::FreePool:
    case Action::StallDisk:
    case Action::FreeDisk:
        return TargetKind::Node;
    case Action::CutLink:
    case Action::MendLink:
    case Action::DelayLink:
    case Action::JitterLink:
    case Action::ResetLink:
        return TargetKind::Link;
    case Action::JumpClock:
    case Action::DriftClock:
        return TargetKind::ClientOrNode;
    case Action::HealAll:
    case Action::Set:
        break;
    }
    return TargetKind::Nothing;
}

std::optional<Action> undoing(Action action) {
    switch (action) {
    case Action::PauseClient:
        return Action::ResumeClient;
    case Action::KillClient:
        return Action::RestartClient;
    case Action::PauseNode:
        return Action::ResumeNode;
    case Action::KillNode:
    case Action::CrashNode:
        return Action::RestartNode;
    case Action::CutLink:
        return Action::MendLink;
    case Action::ExhaustPool:
        return Action::FreePool;
    case Action::StallDisk:
        return Action::FreeDisk;
    default:
        break;
    }
    return takesValue(action) ? std::optional(action) : std::nullopt;
}

bool takesValue(Action action) {
    switch (action) {
    case Action::DelayLink:
    case Action::JitterLink:
    case Action::JumpClock:
    case Action::DriftClock:
        return true;
    default:
        return false;
    }
}

std::optional<TargetSets> targetSetsIn(const QString& target) {
    using Ways = TargetSets::Ways;
    for (const auto& [sign, ways] :
         {std::pair(u'|', Ways::Both), std::pair(u'>', Ways::FromFirst), std::pair(u'<', Ways::ToFirst)}) {
        const qsizetype at = target.indexOf(sign);
        if (at < 0) continue;
        return TargetSets{targetsIn(target.left(at)), targetsIn(target.mid(at + 1)), ways};
    }
    return std::nullopt;
}

QStringList targetsIn(const QString& target) {
    return target.split(u',');
}

} // namespace lockscope::scenario
