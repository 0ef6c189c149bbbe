// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/trace.h"

#include <QString>

namespace lockscope::views {

/// A lock manager's news of an engine as a sentence without its subject: "uses redis-2, epoch 2: switched by hand".
/// `event` is an EngineChanged. Translated.
QString engineWords(const trace::Event& event, const trace::Trace& trace);
/// Its beginning, for a mark: "uses redis-2, epoch 2". Translated.
QString engineLabel(const trace::Event& event, const trace::Trace& trace);
/// The engine of an EngineChanged as its manager is configured with it: "redis://redis-2:6379 redis-set".
QString engineAddress(const trace::Event& event, const trace::Trace& trace);

/// Whether a lock manager leaves an engine because a switch to another has begun, and not because its own process
/// cannot read which one is in use: others may go on. False for all other events.
bool leavesForASwitch(const trace::Event& event, const trace::Trace& trace);

} // namespace lockscope::views
