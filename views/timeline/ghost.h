// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/paint_kit.h"

#include <functional>
#include <memory>
#include <vector>

namespace lockscope::views {

/// A run as it was before a change in its past: drawn faintly behind the present one.
struct GhostRun {
    std::shared_ptr<TimelineData> data; ///< null: there is none
    std::int64_t from = 0;              ///< before this instant both are equal
    int changesAgo = 1;                 ///< how many changes there were since, this one's own included
};

/// The runs that changes in their past have replaced: the last few of one session, of which one is shown.
class FormerRuns {
public:
    static constexpr std::size_t kKept = 8;
    /// `data` was the run until now, and the present one is another from `from` on. From now on it is shown.
    void remember(std::shared_ptr<TimelineData> data, std::int64_t from);
    /// From `from` on the present run is another than the one until now, which nobody had seen any further.
    void part(std::int64_t from);
    void clear() { m_runs.clear(); }
    /// Shows the run before the one that is shown; behind the oldest one, the newest.
    void showOlder();
    GhostRun shown() const { return m_runs.empty() ? GhostRun{} : m_runs[m_shown]; }
    /// The newest first.
    const std::vector<GhostRun>& all() const { return m_runs; }
    /// Shows that one of all(). Out of range: nothing.
    void show(std::size_t index);
    /// Drops the runs of which this is true.
    void forget(const std::function<bool(const GhostRun&)>& gone);

private:
    std::vector<GhostRun> m_runs; ///< the newest first
    std::size_t m_shown = 0;
};

/// The lane of the former run that shows the same: a client's belief about a lock, a lock's record, a resource's
/// writes; nullptr: it had none. Ids differ from trace to trace: names tell.
const Lane* ghostLane(const GhostRun& ghost, const trace::Trace& trace, const Lane& lane);
/// Paints what this lane of beliefs, of a record or of writes showed in the former run from `ghost.from` on, to be
/// painted over by what is true now; nothing on other lanes. Takes the former data's mutex.
void paintGhost(const PaintKit& kit, const GhostRun& ghost, const Lane& lane);

} // namespace lockscope::views
