// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/trace.h"
#include "verdict/verdict.h"

#include <optional>

namespace lockscope::cli {

/// [{invariant, lock, from_ms, to_ms, actors, explain}, …] as the contract has it. An interval that goes on has
/// to_ms null.
QByteArray violationsJson(const verdict::Verdict& verdict, const trace::Trace& trace);

/// [{lock, actor, asked_ms, from_ms, to_ms, overtaken, explain}, …]: the waiters that starve, to_ms as above.
QByteArray starvedJson(const verdict::Verdict& verdict, const trace::Trace& trace);

/// "A", or "A:2" where a client's threads must be told apart. Never translated: programs read it.
QString actorName(trace::EntityId id, const trace::Trace& trace);

/// {"mutual-exclusion": "holds", …}
QByteArray outcomesJson(const std::array<verdict::Outcome, verdict::kInvariants.size()>& outcomes);

/// The verdict for people: a line for each invariant, a sentence for each violation, and for each waiter that starves.
QString judgementText(const verdict::Verdict& verdict, const trace::Trace& trace);

/// "8 acquisitions, 1273 events, digest 0acc…"; nothing for acquisitions: they are not known.
QString sizeText(std::optional<std::uint64_t> acquisitions, std::size_t events, const QByteArray& digest);

/// "violated", "holds" or "unknown", translated.
QString outcomeWord(verdict::Outcome outcome);

} // namespace lockscope::cli
