// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <cstdint>

namespace lockscope::cli {

/// The times of the lines that `watch` prints for people: local ones, as in the window. A heading tells their zone.
class WatchClock {
public:
    /// "2026-11-27 14:32:07.253" of an instant in ms since 1970. Says the zone before the first one, and when it
    /// changes: with summer time, say.
    QString timeOf(std::int64_t wallMs);

private:
    QString m_zone; ///< said last
};

} // namespace lockscope::cli
