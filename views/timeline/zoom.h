// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/coordinates.h"

#include <QObject>

namespace lockscope::views {

/// The visible range of time, and nothing else. All parts of the timeline look at one of these. Instants in ns.
class TimelineZoom : public QObject {
    Q_OBJECT
public:
    /// The closest one can look.
    static constexpr std::int64_t kLeastSpan = 2'000;

    using QObject::QObject;

    std::int64_t from() const { return m_from; }
    std::int64_t to() const { return m_to; }
    std::int64_t span() const { return m_to - m_from; }
    /// The end of the time axis: nothing lies beyond.
    std::int64_t end() const { return m_end; }
    /// Moves the end; a range that showed everything goes on doing so.
    void setEnd(std::int64_t end);
    /// Shows [from, to), moved and narrowed so that it lies within [0, end()].
    void setRange(std::int64_t from, std::int64_t to);
    /// Everything.
    void fit();
    bool isFitted() const { return m_fitted; }
    /// Scales the range by `factor` (< 1 looks closer) such that instant t stays at its pixel.
    void zoomAbout(std::int64_t t, double factor);
    void panBy(std::int64_t delta);
    /// Brings t into the middle when it is outside of the inner 80 %.
    void reveal(std::int64_t t);

    /// Following keeps the playhead in sight while it moves on.
    bool isFollowing() const { return m_following; }
    void setFollowing(bool following);
    /// The playhead came to t: moves the range when following and t is beyond four fifths of it.
    void follow(std::int64_t t);

Q_SIGNALS:
    void changed();
    void followingChanged(bool following);

private:
    void apply(std::int64_t from, std::int64_t to);
    std::int64_t m_from = 0, m_to = 10'000'000'000, m_end = 10'000'000'000;
    bool m_fitted = false, m_following = true;
};

} // namespace lockscope::views
