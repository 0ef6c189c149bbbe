// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/coordinates.h"
#include "verdict/verdict.h"

#include <QString>
#include <memory>
#include <optional>
#include <vector>

namespace lockscope::views {

/// The violations of a verdict as bands over time, ready to be drawn by pixels: overlapping ones joined, so that a
/// picture of a year of violations visits each pixel once and yet leaves none of them out.
class ViolationBands {
public:
    struct Band {
        std::int64_t from = 0, to = 0; ///< to: kOpenEnd-like maximum while it goes on
        std::size_t first = 0;         ///< index of its first violation
        std::size_t count = 1;
    };
    /// The narrowest that a band is drawn and hit, in pixels.
    static constexpr double kLeastWidth = 2;

    void setVerdict(std::shared_ptr<const verdict::Verdict> verdict);
    const std::vector<Band>& bands() const { return m_bands; }
    const verdict::Violation& violation(std::size_t i) const { return m_verdict->violations[i]; }
    std::size_t violationCount() const { return m_verdict ? m_verdict->violations.size() : 0; }

    /// Calls each(band, x, width) for each band to be drawn, left to right; bands that fall onto pixels already covered
    /// are left out. `now` ends the open ones. With `single` false, several bands lie under the one drawn.
    template <typename Each>
    void visit(const TimelineCoordinates& c, std::int64_t now, Each&& each) const {
        double covered = -1;
        for (std::size_t i = firstEndingAfter(c.time(-kLeastWidth)); i < m_bands.size();) {
            const Band& band = m_bands[i];
            if (band.from >= c.to()) return;
            const double x = c.x(band.from);
            const double width = std::max(c.x(std::min(band.to, std::max(now, band.from))) - x, kLeastWidth);
            if (x + width > covered) each(band, x, width);
            covered = std::max(covered, x + width);
            // Jump over bands that end within the pixels just drawn.
            i = std::max(i + 1, firstEndingAfter(c.time(covered)));
        }
    }

    /// The violations at an instant, give or take `slack` ns; innermost (latest begun) first.
    std::vector<std::size_t> at(std::int64_t t, std::int64_t slack, std::int64_t now) const;

private:
    std::size_t firstEndingAfter(std::int64_t t) const;
    std::shared_ptr<const verdict::Verdict> m_verdict;
    std::vector<Band> m_bands;
};

/// Two or three words for the pill on top of a band: "double belief".
QString violationWord(verdict::Invariant invariant);

} // namespace lockscope::views
