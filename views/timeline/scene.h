// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/ghost.h"
#include "timeline/violation_bands.h"
#include "timeline/words.h"

#include <algorithm>
#include <limits>
#include <span>

namespace lockscope::views {

/// A fault done by hand, as the time axis marks it.
struct DeedMark {
    std::size_t index = 0;   ///< in Session::doneByHand()
    std::int64_t at = 0;     ///< ns: strikes then, or counts its condition from then on
    std::int64_t until = -1; ///< ns; -1: it has no end of its own
    bool byCondition = false;
    QString words;
};

/// Everything that a picture of the timeline shows, on screen or in a file. The painter must hold the data's mutex.
struct TimelineScene {
    const TimelineData& data;
    const TimelineLayout& layout;
    const ViolationBands& bands;
    TimelineMetrics metrics;
    TimelineNotes notes;
    GhostRun ghost{};
    std::span<const DeedMark> deeds{}; ///< in the order of their times; none where they cannot be changed
    std::int64_t from = 0, to = 1;     ///< visible
    std::int64_t end = 1;              ///< of the time axis, for the overview
    std::int64_t playhead = -1;        ///< -1 = none
    std::int64_t seen = std::numeric_limits<std::int64_t>::max(); ///< what comes later is not drawn
    bool hidesFuture = false; ///< what lies right of the playhead is not shown: words end there
    trace::EntityId selection = trace::kNoEntity;
    int focusRow = -1; ///< row with the keyboard's frame, -1 = none
    int scroll = 0;    ///< first visible y of the layout
    TimelineLayout::Pinned pinned{};
    double devicePixelRatio = 1;

    /// Where something at this y of the layout stands in the picture.
    int yOf(int y) const { return y - scroll + (pinned.contains(y) ? pinned.shift : 0); }
    /// Index of the row at this y of the picture, -1 = none.
    int rowAt(int y) const;
    /// The section whose caption is at this y of the picture; nullptr = none.
    const TimelineLayout::Section* sectionAt(int y) const;
    /// Whether pinned lanes stand before the one at this y of the layout, which is so high.
    bool isCovered(int y, int height) const;
    /// Calls each(index, y) for the rows in sight of a picture so high, with their y in it: those that are pinned after
    /// all others, as they stand before them.
    template <typename Each>
    void visitRows(int height, Each&& each) const {
        visitScrolling(height, each);
        visitPinned(each);
    }
    template <typename Each>
    void visitScrolling(int height, Each&& each) const {
        const auto& rows = layout.rows();
        for (std::size_t i = layout.firstRowBelow(scroll); i < rows.size() && rows[i].y - scroll < height; ++i)
            if (!pinned.contains(rows[i].y)) each(i, rows[i].y - scroll);
    }
    template <typename Each>
    void visitPinned(Each&& each) const {
        const auto& rows = layout.rows();
        for (std::size_t i = layout.firstRowBelow(pinned.top); i < rows.size() && pinned.contains(rows[i].y); ++i)
            each(i, yOf(rows[i].y));
    }

    /// The time axis of a picture this wide: right of the labels.
    TimelineCoordinates coordinates(int width) const {
        return {from, to, double(std::max(1, width - metrics.labelWidth()))};
    }
};

/// Where words of this picture end, right of the labels: at its edge, or at the playhead that hides what is to come.
inline double wordsEdge(const TimelineScene& scene, const TimelineCoordinates& c) {
    return scene.hidesFuture ? std::clamp(c.x(scene.playhead), 0.0, c.width()) : c.width();
}

/// Lanes with their labels, section captions, grid and violation bands; all but the playhead. `written` gets the words
/// on the lanes, if there is one.
void paintLanes(QPainter& painter, const QSize& size, const TimelineScene& scene,
                std::vector<WrittenWords>* written = nullptr);
/// The captions of the sections alone, over what hides the lanes.
enum class Captions : std::uint8_t { All, Scrolling, Pinned };
void paintCaptions(QPainter& painter, const QSize& size, const TimelineScene& scene, Captions which = Captions::All);
/// A mark of the ruler, as exact as its step: "3 s", "3.25 s", "12:05", "412.3 ms"; by the time of day "14:32:07".
QString markText(const trace::Trace& trace, std::int64_t t, std::int64_t step);
/// The playhead's instant `t` (ns, at least 0), as exact as one pixel of this width where marks are closer than a
/// millisecond: "654.33 ms". Elsewhere as instant() has it: "0.654 s".
QString playheadText(const trace::Trace& trace, std::int64_t t, double nanosPerPixel);
/// Steps of the ruler and of the grid below it: as far apart as the marks' words are long.
std::int64_t rulerStep(const PaintKit& kit);
/// Words beside a narrow band of a violation, as they stand in the strip.
struct BandWords {
    QRectF ground;           ///< right of the labels; y as in the ruler
    std::size_t violation{}; ///< ViolationBands::Band::first
};
/// The time scale and, below it, the pills of violations and general faults; all but the playhead. `written` gets the
/// words that stand beside their band, if there is one.
void paintRuler(QPainter& painter, const QSize& size, const TimelineScene& scene,
                std::vector<BandWords>* written = nullptr);
/// The whole trace in small; all but the frame of the visible range and the playhead.
void paintOverview(QPainter& painter, const QSize& size, const TimelineScene& scene);
/// The frame of the visible range on the overview.
void paintOverviewFrame(QPainter& painter, const QSize& size, const TimelineScene& scene);
/// The playhead's line at x; across a height.
void paintPlayheadLine(QPainter& painter, double x, int height);
/// The place of the playhead's pill in a ruler this wide, labels included; empty: the playhead is not in sight. It is
/// centred at the playhead as far as there is room.
QRectF playheadPill(const TimelineScene& scene, int width);
void paintPlayheadPill(QPainter& painter, int width, const TimelineScene& scene);
/// Once more the captions whose words the playhead's line at x has crossed.
void paintCrossedCaptions(QPainter& painter, const QSize& size, const TimelineScene& scene, double x);

/// The rows of clients that believe at the playhead that they hold something, among lanes that are lower than a name:
/// their names stand there whoever else has to go without one.
std::vector<std::size_t> believersAtPlayhead(const TimelineScene& scene);

/// The lease under the playhead on one record lane: its words are painted apart, because they change as it moves.
struct LeaseAtPlayhead {
    std::uint32_t row = 0;      ///< of the span
    QRectF place;               ///< of the words
    QStringList words;          ///< from the fullest to the shortest
    std::optional<QPointF> dot; ///< where the playhead crosses the wedge; missing = it has none
    bool pale = false;          ///< the words stand on a pale ground
};
std::vector<LeaseAtPlayhead> leasesAtPlayhead(const TimelineScene& scene, const QSize& size);
/// The margin of a client's hold at the playhead, below its name.
struct MarginAtPlayhead {
    QRectF place;
    QString words;
    Role role = Role::TextDim;
};
std::vector<MarginAtPlayhead> marginsAtPlayhead(const TimelineScene& scene, const QSize& size);
void paintMarginAtPlayhead(QPainter& painter, const MarginAtPlayhead& margin);
/// How copies and clocks in sight stand at the playhead: it is written in their labels.
QStringList copyStates(const TimelineScene& scene);
/// The words that have room there; without any: none has.
WrittenWords wordsOf(const LeaseAtPlayhead& lease);
/// `dimmed`: a spotlight is on another lane, and has written the words.
void paintLeaseAtPlayhead(QPainter& painter, const LeaseAtPlayhead& lease, bool dimmed = false);

} // namespace lockscope::views
