// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/timeline_data.h"

#include <QRectF>
#include <vector>

namespace lockscope::views {

/// Sizes of everything on the timeline, in proportion to the font: the one place that painting and hit testing agree
/// on. All in device-independent pixels; y counts from the top of a lane.
struct TimelineMetrics {
    /// `tight`: by how much lanes are lower than usual, at least kTightest; 1: as usual.
    explicit TimelineMetrics(double fontHeight = 16, double tight = 1) : u(fontHeight * tight / 16), m_tight(tight) {}
    /// Lower lanes than this one's have no room for their words.
    static constexpr double kTightest = 0.84;
    double u;

    int px(double n) const { return int(n * u + 0.5); }
    int labelWidth() const { return px(124 / m_tight); } ///< names stay as wide as they are
    int rulerHeight() const { return px(34); }
    int stripHeight() const { return px(32); } ///< below the ruler: the pills of violations
    int overviewHeight() const { return px(64); }
    int captionHeight() const { return px(23); }
    int laneHeight(const Lane& lane) const;
    /// Where a lane's bar, wedge, diamonds or messages stand.
    QRectF bar(LaneKind kind, double x, double width) const;
    /// The bar of this lane: below the strip of deciders, where the lane has one.
    QRectF bar(const Lane& lane, double x, double width) const;
    /// Below a belief's bar: how long the server would still keep the lock.
    QRectF marginStrip(double width) const { return {0, double(px(47)), width, double(px(14))}; }
    QRectF deciderStrip(double width) const { return {0, double(px(3)), width, double(px(16))}; }

private:
    double m_tight;
};

/// Which lane stands where, from top to bottom: sections with captions, lanes in a stable order (clients, threads,
/// locks … as they were named).
class TimelineLayout {
public:
    struct Row {
        const Lane* lane = nullptr;
        int y = 0, height = 0;
    };
    struct Section {
        LaneKind kind = LaneKind::Belief;
        int y = 0; ///< of its caption
    };

    /// Takes in lanes that are new; true when something moved. The caller holds the data's mutex.
    bool update(const TimelineData& data, const TimelineMetrics& metrics);
    void clear();

    const std::vector<Row>& rows() const { return m_rows; }
    const std::vector<Section>& sections() const { return m_sections; }
    int height() const { return m_height; }
    /// How high the three truths are by these metrics: beliefs, records and effects, without servers and links. The
    /// caller holds the data's mutex.
    int heightOfStory(const TimelineMetrics& metrics) const;
    /// Index of the row at y, -1 = none.
    int rowAt(int y) const;
    /// Index of the first row that ends below y.
    std::size_t firstRowBelow(int y) const;
    /// Index of the (first) row that shows this entity, -1 = none.
    int rowOf(trace::EntityId entity) const;

private:
    std::vector<Row> m_rows;
    std::vector<Section> m_sections;
    int m_height = 0;
    std::size_t m_version = 0;
    double m_u = 0;
};

} // namespace lockscope::views
