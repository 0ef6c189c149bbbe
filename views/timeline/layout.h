// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/timeline_data.h"

#include <QRectF>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
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
        Compact, ///< all lanes but those of clients are lower, down to their words; also captions and the overview
        Low,     ///< copies stand below the effects
        Lower,   ///< without the strip of who decides a record, and servers have one line of words
        Lowest,  ///< records have room for a bar and its queue
        Least    ///< queues have no words; copies, servers, links and effects that nobody has written are lines
    };
    Density density = Density::Usual;
    /// Whether clients that believe stand before all others, because not even lines of all of them have room.
    bool believersFirst = false;
    bool showsDeciders(const Lane& lane) const { return density < Density::Lower && !lane.deciders.empty(); }
    /// Whether a line of words fits on a bar of a client's lane.
    bool wordsOnBeliefs() const { return belief >= 18; }

    int px(double n) const { return int(n * u + 0.5); }
    /// As px(), where the size is that of words, which do not get smaller in tight lanes.
    int wordsPx(double n) const { return int(n * u / m_tight + 0.5); }
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
    /// How long the server would still keep the lock, on a low lane: a line at the lower edge of its bar; empty: the
    /// lane is too low for one.
    QRectF marginLine(double width, int laneHeight) const;
    QRectF deciderStrip(double width) const { return {0, double(px(3)), width, double(px(16))}; }

private:
    double m_tight;
};

/// Lanes of a section that are not in sight, by the reason.
struct LanesAway {
    int hidden = 0;   ///< not worth a row
    int filtered = 0; ///< without the text that one looks for
    int folded = 0;   ///< the section is folded
};

/// Which of the lanes a person wants to see.
struct LaneChoice {
    bool onlyActors = false; ///< without clients that have only waited, and that nothing was done to
    bool allLinks = false;   ///< also links that nothing is wrong with
    trace::EntityId selected = trace::kNoEntity; ///< has a row in any case
    std::set<LaneKind> folded;                   ///< sections of which only the caption is shown
    std::set<trace::EntityId> pinned;            ///< locks whose lanes stand first among the records, and stay in sight
    /// Without copies (LaneKind::Copy), or without servers and their links (LaneKind::Node), but for those that are
    /// lit: nothing tells of them.
    std::set<LaneKind> away;
    QString text; ///< only lanes with this text in a name: of the client, the lock, the server; empty: all
    bool operator==(const LaneChoice&) const = default;
};

/// Whether something was done to this link, or happened to it: a fault, or a message that was lost on it though both
/// its ends were there.
bool isTroubled(const Lane& link);
/// Whether a lane stands below another one as a branch of it: a copy below its lock, a clock or a session below its
/// owner.
bool hangsOnAnother(const Lane& lane);
/// The section in which a lane stands: nodes, Sentinels and links share one, as do records and their copies. A clock
/// stands with its owner.
LaneKind sectionOf(const Lane& lane);

/// Whether the client of this lane believes at that instant that it holds the lock, or does not know.
bool believesAt(const Lane& lane, std::int64_t at);

/// Which lane stands where, from top to bottom: sections with captions, lanes in a stable order (clients, threads,
/// locks … as they were named).
class TimelineLayout {
public:
    struct Row {
        const Lane* lane = nullptr;
        int y = 0, height = 0;
        std::vector<const Lane*> alike{}; ///< links that share the row of this one: linkGroups()
    };
    struct Section {
        LaneKind kind = LaneKind::Belief;
        int y = 0; ///< of its caption
        LanesAway away{};
    };

    /// A part of the layout that stays in sight while the rest scrolls: record and effect, with their captions, or the
    /// lanes of locks that a person has pinned.
    struct Pinned {
        int top = 0, bottom = 0; ///< y in the layout; equal: there is none
        int shift = 0;           ///< px by which it stands lower in the viewport than it would have scrolled to
        bool contains(int y) const { return y >= top && y < bottom; }
        int height() const { return bottom - top; }
        bool operator==(const Pinned&) const = default;
    };
    /// Where not all lanes fit into `room` (px), and these leave enough of it: record and effect below clients of our
    /// own; else LaneChoice::pinned, as many of them as fit.
    Pinned pinned(int scroll, int room) const;

    /// These metrics with lanes as low as they have to be for record and effect to be in sight below the beliefs, and
    /// no lower: TimelineMetrics::belief, lowRecords and density. `room`: of the lanes, px, by the metrics that it is
    /// called with. The caller holds the data's mutex.
    TimelineMetrics fitted(const TimelineData& data, TimelineMetrics metrics,
                           const std::function<int(const TimelineMetrics&)>& room) const;
    /// Whether the lanes of records have to be low so that more of them are seen in a picture of that height:
    /// TimelineMetrics::lowRecords. The caller holds the data's mutex.
    bool lowRecordsFor(const TimelineData& data, const TimelineMetrics& metrics, int room) const;
    /// The caller holds the data's mutex.
    void setWanted(LaneChoice wanted, const TimelineData& data) {
        m_wanted = std::move(wanted);
        search(data);
    }
    const LaneChoice& wanted() const { return m_wanted; }

