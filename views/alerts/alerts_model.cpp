// SPDX-License-Identifier: GPL-3.0-or-later
#include "alerts/alerts_model.h"

#include "inspect/text.h"
#include "models/alert_words.h"
#include "models/connection_words.h"
#include "theme/format.h"

#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace lockscope::views {

using Entry = session::AlertDesk::Entry;
using Kind = inspect::AlertRule::Kind;

namespace {
constexpr std::size_t kMostNames = 8; ///< of locks in one sentence
}

AlertsModel::AlertsModel(ViewContext* context, QObject* parent)
    : QAbstractTableModel(parent), m_context(context), m_desks(context) {
    connect(context, &ViewContext::sessionChanged, this, &AlertsModel::attach);
    connect(&m_desks, &AlertDesks::arranged, this, &AlertsModel::attach);
    connect(&m_desks, &AlertDesks::changed, this, &AlertsModel::refresh);
    connect(context, &ViewContext::playheadChanged, this, &AlertsModel::lookAt);
    attach();
}

void AlertsModel::attach() {
    lookAt(m_context->playhead());
    refresh();
}

void AlertsModel::lookAt(Nanos t) {
    bool differs = false;
    for (const auto& desk : desks()) {
        const Nanos before = desk ? desk->now() : t;
        if (desk) desk->lookAt(t);
        differs = differs || (desk && desk->now() != before);
    }
    if (differs && !m_rows.empty()) // for how long each of them has stood
        Q_EMIT dataChanged(index(0, OpenForColumn), index(rowCount() - 1, OpenForColumn));
}

void AlertsModel::refresh() {
    std::vector<Row> now;
    for (const auto& desk : desks())
        for (const Entry& entry : desk ? desk->entries() : std::vector<Entry>())
            now.push_back({desk, entry, {{desk, entry.alert.rule, entry.alert.lock}}});
    if (desks().size() > 1) {
        // Each desk has its own in this order; between two desks, the older alert comes first.
        std::ranges::stable_sort(now, {}, [](const Row& row) {
            return std::tuple(!row.entry.pinned, -int(inspect::severityOf(row.entry.alert.rule.kind)),
                              row.entry.alert.since);
        });
    }
    now = merged(std::move(now));
    const auto same = [](const Row& a, const Row& b) { return a.members == b.members; };
    // As long as the rows are those that were there, only their words change: the selection and the focus stay.
    if (std::ranges::equal(now, m_rows, same)) {
        m_rows = std::move(now);
        if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    } else {
        beginResetModel();
        m_rows = std::move(now);
        endResetModel();
    }
    proposeWorst();
    Q_EMIT refreshed();
}

std::vector<AlertsModel::Row> AlertsModel::merged(std::vector<Row> all) {
    constexpr std::size_t kFewest = 4; // fewer are quicker read than looked for
    using Cause = std::tuple<session::AlertDesk*, int, bool, bool, Nanos, QString>;
    const auto causeOf = [](const Row& row) -> std::optional<Cause> {
        const inspect::Alert& alert = row.entry.alert;
        if (alert.lock.isEmpty()) return std::nullopt;
        const auto kind = int(alert.rule.kind);
        // A deadlock over several servers has equal words on each of them.
        if (alert.rule.kind == Kind::Deadlock)
            return Cause{nullptr, kind, row.entry.pinned, row.entry.over.has_value(), Nanos(0), alert.sentence};
        return Cause{row.desk,
                     kind,
                     row.entry.pinned,
                     row.entry.over.has_value(),
                     std::chrono::floor<std::chrono::seconds>(alert.since),
                     QString()};
    };
    std::map<Cause, std::size_t> counts;
    for (const Row& row : all)
        if (const auto cause = causeOf(row)) ++counts[*cause];
    std::vector<Row> rows;
    std::map<Cause, std::size_t> places; ///< in `rows`
    std::set<std::pair<session::AlertDesk*, QByteArray>> inRings;
    for (Row& row : all) {
        const bool ring = row.entry.alert.rule.kind == Kind::Deadlock;
        if (ring && !row.entry.over) inRings.emplace(row.desk, row.entry.alert.lock);
        const auto cause = causeOf(row);
        if (!cause || counts[*cause] < (ring ? 2 : kFewest)) {
            rows.push_back(std::move(row));
            continue;
        }
        const auto [place, isNew] = places.try_emplace(*cause, rows.size());
        if (isNew)
            rows.push_back(std::move(row));
        else
            rows[place->second].members.push_back(row.members.front());
    }
    for (Row& row : rows) {
        const Kind kind = row.entry.alert.rule.kind;
        const bool follows = kind == Kind::Waited || kind == Kind::Held;
        row.ofRing = follows && inRings.contains({row.desk, row.entry.alert.lock});
    }
    return rows;
}

