// SPDX-License-Identifier: GPL-3.0-or-later
#include "statistics/statistics_model.h"

#include "models/lock_facts.h"
#include "models/waits_in_sight.h"
#include "theme/format.h"
#include "trace/connection.h"
#include "trace/reckoned_length.h"

#include <QElapsedTimer>
#include <functional>

namespace lockscope::views {

namespace {

constexpr qint64 kSliceNs = 4'000'000;
constexpr std::size_t kBatch = 1024;     ///< rows between two looks at the clock
constexpr int kPublishEveryMs = 250;     ///< no reader follows figures that change more often
constexpr int kShare = 20;               ///< … and they take one such part of the time at most
constexpr std::size_t kMostRows = 2'000; ///< locks in the table, those that were waited for longest

bool isTime(int column) {
    return column >= StatisticsModel::WaitColumn && column <= StatisticsModel::HandOverP99Column;
}

/// Whether it is a time between two changes that a server's record shows.
bool isBetweenLooks(int column) {
    return column >= StatisticsModel::HoldColumn && column <= StatisticsModel::HandOverP99Column;
}

} // namespace

StatisticsModel::StatisticsModel(ViewContext* context, QObject* parent)
    : QAbstractTableModel(parent), m_context(context), m_trace(context->trace()) {
    m_slices.setInterval(0);
    connect(&m_slices, &QTimer::timeout, this, &StatisticsModel::slice);
    m_pace.setSingleShot(true);
    m_pace.setInterval(kPublishEveryMs);
    connect(&m_pace, &QTimer::timeout, this, &StatisticsModel::publish);
    connect(context, &ViewContext::sessionChanged, this, &StatisticsModel::restart);
    connect(context, &ViewContext::traceGrew, this, &StatisticsModel::follow);
    connect(context, &ViewContext::playheadChanged, this, &StatisticsModel::follow);
    restart();
}

void StatisticsModel::setSpan(Nanos last) {
    if (last == m_last) return;
    m_last = last;
    if (wantedBefore() < m_before.rows) m_before = {}; // out of sight, too
    follow();
}

void StatisticsModel::setActive(bool active) {
    m_active = active;
    follow();
}

void StatisticsModel::restart() {
    m_slices.stop();
    m_trace = m_context->trace();
    m_all = {};
    m_before = {};
    m_until = {};
    follow();
    publish();
}

void StatisticsModel::follow() {
    if (!m_active) return;
    m_until = m_context->playhead();
    // Back in time: what was counted cannot be taken out again.
    if (wanted() < m_all.rows) m_all = {};
    if (wantedBefore() < m_before.rows) m_before = {};
    if (!isComplete()) m_slices.start();
    if (!m_pace.isActive()) m_pace.start();
}

void StatisticsModel::slice() {
    QElapsedTimer clock;
    clock.start();
    for (const auto& [count, end] : {std::pair(&m_before, wantedBefore()), std::pair(&m_all, wanted())})
        while (count->rows < end && clock.nsecsElapsed() < kSliceNs)
            for (const std::size_t stop = std::min(end, count->rows + kBatch); count->rows < stop; ++count->rows)
                count->fold->apply(m_trace->at(count->rows), *m_trace);
    if (!isComplete()) return;
    m_slices.stop();
    if (!m_pace.isActive()) m_pace.start();
}

std::optional<trace::LockStatistics> StatisticsModel::statisticsOf(trace::EntityId lock) const {
    const auto all = m_all.fold->locks().find(lock);
    if (all == m_all.fold->locks().end()) return std::nullopt;
    const auto before = m_before.fold->locks().find(lock);
    return before == m_before.fold->locks().end() ? all->second : all->second.since(before->second);
}

void StatisticsModel::publish() {
    // Watched servers go on telling: figures of a moment ago would never be whole.
    if (!isComplete()) slice();
    // Ahead of the playhead's own count the difference would be none: it is told as soon as both are there.
    if (m_before.rows > m_all.rows) return;
    QElapsedTimer clock;
    clock.start();
    std::vector<Row> rows;
    std::vector<Nanos> handOvers;
    Nanos looksApart{}; // of the locks that were handed over
    m_granted = 0;
    for (const auto& [lock, all] : m_all.fold->locks()) {
        std::optional<trace::LockStatistics> part;
        const trace::LockStatistics& counted = m_last > Nanos(0) ? part.emplace(*statisticsOf(lock)) : all;
        Row row;
        row.lock = lock;
        row.grants = std::max<std::uint64_t>(counted.taken, counted.granted);
        row.asked = counted.asked;
        row.granted = counted.granted;
        row.requests = m_all.fold->requests(lock) - m_before.fold->requests(lock);
        row.gaveUp = counted.gaveUp.size();
        row.expired = counted.expired;
        row.forced = counted.forced;
        row.waits = counted.waits.size();
        row.holds = counted.holds.size();
        row.handOvers = counted.handOvers.size();
        row.longestWait = counted.longestToldWait();
        row.looksApart = counted.looksApart;
        if (row.handOvers > 0) looksApart = std::max(looksApart, row.looksApart);
        handOvers.insert(handOvers.end(), counted.handOvers.begin(), counted.handOvers.end());
        m_granted += counted.granted;
        rows.push_back(row);
    }
    // A wait that goes on counts as long as it is: in a deadlock there is no other.
    for (const auto& [key, since] : m_all.fold->openWaits()) {
        auto row = std::ranges::lower_bound(rows, key.first, {}, &Row::lock);
        if (row == rows.end() || row->lock != key.first) row = rows.insert(row, Row{.lock = key.first});
        ++row->asked;
        row->longestWait = std::max(row->longestWait, reckonedLength(since, m_until));
    }
    const auto within = [this](const auto& upTo, trace::EntityId lock) {
        const Nanos before = std::invoke(upTo, *m_before.fold, lock, from());
        return std::max(std::invoke(upTo, *m_all.fold, lock, m_until) - before, Nanos(0));
    };
    std::map<trace::EntityId, Nanos> watched; // by connection
    for (const auto& [connection, pace] : m_all.fold->paces())
        watched.emplace(connection, pace.watched(from(), m_until));
    for (Row& row : rows) {
        const auto its = watched.find(trace::connectionOf(*m_trace, row.lock));
        row.watched = its == watched.end() ? m_until - from() : its->second;
        row.waited = within(&trace::LockStatisticsFold::waited, row.lock);
        // On a watched server strangers wait, too: as many as the server tells.
        if (m_trace->ofRealServers())
            row.waited = std::max(row.waited, within(&trace::LockStatisticsFold::queued, row.lock));
    }
    std::ranges::stable_sort(rows, std::ranges::greater(),
                             [](const Row& row) { return std::pair(row.waited, row.grants); });
    std::vector<Churn> churn = churnOf(rows);
    if (rows.size() > kMostRows) rows.resize(kMostRows);
    for (Row& row : rows) {
        std::optional<trace::LockStatistics> counted = statisticsOf(row.lock);
        if (!counted) continue; // the first wait for it goes on
        row.wait = trace::percentile(counted->waits, 50);
        row.waitP99 = trace::percentile(counted->waits, 99);
        row.hold = trace::percentile(counted->holds, 50);
        row.holdP99 = trace::percentile(counted->holds, 99);
        row.handOver = trace::percentile(counted->handOvers, 50);
        row.handOverP99 = trace::percentile(counted->handOvers, 99);
    }
    m_requests = m_all.fold->requests() - m_before.fold->requests();
    const bool same = std::ranges::equal(rows, m_rows, {}, &Row::lock, &Row::lock);
    if (same) {
        m_rows = std::move(rows);
        if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(int(m_rows.size()) - 1, ColumnCount - 1));
    } else {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
    }
    overlook(std::move(handOvers));
    m_overview.looksApart = looksApart;
    m_overview.churn = std::move(churn);
    m_pace.setInterval(std::max(kPublishEveryMs, int(clock.elapsed()) * kShare));
    Q_EMIT counted();
}

