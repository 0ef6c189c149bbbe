// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/chronicle.h"

namespace lockscope::verdict {

/// A change of the engine on which a lock manager's clients take their locks.
struct EngineChange {
    Nanos at{};
    QString engine;    ///< the one in use since then, see shortEngine()
    bool told = false; ///< clients were only told of it; else they agreed on it
};

/// "redis://redis-1:6379 redis-set" in a few letters: "redis-1"; of several servers "zk-1–3" where their names are
/// numbered so, else the first one, and "…". An id as scenarios give it stays as it is.
QString shortEngine(const QString& engine);

/// The last change of engine before row `row`; nullopt: there was none. Looks at some thousand rows.
std::optional<EngineChange> engineChangeBefore(std::size_t row, const trace::Trace& trace);
/// The change of engine at which a record was freed; nullopt: its server lost it, or `freed` tells of something else.
std::optional<EngineChange> engineChangeAt(const trace::Event& freed, const trace::Trace& trace);
/// Whether another server decides a lock from this RecordDecider on because the engine was changed: no failover.
bool isEngineChange(const trace::Event& decider, const trace::Trace& trace);

/// Whether clients were told of another engine before row `row` while `c` waited, and it got its hold on the former
/// one.
bool askedFormerEngine(const Chronicle& c, std::size_t row, const trace::Trace& trace);

/// That clients were told of another engine before row `row`, and holds on the former one went on; also when `c` got
/// its hold there, if that was later. Empty: they were not told. `length`: of the violation, by which instants are
/// rounded. Translated.
QString toldEngineText(const Chronicle& c, std::size_t row, Nanos length, const trace::Trace& trace);

} // namespace lockscope::verdict
