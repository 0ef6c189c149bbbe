// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/verdict.h"

#include <map>

namespace lockscope::verdict {

/// The explanation of a renewal by a client that only asked for the lock: its command wrote into the entry before it
/// knew that it had lost. Empty: the violation is of another kind. Translated. `length`: instants are rounded by it.
QString lostRaceText(const Violation& violation, Nanos length, const trace::Trace& trace);

/// The servers that may decide the lock before row `row` and that the client's links are cut to then, each with the
/// instant since when; empty: they are no more than half of those servers.
std::map<trace::EntityId, Nanos> cutFromDeciders(trace::EntityId client, trace::EntityId lock, std::size_t row,
                                                 const trace::Trace& trace);

/// That the server does not know of the dead connection of `owner`, whose entry it keeps; empty: the client was not cut
/// off when the violation began. Translated.
QString deadConnectionText(trace::EntityId owner, const Violation& violation, Nanos length, const trace::Trace& trace);

/// How a hold count changed by more than one. `length`: of the violation, by which instants are rounded. Translated.
QString reentrancyText(const Violation& violation, Nanos length, const trace::Trace& trace);

} // namespace lockscope::verdict