    /// Entities whose lanes are pointed at. Copies, servers and links among them belong to the story: fitted() and
    /// heightOfStory() make room for them as for the three truths, where there is enough of it.
    void setLit(std::vector<trace::EntityId> lit) { m_lit = std::move(lit); }

    /// The instant that TimelineMetrics::believersFirst is about.
    void setPlayhead(std::int64_t at) { m_playhead = at; }

    /// Looks for the wanted text in the names of lanes, if it or they are new. The caller holds the data's mutex.
    void search(const TimelineData& data);
    /// Takes in lanes that are new; true when something moved. The caller holds the data's mutex. Links have a row
    /// where something is wrong with them, or one asks for them. Where there are a great many clients, record and
    /// effect stand above them, and copies have no row.
    bool update(const TimelineData& data, const TimelineMetrics& metrics);
    void clear();

    const std::vector<Row>& rows() const { return m_rows; }
    const std::vector<Section>& sections() const { return m_sections; }
    int height() const { return m_height; }
    /// How high the three truths are by these metrics, px: beliefs, records and effects, and what stands below them
    /// only down to the last lane that is lit. The caller holds the data's mutex.
    int heightOfStory(const TimelineMetrics& metrics) const;
    /// The section of this row, by its kind.
    LaneKind sectionOfRow(int row) const;
    /// Whether this row is a server's, a link's or a clock's below the three truths of clients of our own.
    bool isBelowStory(int row) const;
    /// Index of the row at y, -1 = none.
    int rowAt(int y) const;
    /// Index of the first row that ends below y.
    std::size_t firstRowBelow(int y) const;
    /// Index of the (first) row that shows this entity, -1 = none.
    int rowOf(trace::EntityId entity) const;

private:
    struct Count {
        std::size_t beliefs = 0, shown = 0;
        std::size_t struck = 0;  ///< links with faults
        std::size_t blows = 0;   ///< faults of links, and what they made of them
        std::size_t queued = 0;  ///< records with a queue
        std::size_t written = 0; ///< lanes of effects with writes
        bool many() const { return beliefs > kCrowd; }
        bool operator==(const Count&) const = default;
    };
    /// With more clients than that the rest of the picture goes before them.
    static constexpr std::size_t kCrowd = 24;
    bool shows(const Lane& lane, bool many) const;
    bool isLit(const Lane& lane) const;
    bool isFilteredOut(const Lane& lane) const;
    /// Whether the lane is of a lock of LaneChoice::pinned, or of a copy of one, and stands among the records.
    bool isPinned(const Lane& lane, TimelineMetrics::Density density) const;
    /// Record and effect with their captions; nothing where they take too much of the room.
    Pinned pinnedStory(int scroll, int room) const;
    Pinned band(int top, int bottom, int scroll, int room) const;
    bool isFolded(const Lane& lane, TimelineMetrics::Density density) const;
    Count countOf(const TimelineData& data) const;
    /// Links of one client that the same faults have struck in the same way, by the first of them: one row shows them
    /// all, unless one asks for all links, or for one of these.
    std::map<const Lane*, std::vector<const Lane*>> linkGroups(const TimelineData& data) const;
    /// The first of these heights of clients' lanes with which all lanes are in sight.
    std::optional<double> heightOfMany(const TimelineData& data, const TimelineMetrics& metrics, int room,
                                       std::span<const double> heights) const;
    /// As fitted(), with many clients.
    TimelineMetrics fittedToMany(const TimelineData& data, TimelineMetrics metrics,
                                 const std::function<int(const TimelineMetrics&)>& room) const;

    std::vector<Row> m_rows;
    std::vector<Section> m_sections;
    int m_height = 0;
    std::size_t m_version = 0;
    double m_u = 0, m_belief = 0;
    bool m_lowRecords = false;
    TimelineMetrics::Density m_density = TimelineMetrics::Density::Usual;
    Count m_count;
    bool m_serversFirst = false;
    std::set<const Lane*> m_found; ///< lanes with the text that is looked for
    QString m_searched;
    std::size_t m_searchedVersion = 0;
    LaneChoice m_wanted, m_laidWanted; ///< now, and when lanes were laid out last
    std::int64_t m_playhead = -1;
    std::vector<const Lane*> m_believers; ///< in the order of the data, where they stand first
    std::vector<trace::EntityId> m_lit;
};

} // namespace lockscope::views
