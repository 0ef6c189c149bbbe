// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/columns.h"

#include <QByteArray>

namespace lockscope::trace {

/// The latest time of an event in a recording, ns (146 years): the sum of two such values does not overflow.
inline constexpr std::int64_t kLatestEvent = INT64_MAX / 2;

/// A chunk as recordings store it: one blob per column. Times are stored as differences, numbers in as few bytes as
/// possible (LEB128, signed ones in zigzag), and columns of zeros not at all: a third of the size in memory.
struct EncodedChunk {
    std::size_t rows = 0;
    std::int64_t firstAt = 0; ///< ns; the first row's time
    QByteArray at, value, actor, subject, aux, kind, flags;
    std::int64_t check = 0; ///< XXH3-64 of everything above, to detect damage
};

/// Encodes rows [first, first + count) of a trace; count at most Columns::kRows.
EncodedChunk encodeChunk(const Trace& trace, std::size_t first, std::size_t count);

/// Decodes into `rows`. False when the chunk is damaged, or when a row names an entity at or beyond `entities`, is
/// earlier than `notBefore`, or has a value that its kind cannot have; then the content of `rows` is undefined.
bool decodeChunk(const EncodedChunk& chunk, Columns& rows, std::size_t entities, std::int64_t notBefore);

} // namespace lockscope::trace
