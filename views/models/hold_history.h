// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/seen_holds.h"
#include "trace/trace.h"

#include <QList>
#include <QMetaType>
#include <map>
#include <memory>

namespace lockscope::views {

/// The last renewals of each lock's present hold, and how long its holds before that lasted: as far as they were seen
/// before an instant that moves. One pass over the trace serves all locks, and a step forward reads the new rows
/// alone.
class HoldHistory {
public:
    static constexpr qsizetype kMost = 8;         ///< renewals that are kept of one hold
    static constexpr qsizetype kHolds = 15;       ///< holds that are kept of one lock
    static constexpr qsizetype kEnough = 3;       ///< holds that make a usual one
    static constexpr Nanos kReach = 5min;         ///< older rows are not looked for
    static constexpr std::size_t kRows = 400'000; ///< nor is further back than so many rows

    /// To the instant t of this trace, or of another one.
    void moveTo(const std::shared_ptr<const trace::Trace>& trace, Nanos t);
    /// In ns, oldest first; empty: no renewal of the present hold was seen, or nobody holds the lock.
    QList<qint64> beatsOf(trace::EntityId lock) const;
    /// How long a hold usually lasts: the median of the last ones that were seen from beginning to end. 0: too few
    /// were.
    Nanos usualOf(trace::EntityId lock) const;

private:
    struct Past {
        QList<qint64> beats, holds; ///< of the present hold; lengths of those before it
    };
    void take(const trace::Trace& trace, std::size_t row);

    std::weak_ptr<const trace::Trace> m_trace;
    std::size_t m_row = 0; ///< of the first row that was not looked at
    std::map<trace::EntityId, Past> m_pasts;
    trace::SeenHolds m_seen;
};

/// The picture in the cell of a lock's renewals: a spike for each renewal, and a ring where one was due and did not
/// come.
struct Pulse {
    QList<qint64> beats; ///< in ns, oldest first
    qint64 now = 0;
    bool missed = false;
    friend bool operator==(const Pulse&, const Pulse&) = default;

    /// The usual time between two beats: their median in ns. 0: there are fewer than two.
    qint64 period() const;
};

} // namespace lockscope::views

Q_DECLARE_METATYPE(lockscope::views::Pulse)