bool AlertsModel::isMany(const Row& row) {
    return row.members.size() > 1 && row.entry.alert.rule.kind != Kind::Deadlock;
}

bool AlertsModel::isMany(int row) const {
    return row >= 0 && row < rowCount() && isMany(m_rows[std::size_t(row)]);
}

std::vector<AlertsModel::Member> AlertsModel::members(int row) const {
    return row >= 0 && row < rowCount() ? m_rows[std::size_t(row)].members : std::vector<Member>();
}

std::size_t AlertsModel::listed() const {
    return std::accumulate(m_rows.begin(), m_rows.end(), std::size_t(0),
                           [](std::size_t sum, const Row& row) { return sum + row.members.size(); });
}

/// The lock that is shown by itself stays as long as it has an alert: a detail that jumps cannot be read.
void AlertsModel::proposeWorst() {
    trace::EntityId worst = trace::kNoEntity;
    for (int row = 0; row < rowCount(); ++row) {
        const trace::EntityId lock = lockOf(row);
        if (lock == trace::kNoEntity || m_rows[std::size_t(row)].entry.over) continue;
        if (worst == trace::kNoEntity) worst = lock;
        if (lock == m_proposed) worst = lock;
    }
    m_proposed = worst;
    m_context->setWorstLock(worst);
}

const Entry* AlertsModel::entry(int row) const {
    return row >= 0 && row < rowCount() ? &m_rows[std::size_t(row)].entry : nullptr;
}

session::AlertDesk* AlertsModel::deskOf(int row) const {
    return row >= 0 && row < rowCount() ? m_rows[std::size_t(row)].desk.data() : nullptr;
}

int AlertsModel::rowOf(const session::AlertDesk* desk, const inspect::AlertRule& rule, const QByteArray& lock) const {
    const auto found = std::ranges::find_if(m_rows, [&](const Row& row) {
        return std::ranges::any_of(
            row.members, [&](const Member& one) { return one.desk == desk && one.rule == rule && one.lock == lock; });
    });
    return found == m_rows.end() ? -1 : int(found - m_rows.begin());
}

std::size_t AlertsModel::more() const {
    std::size_t all = 0;
    for (const auto& desk : desks())
        all += desk ? desk->more() : 0;
    return all;
}

std::size_t AlertsModel::muted() const {
    std::size_t all = 0;
    for (const auto& desk : desks())
        all += desk ? desk->muted() : 0;
    return all;
}

trace::EntityId AlertsModel::lockOf(int row) const {
    const Entry* const its = entry(row);
    const session::AlertDesk* const desk = deskOf(row);
    if (!its || !desk || its->alert.lock.isEmpty()) return trace::kNoEntity;
    return desk->lockCalled(its->alert.lock, *m_context->trace(), m_context->entities(trace::EntityKind::Lock));
}

int AlertsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int AlertsModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

