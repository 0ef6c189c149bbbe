// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"

namespace lockscope::scenario {

/// The kind of target that an action needs.
enum class TargetKind : std::uint8_t { Nothing, Client, Node, Link, ClientOrNode };
TargetKind targetKind(Action action);

/// Whether it takes a value: a latency, an offset, a drift.
bool takesValue(Action action);

/// Several targets as one text.
struct TargetSets {
    enum class Ways : std::uint8_t {
        Both,
        FromFirst, ///< only what those of the first set send
        ToFirst,   ///< only what those of the second set send
    };
    QStringList first, second; ///< parties by their names
    Ways ways = Ways::Both;
};
/// "A,B|redis-1,redis-2": the links between two sets; with ">" in place of "|" only what the first set sends, with "<"
/// only what it gets. nullopt: the text has none of these signs.
std::optional<TargetSets> targetSetsIn(const QString& target);
/// "A,B": each of several; a text without a comma itself.
QStringList targetsIn(const QString& target);

/// The action that ends what this one began; those that take a value end themselves, with a value of 0. nullopt for
/// actions that are over at once, stay for good, or end what others began.
std::optional<Action> undoing(Action action);

} // namespace lockscope::scenario
