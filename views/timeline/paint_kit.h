// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "theme/palette.h"
#include "timeline/coordinates.h"
#include "timeline/layout.h"
#include "timeline/sprites.h"

#include <QFont>
#include <QFontMetricsF>
#include <QPainter>
#include <initializer_list>
#include <limits>

namespace lockscope::views {

/// Words as they were drawn, by the painter's own coordinates: what is laid over the picture can write them again.
struct WrittenWords {
    QRectF place; ///< as wide as the words, and a line high
    double baseline = 0;
    QString words;
    QFont font;
    QRectF pill{}; ///< the words stand in, with the sign before them; null: they stand alone
};

/// A client's belief is drawn with that at least, in pixels, however low its lane is.
inline constexpr int kLeastBelief = 3;

/// Shared by all painters of lanes: the time scale, sizes, and ready-made brushes and fonts. Made once per picture.
struct PaintKit {
    PaintKit(QPainter& painter, const TimelineData& data, const TimelineCoordinates& coordinates,
             const TimelineMetrics& metrics, double devicePixelRatio);

    QPainter& p;
    const TimelineData& data;
    const trace::Trace& trace;
    const TimelineCoordinates c; ///< a copy: callers make them on the spot
    const TimelineMetrics& m;
    double dpr;
    std::int64_t now;           ///< open spans end here
    std::int64_t pixel;         ///< ns per pixel
    std::int64_t playhead = -1; ///< record labels under it are left to the overlay; -1 = none
    std::int64_t last = std::numeric_limits<std::int64_t>::max(); ///< ns: what comes then or later is not drawn
    double edge; ///< words end here: where the picture does, or where what is yet to come is hidden
    std::vector<WrittenWords>* written = nullptr; ///< gets all words that text() draws; null: nobody asks for them
    /// A font and its measures; `index` is its number in the cache of texts.
    struct Face {
        Face(int number, const QFont& f) : index(number), font(f), fm(f) {}
        int index;
        QFont font;
        QFontMetricsF fm;
        /// As QFontMetricsF has it, but each text is measured once.
        double width(const QString& words) const;
    };
    const Face &bold, &small, &smallBold, &fixedSmall, &caption;
    QBrush hatch, dots, unobservedHatch, cutHatch, waitDots, recordHatch;

