// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "scenario/scenario.h"
#include "trace/trace.h"

namespace lockscope::views {

/// A lock manager leaves an engine, and grants nothing anywhere until it uses the next one.
struct EngineDrain {
    Nanos from{};            ///< when the first client heard of it
    Nanos until{};           ///< about when grants begin again; it may take a little longer, never much less
    bool holdersGoOn = true; ///< draining: holders may finish. Else they were told of the loss at once
    friend bool operator==(const EngineDrain&, const EngineDrain&) = default;
};

/// The change of engine that goes on at `t`, in a run whose scenario has a lock manager; nullopt: none does.
std::optional<EngineDrain> engineDrainAt(const trace::Trace& trace, const scenario::Scenario& settings, Nanos t);

/// "draining: nobody gets in until about 14.7 s", without a full stop. Translated.
QString drainWords(const EngineDrain& drain, const trace::Trace& trace);

} // namespace lockscope::views
