// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/queue_model.h"

#include "theme/format.h"

namespace lockscope::views {

void QueueModel::setWaiters(const std::shared_ptr<const trace::Trace>& trace, const std::vector<Waiter>& waiters,
                            Nanos now) {
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
        if (std::ranges::find(waiters, m_waiters[std::size_t(i)]) != waiters.end()) continue;
        beginRemoveRows({}, i, i);
        m_waiters.erase(m_waiters.begin() + i);
        endRemoveRows();
    }
    for (std::size_t i = 0; i < waiters.size(); ++i) {
        if (i < m_waiters.size() && m_waiters[i] == waiters[i]) continue;
        beginInsertRows({}, int(i), int(i));
        m_waiters.insert(m_waiters.begin() + std::ptrdiff_t(i), waiters[i]);
        endInsertRows();
    }
    if (!m_waiters.empty()) Q_EMIT dataChanged(index(0), index(int(m_waiters.size()) - 1));
}

int QueueModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_waiters.size());
}

QVariant QueueModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || !m_trace) return {};
    const Waiter& waiter = m_waiters[std::size_t(index.row())];
    const QString name = m_trace->displayName(waiter.thread);
    const QString waited = tr("waits %1").arg(duration(std::max(m_now - Nanos(waiter.since), Nanos::zero())));
    switch (role) {
    case Qt::DisplayRole:
        // Without the position: that one changes by itself when somebody ahead leaves.
        return name;
    case Qt::AccessibleTextRole:
        return tr("%1. %2, %3", "position in a queue, who, how long")
            .arg(QString::number(index.row() + 1), name, waited);
    case EntityRole:
        return waiter.thread;
    case PositionRole:
        return index.row() + 1;
    case NameRole:
        return name;
    case WaitedRole:
        return waited;
    default:
        return {};
    }
}

} // namespace lockscope::views
