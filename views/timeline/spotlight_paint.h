// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/spotlight.h"
#include "timeline/scene.h"

namespace lockscope::views {

/// A learner's bet, which stands where its answer will come.
struct ShownBet {
    QString words;             ///< empty: none
    QString brief;             ///< instead of the words where they do not fit
    std::optional<bool> right; ///< missing: the run has not answered yet
    friend bool operator==(const ShownBet&, const ShownBet&) = default;
};

/// Over the lanes: dims all but the spotlight's lanes and time, draws its frame, and hides what lies right of the
/// playhead; there stand how the lit lanes are now, and the bet. `written`: the words on the lanes, which stay readable
/// where they are dimmed, and are lit whole. Gives the bands that are lit. The caller holds the data's mutex.
std::vector<QRectF> paintSpotlight(QPainter& painter, const QSize& size, const TimelineScene& scene,
                                   const Spotlight& spotlight, const ShownBet& bet,
                                   std::span<const WrittenWords> written = {});
/// Whether these words stand in one of the bands.
bool isLit(const QRectF& words, const std::vector<QRectF>& lit);
/// Over the lanes: hides what lies right of the playhead, at x, but for the captions of the sections.
void paintHidden(QPainter& painter, const QSize& size, const TimelineScene& scene, double x);
/// Over the ruler and its strip: hides what lies right of the playhead, and says that it is yet to come.
void paintNotYet(QPainter& painter, const QSize& size, const TimelineScene& scene);
/// Over the overview: hides what lies right of the playhead, at x.
void paintNotYetSmall(QPainter& painter, const QSize& size, double x);

} // namespace lockscope::views
