// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/timeline_data.h"

#include <QRectF>
#include <functional>
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
    static constexpr double kWhole = 64;
    /// How tall a client's lane is, in units of the font. Below kWhole it is a bar with few words, and low ones have
    /// none: so that many clients can be seen at once.
    double belief = kWhole;
    bool lowBeliefs() const { return belief < kWhole; }
    /// Whether the lanes of records are lower than usual: their bars have a line of words and no more.
    bool lowRecords = false;
    /// How much gives way where belief, record and effect have too little room, each step more than the one before it.
    enum class Density : std::uint8_t {
        Usual,
        Low,   ///< captions, records, effects and the overview are lower, and copies stand below the effects
        Lower, ///< without the strip of who decides a record, and servers have one line of words
        Lowest ///< records have room for a bar and its queue, and copies for a bar
    };
    Density density = Density::Usual;
    bool showsDeciders(const Lane& lane) const { return density < Density::Lower && !lane.deciders.empty(); }
    /// Whether a line of words fits on a bar of a client's lane.
    bool wordsOnBeliefs() const { return belief >= 18; }

    int px(double n) const { return int(n * u + 0.5); }
    int labelWidth() const { return px(124 / m_tight); } ///< names stay as wide as they are
    int rulerHeight() const { return px(34); }
    int stripHeight() const { return px(32); } ///< below the ruler: the pills of violations
    int overviewHeight() const { return px(density == Density::Usual ? 64 : 40); }
    int captionHeight() const { return px(density == Density::Usual ? 23 : 17); }
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
        int y = 0;      ///< of its caption
        int hidden = 0; ///< lanes of it that have no row
    };

    /// These metrics with lanes as low as they have to be for record and effect to be in sight below the beliefs, and
    /// no lower: TimelineMetrics::belief, lowRecords and density. `room`: of the lanes, px, by the metrics that it is
    /// called with. The caller holds the data's mutex.
    TimelineMetrics fitted(const TimelineData& data, TimelineMetrics metrics,
                           const std::function<int(const TimelineMetrics&)>& room) const;
    /// Whether the lanes of records have to be low so that more of them are seen in a picture of that height:
    /// TimelineMetrics::lowRecords. The caller holds the data's mutex.
    bool lowRecordsFor(const TimelineData& data, const TimelineMetrics& metrics, int room) const;
    /// Leaves clients out that have only waited, and that nothing was done to.
    void setOnlyActors(bool only) { m_onlyActors = only; }
    bool onlyActors() const { return m_onlyActors; }

    /// Entities whose lanes are pointed at. Copies, servers and links among them belong to the story: fitted() and
    /// heightOfStory() make room for them as for the three truths, where there is enough of it.
    void setLit(std::vector<trace::EntityId> lit) { m_lit = std::move(lit); }

    /// Takes in lanes that are new; true when something moved. The caller holds the data's mutex. Where there are a
    /// great many clients, record and effect stand above them, and copies, and links that nothing was done to, have no
    /// row.
    bool update(const TimelineData& data, const TimelineMetrics& metrics);
    void clear();

    const std::vector<Row>& rows() const { return m_rows; }
    const std::vector<Section>& sections() const { return m_sections; }
    int height() const { return m_height; }
    /// How high the three truths are by these metrics, px: beliefs, records and effects, and what stands below them
    /// only down to the last lane that is lit. The caller holds the data's mutex.
    int heightOfStory(const TimelineMetrics& metrics) const;
    /// Whether this row is a server's, a link's or a clock's below the three truths of clients of our own.
    bool isBelowStory(int row) const;
    /// Index of the row at y, -1 = none.
    int rowAt(int y) const;
    /// Index of the first row that ends below y.
    std::size_t firstRowBelow(int y) const;
    /// Index of the (first) row that shows this entity, -1 = none.
    int rowOf(trace::EntityId entity) const;

private:
    struct Choice {
        std::size_t beliefs = 0, shown = 0, struck = 0; ///< lanes; `struck`: links with faults
        bool operator==(const Choice&) const = default;
    };
    bool shows(const Lane& lane, bool many) const;
    bool isLit(const Lane& lane) const;
    Choice choiceOf(const TimelineData& data) const;
    double lowestOfMany(const TimelineData& data, const TimelineMetrics& metrics, int room) const;

    std::vector<Row> m_rows;
    std::vector<Section> m_sections;
    int m_height = 0;
    std::size_t m_version = 0;
    double m_u = 0, m_belief = 0;
    bool m_lowRecords = false;
    TimelineMetrics::Density m_density = TimelineMetrics::Density::Usual;
    Choice m_choice;
    bool m_onlyActors = false;
    std::vector<trace::EntityId> m_lit;
};

} // namespace lockscope::views
