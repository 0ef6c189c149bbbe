// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/zoom.h"

#include <algorithm>
#include <cmath>

namespace lockscope::views {

void TimelineZoom::apply(std::int64_t from, std::int64_t to) {
    const std::int64_t span = std::clamp(to - from, kLeastSpan, std::max(m_end, kLeastSpan));
    from = std::clamp<std::int64_t>(from, 0, std::max<std::int64_t>(0, m_end - span));
    if (from == m_from && from + span == m_to) return;
    m_from = from;
    m_to = from + span;
    Q_EMIT changed();
}

void TimelineZoom::setEnd(std::int64_t end) {
    end = std::max(end, kLeastSpan);
    if (end == m_end) return;
    m_end = end;
    if (m_fitted)
        apply(0, m_end);
    else
        apply(m_from, m_to);
}

void TimelineZoom::setRange(std::int64_t from, std::int64_t to) {
    m_fitted = false;
    apply(from, to);
}

void TimelineZoom::fit() {
    m_fitted = true;
    apply(0, m_end);
}

void TimelineZoom::zoomAbout(std::int64_t t, double factor) {
    // In doubles the fraction of a pixel is lost only beyond 2^53 ns, a hundred days.
    const double span =
        std::clamp(double(this->span()) * factor, double(kLeastSpan), double(std::max(m_end, kLeastSpan)));
    const double share = double(t - m_from) / double(this->span());
    const auto from = std::int64_t(std::llround(double(t) - share * span));
    m_fitted = span >= double(m_end);
    apply(from, from + std::int64_t(std::llround(span)));
}

void TimelineZoom::panBy(std::int64_t delta) {
    m_fitted = m_fitted && m_from == 0 && m_to == m_end;
    apply(m_from + delta, m_to + delta);
}

void TimelineZoom::reveal(std::int64_t t) {
    if (t >= m_from + span() / 10 && t <= m_to - span() / 10) return;
    m_fitted = false;
    apply(t - span() / 2, t - span() / 2 + span());
}

void TimelineZoom::setFollowing(bool following) {
    if (following == m_following) return;
    m_following = following;
    Q_EMIT followingChanged(following);
}

void TimelineZoom::follow(std::int64_t t) {
    if (!m_following || m_fitted) return;
    const std::int64_t width = span();
    if (t > m_from + width / 5 * 4)
        apply(t - width / 5 * 4, t - width / 5 * 4 + width);
    else if (t < m_from)
        apply(t - width / 5, t - width / 5 + width);
}

} // namespace lockscope::views
