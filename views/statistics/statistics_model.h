// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "statistics/histogram.h"
#include "trace/lock_statistics.h"

#include <QAbstractTableModel>

namespace lockscope::views {

/// One row a lock: what happened to it up to the playhead, from the beginning or over the last while, counted. Long
/// traces are counted in slices between frames; until then the model says how far it is.
class StatisticsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        LockColumn,
        LoadColumn, ///< how many waited on average: the time that all waits took, by the time that was watched
        GrantsColumn,
        RateColumn,
        WaitColumn,
        WaitP99Column,
        LongestWaitColumn,
        HoldColumn,
        HoldP99Column,
        HandOverColumn,
        HandOverP99Column,
        GaveUpColumn,
        ExpiredColumn,
        RequestsColumn, ///< messages of our own clients to servers, for each grant of theirs
        ColumnCount,
    };
    enum Role {
        SortRole = Qt::UserRole, ///< a double; −1 where nothing is known
        EntityRole,              ///< the lock
    };

    /// A lock and how long something lasted, with the words for it.
    struct Longest {
        trace::EntityId lock = trace::kNoEntity;
        Nanos length{};
        QString words{};
    };
    /// How often the locks of a watched server were taken.
    struct Churn {
        trace::EntityId connection = trace::kNoEntity;
        std::uint64_t grants = 0;    ///< over the time that is counted, as far as they were seen
        double perMinute = 0;        ///< on average over what was watched of that time: the usual pace
        double now = 0;              ///< grants a minute over the last minute
        std::vector<double> curve{}; ///< in the course of that time, in equal steps; see trace::GrantPace::curve()
    };
    /// The locks and figures that stand out at the playhead.
    struct Overview {
        std::vector<Longest> waited{}; ///< the time that all waits for a lock took, longest first
        std::vector<Longest> held{};   ///< locks that are held now, longest first
        Histogram handOvers{};         ///< of all locks, kBins sizes or none
        Nanos p50{}, p99{};            ///< of these
        Nanos looksApart{};            ///< … known to within so much; 0: exactly
        std::vector<Churn> churn{};    ///< of all connections whose locks were seen, the busiest first
        bool waitersKnown = true;      ///< of all locks; else somebody may have waited unseen
        bool locksInSight = true;      ///< all of them
        Nanos unobserved{};            ///< for how long a lock was not observed, at most
    };
    static constexpr int kBins = 24;   ///< of the histogram
    static constexpr int kCurve = 40;  ///< steps of a curve, at most
    static constexpr int kLongest = 4; ///< so many locks stand out at most

    explicit StatisticsModel(ViewContext* context, QObject* parent = nullptr);

    /// A time between two things that looks have seen, which are so far apart: "≤ 2.2 s" where the looks are as far
    /// apart as the time is long, so that no more is known.
    static QString betweenLooks(Nanos time, Nanos looksApart);
    /// How exactly such times are known, a line to follow others; empty: exactly.
    static QString exactness(Nanos looksApart);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// Counts what came in this time before the playhead; 0: all from the beginning.
    void setSpan(Nanos last);
    /// The instant from which it counts.
    Nanos from() const { return m_last > Nanos(0) ? std::max(m_until - m_last, Nanos(0)) : Nanos(0); }
    /// Counts while it is in sight only.
    void setActive(bool active);
    /// Whether everything up to the playhead is counted.
    bool isComplete() const { return m_all.rows == wanted() && m_before.rows == wantedBefore(); }
    /// How much of it, 0…1.
    double progress() const;
    /// Messages of our own clients to servers, for each grant; below 0: there was no grant of theirs.
    double requestsPerGrant() const;
    const Overview& overview() const { return m_overview; }
    /// The table as comma-separated values with a line of headings; times in milliseconds.
    QByteArray toCsv() const;

Q_SIGNALS:
    void counted(); ///< the rows may be others now

private:
    struct Row {
        trace::EntityId lock = trace::kNoEntity;
        std::uint64_t grants = 0; ///< by the record, or where nobody looked at it as clients tell
        std::uint64_t asked = 0, gaveUp = 0, expired = 0, forced = 0;
        std::uint64_t granted = 0, requests = 0;         ///< of our own clients
        std::size_t waits = 0, holds = 0, handOvers = 0; ///< how many the percentiles are of
        Nanos waited{}, wait{}, waitP99{}, longestWait{}, hold{}, holdP99{}, handOver{}, handOverP99{};
        Nanos looksApart{}; ///< holds and hand-overs are known to within so much; 0: exactly
        Nanos watched{};    ///< of the time that is counted
    };
    /// The rows of the trace up to some instant, counted.
    struct Count {
        std::unique_ptr<trace::LockStatisticsFold> fold = std::make_unique<trace::LockStatisticsFold>();
        std::size_t rows = 0;
    };
    std::size_t wanted() const { return m_trace->upperBound(m_until); }
    /// The rows that lie before from().
    std::size_t wantedBefore() const { return from() > Nanos(0) ? m_trace->upperBound(from()) : 0; }
    /// The figures of a lock over the time from from() on; nothing: it had none before the playhead.
    std::optional<trace::LockStatistics> statisticsOf(trace::EntityId lock) const;
    void restart();
    void follow();
    void slice();
    void publish();
    /// Finds what stands out. `handOvers`: of all locks.
    void overlook(std::vector<Nanos> handOvers);
    /// Grants a minute by connection; nothing in a trace without connections.
    std::vector<Churn> churnOf(const std::vector<Row>& rows) const;
    double number(const Row& row, int column) const;
    QString text(const Row& row, int column) const;

    ViewContext* m_context;
    std::shared_ptr<const trace::Trace> m_trace;
    Count m_all, m_before; ///< to the playhead; to from()
    Nanos m_until{};       ///< the playhead
    Nanos m_last{};        ///< 0: all
    std::vector<Row> m_rows;
    Overview m_overview;
    std::uint64_t m_requests = 0, m_granted = 0;
    QTimer m_slices, m_pace;
    bool m_active = false;
};

} // namespace lockscope::views
