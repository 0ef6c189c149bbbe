// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/render_timeline.h"

class QIODevice;

namespace lockscope::views {

/// A picture of a run that explains itself where it is shown alone: the timeline under a line that says which run it
/// is, and one that says how it was judged, and over a legend of its signs.
struct RunPicture {
    TimelinePicture timeline;
    QString title;    ///< "gc-pause · redis-set · seed 42"
    QString sentence; ///< the verdict in words
    bool violated = false;
    bool goesOn = false; ///< the run is not over where its trace ends: more may come
    QString roomFor{};   ///< the sentence that there is to be room for; empty: for `sentence`
};

/// The verdict's sentence on the shown part of the run: its first violation that begins there, or that nothing broke,
/// and in how much of the run.
void tellVerdict(RunPicture& picture);
/// Title, timeline with every lane and legend, `width` pixels wide and at most `mostHeight` high.
QSize sizeOf(const RunPicture& picture, int width, int mostHeight);
/// Paints it into (0, 0, size), in the theme in use.
void paintRun(QPainter& painter, const QSize& size, const RunPicture& picture);
/// As paintRun(), with lanes that were made before.
void paintRun(QPainter& painter, const QSize& size, const RunPicture& picture, const TimelineRenderer& lanes);
/// The picture with `scale` device pixels a pixel.
QImage imageOf(const RunPicture& picture, const QSize& size, double scale);
/// Writes it as a drawing that keeps its text and lines; false when the device takes nothing.
bool writeSvg(const RunPicture& picture, const QSize& size, QIODevice& device);

} // namespace lockscope::views