    /// Draws nothing of what happened after this instant, as if the trace ended there.
    void endAfter(std::int64_t t) {
        if (t >= now) return;
        now = t;
        last = t + 1;
    }
    /// Right of here nobody has seen what happens; right of the picture: all that is in it is known.
    double knownTo() const { return last == std::numeric_limits<std::int64_t>::max() ? c.width() + 1e6 : c.x(now); }
    /// ns: where the drawn part of the time axis ends.
    std::int64_t to() const { return std::min(c.to(), last); }
    /// Left and right edge of a span, at least `least` wide, cut to a little more than the picture.
    QRectF across(std::int64_t from, std::int64_t to, const QRectF& bar, double least = 1) const {
        return acrossAll(from, std::min(to, last), bar, least);
    }
    /// As across(), of a span that may go on after `last`: of another run.
    QRectF acrossAll(std::int64_t from, std::int64_t to, const QRectF& bar, double least = 1) const;
    /// One line of text, left-aligned and centred in height, elided; nothing when there is no room for a few letters.
    /// Returns the right end of the drawn text, or rect.left().
    double text(const QRectF& rect, const QString& text, const Face& face, Role role) const;
    /// The first of several wordings that fits, from the fullest to the shortest; nothing when none does.
    double firstFitting(const QRectF& rect, const QStringList& wordings, const Face& face, Role role) const;
    /// Words beside a mark: in `right`, which begins right of it, as firstFitting() has it. Where what is hidden leaves
    /// them no room there, they stand left of the mark: they end `apart` pixels before `right` begins, and begin at
    /// `left` or later. Gives where the words and the mark end. `stop`: there is nothing to see right of it, as
    /// right of now.
    double beside(const QRectF& right, double apart, double left, const QStringList& wordings, const Face& face,
                  Role role, double stop = std::numeric_limits<double>::infinity()) const;
    /// True when a text of this many letters surely does not fit: saves composing it.
    static bool tooNarrow(double width, const Face& face, int letters) {
        return width < letters * face.fm.averageCharWidth() * 0.4;
    }
    /// Text in a rounded chip whose left end is at (x, y); gives its rectangle.
    QRectF chip(double x, double y, const QString& text, Role fill, Role border, Role ink) const;
    /// A gap: a time without observations, with words that say so (default: "not observed").
    void gap(const QRectF& rect, const QStringList& words = {}) const;
    /// A rectangle filled without smoothing: boxes are aligned to pixels.
    void box(const QRectF& rect, const QColor& color) const { p.fillRect(rect.toAlignedRect(), color); }
    void sprite(Sprite sprite, double x, double y) const { paintSprite(p, sprite, {x, y}, m.u, dpr); }
    /// A smooth, rounded bar.
    void rounded(const QRectF& rect, double radius, const QBrush& fill, const QPen& pen = Qt::NoPen) const;
    /// The left end of words about something that begins at x, and the room that they have up to `right`.
    QRectF words(double x, double right, const QRectF& line) const {
        const double left = std::max(x, 0.0) + m.px(6);
        return {left, line.y(), std::min(right, c.width()) - left - 2, line.height()};
    }
};

/// A translucent colour as it looks on the lanes' ground. Large areas are painted opaque: that is a plain copy. Qt
/// spreads tall translucent fills over threads, so hundreds of thin ones would spend the frame in waking threads.
QColor onGround(const QColor& color);

/// Words on what a spotlight has dimmed: they recede with their ground, but stay readable on it.
QColor dimmedInk();

/// Sums per pixel column of things too narrow to be drawn by themselves.
class PixelColumns {
public:
    explicit PixelColumns(const TimelineCoordinates& c);
    void add(const SpanSum& sum);
    bool empty() const { return m_last < m_first; }
    /// Calls each(x, width, shares, states) for runs of equal columns from left to right; shares in 0…1, in steps of
    /// 1/16 (a step is not seen, and equal neighbours become one rectangle).
    template <typename Each>
    void runs(Each&& each) const {
        Steps steps{}, next{};
        for (int x = m_first; x <= m_last;) {
            const std::uint32_t states = m_columns[std::size_t(x)].states;
            if (states == 0) {
                ++x;
                continue;
            }
            steps = stepsOf(m_columns[std::size_t(x)]);
            int end = x + 1;
            for (; end <= m_last && m_columns[std::size_t(end)].states == states; ++end) {
                next = stepsOf(m_columns[std::size_t(end)]);
                if (next != steps) break;
            }
            std::array<double, kStates> shares{};
            for (std::size_t s = 0; s < kStates; ++s)
                shares[s] = steps[s] / 16.0;
            each(x, end - x, shares, states);
            x = end;
        }
    }

private:
    using Steps = std::array<std::uint8_t, kStates>;
    struct Column {
        std::array<float, kStates> covered{};
        std::uint32_t states = 0;
    };
    Steps stepsOf(const Column& column) const {
        Steps steps{};
        for (std::size_t s = 0; s < kStates; ++s)
            steps[s] = std::uint8_t(std::min(16.0f, column.covered[s] * m_sixteenths + 0.5f));
        return steps;
    }
    const TimelineCoordinates& m_c;
    std::vector<Column> m_columns;
    float m_sixteenths; ///< 16 / ns per pixel
    int m_first, m_last = -1;
};

/// Rectangles of one colour, collected while walking over a track and painted afterwards, below or above others.
class BoxBatch {
public:
    void add(double x, double y, double width, double height) { m_rects.emplace_back(x, y, width, height); }
    std::size_t size() const { return m_rects.size(); }
    /// Makes all of them at most this high, from their tops.
    void cutHeight(double height) {
        for (QRectF& rect : m_rects)
            rect.setHeight(std::min(rect.height(), height));
    }
    void paint(QPainter& painter, const QColor& color) const;
    /// Several batches, each above those before it: cheaper than one after the other.
    static void paintLayers(QPainter& painter, std::initializer_list<std::pair<const BoxBatch*, QColor>> layers);

private:
    class Pixels;
    std::vector<QRectF> m_rects;
};

/// Columns of the bar's full height, each in the batch that `batchOf` gives for the states in it; nullptr: none.
template <typename BatchOf>
void fullColumns(const PixelColumns& columns, const QRectF& bar, BatchOf batchOf) {
    columns.runs([&](int x, int width, const auto&, std::uint32_t states) {
        if (BoxBatch* const batch = batchOf(states)) batch->add(x, bar.y(), std::max(width, 2), bar.height());
    });
}

/// Where the flag of a fault at x stands: at x, or so far beside the left edge that it is not cut in half there. Half a
/// flag at 0 s reads as a digit.
double flagX(const PaintKit& kit, double x);

/// Draws the small purple flags of faults at the top of a lane.
void paintFaults(const PaintKit& kit, const TickTrack& faults, int height);

// One painter per kind of lane. Each draws into (0, 0, width, height) of its lane.
void paintBelief(const PaintKit& kit, const Lane& lane, int height);
void paintRecord(const PaintKit& kit, const Lane& lane, int height);
void paintEffect(const PaintKit& kit, const Lane& lane, int height);
void paintCopy(const PaintKit& kit, const Lane& lane, int height);
void paintNode(const PaintKit& kit, const Lane& lane, int height);
void paintWatchers(const PaintKit& kit, const Lane& lane, int height);
void paintLink(const PaintKit& kit, const TimelineLayout::Row& row);
void paintClock(const PaintKit& kit, const Lane& lane, int height);
void paintSession(const PaintKit& kit, const Lane& lane, int height);
/// Below a belief's bar: how long the server would still keep its lock; in words, or on a low lane as a line
/// (paint_margin.cpp).
void paintMargins(const PaintKit& kit, const Lane& lane, int height);

} // namespace lockscope::views
