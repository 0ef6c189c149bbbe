// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/kept_by.h"
#include "theme/palette.h"
#include "timeline/layout.h"

#include <QString>

namespace lockscope::views {

/// How long the server that decides would still keep a client's lock if nothing more arrived: the safety of a hold at
/// one instant.
struct Margin {
    enum class Kind : std::uint8_t {
        None,    ///< no hold, or one of several holders, whose own deadlines are not told
        Known,   ///< `left`
        Endless, ///< the server keeps it until somebody frees it
        Unknown, ///< nobody decides, nobody looked, or the end is not told
        Over,    ///< the server keeps it no more
        Kept,    ///< no lease: the holder's session or transaction keeps it, and the holder runs
    };
    Kind kind = Kind::None;
    std::int64_t left = 0;                         ///< ns; Known
    std::int64_t length = 0;                       ///< of the whole lease, ns; Known; 0 = not known
    inspect::KeptBy by = inspect::KeptBy::NotTold; ///< Kept; Unknown, while the holder does not run
    /// Less than this is little: a third of the lease, which a watchdog would have renewed by then.
    std::int64_t low() const { return length / 3; }
};
/// The margin of a belief lane's hold at t. The caller holds the data's mutex.
Margin marginAt(const TimelineData& data, const Lane& belief, std::int64_t t);
/// "margin 4.2 s", "margin 0", "margin unknown"; empty: there is none.
QString marginWords(const Margin& margin);
/// The colour of those words.
Role marginRole(const Margin& margin);
/// Whether a low lane has room for its client's name and for the margin below it.
bool hasTwoLines(const TimelineMetrics& metrics, int height);

} // namespace lockscope::views
