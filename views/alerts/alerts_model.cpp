// SPDX-License-Identifier: GPL-3.0-or-later
#include "alerts/alerts_model.h"

#include "inspect/text.h"
#include "models/alert_words.h"
#include "models/connection_words.h"
#include "theme/format.h"

#include <tuple>

namespace lockscope::views {

using Entry = session::AlertDesk::Entry;

AlertsModel::AlertsModel(ViewContext* context, QObject* parent) : QAbstractTableModel(parent), m_context(context) {
    connect(context, &ViewContext::sessionChanged, this, &AlertsModel::attach);
    attach();
}

void AlertsModel::attach() {
    session::ConnectionDesk* const connections = session::connectionDeskOf(m_context->session());
    if (connections != m_connections) {
        if (m_connections) m_connections->disconnect(this);
        m_connections = connections;
        if (connections) connect(connections, &session::ConnectionDesk::arranged, this, &AlertsModel::attach);
    }
    std::vector<QPointer<session::AlertDesk>> desks;
    for (session::AlertDesk* const desk : session::alertDesksOf(m_context->session()))
        desks.emplace_back(desk);
    if (desks != m_desks) {
        for (const auto& old : m_desks)
            if (old) old->disconnect(this);
        m_desks = std::move(desks);
        for (const auto& desk : m_desks)
            connect(desk, &session::AlertDesk::changed, this, &AlertsModel::refresh);
    }
    refresh();
}

void AlertsModel::refresh() {
    std::vector<Row> now;
    for (const auto& desk : m_desks)
        for (const Entry& entry : desk ? desk->entries() : std::vector<Entry>())
            now.push_back({desk, entry});
    if (m_desks.size() > 1) {
        // Each desk has its own in this order; between two desks, the older alert comes first.
        std::ranges::stable_sort(now, {}, [](const Row& row) {
            return std::tuple(!row.entry.pinned, -int(inspect::severityOf(row.entry.alert.rule.kind)),
                              row.entry.alert.since);
        });
    }
    const auto same = [](const Row& a, const Row& b) {
        return a.desk == b.desk && a.entry.alert.rule == b.entry.alert.rule && a.entry.alert.lock == b.entry.alert.lock;
    };
    // As long as the rows are those that were there, only their words change: the selection and the focus stay.
    if (std::ranges::equal(now, m_rows, same)) {
        m_rows = std::move(now);
        if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    } else {
        beginResetModel();
        m_rows = std::move(now);
        endResetModel();
    }
    Q_EMIT refreshed();
}

const Entry* AlertsModel::entry(int row) const {
    return row >= 0 && row < rowCount() ? &m_rows[std::size_t(row)].entry : nullptr;
}

session::AlertDesk* AlertsModel::deskOf(int row) const {
    return row >= 0 && row < rowCount() ? m_rows[std::size_t(row)].desk.data() : nullptr;
}

int AlertsModel::rowOf(const session::AlertDesk* desk, const inspect::AlertRule& rule, const QByteArray& lock) const {
    const auto found = std::ranges::find_if(m_rows, [&](const Row& row) {
        return row.desk == desk && row.entry.alert.rule == rule && row.entry.alert.lock == lock;
    });
    return found == m_rows.end() ? -1 : int(found - m_rows.begin());
}

std::size_t AlertsModel::more() const {
    std::size_t all = 0;
    for (const auto& desk : m_desks)
        all += desk ? desk->more() : 0;
    return all;
}

std::size_t AlertsModel::muted() const {
    std::size_t all = 0;
    for (const auto& desk : m_desks)
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
            m_desks.size() > 1 && row.desk ? m_context->trace()->displayName(row.desk->connection()) : QString();
        if (entry.alert.lock.isEmpty()) return name.isEmpty() ? tr("server") : name;
        return inspect::readable(entry.alert.lock); // its connection is the badge
    }
    case SentenceColumn:
        return entry.alert.sentence;
    case AdviceColumn:
        return entry.over ? tr("It is over; it stays here because it is pinned.") : entry.alert.advice;
    case OpenForColumn:
        if (entry.over) return tr("over");
        return duration(std::max(row.desk ? row.desk->now() - entry.alert.since : Nanos(0), Nanos(0)));
    default:
        return {};
    }
}

QString AlertsModel::fullName(const Row& row) const {
    const QString lock = text(row, LockColumn);
    if (m_desks.size() < 2 || !row.desk || row.entry.alert.lock.isEmpty()) return lock;
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
        return fullName(row) + u'\n' + its->alert.sentence + QStringLiteral("\n→ ") + text(row, AdviceColumn) +
               QStringLiteral("\n\n") + tr("Rule: %1").arg(its->alert.rule.text);
    case EntityRole:
        return lockOf(index.row());
    case SeverityRole:
        return int(severity);
    case BadgeRole:
        return m_desks.size() > 1 && row.desk ? badgeOf(*m_context, row.desk->connection()) : -1;
    case PlaceRole:
        return row.desk ? m_context->trace()->displayName(row.desk->connection()) : QString();
    default:
        return {};
    }
}

QVariant AlertsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
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
