// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/legend.h"
#include "timeline/words.h"
#include "verdict/verdict.h"

#include <QImage>
#include <QPainter>
#include <optional>

namespace lockscope::views {

/// The content of a picture of a trace, for files.
struct TimelinePicture {
    std::shared_ptr<const trace::Trace> trace;
    std::shared_ptr<const verdict::Verdict> verdict; ///< may be null: no bands
    Nanos from{};
    Nanos to{}; ///< <= from: to the end of the trace
    std::optional<Nanos> playhead;
    TimelineNotes notes;
    bool hidesFuture = false; ///< nothing is shown right of the playhead: it has not happened yet
};

/// The lanes of one trace, made once for many pictures of it.
class TimelineRenderer {
public:
    /// `room`: px in which the story is to be in sight above the overview, with lanes as low as that takes; 0: lanes
    /// are as high as they like.
    explicit TimelineRenderer(const TimelinePicture& picture, int room = 0);
    ~TimelineRenderer();
    /// Paints into (0, 0, size). Precondition: `picture` is of the trace and the verdict that this was made of.
    void paint(QPainter& painter, const QSize& size, const TimelinePicture& picture) const;
    /// The signs that occur in such a picture; all that there are, if it hides what is to come.
    std::set<LegendSign> signs(const TimelinePicture& picture) const;
    /// As timelineHeight().
    int height() const;
    /// How much of that, at its lower end, has the overview of the whole run.
    int overviewHeight() const;
    /// Where the time axis begins: right of the lanes' names.
    int axisLeft() const;
    /// How many locks have their lane in a picture of that height, and how many there are.
    std::pair<int, int> locksWithin(int height) const;

private:
    struct Prepared;
    std::unique_ptr<const Prepared> m_prepared;
};

/// Paints ruler, lanes and overview into (0, 0, size) of `painter`, in the theme in use. Lanes that do not fit below
/// are left out, whole; see timelineHeight(). Folds the whole trace: milliseconds for a scenario, seconds for ten
/// million rows. GUI thread.
void renderTimeline(QPainter& painter, const QSize& size, const TimelinePicture& picture);
/// The timeline as an image of size × scale pixels.
QImage renderTimelineImage(const QSize& size, double scale, const TimelinePicture& picture);
/// The height at which every lane of the trace is in the picture.
int timelineHeight(const TimelinePicture& picture);

} // namespace lockscope::views
