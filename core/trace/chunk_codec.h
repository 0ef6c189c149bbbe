// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/columns.h"

#include <QByteArray>

namespace lockscope::trace {

/// No event of a recording is later, in ns (146 years): sums of an instant and a duration of that order stay in range.
inline constexpr std::int64_t kLatestEvent = INT64_MAX / 2;

/// A chunk as recordings store it: a blob per column. Times are differences, numbers take as many bytes as they need
/// (LEB128, zigzag for signed ones), columns of nothing but zeros take none: a third of the size in memory.
struct EncodedChunk {
    std::size_t rows = 0;
    std::int64_t firstAt = 0; ///< ns; the first row's time
    QByteArray at, value, actor, subject, aux, kind, flags;
    std::int64_t check = 0; ///< XXH3-64 of everything above, to detect damage
};

/// Encodes rows [first, first + count) of a trace; count at most Columns::kRows.
EncodedChunk encodeChunk(const Trace& trace, std::size_t first, std::size_t count);

/// Decodes into `rows`. False when the chunk is damaged: `rows` then holds rubbish. Also false when a row names an
/// entity at or beyond `entities`, is earlier than `notBefore`, or has a value that its kind cannot have.
bool decodeChunk(const EncodedChunk& chunk, Columns& rows, std::size_t entities, std::int64_t notBefore);

} // namespace lockscope::trace
