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
        return TargetKind::Node;
    case Action::CutLink:
    case Action::MendLink:
    case Action::DelayLink:
        return TargetKind::Link;
    case Action::JumpClock:
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
    case Action::DelayLink:
    case Action::JumpClock:
        return action;
    default:
        return std::nullopt;
    }
}

} // namespace lockscope::scenario
