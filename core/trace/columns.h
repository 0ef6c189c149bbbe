// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

namespace lockscope::trace {

/// The rows of one chunk, one array per column, so that a scan over times or kinds reads nothing else. Each row is
/// written once, before the trace's size includes it. Deliberately not initialised: an unwritten row uses no memory.
struct Columns {
    static constexpr std::size_t kRows = Trace::kChunkRows;
    static constexpr std::size_t kRowBytes = 2 * sizeof(std::int64_t) + 3 * sizeof(std::uint32_t) + 2;

    std::int64_t at[kRows];
    std::int64_t value[kRows];
    std::uint32_t actor[kRows];
    std::uint32_t subject[kRows];
    std::uint32_t aux[kRows];
    std::uint8_t kind[kRows];
    std::uint8_t flags[kRows];

    /// Writes row i < kRows.
    void set(std::size_t i, const Event& e) noexcept {
        at[i] = e.at;
        value[i] = e.value;
        actor[i] = e.actor;
        subject[i] = e.subject;
        aux[i] = e.aux;
        kind[i] = static_cast<std::uint8_t>(e.kind);
        flags[i] = e.flags;
    }
    /// Reads row i < kRows.
    Event get(std::size_t i) const noexcept {
        return {at[i], value[i], actor[i], subject[i], aux[i], static_cast<EventKind>(kind[i]), flags[i]};
    }
};
static_assert(Columns::kRowBytes == 30);

} // namespace lockscope::trace
