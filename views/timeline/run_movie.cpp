// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/run_movie.h"

#include <algorithm>

namespace lockscope::views {
namespace {

constexpr auto kFrame = 125ms;
constexpr auto kLast = 3000ms;
constexpr std::int64_t kMostFrames = 240;

} // namespace

RunMovie::RunMovie(RunPicture picture, int width, int mostHeight)
    : m_picture(std::move(picture)), m_lanes(m_picture.timeline), m_size(sizeOf(m_picture, width, mostHeight)) {
    TimelinePicture& timeline = m_picture.timeline;
    m_from = timeline.from;
    m_to = timeline.to > timeline.from ? timeline.to : timeline.trace->reached();
    timeline.to = m_to; // else the axis would end where a short stretch does
    timeline.hidesFuture = true;
    m_picture.roomFor = m_picture.sentence; // lanes stay where they are while the verdict grows
    m_frames = int(std::clamp<std::int64_t>((m_to - m_from) / Nanos(kFrame) + 1, 2, kMostFrames));
}

std::chrono::milliseconds RunMovie::stay(int i) const {
    return i + 1 < m_frames ? kFrame : kLast;
}

QImage RunMovie::frame(int i) const {
    RunPicture now = m_picture;
    const Nanos at = m_from + (m_to - m_from) * i / (m_frames - 1);
    now.timeline.playhead = at;
    // The verdict by then, not the one that is still to come.
    now.timeline.to = std::max(at, m_from + Nanos(1));
    tellVerdict(now);
    now.timeline.to = m_to;
    QImage image(m_size, QImage::Format_RGB32);
    QPainter painter(&image);
    paintRun(painter, m_size, now, m_lanes);
    return image;
}

} // namespace lockscope::views