QString AlertsModel::text(const Row& row, int column) const {
    const Entry& entry = row.entry;
    switch (column) {
    case LockColumn: {
        const QString name =
            desks().size() > 1 && row.desk ? m_context->trace()->displayName(row.desk->connection()) : QString();
        if (entry.alert.lock.isEmpty()) return name.isEmpty() ? tr("server") : name;
        if (isMany(row)) return tr("%n lock(s)", "", int(row.members.size()));
        if (row.members.size() > 1) return namesOf(row, QStringLiteral(" ⇄ "), row.members.size());
        return inspect::readable(entry.alert.lock); // its connection is the badge
    }
    case SentenceColumn:
        //: Of many locks with one kind of alert: %1 its words, such as "failed over", %2 the names of some of the
        //: locks.
        if (isMany(row)) return tr("%1: %2").arg(alertWord(entry.alert.rule.kind), namesOf(row, tr(", "), kMostNames));
        return entry.alert.sentence;
    case AdviceColumn:
        //: The same deadlock has a row of its own further up in the list.
        if (row.ofRing && !entry.over) return tr("Part of the deadlock above.");
        return entry.over ? tr("It is over; it stays here because it is pinned.") : entry.alert.advice;
    case OpenForColumn: {
        if (entry.over) return tr("over");
        const QString length = duration(std::max(row.desk ? row.desk->now() - entry.alert.since : Nanos(0), Nanos(0)));
        //: At least so long: it was so already when somebody began to look.
        return entry.alert.atLeast ? tr("≥ %1").arg(length) : length;
    }
    default:
        return {};
    }
}

QString AlertsModel::namesOf(const Row& row, const QString& between, std::size_t most) {
    QStringList names;
    for (const Member& one : row.members)
        if (std::size_t(names.size()) < most) names += inspect::readable(one.lock);
    if (row.members.size() > most) names += QString(QChar(0x2026));
    return names.join(between);
}

QString AlertsModel::fullName(const Row& row) const {
    const QString lock = text(row, LockColumn);
    if (desks().size() < 2 || !row.desk || row.entry.alert.lock.isEmpty()) return lock;
    //: A lock and the name of the connection that it was seen over.
    return tr("%1 @ %2").arg(lock, m_context->trace()->displayName(row.desk->connection()));
}

QVariant AlertsModel::data(const QModelIndex& index, int role) const {
    const Entry* const its = entry(index.row());
    if (!index.isValid() || !its) return {};
    const Row& row = m_rows[std::size_t(index.row())];
    const auto severity = inspect::severityOf(its->alert.rule.kind);
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::AccessibleTextRole:
        if (index.column() == LockColumn)
            //: An alert's severity, what it is and of which lock: "warning, renewal late: orders".
            return tr("%1, %2: %3").arg(severityWord(severity), alertWord(its->alert.rule.kind), fullName(row));
        if (index.column() == PinColumn) return its->pinned ? tr("pinned") : tr("not pinned");
        if (index.column() == MuteColumn) return tr("Mute…");
        return text(row, index.column());
    case Qt::ToolTipRole:
        if (index.column() == PinColumn)
            return its->pinned ? tr("Unpin (P)") : tr("Pin: it stays here, even when it is over (P)");
        if (index.column() == MuteColumn) return tr("Mute for a while (M)");
        return fullName(row) + u'\n' + text(row, SentenceColumn) + QStringLiteral("\n→ ") + text(row, AdviceColumn) +
               QStringLiteral("\n\n") + tr("Rule: %1").arg(its->alert.rule.text);
    case EntityRole:
        return lockOf(index.row());
    case SeverityRole:
        return int(severity);
    case BadgeRole:
        return desks().size() > 1 && row.desk ? badgeOf(*m_context, row.desk->connection()) : -1;
    case PlaceRole:
        return row.desk ? m_context->trace()->displayName(row.desk->connection()) : QString();
    default:
        return {};
    }
}

QVariant AlertsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == OpenForColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    const bool narrow = section == PinColumn || section == MuteColumn; // its drawings speak for themselves
    if (role != Qt::AccessibleTextRole && (role != Qt::DisplayRole || narrow)) return {};
    switch (section) {
    case LockColumn:
        return tr("Lock");
    case SentenceColumn:
        return tr("What is so");
    case AdviceColumn:
        return tr("What to do");
    case OpenForColumn:
        return tr("Open for");
    case PinColumn:
        return tr("Pin");
    case MuteColumn:
        return tr("Mute");
    default:
        return {};
    }
}

} // namespace lockscope::views