std::vector<StatisticsModel::Churn> StatisticsModel::churnOf(const std::vector<Row>& rows) const {
    std::map<trace::EntityId, std::uint64_t> grants;
    for (const Row& row : rows)
        if (const trace::EntityId connection = trace::connectionOf(*m_trace, row.lock))
            grants[connection] += row.grants;
    std::vector<Churn> all;
    for (const auto& [connection, seen] : grants) {
        const auto pace = m_all.fold->paces().find(connection);
        const bool known = pace != m_all.fold->paces().end();
        const Nanos watched = known ? pace->second.watched(from(), m_until) : m_until - from();
        const double minutes = std::chrono::duration<double, std::ratio<60>>(watched).count();
        Churn& churn = all.emplace_back(connection, seen, minutes > 0 ? double(seen) / minutes : 0);
        if (!known) continue;
        churn.now = pace->second.perMinute(std::max(from(), m_until - 1min), m_until);
        const auto steps = (m_until - from()) / pace->second.stretch();
        if (steps > 0) churn.curve = pace->second.curve(from(), m_until, int(std::min<std::int64_t>(steps, kCurve)));
    }
    std::ranges::stable_sort(all, std::ranges::greater(), &Churn::grants);
    return all;
}

void StatisticsModel::overlook(std::vector<Nanos> handOvers) {
    m_overview = {};
    for (const Row& row : m_rows) { // those that were waited for longest stand first
        if (row.waited <= 0ns || m_overview.waited.size() == kLongest) break;
        m_overview.waited.push_back({row.lock, row.waited, duration(row.waited)});
    }
    const trace::State& state = m_context->state();
    std::vector<std::pair<std::int64_t, trace::EntityId>> held;
    for (const auto& [lock, record] : state.records)
        if (record.owner != trace::kNoEntity && record.observed && record.copyOf == trace::kNoEntity)
            held.emplace_back(record.toldSince == trace::kSinceNotTold ? record.since : record.toldSince, lock);
    // By the lengths that are told, which are known less exactly than the instants: more of them are looked at.
    constexpr std::ptrdiff_t kLookedAt = 4 * std::ptrdiff_t(kLongest);
    const auto looked = held.begin() + std::min(kLookedAt, std::ssize(held));
    std::ranges::partial_sort(held, looked);
    for (auto one = held.begin(); one != looked; ++one) {
        const LockFacts facts = lockFacts(one->second, *m_context);
        m_overview.held.push_back({one->second, facts.heldFor, heldForText(facts)});
    }
    std::ranges::stable_sort(m_overview.held, std::ranges::greater(), &Longest::length);
    if (m_overview.held.size() > kLongest) m_overview.held.resize(kLongest);
    const WaitsInSight sight = waitsInSight(*m_context);
    m_overview.waitersKnown = sight.complete();
    m_overview.locksInSight = sight.unseen == 0;
    m_overview.handOvers = logarithmicHistogram(handOvers, kBins);
    m_overview.unobserved = m_all.fold->longestUnobserved(m_until, *m_before.fold, from());
    m_overview.p50 = trace::percentile(handOvers, 50);
    m_overview.p99 = trace::percentile(handOvers, 99);
}

int StatisticsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int StatisticsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(ColumnCount);
}

double StatisticsModel::progress() const {
    const std::size_t end = wanted() + wantedBefore();
    return end == 0 ? 1 : double(m_all.rows + m_before.rows) / double(end);
}

double StatisticsModel::requestsPerGrant() const {
    return m_granted == 0 ? -1 : double(m_requests) / double(m_granted);
}

QString StatisticsModel::betweenLooks(Nanos time, Nanos looksApart) {
    // Either end lies anywhere between the look that saw it and the look before.
    constexpr int kMuchLonger = 2;
    if (looksApart <= 0ns || time > kMuchLonger * looksApart) return duration(time);
    //: At most so long: a server was looked at too seldom to know more.
    return tr("≤ %1").arg(duration(time + looksApart));
}

QString StatisticsModel::exactness(Nanos looksApart) {
    if (looksApart <= 0ns) return {};
    return QLatin1Char('\n') +
           tr("Known to within %1 only: this server tells of no change, and two looks at it were that far apart.")
               .arg(roundDuration(looksApart));
}

double StatisticsModel::number(const Row& row, int column) const {
    const double watched = std::chrono::duration<double>(row.watched).count();
    const auto time = [](std::size_t of, Nanos value) { return of ? double(value.count()) : -1.0; };
    switch (column) {
    case LoadColumn:
        return (row.asked || row.waited > 0ns) && watched > 0
                   ? std::chrono::duration<double>(row.waited).count() / watched
                   : -1;
    case GrantsColumn:
        return double(row.grants);
    case RateColumn:
        return watched > 0 ? double(row.grants) / watched : -1;
    case WaitColumn:
        return time(row.waits, row.wait);
    case WaitP99Column:
        return time(row.waits, row.waitP99);
    case LongestWaitColumn:
        return time(row.asked, row.longestWait);
    case HoldColumn:
        return time(row.holds, row.hold);
    case HoldP99Column:
        return time(row.holds, row.holdP99);
    case HandOverColumn:
        return time(row.handOvers, row.handOver);
    case HandOverP99Column:
        return time(row.handOvers, row.handOverP99);
    case GaveUpColumn:
        return row.asked ? double(row.gaveUp) : -1;
    case ExpiredColumn:
        return double(row.expired + row.forced);
    case RequestsColumn:
        return row.granted && row.requests ? double(row.requests) / double(row.granted) : -1;
    default:
        return 0;
    }
}

QString StatisticsModel::text(const Row& row, int column) const {
    if (column == LockColumn) return m_trace->displayName(row.lock);
    const double value = number(row, column);
    if (value < 0) return none();
    if (isBetweenLooks(column)) return betweenLooks(Nanos(std::int64_t(value)), row.looksApart);
    if (isTime(column)) return duration(Nanos(std::int64_t(value)));
    if (column == LoadColumn) return QString::number(value, 'f', value < 10 ? 2 : 1);
    if (column == RateColumn || column == RequestsColumn) return QString::number(value, 'f', value < 10 ? 1 : 0);
    return count(std::int64_t(value));
}

