// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"

namespace lockscope::scenario {

/// The kind of target that an action needs.
enum class TargetKind : std::uint8_t { Nothing, Client, Node, Link, ClientOrNode };
TargetKind targetKind(Action action);

/// The action that ends what this one began; JumpClock and DelayLink end themselves, with a value of 0. nullopt for
/// actions that are over at once, stay for good, or end what others began.
std::optional<Action> undoing(Action action);

} // namespace lockscope::scenario
