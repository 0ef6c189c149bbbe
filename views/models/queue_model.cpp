// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/queue_model.h"

#include "theme/format.h"
#include "theme/palette.h"
#include "trace/time_text.h"

namespace lockscope::views {

void QueueModel::setWaiters(const std::shared_ptr<const trace::Trace>& trace, const std::vector<Waiter>& waiters,
                            Nanos now, ToldClients told) {
    m_told = std::move(told);
    if (trace != m_trace) {
        beginResetModel();
        m_trace = trace;
        m_waiters = waiters;
        m_now = now;
        endResetModel();
        return;
    }
    m_now = now;
    // A queue loses people anywhere and gains them nearly always at its end.
    for (int i = int(m_waiters.size()) - 1; i >= 0; --i) {
        const trace::EntityId thread = m_waiters[std::size_t(i)].thread;
        if (std::ranges::find(waiters, thread, &Waiter::thread) != waiters.end()) continue;
        beginRemoveRows({}, i, i);
        m_waiters.erase(m_waiters.begin() + i);
        endRemoveRows();
    }
    for (std::size_t i = 0; i < waiters.size(); ++i) {
        if (i < m_waiters.size() && m_waiters[i].thread == waiters[i].thread) continue;
        beginInsertRows({}, int(i), int(i));
        m_waiters.insert(m_waiters.begin() + std::ptrdiff_t(i), waiters[i]);
        endInsertRows();
    }
    // Waiters that moved up have left their old rows behind.
    if (m_waiters.size() > waiters.size()) {
        beginRemoveRows({}, int(waiters.size()), int(m_waiters.size()) - 1);
        m_waiters.resize(waiters.size());
        endRemoveRows();
    }
    m_waiters = waiters;
    if (!m_waiters.empty()) Q_EMIT dataChanged(index(0), index(int(m_waiters.size()) - 1));
}

QString QueueModel::waited(const Waiter& waiter, Nanos now) {
    const QString since = lengthText(Nanos(waiter.since), std::max(now, Nanos(waiter.since)));
    if (waiter.dead) return tr("nobody waits there any more");
    //: At least so long: it was in the queue already when it was first seen.
    return waiter.own || waiter.told ? tr("waits %1").arg(since) : tr("waits ≥ %1").arg(since);
}

int QueueModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_waiters.size());
}

QVariant QueueModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || !m_trace) return {};
    const Waiter& waiter = m_waiters[std::size_t(index.row())];
    const QString name = m_trace->displayName(waiter.thread);
    const QString waited = QueueModel::waited(waiter, m_now);
    switch (role) {
    case Qt::DisplayRole:
        // Without the position: that one changes by itself when somebody ahead leaves.
        return name;
    case Qt::AccessibleTextRole:
        return tr("%1. %2, %3", "position in a queue, who, how long")
            .arg(QString::number(index.row() + 1), name, waited);
    case Qt::ToolTipRole:
        return m_told.below(QStringLiteral("%1 · %2").arg(name, waited), waiter.thread);
    case party::EntityRole:
        return waiter.thread;
    case party::PositionRole:
        return index.row() + 1;
    case party::NameRole:
        return name;
    case party::DetailRole:
        return waited;
    case party::ToneRole:
        return int(Role::WaitingText);
    default:
        return {};
    }
}

} // namespace lockscope::views