QVariant StatisticsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || std::size_t(index.row()) >= m_rows.size()) return {};
    const Row& row = m_rows[std::size_t(index.row())];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case Qt::TextAlignmentRole:
        return int((column == LockColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        if (column == WaitColumn || column == WaitP99Column) return tr("of %n wait(s)", nullptr, int(row.waits));
        if (column == HoldColumn || column == HoldP99Column)
            return tr("of %n hold(s)", nullptr, int(row.holds)) + exactness(row.looksApart);
        if (column == HandOverColumn || column == HandOverP99Column)
            return tr("of %n hand-over(s)", nullptr, int(row.handOvers)) + exactness(row.looksApart);
        if (column == ExpiredColumn)
            return tr("%1 expired, %2 ended by somebody else")
                .arg(count(std::int64_t(row.expired)), count(std::int64_t(row.forced)));
        if (column == RequestsColumn && row.requests)
            //: %1 a number of messages, %2 a number of grants
            return tr("%1 messages for %2 grants")
                .arg(count(std::int64_t(row.requests)), count(std::int64_t(row.granted)));
        return text(row, column);
    case Qt::AccessibleTextRole:
        return headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() + QStringLiteral(": ") +
               text(row, column);
    case SortRole:
        return column == LockColumn ? QVariant(m_trace->displayName(row.lock)) : QVariant(number(row, column));
    case EntityRole:
        return row.lock;
    default:
        return {};
    }
}

QVariant StatisticsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == LockColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    const bool name = role == Qt::DisplayRole;
    if (!name && role != Qt::ToolTipRole) return {};
    switch (Column(section)) {
    case LockColumn:
        return name ? tr("Lock") : tr("The lock. Those that were waited for longest stand first.");
    case LoadColumn:
        return name ? tr("Waiting ⌀")
                    : tr("How many clients waited on average: our own, and those that a watched server tells of.");
    case GrantsColumn:
        return name ? tr("Grants") : tr("How often it was taken.");
    case RateColumn:
        return name ? tr("Per second") : tr("Grants a second, over the time that is counted.");
    case WaitColumn:
        return name ? tr("Wait p50") : tr("Half of the waits that ended with the lock were no longer.");
    case WaitP99Column:
        return name ? tr("Wait p99") : tr("99 of 100 waits that ended with the lock were no longer.");
    case LongestWaitColumn:
        return name ? tr("Longest wait")
                    : tr("Of all waits: those that ended with the lock or without, and those that go on.");
    case HoldColumn:
        return name ? tr("Hold p50") : tr("Half of the holds were no longer, by the server's record.");
    case HoldP99Column:
        return name ? tr("Hold p99") : tr("99 of 100 holds were no longer, by the server's record.");
    case HandOverColumn:
        return name ? tr("Hand-over p50")
                    : tr("From one holder to the next while somebody waited, by the server's record: half were no "
                         "longer.");
    case HandOverP99Column:
        return name ? tr("Hand-over p99")
                    : tr("From one holder to the next while somebody waited: 99 of 100 were no longer.");
    case GaveUpColumn:
        return name ? tr("Gave up") : tr("Waits that ended without the lock. Our own clients only.");
    case ExpiredColumn:
        return name ? tr("Cut short") : tr("Holds that expired, or that somebody else ended.");
    case RequestsColumn:
        return name ? tr("Requests")
                    : tr("Messages of our own clients to servers for each grant, while they waited for "
                         "the lock or held it. Renewals are among them.");
    case ColumnCount:
        break;
    }
    return {};
}

QByteArray StatisticsModel::toCsv() const {
    const auto quoted = [](QString text) {
        return QStringLiteral("\"%1\"").arg(text.replace(QLatin1Char('"'), QLatin1String("\"\""))).toUtf8();
    };
    QByteArrayList heading;
    for (int column = 0; column < ColumnCount; ++column) {
        const QString name = headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        heading << quoted(isTime(column) ? tr("%1 (ms)").arg(name) : name);
    }
    heading << quoted(tr("Holds and hand-overs known to within (ms)"));
    QByteArrayList lines{heading.join(',')};
    for (const Row& row : m_rows) {
        QByteArrayList cells;
        for (int column = 0; column < ColumnCount; ++column) {
            const double value = number(row, column);
            if (column == LockColumn)
                cells << quoted(text(row, column));
            else if (value < 0)
                cells << QByteArray();
            else
                cells << QByteArray::number(isTime(column) ? value / 1e6 : value, 'g', 12);
        }
        cells << QByteArray::number(double(row.looksApart.count()) / 1e6, 'g', 12);
        lines << cells.join(',');
    }
    return lines.join('\n') + '\n';
}

} // namespace lockscope::views
