// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QKeyCombination>
#include <array>

namespace lockscope::views {

/// A command: what it does to which kind of thing. `id` is the stable name of its action, for settings and tests.
struct Verb {
    enum class Shown : std::uint8_t { Button, CommandOnly };
    const char* id;
    session::Breakable::Kind kind;
    scenario::Action action;
    QKeyCombination key;
    Shown shown = Shown::Button; ///< or only a key, a menu's entry and a command to be found
};
/// A server's keys are a client's, or a link's, with Shift.
inline constexpr std::array kVerbs{
    Verb{"break.pause-client", session::Breakable::Kind::Client, scenario::Action::PauseClient, Qt::Key_P},
    Verb{"break.kill-client", session::Breakable::Kind::Client, scenario::Action::KillClient, Qt::Key_K},
    Verb{"break.lose-reply", session::Breakable::Kind::Client, scenario::Action::LoseReply, Qt::Key_L},
    Verb{"break.lose-push", session::Breakable::Kind::Client, scenario::Action::LosePush, Qt::SHIFT | Qt::Key_L},
    Verb{"break.repeat-request", session::Breakable::Kind::Client, scenario::Action::RepeatRequest,
         Qt::CTRL | Qt::ALT | Qt::Key_L},
    Verb{"break.stop-watchdog", session::Breakable::Kind::Client, scenario::Action::StopWatchdog, Qt::Key_W},
    Verb{"break.hang-work", session::Breakable::Kind::Client, scenario::Action::HangWork, Qt::SHIFT | Qt::Key_W},
    Verb{"break.isolate-client", session::Breakable::Kind::Client, scenario::Action::CutLink,
         Qt::CTRL | Qt::ALT | Qt::Key_I},
    Verb{"break.jump-clock", session::Breakable::Kind::Client, scenario::Action::JumpClock, Qt::Key_J},
    Verb{"break.drift-clock", session::Breakable::Kind::Client, scenario::Action::DriftClock,
         Qt::CTRL | Qt::ALT | Qt::Key_J},
    Verb{"break.restart-client", session::Breakable::Kind::Client, scenario::Action::RestartClient,
         Qt::CTRL | Qt::ALT | Qt::Key_B, Verb::Shown::CommandOnly},
    Verb{"break.slow-client", session::Breakable::Kind::Client, scenario::Action::DelayLink,
         Qt::CTRL | Qt::ALT | Qt::SHIFT | Qt::Key_D, Verb::Shown::CommandOnly},
    Verb{"break.jitter-client", session::Breakable::Kind::Client, scenario::Action::JitterLink,
         Qt::CTRL | Qt::ALT | Qt::Key_V, Verb::Shown::CommandOnly},
    Verb{"break.reset-client", session::Breakable::Kind::Client, scenario::Action::ResetLink,
         Qt::CTRL | Qt::ALT | Qt::Key_X, Verb::Shown::CommandOnly},
    Verb{"break.pause-node", session::Breakable::Kind::Server, scenario::Action::PauseNode, Qt::SHIFT | Qt::Key_P},
    Verb{"break.kill-node", session::Breakable::Kind::Server, scenario::Action::KillNode, Qt::SHIFT | Qt::Key_K},
    Verb{"break.restart-node", session::Breakable::Kind::Server, scenario::Action::RestartNode, Qt::SHIFT | Qt::Key_B},
    Verb{"break.crash-node", session::Breakable::Kind::Server, scenario::Action::CrashNode, Qt::SHIFT | Qt::Key_X},
    Verb{"break.isolate-node", session::Breakable::Kind::Server, scenario::Action::CutLink, Qt::SHIFT | Qt::Key_C},
    Verb{"break.slow-node", session::Breakable::Kind::Server, scenario::Action::DelayLink, Qt::SHIFT | Qt::Key_D},
    Verb{"break.jump-node-clock", session::Breakable::Kind::Server, scenario::Action::JumpClock, Qt::SHIFT | Qt::Key_J},
    Verb{"break.drift-node-clock", session::Breakable::Kind::Server, scenario::Action::DriftClock,
         Qt::CTRL | Qt::ALT | Qt::SHIFT | Qt::Key_J},
    Verb{"break.failover", session::Breakable::Kind::Server, scenario::Action::Failover, Qt::SHIFT | Qt::Key_M},
    Verb{"break.evict-key", session::Breakable::Kind::Server, scenario::Action::EvictKey, Qt::SHIFT | Qt::Key_E},
    Verb{"break.flush-node", session::Breakable::Kind::Server, scenario::Action::FlushNode, Qt::SHIFT | Qt::Key_Z},
    Verb{"break.exhaust-pool", session::Breakable::Kind::Server, scenario::Action::ExhaustPool, Qt::SHIFT | Qt::Key_U},
    Verb{"break.stall-disk", session::Breakable::Kind::Server, scenario::Action::StallDisk,
         Qt::CTRL | Qt::ALT | Qt::SHIFT | Qt::Key_E, Verb::Shown::CommandOnly},
    Verb{"break.restart-node-empty", session::Breakable::Kind::Server, scenario::Action::RestartNodeEmpty,
         Qt::CTRL | Qt::ALT | Qt::SHIFT | Qt::Key_B, Verb::Shown::CommandOnly},
    Verb{"break.jitter-node", session::Breakable::Kind::Server, scenario::Action::JitterLink,
         Qt::CTRL | Qt::ALT | Qt::SHIFT | Qt::Key_V, Verb::Shown::CommandOnly},
    Verb{"break.reset-node", session::Breakable::Kind::Server, scenario::Action::ResetLink,
         Qt::CTRL | Qt::ALT | Qt::SHIFT | Qt::Key_X, Verb::Shown::CommandOnly},
    Verb{"break.switch-engine", session::Breakable::Kind::Server, scenario::Action::SwitchEngine,
         Qt::CTRL | Qt::ALT | Qt::Key_M, Verb::Shown::CommandOnly},
    Verb{"break.cut-link", session::Breakable::Kind::Link, scenario::Action::CutLink, Qt::Key_C},
    Verb{"break.delay-link", session::Breakable::Kind::Link, scenario::Action::DelayLink, Qt::Key_D},
    Verb{"break.jitter-link", session::Breakable::Kind::Link, scenario::Action::JitterLink,
         Qt::CTRL | Qt::ALT | Qt::Key_D},
    Verb{"break.reset-link", session::Breakable::Kind::Link, scenario::Action::ResetLink, Qt::Key_X},
    Verb{"break.heal", session::Breakable::Kind::World, scenario::Action::HealAll, Qt::Key_H},
};

/// Its key; nothing where it has none.
inline std::optional<QKeyCombination> keyOf(session::Breakable::Kind kind, scenario::Action action) {
    for (const Verb& verb : kVerbs)
        if (verb.kind == kind && verb.action == action) return verb.key;
    return std::nullopt;
}

} // namespace lockscope::views
