// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/coordinates.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lockscope::views {

TimelineCoordinates::TimelineCoordinates(std::int64_t from, std::int64_t to, double width)
    : m_from(from),
      m_to(std::max(to, from + 1)),
      m_width(std::max(width, 1.0)),
      m_nanosPerPixel((double(m_to) - double(m_from)) / m_width),
      m_pixelsPerNano(1 / m_nanosPerPixel) {
}

std::int64_t TimelineCoordinates::time(double x) const {
    // Beyond the end of a very long axis there is no time any more.
    constexpr double far = 9223372036854774784.0; // the last double below 2^63
    const auto offset = std::int64_t(std::llround(std::clamp(x * nanosPerPixel(), -far, far)));
    std::int64_t t = 0;
    if (__builtin_add_overflow(m_from, offset, &t)) return offset < 0 ? INT64_MIN : INT64_MAX;
    return t;
}

std::int64_t TimelineCoordinates::pixel() const {
    return std::max<std::int64_t>(1, std::int64_t(nanosPerPixel()));
}

std::int64_t rulerStep(const TimelineCoordinates& coordinates, double minPixels) {
    const double least = coordinates.nanosPerPixel() * minPixels;
    constexpr std::int64_t second = 1'000'000'000;
    for (std::int64_t power = 1; power < second; power *= 10)
        for (const std::int64_t factor : {1, 2, 5})
            if (double(power * factor) >= least) return power * factor;
    constexpr std::array<std::int64_t, 19> seconds{1,   2,    5,    10,   15,    30,    60,    120,   300,   600,
                                                   900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800};
    for (const std::int64_t s : seconds)
        if (double(s * second) >= least) return s * second;
    std::int64_t days = std::int64_t(5) * 86400 * second;
    while (double(days) < least && days < INT64_MAX / 4)
        days *= 2;
    return days;
}

} // namespace lockscope::views
