// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/run_picture.h"

#include <chrono>

namespace lockscope::views {

/// A stretch of a run as it happens: the same picture again and again, while the playhead goes from its left end to its
/// right, and nothing right of it is known yet. Frames are painted on the GUI thread.
class RunMovie {
public:
    /// Plays the picture's stretch at the speed of the run, or faster, so that it lasts half a minute at most.
    RunMovie(RunPicture picture, int width, int mostHeight);

    int frames() const { return m_frames; }
    QSize size() const { return m_size; }
    /// Frame i, 0 <= i < frames().
    QImage frame(int i) const;
    /// How long frame i is shown; the last one stays for a while.
    std::chrono::milliseconds stay(int i) const;

private:
    RunPicture m_picture;
    TimelineRenderer m_lanes;
    QSize m_size;
    Nanos m_from{}, m_to{};
    int m_frames = 1;
};

} // namespace lockscope::views
