// SPDX-License-Identifier: GPL-3.0-or-later
#include "alerts/alerts_model.h"

#include "inspect/text.h"
#include "models/alert_words.h"
#include "theme/format.h"

namespace lockscope::views {

using Entry = session::AlertDesk::Entry;

AlertsModel::AlertsModel(ViewContext* context, QObject* parent) : QAbstractTableModel(parent), m_context(context) {
    connect(context, &ViewContext::sessionChanged, this, &AlertsModel::attach);
    attach();
}

void AlertsModel::attach() {
    session::AlertDesk* const desk = session::alertDeskOf(m_context->session());
    if (desk != m_desk) {
        if (m_desk) m_desk->disconnect(this);
        m_desk = desk;
        if (desk) connect(desk, &session::AlertDesk::changed, this, &AlertsModel::refresh);
    }
    refresh();
}

void AlertsModel::refresh() {
    std::vector<Entry> now = m_desk ? m_desk->entries() : std::vector<Entry>();
    const auto same = [](const Entry& a, const Entry& b) {
        return a.alert.rule == b.alert.rule && a.alert.lock == b.alert.lock;
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
    return row >= 0 && row < rowCount() ? &m_rows[std::size_t(row)] : nullptr;
}

int AlertsModel::rowOf(const inspect::AlertRule& rule, const QByteArray& lock) const {
    const auto found = std::ranges::find_if(
        m_rows, [&](const Entry& entry) { return entry.alert.rule == rule && entry.alert.lock == lock; });
    return found == m_rows.end() ? -1 : int(found - m_rows.begin());
}

trace::EntityId AlertsModel::lockOf(int row) const {
    const Entry* const its = entry(row);
    if (!its || its->alert.lock.isEmpty()) return trace::kNoEntity;
    const auto trace = m_context->trace();
    for (const trace::EntityId id : m_context->entities(trace::EntityKind::Lock))
        if (trace->entity(id).name == its->alert.lock) return id;
    return trace::kNoEntity;
}

int AlertsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int AlertsModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

QString AlertsModel::text(const Entry& entry, int column) const {
    switch (column) {
    case LockColumn:
        return entry.alert.lock.isEmpty() ? tr("server") : inspect::readable(entry.alert.lock);
    case SentenceColumn:
        return entry.alert.sentence;
    case AdviceColumn:
        return entry.over ? tr("It is over; it stays here because it is pinned.") : entry.alert.advice;
    case OpenForColumn:
        if (entry.over) return tr("over");
        return duration(std::max(m_desk ? m_desk->now() - entry.alert.since : Nanos(0), Nanos(0)));
    default:
        return {};
    }
}

QVariant AlertsModel::data(const QModelIndex& index, int role) const {
    const Entry* const its = entry(index.row());
    if (!index.isValid() || !its) return {};
    const auto severity = inspect::severityOf(its->alert.rule.kind);
    switch (role) {
    case Qt::DisplayRole:
        return text(*its, index.column());
    case Qt::AccessibleTextRole:
        if (index.column() == LockColumn)
            //: An alert's severity, what it is and of which lock: "warning, renewal late: orders".
            return tr("%1, %2: %3")
                .arg(severityWord(severity), alertWord(its->alert.rule.kind), text(*its, LockColumn));
        if (index.column() == PinColumn) return its->pinned ? tr("pinned") : tr("not pinned");
        if (index.column() == MuteColumn) return tr("Mute…");
        return text(*its, index.column());
    case Qt::ToolTipRole:
        if (index.column() == PinColumn)
            return its->pinned ? tr("Unpin (P)") : tr("Pin: it stays here, even when it is over (P)");
        if (index.column() == MuteColumn) return tr("Mute for a while (M)");
        return its->alert.sentence + QStringLiteral("\n→ ") + text(*its, AdviceColumn) + QStringLiteral("\n\n") +
               tr("Rule: %1").arg(its->alert.rule.text);
    case EntityRole:
        return lockOf(index.row());
    case SeverityRole:
        return int(severity);
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
