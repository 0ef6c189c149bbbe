// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/chronicle.h"

namespace lockscope::verdict {

/// A change of the engine on which a lock manager's clients take their locks.
struct EngineChange {
    Nanos at{};
    QString engine;    ///< the one in use since then, as scenarios name it
    bool told = false; ///< clients were only told of it; else they agreed on it
};

/// The last change of engine before row `row`; nullopt: there was none. Looks at some thousand rows.
std::optional<EngineChange> engineChangeBefore(std::size_t row, const trace::Trace& trace);
/// The change of engine at which a record was freed; nullopt: its server lost it, or `freed` tells of something else.
std::optional<EngineChange> engineChangeAt(const trace::Event& freed, const trace::Trace& trace);

/// How the record of a hold ended that nobody freed: its servers lost it, or another engine decides. `length`: of the
/// violation, by which instants are rounded. Precondition: the record has ended by FreedBy::NodeLoss. Translated.
QString memoryLossText(const Chronicle& c, trace::EntityId lock, Nanos length, const trace::Trace& trace);
/// That clients were told of another engine before row `row`, and holds on the former one went on; empty: they were
/// not. Translated.
QString toldEngineText(std::size_t row, Nanos length, const trace::Trace& trace);

/// Whether the server was looked at before the violation, and named nobody while they believed. Looks at some thousand
/// rows.
bool noneWasRecorded(const Violation& violation, const trace::Trace& trace);

/// The last jump, before the record's end, of the clock of the client that wrote over the hold; nullopt: there is none.
std::optional<trace::Event> clockJumpOfWriter(const Chronicle& c, const trace::Trace& trace);

} // namespace lockscope::verdict
