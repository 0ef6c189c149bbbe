// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/chronicle.h"

namespace lockscope::verdict {

/// How the record of a hold ended that nobody freed: its servers lost it, or another engine decides. `length`: of the
/// violation, by which instants are rounded. Precondition: the record has ended by FreedBy::NodeLoss. Translated.
QString memoryLossText(const Chronicle& c, trace::EntityId lock, Nanos length, const trace::Trace& trace);

/// memoryLossText() of the permits of a semaphore, which their server loses together. Precondition: the record has
/// ended by FreedBy::NodeLoss or FreedBy::Evicted. Translated.
QString permitLossText(const Chronicle& c, trace::EntityId lock, Nanos length, const trace::Trace& trace);

/// Whether the server was looked at before the violation, and named nobody while they believed. Looks at some thousand
/// rows.
bool noneWasRecorded(const Violation& violation, const trace::Trace& trace);

/// The last jump, before the record's end, of the clock of the client that wrote over the hold; nullopt: there is none.
std::optional<trace::Event> clockJumpOfWriter(const Chronicle& c, const trace::Trace& trace);

} // namespace lockscope::verdict
