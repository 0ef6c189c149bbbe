// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <memory>

namespace lockscope::trace {

/// A trace of exactly `events` rows that resembles a world under contention, generated without running one: for tests
/// and benchmarks of code that reads traces. One node; `clients` clients (1…1000) of one thread each; one lock and one
/// guarded resource per ten clients. It contains requests, grants, renewals, writes and messages; now and then a pause
/// longer than the lease (so two clients believe at once, and stale writes follow), a crash, a cut link or an attempt
/// that times out. Equal arguments give equal traces. Ten million rows take a few seconds.
std::shared_ptr<Trace> syntheticTrace(std::size_t events, unsigned clients, std::uint64_t seed);

/// As syntheticTrace(), into a trace that others may read meanwhile. Precondition: it has no rows yet.
void fillSynthetic(Trace& trace, std::size_t events, unsigned clients, std::uint64_t seed);

} // namespace lockscope::trace
