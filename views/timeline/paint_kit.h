// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "theme/palette.h"
#include "timeline/coordinates.h"
#include "timeline/layout.h"
#include "timeline/sprites.h"

#include <QFont>
#include <QFontMetricsF>
#include <QPainter>

namespace lockscope::views {

/// What every painter of lanes needs: where the time is, how big things are, and ready-made brushes and fonts. Made
/// once per picture.
struct PaintKit {
    PaintKit(QPainter& painter, const TimelineData& data, const TimelineCoordinates& coordinates,
             const TimelineMetrics& metrics, double devicePixelRatio);

    QPainter& p;
    const TimelineData& data;
    const trace::Trace& trace;
    const TimelineCoordinates& c;
    const TimelineMetrics& m;
    double dpr;
    std::int64_t now;           ///< open spans end here
    std::int64_t pixel;         ///< ns per pixel
    std::int64_t playhead = -1; ///< record labels under it are left to the overlay; -1 = none
    QFont normal, bold, small, smallBold, fixedSmall;
    QFontMetricsF normalFm, boldFm, smallFm, smallBoldFm, fixedSmallFm;
    QBrush hatch, dots, unobservedHatch, cutHatch, waitDots;

    /// Left and right edge of a span, at least `least` wide, cut to a little more than the picture.
    QRectF across(std::int64_t from, std::int64_t to, const QRectF& bar, double least = 1) const;
    /// One line of text, left-aligned and centred in height, elided; nothing when there is no room for a few letters.
    /// Gives the right end of what was drawn, or rect.left().
    double text(const QRectF& rect, const QString& text, const QFont& font, const QFontMetricsF& fm, Role role) const;
    /// The first of several wordings that fits, from the fullest to the shortest; nothing when none does.
    double firstFitting(const QRectF& rect, const QStringList& wordings, const QFont& font, const QFontMetricsF& fm,
                        Role role) const;
    /// Text in a rounded chip whose left end is at (x, y); gives its rectangle.
    QRectF chip(double x, double y, const QString& text, Role fill, Role border, Role ink) const;
    /// A rectangle filled without smoothing: boxes are aligned to pixels.
    void box(const QRectF& rect, const QColor& color) const { p.fillRect(rect.toAlignedRect(), color); }
    void sprite(Sprite sprite, double x, double y) const { paintSprite(p, sprite, {x, y}, m.u, dpr); }
    /// A smooth, rounded bar.
    void rounded(const QRectF& rect, double radius, const QBrush& fill, const QPen& pen = Qt::NoPen) const;
};

/// Sums per pixel column of what is too narrow to be drawn by itself.
class PixelColumns {
public:
    explicit PixelColumns(const TimelineCoordinates& c);
    void add(const SpanSum& sum);
    bool empty() const { return m_last < m_first; }
    /// Calls each(x, width, shares, states) for runs of equal columns from left to right; shares in 0…1, in steps of
    /// 1/16 (a step is not seen, and equal neighbours become one rectangle).
    template <typename Each>
    void runs(Each&& each) const {
        for (int x = m_first; x <= m_last;) {
            const Column& column = m_columns[std::size_t(x)];
            if (column.states == 0) {
                ++x;
                continue;
            }
            const auto shares = quantised(column);
            int end = x + 1;
            while (end <= m_last && m_columns[std::size_t(end)].states == column.states &&
                   quantised(m_columns[std::size_t(end)]) == shares)
                ++end;
            each(x, end - x, shares, column.states);
            x = end;
        }
    }

private:
    struct Column {
        std::array<float, kStates> covered{};
        std::uint32_t states = 0;
    };
    std::array<double, kStates> quantised(const Column& column) const;
    const TimelineCoordinates& m_c;
    std::vector<Column> m_columns;
    int m_first, m_last = -1;
};

/// Rectangles of one colour, drawn together: thousands cost little more than one.
class BoxBatch {
public:
    void add(double x, double y, double width, double height) { m_rects.emplace_back(x, y, width, height); }
    void paint(QPainter& painter, const QColor& color) const;

private:
    std::vector<QRectF> m_rects;
};

/// Draws the small purple flags of faults at the top of a lane.
void paintFaults(const PaintKit& kit, const TickTrack& faults, int height);

// One painter per kind of lane. Each draws into (0, 0, width, height) of its lane.
void paintBelief(const PaintKit& kit, const Lane& lane, int height);
void paintRecord(const PaintKit& kit, const Lane& lane, int height);
void paintEffect(const PaintKit& kit, const Lane& lane, int height);
void paintNode(const PaintKit& kit, const Lane& lane, int height);
void paintLink(const PaintKit& kit, const Lane& lane, int height);

} // namespace lockscope::views
