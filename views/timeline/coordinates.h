// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>

namespace lockscope::views {

/// Which instant stands at which pixel: pure arithmetic. Positions are in device-independent pixels from the left edge.
class TimelineCoordinates {
public:
    TimelineCoordinates() = default;
    /// Shows [from, to) on `width` pixels. An empty or reversed range, and a width below 1, are widened to 1.
    TimelineCoordinates(std::int64_t from, std::int64_t to, double width);

    std::int64_t from() const { return m_from; }
    std::int64_t to() const { return m_to; }
    double width() const { return m_width; }
    /// The pixel of an instant; also outside the range, but never further away than a painter's numbers reach.
    double x(std::int64_t t) const {
        // A rasterizer works in 24.8 fixed point: what is far outside must not wrap around into the picture. The
        // difference of two instants may overflow when one is "for ever"; doubles do not.
        return std::clamp((double(t) - double(m_from)) * m_pixelsPerNano, -kFar, m_width + kFar);
    }
    /// The instant at a pixel.
    std::int64_t time(double x) const;
    double nanosPerPixel() const { return m_nanosPerPixel; }
    /// nanosPerPixel in whole ns, at least 1.
    std::int64_t pixel() const;

private:
    static constexpr double kFar = 100'000;
    std::int64_t m_from = 0, m_to = 1;
    double m_width = 1, m_nanosPerPixel = 1, m_pixelsPerNano = 1;
};

/// Steps of a ruler: a round number of ns (1, 2 or 5 × 10^k below a second; 1, 2, 5, 10, 15, 30 s, m; 1, 2, 3, 6, 12 h;
/// days) such that marks are at least `minPixels` apart.
std::int64_t rulerStep(const TimelineCoordinates& coordinates, double minPixels);

/// Calls each(t) for the marks that are seen, and for the last one before them: the instants that are `step` apart, one
/// of them `before` the origin (timeOfDayAtOrigin()), 0: at the origin.
template <typename Each>
void visitMarks(const TimelineCoordinates& c, std::int64_t step, std::int64_t before, Each&& each) {
    const std::int64_t origin = before % step;
    for (std::int64_t t = (c.from() + origin) / step * step - origin; t < c.to(); t += step) {
        each(t);
        if (t > INT64_MAX - step) return; // the next would lie beyond all time, and come around from the other side
    }
}

} // namespace lockscope::views
